//! Parses the table of requirements, docs/REQUIREMENTS.md: the tests that each row names. Not here: whether
//! those tests prove what they should, and how long they took ([`crate::durations`]).

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<'t> {
    /// The requirements of the row, such as `ADV-1`; at least one.
    pub numbers: Vec<&'t str>,
    /// The tests that it names, by the last part of their path.
    pub tests: Vec<&'t str>,
}

/// Parses the rows. The last cell names tests; in the table of scenarios the last two do.
#[must_use]
pub fn rows(text: &str) -> Vec<Row<'_>> {
    let begins = ["| ADV-", "| ATO-", "| CRT-", "| SC-ATO-", "| XC-"];
    let lines = text.lines().filter(|line| begins.iter().any(|begin| line.starts_with(begin)));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let numbers = cells[0].split(", ").collect();
            let named = cells.iter().skip(if line.starts_with("| SC-") { 2 } else { 3 });
            Row {
                numbers,
                tests: named.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect(),
            }
        })
        .collect()
}

/// The tests that the table names and that did not pass in a run, from the run's report in JUnit's
/// format as nextest 0.9 writes it.
#[must_use]
pub fn not_run<'t>(rows: &[Row<'t>], report: &str) -> Vec<&'t str> {
    let cases = report.split("<testcase ").skip(1).filter(|case| !case.contains("<failure"));
    let passed: std::collections::BTreeSet<&str> = cases
        .filter_map(|case| case.strip_prefix("name=\"")?.split('"').next())
        .map(|path| path.rsplit("::").next().unwrap_or(path))
        .collect();
    let named = rows.iter().flat_map(|row| row.tests.iter().copied());
    named.filter(|test| !passed.contains(test)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Row, not_run, rows};

    #[test]
    fn a_named_test_that_failed_or_did_not_run_is_told() {
        let table = "| CRT-1, CRT-2 | what | where `src/a.rs` | `one`, `two` |\n\
                     | SC-ATO-001 | what | `three` | `four` |\n| other | `five` |";
        let rows = rows(table);
        let first = Row { numbers: vec!["CRT-1", "CRT-2"], tests: vec!["one", "two"] };
        let second = Row { numbers: vec!["SC-ATO-001"], tests: vec!["three", "four"] };
        assert_eq!(rows, [first, second]);
        let report = "<testcase name=\"a::one\" classname=\"x\">\n</testcase>\
                      <testcase name=\"a::two\" classname=\"x\"><failure/></testcase>\
                      <testcase name=\"four\" classname=\"x\"></testcase>";
        assert_eq!(not_run(&rows, report), ["two", "three"]);
    }
}
