//! The status bar: model, tokens and cost of the session, folder, sandbox. Not here: computing these.

use ratatui_core::style::Stylize as _;
use ratatui_core::text::Line;

use super::measure;
use crate::figures::grouped;

/// The separator of two parts.
const BETWEEN: &str = " · ";

/// The content.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Status {
    /// The model's id.
    pub(crate) model: String,
    /// All tokens of the session.
    pub(crate) tokens: u64,
    /// Their cost by the catalogue's prices; none if that is not known.
    pub(crate) cost_usd: Option<f64>,
    /// The working folder, as displayed (`~/project`).
    pub(crate) cwd: String,
    /// The sandbox of commands, such as `sandbox: landlock`.
    pub(crate) sandbox: String,
    /// Unusual states, shown first: plan mode, trust, queued messages, ...
    pub(crate) flags: Vec<String>,
}

/// One row of at most `columns`. If that is too narrow, parts are dropped from the end; the last remaining one is cut.
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
