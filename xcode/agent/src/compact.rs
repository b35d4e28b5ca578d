//! Compaction: the older part of a conversation becomes a summary that the model itself writes.

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

/// What the model is asked for; the seed's words.
const PROMPT: &str = "Summarize the following conversation concisely, preserving key decisions, \
    file changes, and context needed to continue.";

/// The part of the window that a summary may take.
const SUMMARY_SHARE: f64 = 0.1;

/// The part of the window that the text to be summarised may take; the rest is the summary's, and what
/// the estimate is wrong by.
const TRANSCRIPT_SHARE: f64 = 0.75;

/// The fewest tokens that a text of the transcript is cut down to.
const LEAST_TOKENS: u64 = 16;

/// What came of a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compaction {
    /// The older part is replaced by a summary.
    Done,
    /// There is nothing that could be replaced.
    Nothing,
    /// The summary could not be made; the conversation is as it was.
    Failed,
}

/// How much stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// As many of the newest steps as the session's limits say.
    Share,
    /// The newest step. The provider said that the window is full, wherever we thought it ends.
    NewestStep,
}

/// Replaces all but the newest steps by a summary, with `words_to_keep` in mind where the user said some.
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
        // What was too long now is no measure for the summary's own request.
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
    // Rules that went into the summary come again when their time does.
    session.rules.look(session.conversation.messages());
    host.tell(What::Compacted { before, after });
    Compaction::Done
}

/// The request for a summary: no tools, and the conversation as text. So no call stands in it that a
/// provider would want the tools of, or its result.
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

/// The whole of `messages` for a request that asks about them, in what such a request may take of `window`.
pub(crate) fn whole(messages: &[Message], window: u64) -> String {
    fitting(messages, share(window, TRANSCRIPT_SHARE))
}

/// The transcript in at most `most` tokens: its longest texts are cut in their middle until it fits.
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

/// The messages as text, one JSON object a line: no text in it can pass for a line of its own, and so
/// for another speaker.
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
