//! The box shown at the first start, and the lines of the wizard's steps. Not here: the steps, which are the program's.

use ratatui_core::style::Stylize as _;
use ratatui_core::text::Line;

use super::measure;

/// A box with a title and some lines, as wide as they need.
pub(crate) fn boxed(title: &str, lines: &[&str], columns: u16) -> Vec<Line<'static>> {
    let most = usize::from(columns).saturating_sub(4);
    let rows: Vec<&str> = lines.iter().flat_map(|line| measure::wrap(line, most.max(1))).collect();
    let title = measure::cut(title, most.saturating_sub(2));
    let widths = rows.iter().map(|row| measure::width(row));
    let inner = widths.max().unwrap_or(0).max(measure::width(&title) + 2);
    let rule = |cells: usize| "─".repeat(cells);
    let head =
        format!("╭─ {title} {}╮", rule((inner + 2).saturating_sub(measure::width(&title) + 3)));
    let mut boxed = vec![Line::from(head).cyan()];
    for row in rows {
        let gap = " ".repeat(inner.saturating_sub(measure::width(row)));
        boxed.push(Line::from(vec!["│ ".cyan(), format!("{row}{gap}").into(), " │".cyan()]));
    }
    boxed.push(Line::from(format!("╰{}╯", rule(inner + 2))).cyan());
    boxed
}

/// A completed step: `? QUESTION ANSWER`.
pub(crate) fn answered(question: &str, answer: &str) -> Line<'static> {
    Line::from(vec!["? ".green(), format!("{question} ").bold(), answer.to_owned().cyan()])
}

/// `✓ ...`: something was done.
pub(crate) fn done(text: &str) -> Line<'static> {
    Line::from(vec!["✓ ".green(), text.to_owned().into()])
}
