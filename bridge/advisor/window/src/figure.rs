//! Formats figures: times, durations, counts. An unknown value is a dash. Templates pass every value
//! by reference.

use std::borrow::Borrow;

use askama::Template;
use askama::filters::HtmlSafe;
use contract::advice::Usage;
use jiff::Timestamp;

/// A point in time: in UTC for people, and for the script, which shows it in the reader's time zone.
#[derive(Template)]
#[template(path = "when.html")]
pub(crate) struct When {
    machine: String,
    utc: String,
}

// Only its template, which escapes every value, creates the HTML.
impl HtmlSafe for When {}

pub(crate) fn when(at_ms: &i64) -> When {
    When { machine: machine_time(at_ms), utc: utc(at_ms) }
}

/// The text for an unknown value.
pub(crate) const UNKNOWN: &str = "\u{2013}";

/// Milliseconds from `then` to `now`; 0 if the clock was set back.
pub(crate) fn since(then_ms: &i64, now_ms: &i64) -> u64 {
    u64::try_from(now_ms.saturating_sub(*then_ms)).unwrap_or(0)
}

/// `2026-11-22 10:39`, UTC.
fn utc(at_ms: &i64) -> String {
    match Timestamp::from_millisecond(*at_ms) {
        Ok(at) => at.strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) => UNKNOWN.to_owned(),
    }
}

/// `2026-11-22T10:39:56.120Z`, for a machine.
fn machine_time(at_ms: &i64) -> String {
    match Timestamp::from_millisecond(*at_ms) {
        Ok(at) => format!("{at:.3}"),
        Err(_) => String::new(),
    }
}

/// The duration of something that continues, in whole seconds, as the script counts it.
pub(crate) fn going(ms: Option<u64>) -> String {
    match ms {
        Some(ms @ 0..120_000) => format!("{} s", ms / 1000),
        Some(ms) => duration(ms),
        None => UNKNOWN.to_owned(),
    }
}

/// A duration that may be unknown.
pub(crate) fn duration_if(ms: &Option<u64>) -> String {
    ms.map_or_else(|| UNKNOWN.to_owned(), duration)
}

/// `840 ms`, `9.5 s`, `75 s`, `12 min`, `3 h 20 min`.
pub(crate) fn duration(ms: impl Borrow<u64>) -> String {
    let ms = *ms.borrow();
    let seconds = ms / 1000;
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..20_000 => format!("{}.{} s", seconds, ms % 1000 / 100),
        20_000..120_000 => format!("{seconds} s"),
        120_000..7_200_000 => match seconds % 60 {
            0 => format!("{} min", seconds / 60),
            rest => format!("{} min {rest} s", seconds / 60),
        },
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// `1,234,567`.
pub(crate) fn count(count: &u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The tokens of a run, input and output: `950`, `12.3k`, `1.2M`.
pub(crate) fn tokens(usage: &Option<Usage>) -> String {
    match usage {
        Some(usage) => short_count(usage.input_tokens.saturating_add(usage.output_tokens)),
        None => UNKNOWN.to_owned(),
    }
}

/// `950`, `12.3k`, `1.2M`.
pub(crate) fn short_count(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}.{}k", count / 1_000, count % 1_000 / 100),
        _ => format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}

/// A window of so many minutes: `90 min`, `5 h`, `7 d`.
pub(crate) fn minutes(minutes: &u64) -> String {
    match *minutes {
        whole if whole % 1440 == 0 => format!("{} d", whole / 1440),
        whole if whole % 60 == 0 => format!("{} h", whole / 60),
        other => format!("{other} min"),
    }
}

/// An amount in millionths as `12.34`; with four decimals if it is less than one hundredth.
pub(crate) fn money(millionths: u64) -> String {
    let (whole, rest) = (millionths / 1_000_000, millionths % 1_000_000);
    match millionths {
        1..10_000 => format!("{whole}.{:04}", rest / 100),
        _ => format!("{}.{:02}", count(&whole), rest / 10_000),
    }
}

#[cfg(test)]
mod tests {
    use super::{count, duration, going, minutes, money, short_count, since, utc};

    #[test]
    fn figures_are_short_and_have_their_units() {
        let durations =
            [0, 999, 1_000, 9_540, 19_999, 20_000, 119_999, 120_000, 125_500, 7_200_000];
        let expected = [
            "0 ms",
            "999 ms",
            "1.0 s",
            "9.5 s",
            "19.9 s",
            "20 s",
            "119 s",
            "2 min",
            "2 min 5 s",
            "2 h 0 min",
        ];
        let ages = [0, 999, 3_940, 20_500, 119_999, 130_900].map(|ms| going(Some(ms)));
        assert_eq!(ages, ["0 s", "0 s", "3 s", "20 s", "119 s", "2 min 10 s"]);
        assert_eq!(going(None), "\u{2013}");
        assert_eq!(durations.map(duration), expected);
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(|n| count(&n)),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!([950, 12_345, 1_250_000].map(short_count), ["950", "12.3k", "1.2M"]);
        assert_eq!([90, 300, 10_080].map(|n| minutes(&n)), ["90 min", "5 h", "7 d"]);
        let amounts = [0, 123, 9_999, 10_000, 12_345_678, 1_234_000_000];
        assert_eq!(amounts.map(money), ["0.00", "0.0001", "0.0099", "0.01", "12.34", "1,234.00"]);
    }

    #[test]
    fn a_clock_that_was_set_back_makes_no_age() {
        assert_eq!((since(&5, &3), since(&i64::MIN, &i64::MAX)), (0, i64::MAX.unsigned_abs()));
        assert_eq!(
            (utc(&0), utc(&i64::MAX)),
            ("1970-01-01 00:00".to_owned(), "\u{2013}".to_owned())
        );
    }
}
