//! `court packets`: the fact packets as they are on disk.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::desk::Desk;
use super::output::{Failed, Output};
use crate::clock;
use crate::fence;

/// How many packets are listed.
const LISTED_MAX: usize = 20;
/// The largest packet that is shown, in bytes.
const FILE_MAX: u64 = 4 << 20;

/// `court packets`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The packet to show; none: list the newest
    seq: Option<u64>,
}

/// Lists the packets, or shows one.
pub(super) fn packets(desk: &Desk, args: &Args) -> Result<Output, Failed> {
    let found = found(desk);
    if let Some(seq) = args.seq {
        let Some((_, path)) = found.iter().find(|(number, _)| *number == seq) else {
            return Err(Failed::Input(format!("there is no packet {seq}; see `court packets`")));
        };
        let packet = read(path)?;
        let text = serde_json::to_string_pretty(&packet).unwrap_or_default();
        return Ok(Output::done(fence::tame(&text, 200_000), packet));
    }
    let mut lines = Vec::new();
    for (seq, path) in found.iter().rev().take(LISTED_MAX) {
        let at = fs::metadata(path).and_then(|found| found.modified()).ok();
        let at = at.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let at = at.map(|since| clock::text(since.as_millis().try_into().unwrap_or_default()));
        let packet = read(path).unwrap_or_default();
        let calls = packet["facts"]["tool_calls"].as_array().map_or(0, Vec::len);
        let statement = packet["facts"]["final_statement"].as_str().unwrap_or("(cannot be read)");
        let statement = fence::tame_line(statement, 90);
        lines.push(format!("{seq:>5}  {}  {calls:>2} calls  {statement}", at.unwrap_or_default()));
    }
    if lines.is_empty() {
        lines
            .push("There are no fact packets yet: one is made at the end of each turn.".to_owned());
    }
    let numbers: Vec<u64> = found.iter().map(|(seq, _)| *seq).collect();
    Ok(Output::done(lines.join("\n"), json!({"packets": numbers})))
}

/// The packets by number, the oldest first.
pub(super) fn found(desk: &Desk) -> Vec<(u64, PathBuf)> {
    let folder = desk.store.historian().join("packets");
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<(u64, PathBuf)> = files
        .filter_map(|file| {
            let name = file.file_name();
            let number = name.to_str()?.strip_prefix("fact_")?.strip_suffix(".json")?;
            Some((number.parse().ok()?, file.path()))
        })
        .collect();
    found.sort();
    found
}

fn read(path: &PathBuf) -> Result<Value, Failed> {
    let wrong = |why: String| Failed::Wrong(format!("{} cannot be read: {why}", path.display()));
    if fs::metadata(path).is_ok_and(|found| found.len() > FILE_MAX) {
        return Err(wrong("it is too large".to_owned()));
    }
    let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))
}
