//! The spinner of a running operation, with its duration. Not here: the clock.

use std::time::Duration;

use ratatui_core::style::Stylize as _;
use ratatui_core::text::{Line, Span};

use crate::figures;

/// The frames in order.
const TURNS: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// How long each frame is shown; draw again after it.
pub(crate) const TURN: Duration = Duration::from_millis(100);

/// The frame after `elapsed`.
pub(crate) fn turn(elapsed: Duration) -> &'static str {
    let turns = elapsed.as_millis() / TURN.as_millis();
    TURNS[usize::try_from(turns % 10).unwrap_or(0)]
}

/// `⠋ Thinking... 3.2 s`, followed by a hint about keys.
pub(crate) fn line(words: &str, elapsed: Duration, hint: &str) -> Line<'static> {
    let mut spans = vec![Span::from(turn(elapsed)).cyan(), Span::from(format!(" {words}"))];
    if elapsed >= Duration::from_secs(1) {
        spans.push(Span::from(format!(" {}", figures::duration(elapsed))).dim());
    }
    if !hint.is_empty() {
        spans.push(Span::from(format!("  {hint}")).dim());
    }
    Line::from(spans)
}
