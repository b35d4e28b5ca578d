//! The peer aider: its repository map ranks files by PageRank, starting from what the issue mentions.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::program::Program;

/// Calls aider's own module; it writes nothing into a tree.
const SCRIPT: &str = include_str!("aider.py");

/// How long all cases together may take.
const TIMEOUT: Duration = Duration::from_secs(4 * 3600);

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    tree: &'a Path,
    query: &'a str,
}

#[derive(Deserialize)]
struct Ranked {
    id: String,
    files: Vec<String>,
    ms: f64,
}

#[derive(Deserialize)]
struct Mapped {
    id: String,
    map: String,
}

/// The Python that has aider, or why there is none.
pub(super) fn python(tools: &Path) -> Result<PathBuf, String> {
    let python = tools.join("aider/bin/python");
    let found = Program::at(&python, Path::new("/")).args(["-c", "import aider.repomap"]).stdout();
    match found {
        Ok(_) => Ok(python),
        Err(error) => Err(format!("{error:#}")),
    }
}

/// The rankings of all cases (name, tree, query), by name.
pub(super) fn rank_all(
    python: &Path,
    scratch: &Path,
    cases: &[(&str, &Path, &str)],
) -> anyhow::Result<BTreeMap<String, (Vec<String>, Duration)>> {
    let ranked = ask::<Ranked>(python, scratch, cases, None)?.into_iter();
    Ok(ranked.map(|it| (it.id, (it.files, Duration::from_secs_f64(it.ms / 1e3)))).collect())
}

/// The maps of all cases, of at most so many characters each, by name.
pub(super) fn maps(
    python: &Path,
    scratch: &Path,
    cases: &[(&str, &Path, &str)],
    characters: usize,
) -> anyhow::Result<BTreeMap<String, String>> {
    let mapped = ask::<Mapped>(python, scratch, cases, Some(characters))?.into_iter();
    Ok(mapped.map(|it| (it.id, it.map)).collect())
}

fn ask<A: DeserializeOwned>(
    python: &Path,
    scratch: &Path,
    cases: &[(&str, &Path, &str)],
    characters: Option<usize>,
) -> anyhow::Result<Vec<A>> {
    let (script, input) = (scratch.join("rank_with_aider.py"), scratch.join("aider.jsonl"));
    fs::write(&script, SCRIPT)?;
    let mut lines = String::new();
    for (id, tree, query) in cases {
        lines.push_str(&serde_json::to_string(&Line { id, tree, query })?);
        lines.push('\n');
    }
    fs::write(&input, lines)?;
    let mut program = Program::at(python, scratch).arg(&script).arg(&input).timeout(TIMEOUT);
    if let Some(characters) = characters {
        program = program.arg(characters.to_string());
    }
    let output = program.stdout()?;
    let answers = output.lines().filter(|line| line.starts_with('{'));
    answers.map(|line| serde_json::from_str(line).context("aider.py printed")).collect()
}
