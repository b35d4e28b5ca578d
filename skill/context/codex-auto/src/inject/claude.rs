//! The answer to Claude Code: one JSON object that it honours, or `{}`. The model gets the context as a
//! fenced block below the client's cap; what the person gets is in [`super::message`].

use claude_hooks::answer::Informed;
use claude_hooks::{Answer, Context};
use fence::{CLOSE, OPEN, units};
use orchestration::exit::Exit;
use orchestration::report::Client;

use crate::enrich::Enriched;
use crate::question::Question;

/// The most that is put before the model, in UTF-16 code units, fence included. The client takes
/// 10,000 with nothing of its own in them (Claude Code 2.1.197); more is not worth what it costs.
pub(super) const CONTEXT_MAX: usize = 9_000;
/// What the orchestrator is asked to keep to: the reserve is for a fence and a note of ours.
pub(super) const CONTEXT_ASKED: u64 = 8_900;

/// What stands for what did not fit.
const CUT: &str = "(more was found than the client takes)";

/// The same question as from Claude Code, for its form of answer.
pub(super) fn asks(question: Question) -> Question {
    let client = Client::claude_code(question.client.session_id);
    Question { client, context_max: Some(CONTEXT_ASKED), ..question }
}

/// The bytes for the client: one JSON object and a line end. The person sees the message.
pub(super) fn answer(enriched: &Enriched, message: &str) -> Vec<u8> {
    let Enriched { report, exit } = enriched;
    let answer = Answer::context(Informed::UserPromptSubmit, &block(report.context()));
    let answer = answer.with_message(message);
    let answer = match exit {
        Exit::Done => answer,
        _ => answer.beside(report.clone().into_map()),
    };
    let mut bytes = Vec::new();
    // A vector takes everything.
    let _ = answer.write(&mut bytes);
    if bytes.is_empty() {
        bytes.extend_from_slice(b"{}\n");
    }
    bytes
}

/// The text in its fence, cut by whole lines where it is too long. An empty one stays empty. The orchestrator
/// has filtered it; an orchestrator of another version may not have.
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
