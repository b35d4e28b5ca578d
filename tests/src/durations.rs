//! The durations of a test run, from its report in JUnit's format as nextest 0.9 writes it: the
//! slowest binaries and the slowest tests. Not here: limits, which are in .config/nextest.toml.

use std::fmt::Write as _;

/// How many binaries and how many tests are listed.
const NAMED: usize = 8;

/// The slowest binaries (the sum of their tests, which run concurrently) and tests, in seconds,
/// the slowest first.
#[must_use]
pub fn slowest(report: &str) -> String {
    let mut tests = cases(report);
    let mut binaries: Vec<(String, f64)> = Vec::new();
    for (binary, _, seconds) in &tests {
        match binaries.iter_mut().find(|(known, _)| known == binary) {
            Some((_, sum)) => *sum += seconds,
            None => binaries.push(((*binary).to_owned(), *seconds)),
        }
    }
    binaries.sort_by(|one, other| other.1.total_cmp(&one.1));
    tests.sort_by(|one, other| other.2.total_cmp(&one.2));
    let mut text = String::from("The slowest parts, by the sum of their tests:\n");
    for (binary, seconds) in binaries.iter().take(NAMED) {
        writeln!(text, "{seconds:8.1} s  {binary}").expect("a string takes all");
    }
    text += "The slowest tests:\n";
    for (binary, test, seconds) in tests.iter().take(NAMED) {
        writeln!(text, "{seconds:8.1} s  {binary} {test}").expect("a string takes all");
    }
    text
}

/// Each test of the report: its binary, its path, and its duration in seconds.
fn cases(report: &str) -> Vec<(&str, &str, f64)> {
    let heads = report.split("<testcase ").skip(1).filter_map(|case| case.split('>').next());
    heads
        .filter_map(|head| {
            let seconds = attribute(head, "time")?.parse().ok()?;
            Some((attribute(head, "classname")?, attribute(head, "name")?, seconds))
        })
        .collect()
}

/// The value of an attribute in an element's start tag.
fn attribute<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let (_, rest) = head.split_once(&format!("{name}=\""))?;
    rest.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::slowest;

    #[test]
    fn the_slowest_come_first() {
        let report = "<testsuite name=\"a\" time=\"9.9\">\n\
            <testcase name=\"x::one\" classname=\"a\" timestamp=\"now\" time=\"1.25\">\n</testcase>\
            <testcase name=\"two\" classname=\"b\" timestamp=\"now\" time=\"3.5\"><failure/></testcase>\
            <testcase name=\"three\" classname=\"a\" timestamp=\"now\" time=\"3.0\"/>";
        let text = slowest(report);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "The slowest parts, by the sum of their tests:",
                "4.2 s  a",
                "3.5 s  b",
                "The slowest tests:",
                "3.5 s  b two",
                "3.0 s  a three",
                "1.2 s  a x::one",
            ]
        );
    }
}
