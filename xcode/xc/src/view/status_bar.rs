//! The status bar: model, tokens and cost of the session, folder, sandbox. Absent: adding them up.

use ratatui_core::style::Stylize as _;
use ratatui_core::text::Line;

use super::measure;
use crate::figures::grouped;

/// What stands between two parts.
const BETWEEN: &str = " · ";

/// What is shown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Status {
    /// The model's id.
    pub(crate) model: String,
    /// All tokens of the session.
    pub(crate) tokens: u64,
    /// What they cost by the catalogue; none where that is not known.
    pub(crate) cost_usd: Option<f64>,
    /// The working folder, as it is to be shown (`~/project`).
    pub(crate) cwd: String,
    /// What confines commands, such as `sandbox: landlock`.
    pub(crate) sandbox: String,
    /// Plan mode, trust, what is queued, ...: what is not as usual; the first things to be seen.
    pub(crate) flags: Vec<String>,
}

/// One row of at most `columns`. Where that is too narrow, parts go from the end on; the last one left is cut.
pub(crate) fn line(status: &Status, columns: u16) -> Line<'static> {
    let columns = usize::from(columns);
    let cost = status.cost_usd.map_or("n/a".to_owned(), |cost| {
        if cost > 0.0 && cost < 0.01 { "<$0.01".to_owned() } else { format!("${cost:.2}") }
    });
    let mut parts = status.flags.clone();
    parts.push(status.model.clone());
    parts.push(format!("{} tokens {cost}", grouped(status.tokens)));
    parts.push(status.cwd.clone());
    parts.push(status.sandbox.clone());
    parts.retain(|part| !part.is_empty());
    let mut shown = String::new();
    for part in &parts {
        let part = redact::visible_line(part);
        let between = if shown.is_empty() { "" } else { BETWEEN };
        let room = columns.saturating_sub(measure::width(&shown) + measure::width(between));
        if measure::width(&part) <= room {
            shown.push_str(between);
            shown.push_str(&part);
        } else if shown.is_empty() {
            shown = measure::cut(&part, room);
        } else if *part == status.cwd && room >= 8 {
            shown.push_str(between);
            shown.push_str(&measure::cut_start(&part, room));
        }
    }
    Line::from(shown).dim()
}
