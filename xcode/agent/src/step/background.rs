//! Reports background commands during a turn. Not here: running them.

use contract::xc::CommandRun;

use super::Turn;
use crate::tools::TaskNews;

/// The longest part of a command that is shown as its task's name, in characters.
const COMMAND_CHARS: usize = 80;

impl Turn<'_> {
    /// Records what happened to the background commands, and returns the text for the model; empty
    /// if there is nothing to report.
    pub(crate) fn hear_of_tasks(&mut self) -> String {
        let mut told = String::new();
        for TaskNews { number, command, end, is_told } in self.session.write_tasks(self.host) {
            if !is_told && let Some(end) = end {
                let shown: String = command.chars().take(COMMAND_CHARS).collect();
                let words = end.words();
                told.push_str(&format!("\n\n[Background task {number} ({shown}): {words}.]"));
            }
            let exit = end.and_then(|end| end.exit());
            let run = CommandRun { command, exit };
            match end {
                None => self.evidence.begun(number, run),
                Some(_) => self.evidence.ended(number, run),
            }
        }
        told
    }
}
