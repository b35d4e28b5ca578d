//! `index_status`: what the index holds, whether it is up to date, and its size.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::answer::Answer;
use crate::deadline::Deadline;
use crate::engine::{Engine, EngineError};
use crate::past::follow::read;
use crate::view::View;

/// What the index holds.
#[derive(Clone, Debug, Serialize)]
pub struct IndexStatus {
    /// How many files are known.
    pub files: usize,
    /// How many of them were read; the others are data, or too large.
    pub text_files: usize,
    /// Files that are not indexed yet.
    pub pending_files: usize,
    /// Lines of the files that were read.
    pub lines: u64,
    /// Bytes of the files that were read.
    pub source_bytes: u64,
    /// Definitions.
    pub symbols: u64,
    /// Files and lines by language, the largest first.
    pub languages: Vec<LanguageCount>,
    /// The folder of the index.
    pub index_path: String,
    /// Its size.
    pub index_bytes: u64,
    /// How many parts it has.
    pub segments: usize,
    /// Whether it matches the present tree.
    pub fresh: bool,
    /// When it last changed, in seconds since 1970.
    pub updated_s: u64,
    /// How long the first build took, in milliseconds.
    pub build_ms: u64,
    /// How long the last update took, in milliseconds.
    pub update_ms: u64,
    /// The repository's history; absent until it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryStatus>,
}

/// The state of the repository's history.
#[derive(Clone, Debug, Serialize)]
pub struct HistoryStatus {
    /// The newest commit that was read; empty where there was none.
    pub head: String,
    /// How many commits were read.
    pub commits: u32,
    /// How many files it covers.
    pub files: usize,
    /// Its size in bytes.
    pub bytes: u64,
}

/// One language of the repository.
#[derive(Clone, Debug, Serialize)]
pub struct LanguageCount {
    /// Its name; `other` for all text files without definitions.
    pub language: &'static str,
    /// How many files are indexed.
    pub files: usize,
    /// How many lines they have.
    pub lines: u64,
}

/// Updates the index and returns its state.
///
/// # Errors
/// When there is no index.
pub fn index_status(
    engine: &Engine,
    deadline: &Deadline,
) -> Result<Answer<IndexStatus>, EngineError> {
    Ok(index_status_of(&engine.view(deadline)?, deadline))
}

/// The state of a view.
#[must_use]
pub fn index_status_of(view: &View, deadline: &Deadline) -> Answer<IndexStatus> {
    let mut counts: BTreeMap<&'static str, (usize, u64)> = BTreeMap::new();
    let (mut files, mut text_files, mut lines, mut source_bytes) = (0, 0, 0, 0);
    let mut symbols = 0;
    for file in view.files() {
        files += 1;
        if !file.is_text {
            continue;
        }
        text_files += 1;
        lines += u64::from(file.lines);
        source_bytes += file.bytes;
        let (_, record) = view.record(file.id);
        symbols += u64::from(record.unit_count.saturating_sub(1));
        let count =
            counts.entry(file.language.map_or("other", |language| language.name())).or_default();
        count.0 += 1;
        count.1 += u64::from(file.lines);
    }
    let mut languages: Vec<LanguageCount> = counts
        .into_iter()
        .map(|(language, (files, lines))| LanguageCount { language, files, lines })
        .collect();
    languages.sort_by_key(|count| std::cmp::Reverse(count.lines));
    let manifest = view.manifest();
    let mut limits = view.limits().to_vec();
    let history = read(view.folder(), view.root().path()).map(|past| {
        if past.origin().is_cut {
            limits.push(format!(
                "of the history, only the newest {} commits are known",
                past.origin().commits
            ));
        }
        HistoryStatus {
            head: past.origin().head.clone(),
            commits: past.origin().commits,
            files: past.file_count(),
            bytes: past.len() as u64,
        }
    });
    let status = IndexStatus {
        files,
        text_files,
        pending_files: manifest.pending,
        lines,
        source_bytes,
        symbols,
        languages,
        index_path: view.folder().display().to_string(),
        index_bytes: view.segments().iter().map(|segment| segment.len() as u64).sum(),
        segments: view.segments().len(),
        fresh: view.limits().is_empty(),
        updated_s: manifest.updated_s,
        build_ms: manifest.build_ms,
        update_ms: manifest.update_ms,
        history,
    };
    Answer::new("index_status", view.root(), vec![status], limits, deadline)
}
