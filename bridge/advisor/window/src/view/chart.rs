//! A bar chart by day as SVG, with a name for each day and the same figures as a table.

use askama::Template;
use askama::filters::HtmlSafe;
use jiff::civil::Date;

use crate::figure::{UNKNOWN, count, short_count};
use crate::words::Words;

/// Width of a day, in units of the drawing.
const DAY_WIDTH: usize = 10;

/// A bar chart by day, and the same as a table.
#[derive(Template)]
#[template(path = "chart.html")]
pub(super) struct Chart {
    /// The prefix of its elements' ids.
    id: &'static str,
    title: &'static str,
    /// The description for readers who do not see the drawing.
    name: String,
    /// The highest day.
    top: String,
    width: usize,
    columns: Vec<Column>,
    first: String,
    last: String,
    /// CSS class and name of each series.
    series: Vec<(&'static str, &'static str)>,
    as_table: &'static str,
    day: &'static str,
    table: Vec<Line>,
}

// Only its template, which escapes every value, creates the HTML.
impl HtmlSafe for Chart {}

/// A day in the drawing.
struct Column {
    x: usize,
    title: String,
    bars: Vec<Bar>,
}

struct Bar {
    class: &'static str,
    y: String,
    height: String,
}

/// A day in the table.
struct Line {
    day: String,
    values: Vec<String>,
}

impl Chart {
    /// A chart of these series: for each day, oldest first, one value per series, if known.
    pub(super) fn new(
        id: &'static str,
        title: &'static str,
        w: &'static Words,
        series: Vec<(&'static str, &'static str)>,
        days: Vec<(Date, Vec<Option<u64>>)>,
    ) -> Self {
        let sum = |values: &[Option<u64>]| values.iter().flatten().sum::<u64>();
        let most = days.iter().map(|(_, values)| sum(values)).max().unwrap_or(0);
        let column = |(place, (date, values)): (usize, &(Date, Vec<Option<u64>>))| Column {
            x: place * DAY_WIDTH,
            title: title_of(*date, values, &series),
            bars: bars(values, &series, most),
        };
        let columns = days.iter().enumerate().map(column).collect();
        let line = |(date, values): &(Date, Vec<Option<u64>>)| Line {
            day: date.to_string(),
            values: values.iter().map(known).collect(),
        };
        let end = |day: Option<&(Date, _)>| day.map(|(date, _)| date.to_string());
        let (first, last) = (end(days.first()), end(days.last()));
        let (first, last) = (first.unwrap_or_default(), last.unwrap_or_default());
        let top = format!("{}: {}", w.most, short_count(most));
        Self {
            id,
            title,
            name: format!("{title}, {first} \u{2013} {last}, {top}"),
            top,
            width: days.len().max(1) * DAY_WIDTH,
            columns,
            first,
            last,
            as_table: w.as_table,
            day: w.day,
            table: days.iter().rev().map(line).collect(),
            series,
        }
    }
}

fn known(value: &Option<u64>) -> String {
    value.as_ref().map_or_else(|| UNKNOWN.to_owned(), count)
}

fn title_of(date: Date, values: &[Option<u64>], series: &[(&'static str, &'static str)]) -> String {
    let each = series.iter().zip(values).filter(|(_, value)| **value != Some(0));
    let each: Vec<String> =
        each.map(|((_, name), value)| format!("{name} {}", known(value))).collect();
    match each.is_empty() {
        true => date.to_string(),
        false => format!("{date}: {}", each.join(", ")),
    }
}

/// The stacked bars of a day; a value other than zero is always visible.
fn bars(values: &[Option<u64>], series: &[(&'static str, &'static str)], most: u64) -> Vec<Bar> {
    let mut bars = Vec::new();
    let mut foot: f64 = 100.0;
    for ((class, _), value) in series.iter().zip(values) {
        let Some(value) = value.filter(|value| *value > 0) else { continue };
        #[expect(clippy::cast_precision_loss, reason = "a height on a screen")]
        let height = (value as f64 / most as f64 * 100.0).clamp(1.0, foot.max(1.0));
        foot -= height;
        bars.push(Bar {
            class,
            y: format!("{:.1}", foot.max(0.0)),
            height: format!("{height:.1}"),
        });
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::bars;

    #[test]
    fn bars_stand_upon_one_another_and_small_ones_are_seen() {
        let series = [("a", "A"), ("b", "B"), ("c", "C")];
        let check = |values: [Option<u64>; 3], expected: &[(&str, &str, &str)]| {
            let bars = bars(&values, &series, 1_000);
            let found: Vec<_> = bars.iter().map(|bar| (bar.class, &*bar.y, &*bar.height)).collect();
            assert_eq!(found, expected);
        };
        check([Some(500), None, Some(250)], &[("a", "50.0", "50.0"), ("c", "25.0", "25.0")]);
        check([Some(1), Some(0), None], &[("a", "99.0", "1.0")]);
        check([Some(999), Some(1), None], &[("a", "0.1", "99.9"), ("b", "0.0", "1.0")]);
        check([None, None, None], &[]);
    }
}
