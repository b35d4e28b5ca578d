//! `ci index-status`.

use std::io;

use super::error::{CliError, Exit};
use super::output::Output;
use super::session::Session;
use crate::tools::index_status::{IndexStatus, index_status_of};

pub(super) fn run(session: &Session, output: &mut Output) -> Result<Exit, CliError> {
    let view = session.view()?;
    output.answer(&index_status_of(&view, &session.deadline), print)
}

fn print(output: &mut Output, status: &IndexStatus) -> io::Result<()> {
    let share = status.index_bytes as f64 / status.source_bytes.max(1) as f64;
    let state = if status.fresh { "up to date" } else { "incomplete" };
    output.line(&format!("{state}: {} files, {} pending", status.files, status.pending_files))?;
    output.line(&format!(
        "{} lines and {} symbols in {} text files",
        status.lines, status.symbols, status.text_files
    ))?;
    for count in &status.languages {
        output.line(&format!(
            "  {:12} {:8} files {:10} lines",
            count.language, count.files, count.lines
        ))?;
    }
    output.line(&format!(
        "index: {} bytes ({share:.2} of the source) in {} parts, built in {} ms, last change {} ms",
        status.index_bytes, status.segments, status.build_ms, status.update_ms
    ))?;
    if let Some(history) = &status.history {
        output.line(&format!(
            "history: {} commits say something of {} files, {} bytes",
            history.commits, history.files, history.bytes
        ))?;
    }
    output.line(&format!("  {}", status.index_path))
}
