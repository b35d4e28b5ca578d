//! Prints the slowest tests of the last run, and exits with 1 if docs/REQUIREMENTS.md names a test that
//! did not pass in it: `requirements-ran REQUIREMENTS.md JUNIT.xml`.

use std::io::Write as _;

fn main() -> anyhow::Result<()> {
    let mut paths = std::env::args_os().skip(1);
    let (Some(table), Some(report)) = (paths.next(), paths.next()) else {
        anyhow::bail!("usage: requirements-ran REQUIREMENTS.md JUNIT.xml");
    };
    let table = std::fs::read_to_string(table)?;
    let report = std::fs::read_to_string(report)?;
    write!(std::io::stdout(), "{}", tests::durations::slowest(&report))?;
    let rows = tests::requirements::rows(&table);
    let missing = tests::requirements::not_run(&rows, &report);
    anyhow::ensure!(missing.is_empty(), "these tests are named and did not pass: {missing:?}");
    let named: usize = rows.iter().map(|row| row.tests.len()).sum();
    writeln!(std::io::stdout(), "{} rows of requirements: all {named} tests passed.", rows.len())?;
    Ok(())
}
