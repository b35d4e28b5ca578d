//! Prepares a tool's result for the model: cleaned, masked, shortened.
//!
//! Results are not enclosed in a fence, and no line of them is masked as an instruction. Files and
//! commands are read in order to work on them: `edit` finds only text that is exactly as shown, and source code
//! about prompts is full of what a filter takes for instructions. Every protocol sends a result
//! separately from the user's words, in a JSON string that no text can close, so the separation that a fence
//! provides exists already. Texts in the user's own message (piped input, code context
//! for the prompt) have no such separation; the code that adds them encloses them in a fence.

use redact::{Cut, Redactor};

/// The longest result, in characters, as in the original specification; some 7,500 tokens of English.
const MAX_CHARS: usize = 30_000;

/// Bytes per token in `llm::estimate`.
const BYTES_PER_TOKEN: u64 = 3;

/// The longest result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    /// The length of each end that is kept, in characters.
    half_chars: usize,
    /// The length of each end that is kept, in bytes.
    half_bytes: usize,
}

impl Limit {
    /// 30,000 characters or a quarter of the window, whichever is less. The results of one step
    /// share two fifths of the window, so that together they cannot fill it.
    pub(crate) fn new(window: u64, calls: usize) -> Self {
        let calls = u64::try_from(calls.max(1)).unwrap_or(u64::MAX);
        let tokens = (window / 4).min(window * 2 / 5 / calls);
        let bytes = usize::try_from(tokens * BYTES_PER_TOKEN).unwrap_or(usize::MAX);
        Self { half_chars: MAX_CHARS / 2, half_bytes: bytes / 2 }
    }

    /// At most so many tokens, by the estimate.
    pub(crate) fn tokens(tokens: u64) -> Self {
        let bytes = usize::try_from(tokens * BYTES_PER_TOKEN).unwrap_or(usize::MAX);
        Self { half_chars: usize::MAX / 2, half_bytes: bytes / 2 }
    }
}

/// A result for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) text: String,
    /// Whether its middle was left out.
    pub(crate) is_truncated: bool,
}

/// Prepares a text that the user pipes in, for a model with a window of so many tokens: cleaned, masked and
/// shortened like a result. The caller encloses it in a fence.
#[must_use]
pub fn piped(text: &str, window: u64) -> String {
    shown(&Redactor::new(), text, Limit::new(window, 1)).text
}

/// Cleans `text`, masks its secrets and keeps both ends. It is masked before it is cut, so that
/// no part of a secret is left at the cut.
pub(crate) fn shown(redactor: &Redactor, text: &str, limit: Limit) -> Shown {
    truncate(&redactor.sanitize(text, Cut::NONE).text, limit)
}

/// Keeps both ends of `text`, with a note between them of how many lines were left out. Characters are
/// not split.
pub(crate) fn truncate(text: &str, limit: Limit) -> Shown {
    let Limit { half_chars, half_bytes } = limit;
    let fits_bytes = text.len() <= half_bytes.saturating_mul(2);
    if fits_bytes && text.chars().nth(half_chars.saturating_mul(2)).is_none() {
        return Shown { text: text.to_owned(), is_truncated: false };
    }
    let head = text.char_indices().nth(half_chars).map_or(text.len(), |(at, _)| at);
    let head = text.floor_char_boundary(head.min(half_bytes));
    let tail = match half_chars.checked_sub(1) {
        Some(last) => text.char_indices().nth_back(last).map_or(0, |(at, _)| at),
        None => text.len(),
    };
    let tail = text.ceil_char_boundary(tail.max(text.len().saturating_sub(half_bytes)));
    let lines = text[head..tail].split('\n').count();
    let text =
        format!("{}\n\n... [truncated {lines} lines] ...\n\n{}", &text[..head], &text[tail..]);
    Shown { text, is_truncated: true }
}

#[cfg(test)]
mod tests {
    use redact::Redactor;

    use super::{Limit, shown, truncate};

    /// Large enough to change nothing.
    const WINDOW: u64 = 200_000;

    fn cut(text: &str) -> String {
        truncate(text, Limit::new(WINDOW, 1)).text
    }

    #[test]
    fn up_to_30000_characters_stay_as_they_are() {
        for text in [String::new(), "a".repeat(30_000), "龙".repeat(30_000), "🐉".repeat(30_000)]
        {
            assert_eq!(cut(&text), text);
        }
    }

    #[test]
    fn of_more_the_two_ends_of_15000_characters_stay() {
        let text = format!("{}X\nY\nZ{}", "a".repeat(15_000), "龙".repeat(15_000));
        let expected = format!(
            "{}\n\n... [truncated 3 lines] ...\n\n{}",
            "a".repeat(15_000),
            "龙".repeat(15_000)
        );
        assert_eq!(cut(&text), expected);
        assert!(truncate(&text, Limit::new(WINDOW, 1)).is_truncated);
    }

    /// D-28: a quarter of the window by the estimate, of bytes by three.
    #[test]
    fn in_a_small_window_a_result_takes_a_quarter_of_it() {
        let text = "代码审查。".repeat(6_000);
        let marks = "\n\n... [truncated 1 lines] ...\n\n".len();
        for (calls, quarter) in [(1, 2_000), (2, 1_600), (8, 400)] {
            let shown = truncate(&text, Limit::new(8_000, calls));
            assert!(shown.is_truncated);
            let tokens = llm::estimate::text(&shown.text);
            let most = quarter + llm::estimate::text(&"x".repeat(marks));
            assert!((quarter - 4..=most).contains(&tokens), "{calls}: {tokens}");
        }
    }

    #[test]
    fn a_window_of_nothing_keeps_nothing_and_does_not_fail() {
        let shown = truncate("龙🐉x", Limit::new(0, 3));
        assert_eq!(shown.text, "\n\n... [truncated 1 lines] ...\n\n");
    }

    #[test]
    fn a_secret_is_masked_before_the_cut() {
        let key = "sk-planted-9f8e7d6c5b4a3210";
        let redactor = Redactor::with_values(vec![key.to_owned()]);
        for before in 14_980..15_001 {
            let text = format!("{}{key}{}", "a ".repeat(before / 2), "b ".repeat(20_000));
            let shown = shown(&redactor, &text, Limit::new(WINDOW, 1));
            assert!(shown.is_truncated && !shown.text.contains("planted"), "{before}");
        }
    }
}
