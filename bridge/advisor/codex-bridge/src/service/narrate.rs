//! Converts steps of a consultation into entries of the event log.

use std::time::Duration;

use codex_driver::Progress as Said;
use contract::event::{Entry, Progress};
use redact::{Cut, Redactor};

use crate::advisor::Step;
use crate::events::EVENT_DATA_MAX_BYTES;

/// Maximum length of a step's subject, in characters: one line of a terminal.
const SUBJECT_MAX_CHARS: usize = 200;

/// Maximum size of one message in progress events, in bytes; the thread holds all of it.
const MESSAGE_MAX_BYTES: usize = 16 * 1024;

/// Maximum text of one event, in bytes. As JSON it is at most twice as long, and fits [`EVENT_DATA_MAX_BYTES`].
const PIECE_MAX_BYTES: usize = EVENT_DATA_MAX_BYTES / 2 - 64;

/// The entries for a step, in order. Codex's messages and subjects are included only if there is a redactor.
pub(super) fn told(step: &Step<'_>, narrated: Option<&Redactor>) -> Vec<Entry> {
    let said = match step {
        Step::Attempt { number } => {
            return vec![Entry::Progress(Progress::Attempt { attempt: *number })];
        }
        Step::Again { code, pause } => {
            return vec![Entry::Retry { code: *code, pause_ms: millis(*pause) }];
        }
        Step::Ended { .. } => return Vec::new(),
        Step::Codex(said) => said,
    };
    let progress = match said {
        Said::ThreadStarted { thread_id } => {
            return vec![Entry::Thread { thread_id: *thread_id }];
        }
        Said::Message { text } => {
            return narrated.map(|redactor| pieces(text, redactor)).unwrap_or_default();
        }
        // The log publishes signs of life at its own pace; the plan belongs to the account, not to a run.
        Said::ProcessStarted { .. } | Said::Sign(_) | Said::Written(_) | Said::Plan(_) => {
            return Vec::new();
        }
        Said::TurnStarted => Progress::Turn,
        Said::Item { kind, subject } => {
            let subject = narrated.zip(subject.as_ref()).map(|(redactor, subject)| {
                let cut = Cut::chars(SUBJECT_MAX_CHARS).marked();
                redactor.sanitize(subject, cut).text.into_owned()
            });
            Progress::Item { item: kind.clone(), subject }
        }
        Said::Reconnecting { .. } => Progress::Reconnecting,
        Said::TurnCompleted => Progress::Answered,
    };
    vec![Entry::Progress(progress)]
}

/// Maximum length of a thought's title, in characters.
const TITLE_MAX_CHARS: usize = 120;

/// The title of a completed part of a model's reasoning: its first line. The whole part is masked first, so
/// that no secret is truncated beyond recognition.
pub(super) fn title(part: &str, redactor: &Redactor) -> Option<String> {
    let masked = redactor.sanitize(part, Cut::NONE).text;
    let line = masked.lines().map(str::trim).find(|line| !line.is_empty())?;
    let plain = line.trim_matches(['*', '#', '_', '`', ' ']);
    let end = plain.char_indices().nth(TITLE_MAX_CHARS).map_or(plain.len(), |(end, _)| end);
    Some(plain[..end].to_owned()).filter(|title| !title.is_empty())
}

/// The events for a message, masked and split: all pieces but the last have `more`.
fn pieces(text: &str, redactor: &Redactor) -> Vec<Entry> {
    let masked = redactor.sanitize(text, Cut::bytes(MESSAGE_MAX_BYTES).marked()).text;
    let mut rest = masked.trim();
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE_MAX_BYTES));
        let more = !after.is_empty();
        pieces.push(Entry::Progress(Progress::Message { text: piece.to_owned(), more }));
        rest = after;
    }
    pieces
}

/// A duration in whole milliseconds.
pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_message_is_told_masked_in_pieces_that_fit_an_event() {
        let redactor = Redactor::new();
        let text = format!("{}é ghp_a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6e7F8", "\"\\\n".repeat(2_000));
        let step = Step::Codex(Said::Message { text });
        let told: Vec<Value> = told(&step, Some(&redactor)).iter().map(Entry::data).collect();
        assert!(told.len() > 2, "{}", told.len());
        let last = told.len() - 1;
        for (index, data) in told.iter().enumerate() {
            assert_eq!(data["more"], index < last, "{index}");
            assert!(data.to_string().len() <= EVENT_DATA_MAX_BYTES, "{index}");
        }
        let whole: String = told.iter().filter_map(|data| data["text"].as_str()).collect();
        assert!(whole.contains("é [REDACTED") && !whole.contains("ghp_a1"), "{whole}");
    }

    #[test]
    fn a_title_is_the_first_line_of_a_part_masked_whole() {
        let redactor = Redactor::new();
        let title = |part: &str| title(part, &redactor);
        assert_eq!(
            title("\n **Weighing both plans**\n\nmore").as_deref(),
            Some("Weighing both plans")
        );
        assert_eq!(title(" \n** **\n"), None);
        let key = "ghp_a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6e7F8";
        for before in 80..130 {
            let told = title(&format!("{} {key} tail", "x".repeat(before))).unwrap();
            assert!(!told.contains("ghp_") && told.chars().count() <= 120, "{told}");
        }
        let hidden = title("a\u{202e}b\u{1b}[31mc\u{200b}d").unwrap();
        assert_eq!(hidden, "abcd");
    }

    #[test]
    fn the_words_of_an_advisor_on_its_way_are_not_told() {
        let redactor = Redactor::new();
        let item = Said::Item { kind: "web_search".into(), subject: Some("outbox".into()) };
        let step = Step::Codex(item);
        assert_eq!(told(&step, Some(&redactor))[0].data()["subject"], "outbox");
        let closed = told(&step, None);
        assert_eq!(closed[0].data(), json!({ "stage": "item", "item": "web_search" }));
        assert!(told(&Step::Codex(Said::Message { text: "outbox".into() }), None).is_empty());
    }
}
