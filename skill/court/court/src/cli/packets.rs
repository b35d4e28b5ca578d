//! `court packets`: shows the stored fact packets.

use serde_json::{Value, json};

use super::context::CliContext;
use super::output::{Failed, Output};
use crate::clock;
use crate::fence;
use crate::packet;
use crate::store::Files;

/// How many packets are listed.
const LISTED_MAX: usize = 20;

/// `court packets`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The packet to show; none: list the newest
    seq: Option<u64>,
}

/// Lists the packets, or shows one.
pub(super) fn packets(desk: &CliContext, args: &Args) -> Result<Output, Failed> {
    let found = found(desk);
    if let Some(seq) = args.seq {
        if !found.contains(&seq) {
            return Err(Failed::Input(format!("there is no packet {seq}; see `court packets`")));
        }
        let packet = read(&files(desk), seq)?;
        let text = serde_json::to_string_pretty(&packet).unwrap_or_default();
        return Ok(Output::done(fence::sanitize(&text, 200_000), packet));
    }
    let mut lines = Vec::new();
    let files = files(desk);
    for seq in found.iter().rev().take(LISTED_MAX) {
        let at = files.metadata(packet::name(*seq)).and_then(|found| found.modified().ok());
        let at = at.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let at = at.map(|since| clock::text(since.as_millis().try_into().unwrap_or_default()));
        let packet = read(&files, *seq).unwrap_or_default();
        let calls = packet["facts"]["tool_calls"].as_array().map_or(0, Vec::len);
        let statement = packet["facts"]["final_statement"].as_str().unwrap_or("(cannot be read)");
        let statement = fence::sanitize_line(statement, 90);
        lines.push(format!("{seq:>5}  {}  {calls:>2} calls  {statement}", at.unwrap_or_default()));
    }
    if lines.is_empty() {
        lines
            .push("There are no fact packets yet: one is made at the end of each turn.".to_owned());
    }
    Ok(Output::done(lines.join("\n"), json!({"packets": found})))
}

/// The packets by number, the oldest first.
pub(super) fn found(desk: &CliContext) -> Vec<u64> {
    packet::numbers(&files(desk))
}

fn files(desk: &CliContext) -> Files {
    desk.store.historian().inner(packet::FOLDER)
}

fn read(files: &Files, seq: u64) -> Result<Value, Failed> {
    let bytes = files.read(packet::name(seq), packet::BYTES_MAX)?.unwrap_or_default();
    serde_json::from_slice(&bytes).map_err(|error| {
        let path = files.path(packet::name(seq));
        Failed::Wrong(format!("{} cannot be read: {error}", path.display()))
    })
}
