//! The files of this repository, without built or downloaded ones.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold nothing of ours.
const FOREIGN: &[&str] = &["target", "node_modules", ".git", ".tools", "__pycache__"];

pub(crate) struct File {
    /// From the top of the repository, such as `bridge/advisor/contract/src/lib.rs`.
    pub(crate) path: String,
    /// Its text; other bytes are replaced.
    pub(crate) text: String,
}

/// The top of the repository.
pub(crate) fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Every file, sorted by path.
pub(crate) fn files() -> Vec<File> {
    let mut found = Vec::new();
    let mut folders = vec![top()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let kind = entry.file_type().unwrap();
            let foreign = FOREIGN.iter().any(|&name| entry.file_name() == name);
            if kind.is_dir() && !foreign {
                folders.push(entry.path());
            } else if kind.is_file() && !foreign {
                found.push(read(&entry.path()));
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// The Rust sources.
pub(crate) fn sources() -> Vec<File> {
    let mut files = files();
    files.retain(|file| file.path.ends_with(".rs"));
    assert!(files.len() > 20, "the walk misses the sources");
    files
}

/// The parsed text of a TOML file, by its path from the top.
pub(crate) fn toml(path: &str) -> toml::Table {
    fs::read_to_string(top().join(path)).unwrap().parse().unwrap()
}

fn read(path: &Path) -> File {
    let bytes = fs::read(path).unwrap();
    let relative = path.strip_prefix(top()).unwrap();
    File {
        path: relative.to_str().unwrap().to_owned(),
        text: String::from_utf8_lossy(&bytes).into_owned(),
    }
}

impl File {
    /// Whether it is only compiled for tests.
    pub(crate) fn is_test(&self) -> bool {
        self.path.starts_with("tests/")
            || self.path.ends_with("/tests.rs")
            || self.path.contains("/tests/")
            || self.path.contains("/benches/")
    }

    /// The text up to the inline tests, which come last.
    pub(crate) fn without_tests(&self) -> &str {
        self.text.split("\n#[cfg(test)]\nmod tests {").next().unwrap()
    }

    /// Whether its code, comments aside, has the word with nothing of an identifier around it.
    pub(crate) fn mentions(&self, word: &str) -> bool {
        code(&self.text).any(|(_, line)| has_word(line, word))
    }
}

/// The lines that are not comments, with their numbers from 1.
pub(crate) fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Whether the line has the word with nothing of an identifier around it.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    let inside = |each: char| each.is_alphanumeric() || each == '_';
    line.match_indices(word).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + word.len()..].chars().next();
        !before.is_some_and(inside) && !after.is_some_and(inside)
    })
}
