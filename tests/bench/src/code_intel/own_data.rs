//! A small data set that anyone can build: questions made from the crates in Cargo's registry. A question is
//! a function's documentation, without the function's name; the answer is its file, in a copy of
//! the crate from which that documentation was removed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::data::Case;
use super::tree::{is_test, sources};

/// How many crates are used.
const CRATES: usize = 12;
/// How many questions are made for each.
const QUESTIONS: usize = 5;
/// A crate with fewer files is too easy.
const FILES_MIN: usize = 12;
/// Documentation with fewer words is too short for a question.
const WORDS_MIN: usize = 12;

/// A documented function.
struct Documented {
    path: String,
    name: String,
    /// Its documentation.
    text: String,
    /// The lines of the documentation, from 0.
    lines: std::ops::Range<usize>,
}

/// Creates the cases, and their trees below `scratch`.
pub(super) fn make(scratch: &Path) -> anyhow::Result<Vec<Case>> {
    let registry = std::env::home_dir().context("no home")?.join(".cargo/registry/src");
    let mut crates = folders(&registry)?
        .iter()
        .flat_map(|index| folders(index).unwrap_or_default())
        .collect::<Vec<_>>();
    crates.sort();
    let mut cases = Vec::new();
    let mut chosen = 0;
    // Every seventh crate, so that not all begin with the same letters.
    for offset in 0..7 {
        for folder in crates.iter().skip(offset).step_by(7) {
            if chosen == CRATES {
                return Ok(cases);
            }
            let made = of_crate(folder, scratch)?;
            chosen += usize::from(!made.is_empty());
            cases.extend(made);
        }
    }
    anyhow::ensure!(!cases.is_empty(), "{} holds no crate to ask about", registry.display());
    Ok(cases)
}

fn of_crate(folder: &Path, scratch: &Path) -> anyhow::Result<Vec<Case>> {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let files: Vec<_> =
        sources(folder)?.into_iter().filter(|source| source.path.ends_with(".rs")).collect();
    if files.len() < FILES_MIN {
        return Ok(Vec::new());
    }
    let mut found: Vec<Documented> = files
        .iter()
        .filter(|source| source.path.starts_with("src/") && !is_test(&source.path))
        .flat_map(|source| documented(&source.path, &source.text))
        .collect();
    // One question per file, spread over the crate.
    let mut asked = BTreeSet::new();
    found.retain(|each| asked.insert(each.path.clone()));
    let step = (found.len() / QUESTIONS).max(1);
    let chosen: Vec<Documented> = found.into_iter().step_by(step).take(QUESTIONS).collect();
    let tree = scratch.join("own").join(&name);
    for source in &files {
        let lines = source.text.lines().enumerate().filter(|(number, _)| {
            !chosen.iter().any(|each| each.path == source.path && each.lines.contains(number))
        });
        let text: String = lines.flat_map(|(_, line)| [line, "\n"]).collect();
        let path = tree.join(&source.path);
        // Writing the same text again would make the file look changed.
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            continue;
        }
        fs::create_dir_all(path.parent().context("a file has a folder")?)?;
        fs::write(path, text)?;
    }
    let case = |(number, each): (usize, Documented)| Case {
        id: format!("{name}/{}", number + 1),
        repo: name.clone(),
        base: tree.display().to_string(),
        language: "rust".into(),
        query_language: "en".into(),
        query: each.text,
        gold: vec![each.path],
    };
    Ok(chosen.into_iter().enumerate().map(case).collect())
}

/// Functions with enough documentation, from which their own name is removed.
fn documented(path: &str, text: &str) -> Vec<Documented> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let count = lines[at..].iter().take_while(|line| line.starts_with("///")).count();
        let documentation = at..at + count;
        at += count.max(1);
        let next = lines[documentation.end..].iter().find(|line| !line.starts_with("#["));
        let Some(name) = next.and_then(|line| function(line)).filter(|_| count > 0) else {
            continue;
        };
        let said: Vec<&str> = lines[documentation.clone()]
            .iter()
            .map(|line| line.trim_start_matches('/').trim())
            .take_while(|line| !line.starts_with("```") && !line.starts_with('#'))
            .collect();
        let said = said.join(" ");
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let words: Vec<&str> = said.split_inclusive(|letter| !is_word(letter)).collect();
        let kept: String = words
            .into_iter()
            .filter(|word| word.trim_end_matches(|letter| !is_word(letter)) != name)
            .collect();
        if kept.split_whitespace().count() >= WORDS_MIN {
            found.push(Documented {
                path: path.to_owned(),
                name: name.to_owned(),
                text: kept,
                lines: documentation,
            });
        }
    }
    found.retain(|each| each.name.len() > 3);
    found
}

/// The function's name, if the line begins a function.
fn function(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let is_begin = before.split_whitespace().all(|word| {
        word.starts_with("pub") || matches!(word, "const" | "async" | "unsafe" | "extern" | "\"C\"")
    });
    let end = after.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'))?;
    is_begin.then(|| &after[..end])
}

fn folders(parent: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(parent).with_context(|| format!("{}", parent.display()))?;
    Ok(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_what_is_said_without_the_name() {
        let text = "/// Makes sure that `reserve` has room for so many more of the items.\n\
                    /// Calls `reserve` never twice.\n///\n/// # Panics\n/// Never.\n\
                    #[inline]\npub fn reserve(&mut self) {}\n\n/// Short.\nfn other() {}\n";
        let found = documented("src/a.rs", text);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].name.as_str(), found[0].lines.clone()), ("reserve", 0..5));
        assert!(!found[0].text.contains("reserve"), "{}", found[0].text);
        assert!(found[0].text.starts_with("Makes sure that"));
        assert!(!found[0].text.contains("Panics"));
    }
}
