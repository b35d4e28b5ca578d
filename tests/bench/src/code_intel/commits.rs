//! Questions from any repository's history: the message of a commit, for the tree before it; the
//! source files that it changed are the answer. Made from clones, for languages that no set of issues covers.
//! Messages resemble the history that the ranking uses, so this shows harm rather than benefit of using it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::data::Case;
use super::program::Program;
use super::tree::{is_source, is_test};

/// How many commits of the main line are examined.
const COMMITS: &str = "--max-count=6000";
/// How many of the commits after a base are used as its questions.
const FOLLOWING: usize = 28;
/// The length of a commit hash, in characters.
const HASH_BYTES: usize = 40;
/// The most source files that a commit may change to be a question.
const GOLD_MAX: usize = 3;
/// The permitted length of a message, in characters.
const MESSAGE: std::ops::Range<usize> = 40..6_000;
/// Folders of tests, examples and documents.
const BESIDE: [&str; 12] = [
    "__tests__",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "demo",
    "doc",
    "docs",
    "example",
    "examples",
    "spec",
    "specs",
];
/// Arguments of git for commits with the files that they changed; a merge stands for the commits that it merged.
const LOG: [&str; 6] =
    ["log", "--first-parent", "-m", "--no-renames", "--name-only", "--format=%x01%H %P%n%B%x02"];
/// Markers around the message of a commit in git's output.
const MARKS: [char; 2] = ['\u{1}', '\u{2}'];

/// At most `wanted` questions of each clone, spread over its main line.
pub(super) fn make(
    repositories: &BTreeMap<String, PathBuf>,
    wanted: usize,
) -> anyhow::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for (repo, clone) in repositories {
        let found = of_clone(repo, clone)?;
        let step = (found.len() / wanted.max(1)).max(1);
        let mut kept = 0;
        for case in found.into_iter().step_by(step) {
            if kept < wanted && had_its_files(clone, &case)? {
                kept += 1;
                cases.push(case);
            }
        }
    }
    Ok(cases)
}

/// At most `wanted` questions at each of some commits of each clone, spread over its main line: the
/// messages of the commits that follow. They share one tree and one history.
pub(super) fn make_at(
    repositories: &BTreeMap<String, PathBuf>,
    wanted: usize,
    bases: usize,
) -> anyhow::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for (repo, clone) in repositories {
        let log = log(clone)?;
        let records: Vec<&str> = log.split(MARKS[0]).skip(1).collect();
        for number in 0..bases {
            // The newest commit comes first.
            let at = records.len() * (2 * number + 1) / (2 * bases);
            let Some(base) = records.get(at).and_then(|record| record.get(..HASH_BYTES)) else {
                continue;
            };
            let next = records[at.saturating_sub(FOLLOWING)..at].iter().rev();
            let mut kept = 0;
            for case in next.filter_map(|record| case(repo, record)) {
                let case = Case { base: base.to_owned(), ..case };
                if kept < wanted && had_its_files(clone, &case)? {
                    kept += 1;
                    cases.push(case);
                }
            }
        }
    }
    Ok(cases)
}

fn of_clone(repo: &str, clone: &Path) -> anyhow::Result<Vec<Case>> {
    let log = log(clone)?;
    Ok(log.split(MARKS[0]).skip(1).filter_map(|record| case(repo, record)).collect())
}

/// The newest commits of the main line, newest first.
fn log(clone: &Path) -> anyhow::Result<String> {
    Program::named("git", clone)?.args(LOG).args([COMMITS, "HEAD"]).stdout()
}

fn case(repo: &str, record: &str) -> Option<Case> {
    let (head, files) = record.split_once(MARKS[1])?;
    let (commits, message) = head.split_once('\n')?;
    let mut commits = commits.split(' ').filter(|commit| !commit.is_empty());
    let (commit, base) = (commits.next()?, commits.next()?);
    let files: Vec<&str> = files.lines().filter(|line| !line.is_empty()).collect();
    let is_gold = |path: &&&str| is_source(path) && !is_beside(path);
    let gold: Vec<String> = files.iter().filter(is_gold).map(ToString::to_string).collect();
    let query = asked(message, &gold);
    let fits = (1..=GOLD_MAX).contains(&gold.len())
        && MESSAGE.contains(&query.chars().count())
        && query.split_whitespace().count() >= 4;
    fits.then(|| Case {
        id: format!("{repo}@{commit:.10}"),
        repo: repo.to_owned(),
        base: base.to_owned(),
        language: language(&gold[0]).to_owned(),
        query_language: "commit".to_owned(),
        query,
        gold,
    })
}

/// The message without parts that reveal the answer or name no code: paths, links, issue
/// numbers, sign-offs.
fn asked(message: &str, gold: &[String]) -> String {
    let is_trailer = |line: &str| {
        line.split_once(": ")
            .is_some_and(|(label, _)| label.ends_with("-by") || label == "Change-Id")
    };
    let lines = message.lines().filter(|line| !is_trailer(line) && !line.starts_with("Merge "));
    let named = |word: &str| {
        let plain = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        word.contains("://")
            || word.trim_start_matches('(').starts_with('#')
            || (word.contains('/') && word.contains('.'))
            || gold.iter().any(|path| path.rsplit('/').next() == Some(plain))
    };
    let lines = lines.map(|line| {
        let words: Vec<&str> = line.split(' ').filter(|word| !named(word)).collect();
        words.join(" ")
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Whether a path is a test's or an example's in any of the languages.
fn is_beside(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    is_test(path)
        || folders.split('/').any(|folder| BESIDE.contains(&folder.to_ascii_lowercase().as_str()))
        || [".test.", ".spec.", "_spec."].iter().any(|part| name.contains(part))
        || ["Test", "Tests", "_test"].iter().any(|end| stem.ends_with(end))
}

/// Whether the tree before the commit has the files: a file that the commit adds cannot be found.
fn had_its_files(clone: &Path, case: &Case) -> anyhow::Result<bool> {
    let tree = Program::named("git", clone)?.args(["ls-tree", "--name-only", &case.base, "--"]);
    let found = tree.args(case.gold.iter().map(String::as_str)).stdout()?;
    Ok(found.lines().count() == case.gold.len())
}

fn language(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "rs" => "rust",
        "py" => "python",
        "js" | "jsx" | "mjs" => "javascript",
        "ts" | "tsx" => "typescript",
        "go" => "go",
        "java" => "java",
        "c" | "h" => "c",
        "cc" | "cpp" | "cxx" | "hpp" => "cpp",
        "sh" | "bash" => "bash",
        "rb" => "ruby",
        "cs" => "c#",
        "php" => "php",
        "kt" => "kotlin",
        "swift" => "swift",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_the_message_without_what_answers_it() {
        let record = "abcdef0123456789 base1 other\nReject headers that are empty or too long in parser.rs (#12)\n\n\
                      See https://example.com/1 and src/parser.rs\nSigned-off-by: A <a@b>\n\u{2}\n\n\
                      src/parser.rs\ntests/parser.rs\nREADME.md\n";
        let found = case("a/b", record).unwrap();
        assert_eq!(found.query, "Reject headers that are empty or too long in\n\nSee and");
        assert_eq!((found.base.as_str(), found.gold), ("base1", vec!["src/parser.rs".to_owned()]));
        assert_eq!((found.id.as_str(), found.language.as_str()), ("a/b@abcdef0123", "rust"));
        assert!(case("a/b", &record.replace(" base1 other", "")).is_none());
        assert!(case("a/b", &record.replace("src/parser.rs\ntests", "tests")).is_none());
    }
}
