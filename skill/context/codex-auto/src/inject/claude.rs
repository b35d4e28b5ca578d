//! The response to Claude Code: one JSON object in its format, or `{}`. The model gets the context as a
//! fenced block below the client's limit; the user gets the text of [`super::message`].

use claude_hooks::answer::Informed;
use claude_hooks::{Answer, Context};
use fence::{CLOSE, OPEN, units};
use orchestration::exit::Exit;
use orchestration::report::Client;

use crate::enrich::Enriched;
use crate::question::Question;

/// Maximum size of the text for the model, in UTF-16 code units, fence included. The client accepts
/// 10,000 without text of its own (Claude Code 2.1.197); more is not worth its cost.
pub(super) const CONTEXT_MAX: usize = 9_000;
/// The limit given to the orchestrator: the difference is reserved for the fence and a note.
pub(super) const CONTEXT_ASKED: u64 = 8_900;

/// Replaces text that was cut off.
const CUT: &str = "(more was found than the client takes)";

/// The same question with Claude Code as its client.
pub(super) fn asks(question: Question) -> Question {
    let client = Client::claude_code(question.client.session_id);
    Question { client, context_max: Some(CONTEXT_ASKED), ..question }
}

/// The response: one JSON object and a newline. The user sees the message.
pub(super) fn answer(enriched: &Enriched, message: &str) -> Vec<u8> {
    let Enriched { report, exit } = enriched;
    let answer = Answer::context(Informed::UserPromptSubmit, &block(report.context()));
    let answer = answer.with_message(message);
    let answer = match exit {
        Exit::Done => answer,
        _ => answer.beside(report.clone().into_map()),
    };
    let mut bytes = Vec::new();
    // Writing to a vector cannot fail.
    let _ = answer.write(&mut bytes);
    if bytes.is_empty() {
        bytes.extend_from_slice(b"{}\n");
    }
    bytes
}

/// The text in its fence, truncated at a line if it is too long. An empty text stays empty. The orchestrator
/// has filtered it, but one of another version may not have.
fn block(text: &str) -> Context {
    let text = redact::sanitize(text, redact::Cut::NONE);
    if text.trim().is_empty() {
        return Context::fit("", 0).0;
    }
    let body = fence::content(&text);
    let room = CONTEXT_MAX - units(OPEN) - units(CLOSE) - units(CUT) - 3;
    let (kept, is_cut) = Context::fit(&body, room);
    let note = if is_cut { format!("{CUT}\n") } else { String::new() };
    let whole = format!("{OPEN}\n{}\n{note}{CLOSE}", kept.as_str());
    Context::fit(&whole, CONTEXT_MAX).0
}

#[cfg(test)]
mod tests;
