//! The second layer: a closer look into the transcript of one abnormal node, by code, bounded and sanitized.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use super::scan::Abnormal;
use crate::fence;
use crate::node::writes;
use crate::records::ObjectiveNode;
use crate::transcript::{Coverage, Status, record};

/// Number of its last calls shown.
const CALLS: usize = 15;
/// Maximum length of its last message, in characters.
const WORDS_MAX: usize = 800;

/// An extract of a node's transcript, for the historian to judge.
#[must_use]
pub(super) fn deep(node: &ObjectiveNode, abnormal: &[Abnormal], until: Instant) -> String {
    let mut text = format!("Sub-agent \"{}\"", fence::sanitize_line(&node.task_id, 60));
    // Writing to a string cannot fail.
    for reason in abnormal {
        let _ = write!(text, "\n- abnormal: {reason}");
    }
    text.push('\n');
    let Some(path) = node.raw_log_path.as_deref().map(Path::new) else {
        text.push_str("Its record is not known: ask for what it did to be shown.\n");
        return text;
    };
    match record(path, until, writes) {
        Err(unread) => {
            let _ = writeln!(text, "Its record cannot be looked at: {unread}");
        }
        Ok(record) => {
            let _ = writeln!(text, "Its record: {}", path.display());
            let ends: Vec<String> =
                record.ends.iter().map(|(end, count)| format!("{count} {end}")).collect();
            let ends = if ends.is_empty() { "none".to_owned() } else { ends.join(", ") };
            let _ = writeln!(text, "Tool calls by their end: {ends}");
            for call in record.calls.iter().rev().take(CALLS).rev() {
                let about = call.path.as_deref().or(call.what.as_deref()).unwrap_or_default();
                let _ = writeln!(text, "- {} {}: {about}", word(call.status), call.name);
            }
            if let Some(words) = &record.statement {
                let _ =
                    writeln!(text, "Its last words: {}", fence::sanitize_line(words, WORDS_MAX));
            }
            if record.coverage != Coverage::Whole {
                text.push_str("Only the end of its record was read.\n");
            }
        }
    }
    text
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Success => "ok",
        Status::Error => "FAILED",
        Status::Interrupted => "INTERRUPTED",
        Status::Denied => "DENIED",
        Status::Pending => "no result",
    }
}
