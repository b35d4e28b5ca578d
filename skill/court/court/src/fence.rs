//! Prepares text from files, tools and models for the model or the user: cleaned, redacted, truncated
//! and fenced, so that it is treated as data.

use ::fence::{fit, units};

pub use ::ledger::sanitize::{hides_nothing, sanitize, sanitize_line};

/// Fences sanitized lines, at most `max` UTF-16 units including the fence. Notes if lines
/// were left out.
pub fn fenced(name: &str, note: &str, lines: &str, max: usize) -> String {
    let head = format!("<court-{name} note=\"{note}\">\n");
    let tail = format!("\n</court-{name}>");
    let cut = "\n(more is left out; see `court ledger`)";
    let room = max.saturating_sub(units(&head) + units(&tail) + units(cut));
    let (fitted, is_cut) = fit(lines, room);
    let cut = if is_cut { cut } else { "" };
    format!("{head}{}{cut}{tail}", fitted)
}

#[cfg(test)]
mod tests {
    use super::fenced;

    #[test]
    fn a_fence_stays_within_its_bound_and_says_what_is_left_out() {
        let text = fenced("ledger", "data", &"a line\n".repeat(1000), 500);
        assert!(text.encode_utf16().count() <= 500, "{}", text.len());
        assert!(
            text.ends_with("(more is left out; see `court ledger`)\n</court-ledger>"),
            "{text}"
        );
    }
}
