//! Lists what a folder contains for xc, part by part. Nothing is loaded and nothing is started.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::places::Places;

/// How many files of one part are examined.
const FILES_MAX: usize = 500;

/// The largest file of one part that is examined, in bytes.
const SIZE_MAX: u64 = 1 << 20;

/// How deep the folders of one part are searched.
const DEPTH_MAX: usize = 8;

/// A part of a folder's content for xc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Knowledge of the project: `knowledge.md`, `AGENTS.md`, `CLAUDE.md`, local preferences.
    Knowledge,
    /// Its rules.
    Rules,
    /// Its facts.
    Memory,
    /// Its settings.
    Settings,
    /// Its MCP servers: commands.
    Servers,
    /// Its sub-agents.
    Agents,
    /// Its skills, which include scripts.
    Skills,
    /// The court's ledger of it, in which session outcomes are recorded.
    Ledger,
}

/// An existing part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brought {
    /// The kind of part.
    pub part: Part,
    /// Its files, relative to the folder; some may be above it.
    pub files: Vec<String>,
    /// The user's decision about it.
    pub standing: Standing,
    /// The digest that is agreed to; empty if any content is.
    pub(super) digest: String,
}

/// The user's decision about a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Agreed.
    Agreed,
    /// Never decided.
    New,
    /// Agreed or declined, and its content has changed since.
    Changed,
    /// Declined: the user is not asked again.
    Refused,
}

impl Part {
    /// All parts, in display order.
    pub(super) const ALL: [Self; 8] = [
        Self::Knowledge,
        Self::Rules,
        Self::Memory,
        Self::Settings,
        Self::Servers,
        Self::Agents,
        Self::Skills,
        Self::Ledger,
    ];

    /// Its name, in the file of answers and in notes.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Knowledge => "knowledge",
            Self::Rules => "rules",
            Self::Memory => "memory",
            Self::Settings => "settings",
            Self::Servers => "MCP servers",
            Self::Agents => "agents",
            Self::Skills => "skills",
            Self::Ledger => "ledger",
        }
    }

    /// Whether it can start programs: then the user agrees to its exact content.
    fn can_start_programs(self) -> bool {
        matches!(self, Self::Servers | Self::Agents | Self::Skills)
    }

    /// Its paths, relative to the root.
    fn places(self) -> &'static [&'static str] {
        match self {
            Self::Knowledge => &[".x-code/knowledge.md", ".x-code/local/preferences.md"],
            Self::Rules => &[".x-code/rules"],
            Self::Memory => &[".x-code/memory/auto.md"],
            Self::Settings => &[".x-code/config.json"],
            Self::Servers => &[".x-code/mcp.json"],
            Self::Agents => &[".x-code/agents"],
            Self::Skills => &[".x-code/skills"],
            // It may be above the root.
            Self::Ledger => &[],
        }
    }
}

/// The existing parts.
pub(super) fn look(places: &Places) -> Vec<Brought> {
    let root = places.real_root();
    Part::ALL.into_iter().filter_map(|part| brought(part, &root, places)).collect()
}

fn brought(part: Part, root: &Path, places: &Places) -> Option<Brought> {
    let mut found = Found::default();
    for place in part.places() {
        found.add(&root.join(place), DEPTH_MAX);
    }
    if part == Part::Knowledge {
        found.files.extend(places.guide());
    }
    if part == Part::Ledger {
        found.files.extend(places.ledger());
    }
    if found.files.is_empty() {
        return None;
    }
    found.files.sort();
    let digest = if part.can_start_programs() { found.digest(root) } else { String::new() };
    let shown = |file: &PathBuf| shown(file, root);
    let files = found.files.iter().map(shown).collect();
    Some(Brought { part, files, standing: Standing::New, digest })
}

/// A file's path for display: relative to the root, also if it is above it.
fn shown(file: &Path, root: &Path) -> String {
    if let Ok(below) = file.strip_prefix(root) {
        return redact::visible_line(&below.to_string_lossy()).into_owned();
    }
    redact::visible_line(&file.to_string_lossy()).into_owned()
}

#[derive(Default)]
struct Found {
    files: Vec<PathBuf>,
    /// Whether there is more than is examined.
    is_too_much: bool,
}

impl Found {
    /// Adds a file, or the files below a folder. A link counts as a file, whatever its target is.
    fn add(&mut self, path: &Path, depth: usize) {
        let Ok(metadata) = fs::symlink_metadata(path) else { return };
        if !metadata.is_dir() {
            match self.files.len() < FILES_MAX {
                true => self.files.push(path.to_owned()),
                false => self.is_too_much = true,
            }
            return;
        }
        let Some(depth) = depth.checked_sub(1) else {
            self.is_too_much = true;
            return;
        };
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        let mut entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        entries.sort();
        entries.iter().for_each(|entry| self.add(entry, depth));
    }

    /// The digest of all files with their names. If one cannot be read in full, the digest differs each time, so that the user
    /// is asked again.
    fn digest(&self, root: &Path) -> String {
        let mut hash = Sha256::new();
        let mut is_whole = !self.is_too_much;
        for file in &self.files {
            let name = file.strip_prefix(root).unwrap_or(file).as_os_str().as_encoded_bytes();
            let content = content(file);
            is_whole &= content.is_some();
            let content = content.unwrap_or_default();
            // With their lengths, so that content cannot move between name and file.
            for part in [name, &content] {
                hash.update((part.len() as u64).to_le_bytes());
                hash.update(part);
            }
        }
        if !is_whole {
            hash.update(contract::id::SessionId::generate().as_uuid().as_bytes());
        }
        let hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("sha256:{hex}")
    }
}

/// The content of a plain file, or the target of a link.
fn content(file: &Path) -> Option<Vec<u8>> {
    let metadata = fs::symlink_metadata(file).ok()?;
    if metadata.is_symlink() {
        // The target may change without the link; it is never loaded, only listed.
        return fs::read_link(file).ok().map(|to| to.into_os_string().into_encoded_bytes());
    }
    if !metadata.is_file() || metadata.len() > SIZE_MAX {
        return None;
    }
    fs::read(file).ok()
}
