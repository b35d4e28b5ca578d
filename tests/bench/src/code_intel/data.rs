//! The cases: an issue, the tree it was written about, and the files that its fix changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};

/// A question with its answer. Other fields of the line are ignored.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(super) struct Case {
    /// Its name in the data set.
    pub(super) id: String,
    /// `owner/name`, as in the table of repositories.
    pub(super) repo: String,
    /// The commit that the question is about. A generated case has the tree's path instead.
    pub(super) base: String,
    /// The language of the code.
    pub(super) language: String,
    /// The language of the question.
    pub(super) query_language: String,
    /// The text.
    pub(super) query: String,
    /// The source files that the fix changed: any of them is a hit.
    pub(super) gold: Vec<String>,
}

impl Case {
    /// The group that it is reported in.
    pub(super) fn split(&self) -> String {
        format!("{} issues, {}", self.query_language, self.language)
    }
}

/// Reads one JSON Lines file, or all files of a folder, sorted by name.
pub(super) fn read_cases(path: &Path) -> anyhow::Result<Vec<Case>> {
    let mut files = vec![path.to_owned()];
    if path.is_dir() {
        let entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path()));
        files = entries.collect::<anyhow::Result<_>>()?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
        files.sort();
    }
    let mut cases = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let place = || format!("{}:{}", file.display(), index + 1);
            cases.push(serde_json::from_str(line).with_context(place)?);
        }
    }
    if cases.is_empty() {
        bail!("{} holds no case (one JSON object a line, in *.jsonl)", path.display());
    }
    Ok(cases)
}

/// Reads the table of clones: `owner/name path`, one per line.
pub(super) fn read_repositories(path: &Path) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    let text = fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
    let mut repositories = BTreeMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (name, folder) = line
            .split_once(char::is_whitespace)
            .with_context(|| format!("{}: `{line}` is not `owner/name path`", path.display()))?;
        repositories.insert(name.to_owned(), PathBuf::from(folder.trim()));
    }
    Ok(repositories)
}
