//! A report as text for an MCP client: the advice, its limits, and the ids for the next call.

use client::markdown::{self, list, paragraph};
use contract::advice::Report;

pub(super) fn report(report: &Report) -> String {
    let meta = &report.meta;
    let mut text = String::new();
    markdown::advice(&mut text, &report.advice);
    list(&mut text, "Limits of this answer", meta.limits.iter().cloned());
    let (session, left, run) = (meta.session_id, meta.rounds_left, meta.run_id);
    paragraph(&mut text, &format!("session_id: {session}, rounds left: {left}, run_id: {run}"));
    text
}
