//! Scores rankings: hits at 1, 3, 5 and 10, and the mean reciprocal rank.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use super::data::Case;
use super::tree::is_test;

/// The depths at which hits are counted.
pub(super) const DEPTHS: [usize; 4] = [1, 3, 5, 10];

/// One method's answers.
#[derive(Debug, Default)]
pub(super) struct Column {
    /// By case: the rank of the first right file (from 1; none: not found), and the time.
    pub(super) results: BTreeMap<String, (Option<usize>, Duration)>,
    /// Why a case has no answer. For the engine under test that counts as not found; a peer is scored
    /// on the cases that it answers.
    pub(super) failures: Vec<String>,
}

/// The rank of the first file that the fix changed. Repeated files and tests do not count.
pub(super) fn rank(case: &Case, ranking: &[String]) -> Option<usize> {
    let mut seen: Vec<&str> = Vec::new();
    for path in ranking.iter().filter(|path| !is_test(path)) {
        if !seen.contains(&path.as_str()) {
            seen.push(path);
        }
    }
    seen.iter().position(|path| case.gold.iter().any(|gold| gold == path)).map(|index| index + 1)
}

/// The score of one method on some cases.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Score {
    /// How many cases.
    pub(super) cases: usize,
    /// Percent of the cases at each of [`DEPTHS`].
    pub(super) hits: [f64; 4],
    /// Mean reciprocal rank; 0 for a case that was not found.
    pub(super) mrr: f64,
    /// Median time of an answer, in milliseconds.
    pub(super) median_ms: f64,
}

impl Column {
    /// The score on these cases; none if the method answered none of them.
    pub(super) fn score<'a>(&self, cases: impl Iterator<Item = &'a Case>) -> Option<Score> {
        let answers: Vec<_> = cases.filter_map(|case| self.results.get(&case.id)).collect();
        let count = answers.len();
        let mut times: Vec<Duration> = answers.iter().map(|(_, time)| *time).collect();
        times.sort();
        let ranks: Vec<usize> = answers.iter().filter_map(|(rank, _)| *rank).collect();
        let share = |value: f64| value / count as f64;
        let hits = DEPTHS
            .map(|depth| share(100.0 * ranks.iter().filter(|rank| **rank <= depth).count() as f64));
        Some(Score {
            cases: count,
            hits,
            mrr: share(ranks.iter().fold(0.0, |sum, rank| sum + 1.0 / *rank as f64)),
            median_ms: times.get(count.checked_sub(1)? / 2)?.as_secs_f64() * 1e3,
        })
    }
}

/// The header of a table of scores.
pub(super) const HEAD: &str = "| method | cases | @1 | @3 | @5 | @10 | MRR | median |\n\
                               | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |";

/// A row of the table.
pub(super) fn row(method: &str, score: &Score) -> String {
    let mut row = format!("| {method} | {} |", score.cases);
    for hit in score.hits {
        // Writing to a string cannot fail.
        let _ = write!(row, " {hit:.1} |");
    }
    let _ = write!(row, " {:.3} | {:.0} ms |", score.mrr, score.median_ms);
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(id: &str, gold: &[&str]) -> Case {
        Case {
            id: id.into(),
            repo: String::new(),
            base: String::new(),
            language: "rust".into(),
            query_language: "en".into(),
            query: String::new(),
            gold: gold.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn tests_and_repetitions_do_not_count() {
        let ranking = ["tests/a.py", "b.py", "b.py", "c.py", "d.py"].map(String::from);
        assert_eq!(rank(&case("x", &["c.py", "d.py"]), &ranking), Some(2));
        assert_eq!(rank(&case("x", &["e.py"]), &ranking), None);
    }

    #[test]
    fn a_score_is_over_the_cases_that_were_asked() {
        let cases = [case("x", &[]), case("y", &[]), case("z", &[]), case("not asked", &[])];
        let mut column = Column::default();
        for (id, rank, ms) in [("x", Some(1), 5), ("y", Some(4), 7), ("z", None, 9)] {
            column.results.insert(id.into(), (rank, Duration::from_millis(ms)));
        }
        let score = column.score(cases.iter()).unwrap();
        let third = 100.0 / 3.0;
        assert_eq!(score.hits, [third, third, 200.0 / 3.0, 200.0 / 3.0]);
        assert_eq!((score.cases, score.mrr, score.median_ms), (3, 1.25 / 3.0, 7.0));
        assert_eq!(column.score(cases[3..].iter()), None);
    }
}
