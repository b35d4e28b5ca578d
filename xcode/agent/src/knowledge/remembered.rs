//! The user's view of the facts: a list with their files and ages, rewording one, deleting one.
//! Not here: the model's access to them (`saveKnowledge`).

use std::io;

use jiff::Zoned;
use jiff::civil::Date;

use super::fact::{FACT_MAX, Fact};
use super::language::Language;
use super::store::{Scope, Store};
use crate::places::Places;
use crate::trust::{Part, Trust};

/// A saved fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remembered {
    /// The fact.
    pub fact: Fact,
    /// Its file, for display.
    pub path: &'static str,
    /// How many days ago it was last confirmed.
    pub age_days: i64,
    scope: Scope,
}

/// All facts that a session of the workspace loads, the project's first, and why files were left out, one per line.
#[must_use]
pub fn remembered(places: &Places, trust: &Trust) -> (Vec<Remembered>, Vec<String>) {
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    let today = Zoned::now().date();
    for scope in [Scope::Project, Scope::Global] {
        let store = Store::new(places, scope);
        if scope == Scope::Project && !trust.allows(Part::Memory) {
            continue;
        }
        match store.read() {
            Ok(memory) => {
                let facts = memory.facts().cloned();
                found.extend(facts.map(|fact| Remembered {
                    age_days: age(fact.date, today),
                    path: store.shown(),
                    fact,
                    scope,
                }));
            }
            Err(error) => left_out.push(format!("{}: {error}", store.shown())),
        }
    }
    (found, left_out)
}

/// Deletes a fact. Returns whether it existed.
///
/// # Errors
/// The file cannot be changed.
pub fn forget(places: &Places, one: &Remembered) -> io::Result<bool> {
    let Fact { key, category, .. } = &one.fact;
    Store::new(places, one.scope).change(|memory| memory.delete(key, Some(*category)) > 0)
}

/// Replaces the text of a fact, and sets today's date. Returns whether it existed.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for a text that is not a fact: empty, more than one line, too long; and the errors of
/// [`forget`].
pub fn reword(places: &Places, one: &Remembered, words: &str) -> io::Result<bool> {
    let words = words.trim();
    let is_fact =
        !words.is_empty() && !words.contains(char::is_control) && words.chars().count() <= FACT_MAX;
    if !is_fact {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let Fact { key, category, .. } = &one.fact;
    Store::new(places, one.scope).change(|memory| {
        let is_it = |fact: &Fact| fact.key == *key && fact.category == *category;
        if !memory.facts().any(is_it) {
            return false;
        }
        let date = Zoned::now().date();
        let fact = Fact { category: *category, key: key.clone(), fact: words.to_owned(), date };
        // The fact exists, so no heading is created, in whatever language.
        memory.add(fact, &[], Language::En);
        true
    })
}

/// The number of days between the dates; none if the date is in the future.
fn age(date: Date, today: Date) -> i64 {
    today.since(date).map_or(0, |span| i64::from(span.get_days()).max(0))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use jiff::ToSpan as _;
    use tempfile::TempDir;

    use super::*;

    fn somewhere() -> (TempDir, Places) {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::new(folder.path().join("home"), folder.path().join("home/p"));
        fs::create_dir_all(folder.path().join("home/p/.git")).unwrap();
        for closed in ["home/.xcode", "home/.xcode/memory"] {
            let closed = folder.path().join(closed);
            fs::create_dir(&closed).unwrap();
            fs::set_permissions(closed, fs::Permissions::from_mode(0o700)).unwrap();
        }
        (folder, places)
    }

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn told(found: &[Remembered]) -> Vec<String> {
        let line = |one: &Remembered| format!("{} {} {}", one.path, one.fact.line(), one.age_days);
        found.iter().map(line).collect()
    }

    #[test]
    fn facts_are_listed_reworded_and_forgotten_by_their_user() {
        let (folder, places) = somewhere();
        let today = Zoned::now().date();
        let before = today.checked_sub(40.days()).unwrap();
        let file = folder.path().join("home/p/.x-code/memory/auto.md");
        let text = format!(
            "## 自动记忆\n\nby hand\n\n### commands\n- [{before}] test: make test\n- [{today}] build: make\n"
        );
        write(&file, &text);
        write(
            &folder.path().join("home/.xcode/memory/auto.md"),
            &format!("### preferences\n- [{today}] language: Chinese\n"),
        );
        let global = format!("~/.xcode/memory/auto.md - [{today}] language: Chinese 0");
        let mut trust = Trust::look(&places);
        let (found, left_out) = remembered(&places, &trust);
        assert_eq!((told(&found), left_out), (vec![global.clone()], Vec::new()));
        trust.assume();
        let (found, _) = remembered(&places, &trust);
        let project = ".x-code/memory/auto.md";
        let test = format!("{project} - [{before}] test: make test 40");
        let build = format!("{project} - [{today}] build: make 0");
        assert_eq!(told(&found), [test, build.clone(), global.clone()]);
        for words in ["", " ", "two\nlines", &"x".repeat(301)] {
            let refused = reword(&places, &found[0], words).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
        }
        assert!(reword(&places, &found[0], " make check ").unwrap());
        assert!(forget(&places, &found[1]).unwrap());
        assert!(!forget(&places, &found[1]).unwrap());
        assert!(!reword(&places, &found[1], "make all").unwrap());
        let expected =
            format!("## 自动记忆\n\nby hand\n\n### commands\n- [{today}] test: make check\n");
        assert_eq!(fs::read_to_string(&file).unwrap(), expected);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        let (folder, places) = somewhere();
        let file = folder.path().join("home/p/.x-code/memory/auto.md");
        write(&file, "");
        fs::write(&file, b"\xff").unwrap();
        let mut trust = Trust::look(&places);
        trust.assume();
        let (found, left_out) = remembered(&places, &trust);
        assert_eq!(found, []);
        assert!(left_out[0].starts_with(".x-code/memory/auto.md: "), "{left_out:?}");
    }
}
