//! Finds the functions that a fix changed, and whether `graph-rag` shows them for the issue within
//! a budget of text. The fix is looked up in the clone: the merge of the pull request that the case is
//! named after. Without it, a case is not judged.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::ci::{items, text};
use super::data::Case;
use super::program::Program;

/// How many characters of an answer are read: what a prompt hook may add.
const BUDGET_CHARS: usize = 9_000;

/// The functions of the gold files that the fix changed: (path, name).
pub(super) fn changed(
    case: &Case,
    repository: &Path,
    tree: &Path,
) -> anyhow::Result<BTreeSet<(String, String)>> {
    let Some(number) = case.id.rsplit('-').next().filter(|number| is_number(number)) else {
        return Ok(BTreeSet::new());
    };
    let log = |pattern: &str| {
        Program::named("git", repository)?
            .args(["log", "--all", "--extended-regexp", "--max-count=1", "--format=%H", "--grep"])
            .arg(pattern)
            .stdout()
    };
    let mut commit = log(&format!("^Merge pull request #{number} "))?;
    if commit.is_empty() {
        commit = log(&format!("\\(#{number}\\)$"))?;
    }
    let commit = commit.trim();
    if commit.is_empty() {
        return Ok(BTreeSet::new());
    }
    let (before, after) = (format!("{commit}^1"), commit.to_owned());
    let mut changed = BTreeSet::new();
    for path in &case.gold {
        let diff = Program::named("git", repository)?
            .args(["diff", "--unified=0", "--no-ext-diff", "--no-textconv", &before, &after, "--"])
            .arg(path)
            .stdout()?;
        let old = Program::named("git", repository)?.arg("show").arg(format!("{before}:{path}"));
        let old = old.stdout().unwrap_or_default();
        let old: Vec<&str> = old.lines().collect();
        // The tree may be older than the merge's parent, so the name must occur in it.
        let now = std::fs::read_to_string(tree.join(path)).unwrap_or_default();
        let names = diff.lines().filter_map(old_lines).flatten();
        let names: BTreeSet<String> = names.filter_map(|line| enclosing(&old, line)).collect();
        let is_there = |name: &String| now.lines().any(|line| defined(line).as_ref() == Some(name));
        changed.extend(names.into_iter().filter(is_there).map(|name| (path.clone(), name)));
    }
    Ok(changed)
}

/// Whether one of the functions is within the budget of an answer, by its name or its lines.
pub(super) fn is_shown(answer: &Value, wanted: &BTreeSet<(String, String)>) -> bool {
    let mut left = BUDGET_CHARS;
    for item in items(answer) {
        let (path, symbol) = (text(item, "path"), text(item, "symbol").unwrap_or_default());
        let snippet = text(item, "snippet").unwrap_or_default();
        let name = symbol.rsplit([':', '.']).next().unwrap_or_default();
        let size =
            symbol.len() + snippet.chars().count() + path.as_ref().map_or(0, String::len) + 2;
        if size > left {
            return false;
        }
        left -= size;
        let shows = |(gold, function): &(String, String)| {
            path.as_ref() == Some(gold)
                && (name == function
                    || snippet.lines().any(|line| defined(line).as_ref() == Some(function)))
        };
        if wanted.iter().any(shows) {
            return true;
        }
    }
    false
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The old range of `@@ -1,2 +3,4 @@`; for lines that were only added, the line before.
fn old_lines(line: &str) -> Option<std::ops::Range<usize>> {
    let old = line.strip_prefix("@@ -")?.split(' ').next()?;
    let (start, count) = old.split_once(',').unwrap_or((old, "1"));
    let (start, count): (usize, usize) = (start.parse().ok()?, count.parse().ok()?);
    Some(start..start + count.max(1))
}

/// The name of the function around a line (from 1): the nearest definition above with less indentation.
fn enclosing(lines: &[&str], line: usize) -> Option<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let at = lines.get(line.checked_sub(1)?)?;
    let mut inner =
        if defined(at).is_some() || at.trim().is_empty() { usize::MAX } else { indent(at) };
    for line in lines[..line].iter().rev() {
        if let Some(name) = defined(line).filter(|_| indent(line) < inner.max(1)) {
            return Some(name);
        }
        if !line.trim().is_empty() && indent(line) < inner {
            inner = indent(line);
        }
    }
    None
}

/// The function whose definition begins in a line, in Python or Rust.
pub(super) fn defined(line: &str) -> Option<String> {
    let mut words = line.trim_start().split_inclusive(' ').map(str::trim);
    let is_prefix = |word: &str| {
        matches!(word, "async" | "const" | "unsafe" | "extern" | "\"C\"") || word.starts_with("pub")
    };
    let keyword = words.find(|word| !is_prefix(word))?;
    let name = matches!(keyword, "def" | "fn").then(|| words.next()).flatten()?;
    let end = name.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    let name = &name[..end.unwrap_or(name.len())];
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn definitions_are_known_by_their_line() {
        assert_eq!(defined("    pub(crate) async fn read<T>(x: T) {").as_deref(), Some("read"));
        assert_eq!(defined("  async def main():").as_deref(), Some("main"));
        assert_eq!(defined("default = 1"), None);
    }

    #[test]
    fn a_line_belongs_to_the_function_around_it() {
        let text = "class A:\n    def b(self):\n        x = 1\n\n        def c():\n            pass\n        return x\n\nY = 2\n";
        let lines: Vec<&str> = text.lines().collect();
        let names: Vec<Option<String>> = (1..=9).map(|line| enclosing(&lines, line)).collect();
        let names: Vec<&str> = names.iter().map(|name| name.as_deref().unwrap_or("-")).collect();
        assert_eq!(names[1..7], ["b", "b", "b", "c", "c", "b"]);
        assert_eq!((names[0], names[8]), ("-", "-"));
    }

    #[test]
    fn the_budget_ends_an_answer() {
        let wanted = BTreeSet::from([("a.py".to_owned(), "b".to_owned())]);
        let item = |symbol: &str, snippet: String| json!({"path": "a.py", "symbol": symbol, "snippet": snippet});
        let shown = |first: usize| {
            let items = [item("x", "y".repeat(first)), item("A.b", String::new())];
            is_shown(&json!({"items": items}), &wanted)
        };
        assert!(shown(8_000));
        assert!(!shown(8_999));
        assert!(is_shown(&json!({"items": [item("A", "  def b(self):\n".into())]}), &wanted));
    }
}
