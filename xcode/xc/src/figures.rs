//! Formats numbers and durations for display. Not here: units other than time.

use std::time::Duration;

/// A number with commas as thousands separators.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `340 ms`, `3.2 s`, `2 min 5 s`.
pub(crate) fn duration(duration: Duration) -> String {
    match duration.as_secs() {
        0 => format!("{} ms", duration.as_millis()),
        1..60 => format!("{:.1} s", duration.as_secs_f64()),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{duration, grouped};

    #[test]
    fn digits_stand_in_threes() {
        let all = [0, 999, 1_000, 123_456, 1_234_567].map(grouped);
        assert_eq!(all, ["0", "999", "1,000", "123,456", "1,234,567"]);
    }

    #[test]
    fn a_duration_has_the_unit_of_its_size() {
        let all = [0, 999, 1_000, 59_949, 125_000].map(|ms| duration(Duration::from_millis(ms)));
        assert_eq!(all, ["0 ms", "999 ms", "1.0 s", "59.9 s", "2 min 5 s"]);
    }
}
