//! The answer to Claude Code: one JSON object that it honours, or `{}`. The model gets the context as a
//! fenced block below the client's cap; what the person gets is in [`super::message`].

use claude_hooks::answer::Informed;
use claude_hooks::{Answer, Context};
use fence::{CLOSE, OPEN, PREFACE};

use crate::enrich::Enriched;
use crate::exit::Exit;
use crate::question::{Client, Question};

/// The most that is put before the model, in UTF-16 code units, fence included. The client takes
/// 10,000 with nothing of its own in them (Claude Code 2.1.197); more is not worth what it costs.
pub(super) const CONTEXT_MAX: usize = 9_000;
/// What the kernel is asked to keep to: the reserve is for a fence and a note of ours.
pub(super) const CONTEXT_ASKED: usize = 8_900;

/// What stands for what did not fit.
const CUT: &str = "(more was found than the client takes)";
/// Tags that must not stand inside the fence.
const TAGS: [&str; 2] = ["repository-context", "system-reminder"];

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

/// The text in its fence, cut by whole lines where it is too long. An empty one stays empty.
fn block(text: &str) -> Context {
    let text = redact::sanitize(text, redact::Cut::NONE);
    let text = text.trim();
    if text.is_empty() {
        return Context::fit("", 0).0;
    }
    let fenced = text.strip_prefix(OPEN).and_then(|rest| rest.strip_suffix(CLOSE));
    let body = match fenced {
        Some(body) => harmless(body.trim_matches('\n')),
        None => format!("{PREFACE}\n{}", harmless(text)),
    };
    let units = |text: &str| text.encode_utf16().count();
    let room = CONTEXT_MAX - units(OPEN) - units(CLOSE) - units(CUT) - 3;
    let (kept, is_cut) = Context::fit(&body, room);
    let note = if is_cut { format!("{CUT}\n") } else { String::new() };
    let whole = format!("{OPEN}\n{}\n{note}{CLOSE}", kept.as_str());
    Context::fit(&whole, CONTEXT_MAX).0
}

/// The text without a tag that could close the fence or pass for the client's own. The kernel has done
/// that; a kernel of another version may not have.
fn harmless(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        output.push_str(before);
        let name =
            from[1..].trim_start_matches(|letter: char| letter == '/' || letter.is_whitespace());
        let is_tag = TAGS
            .iter()
            .any(|tag| name.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag)));
        output.push_str(if is_tag { "< " } else { "<" });
        rest = &from[1..];
        if is_tag {
            // `</x` becomes `< /-x`: neither opens nor closes.
            output.push_str(&from[1..from.len() - name.len()]);
            output.push('-');
            rest = name;
        }
    }
    output.push_str(rest);
    output
}

#[cfg(test)]
mod tests;
