//! Compaction: replaces the older part of a conversation by a summary that the model writes.

use contract::xc::{Entry, What};
use llm::{Cancel, Content, Message, Part, Request, estimate};
use serde_json::{Value, json};

use crate::budget::share;
use crate::conversation::SUMMARY_HEAD;
use crate::host::Host;
use crate::result::{Limit, truncate};
use crate::state::State;
use crate::step::failure::class;
use crate::step::reply::{self, Audience};
use crate::step::words;

/// The instruction to the model, as in the original specification.
const PROMPT: &str = "Summarize the following conversation concisely, preserving key decisions, \
    file changes, and context needed to continue.";

/// The share of the window that a summary may take.
const SUMMARY_SHARE: f64 = 0.1;

/// The share of the window that the text to be summarised may take; the rest is for the summary and for
/// the estimate's error.
const TRANSCRIPT_SHARE: f64 = 0.75;

/// The shortest length that a text of the transcript is cut to, in tokens.
const LEAST_TOKENS: u64 = 16;

/// The outcome of a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compaction {
    /// The older part is replaced by a summary.
    Done,
    /// There is nothing to replace.
    Nothing,
    /// The summary failed; the conversation is unchanged.
    Failed,
}

/// How much of the conversation is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// As many of the newest steps as the session's limits allow.
    Share,
    /// Only the newest step, since the provider reported that the window is full, whatever our estimate was.
    NewestStep,
}

/// Replaces all but the newest steps by a summary, with the user's instructions `words_to_keep` if there are some.
pub(crate) async fn compact(
    session: &mut State,
    kept: Kept,
    words_to_keep: Option<&str>,
    host: &dyn Host,
    cancel: &Cancel,
) -> Compaction {
    let window = session.model.limits().window;
    let before = session.tokens();
    let (window, kept) = match kept {
        Kept::Share => (window, share(window, session.limits.keep_share)),
        // The previous request was too long, so the summary's own request must be shorter.
        Kept::NewestStep => (window.min(before * 2 / 3), 0),
    };
    let Some(cut) = session.conversation.cut(kept) else { return Compaction::Nothing };
    let older = &session.conversation.messages()[..cut.at];
    let request = request(older, words_to_keep, window);
    let answer = match reply::ask(session, &request, Audience::Nobody, host, cancel).await {
        Ok(answer) => answer,
        Err(failure) => {
            if class(&failure).is_some() {
                let text = format!("The conversation could not be compacted: {failure}.");
                let text = session.masked(&text);
                host.tell(What::Note { text });
            }
            return Compaction::Failed;
        }
    };
    let summary = words(&answer.parts);
    if summary.is_empty() {
        return Compaction::Failed;
    }
    let summary = truncate(&summary, Limit::tokens(share(window, SUMMARY_SHARE))).text;
    let summary = session.conversation.replacement(&cut, &summary);
    let after = session.conversation.tokens_after(&cut, &summary, session.fixed_tokens);
    let (words, kept_from) = (summary.clone(), cut.kept_from);
    session.record.write_summary(host);
    let entry = Entry::Compact { summary: words, before, after, kept_from };
    let line = session.record.append(host, entry);
    session.conversation.replace(&cut, summary, line);
    // Rules that were summarised are added again when they apply again.
    session.rules.look(session.conversation.messages());
    host.tell(What::Compacted { before, after });
    Compaction::Done
}

/// The request for a summary: no tools, and the conversation as text, so that it contains no tool call for which a
/// provider would require the tools or the result.
fn request(older: &[Message], keep: Option<&str>, window: u64) -> Request {
    let system = match keep {
        Some(keep) => format!("{PROMPT}\nKeep in particular: {keep}"),
        None => PROMPT.to_owned(),
    };
    let most = share(window, TRANSCRIPT_SHARE).saturating_sub(estimate::text(&system));
    Request {
        system,
        tools: Vec::new(),
        messages: vec![Message::User(vec![Content::Text(fitting(older, most))])],
        output_limit: Some(share(window, SUMMARY_SHARE)),
        thinking: None,
    }
}

/// All of `messages` as text for a request about them, within its share of `window`.
pub(crate) fn whole(messages: &[Message], window: u64) -> String {
    fitting(messages, share(window, TRANSCRIPT_SHARE))
}

/// The transcript in at most `most` tokens: its longest texts are cut in the middle until it fits.
fn fitting(messages: &[Message], most: u64) -> String {
    let mut each = most;
    loop {
        let text = transcript(messages, Limit::tokens(each));
        if estimate::text(&text) <= most || each <= LEAST_TOKENS {
            return truncate(&text, Limit::tokens(most)).text;
        }
        each /= 2;
    }
}

/// The messages as text, one JSON object per line, so that no text in it can be taken for another line or
/// another speaker.
fn transcript(messages: &[Message], limit: Limit) -> String {
    let cut = |text: &str| truncate(text, limit).text;
    let mut lines: Vec<Value> = Vec::new();
    for message in messages {
        match message {
            Message::User(contents) => {
                lines.extend(contents.iter().filter_map(|content| match content {
                    Content::Text(text) => match text.strip_prefix(SUMMARY_HEAD) {
                        Some(summary) => Some(json!({"summary of what was before": summary})),
                        None => Some(json!({"user": cut(text)})),
                    },
                    Content::Image { .. } => None,
                }));
            }
            Message::Answer(parts) => lines.extend(parts.iter().filter_map(|part| match part {
                Part::Text { text, .. } if text.trim().is_empty() => None,
                Part::Text { text, .. } => Some(json!({"assistant": cut(text)})),
                Part::Reasoning { .. } => None,
                Part::Call(call) => {
                    let arguments = cut(&Value::Object(call.arguments.clone()).to_string());
                    let result = cut(call.result.text());
                    Some(json!({"tool": call.name, "arguments": arguments, "result": result}))
                }
            })),
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests;
