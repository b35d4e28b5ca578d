//! `/memory`: lists the saved facts with their files and ages, and shows, deletes or rewords one.
//! Not here: what a fact is (`agent::knowledge`).

use std::io;

use agent::Places;
use agent::knowledge::{Fact, Now, Remembered, SavedFacts, TakenBack, forget, remembered, reword};
use agent::trust::{Part, Trust};
use redact::Cut;

use crate::words::{self, Language, Text};

/// The longest fact in the list, in characters; `show` prints it in full.
const LISTED_MAX: usize = 80;

/// A `/memory` command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Memory {
    /// List all facts, one per line.
    List,
    /// Show one in full.
    Show(String),
    /// Delete one.
    Forget(String),
    /// Reword one.
    Edit(String, String),
}

/// Parses the arguments of `/memory`. A key that contains a space is put in quotation marks.
///
/// # Errors
/// The message for the user.
pub(super) fn parse(rest: &str, language: Language) -> Result<Memory, String> {
    let (verb, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let (which, words) = which(rest.trim());
    match (verb, which.is_empty(), words) {
        ("", true, "") => Ok(Memory::List),
        ("show", false, "") => Ok(Memory::Show(which)),
        ("forget", false, "") => Ok(Memory::Forget(which)),
        ("edit", false, words) if !words.is_empty() => Ok(Memory::Edit(which, words.to_owned())),
        _ => Err(language.say(&words::MEMORY_USAGE).to_owned()),
    }
}

/// A number or a key, and the text behind it.
fn which(rest: &str) -> (String, &str) {
    let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    let (which, words) = match quoted {
        Some(parts) => parts,
        None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
    };
    (which.to_owned(), words.trim())
}

/// Carries out the command, and returns the lines to show.
pub(super) fn lines(
    places: &Places,
    trust: &Trust,
    wanted: &Memory,
    language: Language,
) -> Vec<String> {
    let (facts, mut notes) = remembered(places, trust);
    if !trust.allows(Part::Memory) {
        notes.push(language.say(&words::MEMORY_UNTRUSTED).to_owned());
    }
    let mut lines = match wanted {
        Memory::List => listed(&facts, language),
        Memory::Show(which) => vec![match found(&facts, which, language) {
            Ok((number, one)) => line(number, one, Cut::NONE, language),
            Err(told) => told,
        }],
        Memory::Forget(which) => changed(&facts, which, language, |one| {
            (forget(places, one), &words::MEMORY_FORGOTTEN, one.fact.fact.clone())
        }),
        Memory::Edit(which, words) => changed(&facts, which, language, |one| {
            (reword(places, one, words), &words::MEMORY_EDITED, words.clone())
        }),
    };
    lines.append(&mut notes);
    lines
}

/// Deletes the last fact that the model saved in this session, and returns the lines to show.
pub(super) fn taken_back(saved: &SavedFacts, language: Language) -> String {
    let TakenBack { key, path, now } = match saved.take_back() {
        Ok(Some(taken_back)) => taken_back,
        Ok(None) => return language.say(&words::FACT_NOTHING).to_owned(),
        Err(error) => {
            return language.fill(&words::FACT_FAILED, &[("why", &error.to_string())]);
        }
    };
    let key = redact::sanitize(&key, Cut::NONE);
    let values = [("key", key.as_str()), ("path", path)];
    match now {
        Now::Gone => language.fill(&words::FACT_GONE, &values),
        Now::Left => language.fill(&words::FACT_LEFT, &values),
        Now::Again(fact) => {
            let fact = redact::sanitize(&fact, Cut::NONE);
            let values = [("key", key.as_str()), ("path", path), ("fact", &fact)];
            language.fill(&words::FACT_AGAIN, &values)
        }
    }
}

fn listed(facts: &[Remembered], language: Language) -> Vec<String> {
    if facts.is_empty() {
        return vec![language.say(&words::MEMORY_EMPTY).to_owned()];
    }
    let cut = Cut::chars(LISTED_MAX).marked();
    let line = |(at, one): (usize, &Remembered)| line(at + 1, one, cut, language);
    let mut lines: Vec<String> = facts.iter().enumerate().map(line).collect();
    lines.push(language.say(&words::MEMORY_HOW).to_owned());
    lines
}

/// A fact with its number. Content from files is masked as elsewhere.
fn line(number: usize, one: &Remembered, cut: Cut, language: Language) -> String {
    let Remembered { fact: Fact { category, key, fact, .. }, path, age_days, .. } = one;
    let (number, days) = (number.to_string(), age_days.to_string());
    let (key, fact) = (redact::sanitize(key, cut), redact::sanitize(fact, cut));
    let values = [
        ("number", number.as_str()),
        ("kind", category.word()),
        ("key", &key),
        ("fact", &fact),
        ("path", path),
        ("days", &days),
    ];
    language.fill(&words::MEMORY_LINE, &values)
}

/// The fact that the argument refers to, with its number.
///
/// # Errors
/// The message for the user: no fact matches, or more than one.
fn found<'f>(
    facts: &'f [Remembered],
    which: &str,
    language: Language,
) -> Result<(usize, &'f Remembered), String> {
    let by_number = which.parse::<usize>().ok().and_then(|number| {
        let one = facts.get(number.checked_sub(1)?)?;
        Some((number, one))
    });
    if let Some(found) = by_number {
        return Ok(found);
    }
    let mut by_key = facts.iter().enumerate().filter(|(_, one)| one.fact.key == which);
    let told = |text: &Text| Err(language.fill(text, &[("which", which)]));
    match (by_key.next(), by_key.next()) {
        (Some((at, one)), None) => Ok((at + 1, one)),
        (Some(_), Some(_)) => told(&words::MEMORY_SEVERAL),
        (None, _) => told(&words::MEMORY_UNKNOWN),
    }
}

/// Changes the fact that the argument refers to.
fn changed<'t>(
    facts: &[Remembered],
    which: &str,
    language: Language,
    change: impl FnOnce(&Remembered) -> (io::Result<bool>, &'t Text, String),
) -> Vec<String> {
    let one = match found(facts, which, language) {
        Ok((_, one)) => one,
        Err(told) => return vec![told],
    };
    let (done, text, fact) = change(one);
    match done {
        Ok(true) => {
            let values = [("key", one.fact.key.as_str()), ("fact", &fact), ("path", one.path)];
            vec![language.fill(text, &values), language.say(&words::MEMORY_NEXT).to_owned()]
        }
        // Another process changed it first.
        Ok(false) => vec![language.fill(&words::MEMORY_UNKNOWN, &[("which", which)])],
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            vec![language.say(&words::MEMORY_NO_FACT).to_owned()]
        }
        Err(error) => {
            let why = error.to_string();
            vec![language.fill(&words::MEMORY_FAILED, &[("path", one.path), ("why", &why)])]
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_fact_is_named_by_its_number_or_its_key() {
        let parsed = |rest| parse(rest, Language::En);
        assert_eq!(parsed(""), Ok(Memory::List));
        assert_eq!(parsed("show 2"), Ok(Memory::Show("2".into())));
        assert_eq!(parsed("forget \"Test command\""), Ok(Memory::Forget("Test command".into())));
        assert_eq!(
            parsed("edit 构建命令  pnpm build --prod"),
            Ok(Memory::Edit("构建命令".into(), "pnpm build --prod".into()))
        );
        for wrong in ["show", "forget", "edit 1", "drop 1", "1", "forget 1 2"] {
            let told = parsed(wrong).unwrap_err();
            assert!(told.starts_with("Say /memory"), "{wrong}: {told}");
        }
    }

    #[test]
    fn what_is_remembered_is_listed_shown_changed_and_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::new(folder.path(), folder.path().join("p"));
        let file = folder.path().join(".xcode/memory/auto.md");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        for closed in [".xcode", ".xcode/memory"] {
            let mode = fs::Permissions::from_mode(0o700);
            fs::set_permissions(folder.path().join(closed), mode).unwrap();
        }
        fs::create_dir_all(folder.path().join("p")).unwrap();
        let long = "word ".repeat(40);
        let text = format!(
            "### commands\n- [2026-01-01] test: make\u{1b}[2J test\n- [2026-01-01] long: {long}\n\
             ### context\n- [2999-01-01] test: twice\n"
        );
        fs::write(&file, text).unwrap();
        let trust = Trust::look(&places);
        let told = |wanted| lines(&places, &trust, &wanted, Language::En).join("\n");
        let listed = told(Memory::List);
        assert!(listed.starts_with("1. [commands] test: make test (~/.xcode/memory/auto.md, "));
        assert!(listed.contains("3. [context] test: twice (~/.xcode/memory/auto.md, 0 days old)"));
        assert!(listed.contains("word…") && !listed.contains('\u{1b}'), "{listed}");
        assert!(told(Memory::Show("long".into())).contains(long.trim_end()));
        let several = told(Memory::Forget("test".into()));
        assert_eq!(several, "More than one fact has the key test; use its number.");
        assert!(told(Memory::Show("9".into())).starts_with("There is no fact 9; /memory lists"));
        let edited = told(Memory::Edit("3".into(), "once".into()));
        assert!(edited.starts_with("Changed: test: once (~/.xcode/memory/auto.md)\n"), "{edited}");
        let none = told(Memory::Edit("3".into(), "x".repeat(301)));
        assert_eq!(none, "A fact is one line of at most 300 characters.");
        assert!(told(Memory::Forget("3".into())).starts_with("Forgotten: test: once "));
        let left = fs::read_to_string(&file).unwrap();
        assert!(left.contains("long: word") && !left.contains("once"), "{left}");
        let chinese = lines(&places, &trust, &Memory::List, Language::Zh).join("\n");
        assert!(chinese.contains("1. [commands] test: make test (~/.xcode/memory/auto.md, "));
        assert!(chinese.contains("天前"), "{chinese}");
    }
}
