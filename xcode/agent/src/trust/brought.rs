//! What a folder brings for xc, part by part. Nothing is loaded and nothing is started.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::places::Places;

/// The most files of one part that are looked at.
const FILES_MAX: usize = 500;

/// The largest file of one part that is looked at, in bytes.
const SIZE_MAX: u64 = 1 << 20;

/// How deep folders of one part are looked into.
const DEPTH_MAX: usize = 8;

/// A part of what a folder brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What is known of the project: `knowledge.md`, `AGENTS.md`, `CLAUDE.md`, local preferences.
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
    /// Its skills: they have scripts.
    Skills,
    /// The ledger that the court keeps of it: what a session came to is written there.
    Ledger,
}

/// One part that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brought {
    /// Which.
    pub part: Part,
    /// Its files, relative to the folder; some may lie above it.
    pub files: Vec<String>,
    /// Whether it was agreed to.
    pub standing: Standing,
    /// The content that is agreed to; empty where any is.
    pub(super) digest: String,
}

/// Whether a part was agreed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It was.
    Agreed,
    /// It was never asked about.
    New,
    /// It was agreed to or refused, and is another now.
    Changed,
    /// The user said no to it: it is not asked about again.
    Refused,
}

impl Part {
    /// All, in the order in which they are shown.
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

    /// Its word, in the file of answers and for notes.
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

    /// Whether it can start programs: then its content is what is agreed to.
    fn can_start_programs(self) -> bool {
        matches!(self, Self::Servers | Self::Agents | Self::Skills)
    }

    /// Where it lies, relative to the root.
    fn places(self) -> &'static [&'static str] {
        match self {
            Self::Knowledge => &[".x-code/knowledge.md", ".x-code/local/preferences.md"],
            Self::Rules => &[".x-code/rules"],
            Self::Memory => &[".x-code/memory/auto.md"],
            Self::Settings => &[".x-code/config.json"],
            Self::Servers => &[".x-code/mcp.json"],
            Self::Agents => &[".x-code/agents"],
            Self::Skills => &[".x-code/skills"],
            // It may lie above.
            Self::Ledger => &[],
        }
    }
}

/// What is there.
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

/// A file as it is shown: relative to the root, also where it lies above.
fn shown(file: &Path, root: &Path) -> String {
    if let Ok(below) = file.strip_prefix(root) {
        return redact::visible_line(&below.to_string_lossy()).into_owned();
    }
    redact::visible_line(&file.to_string_lossy()).into_owned()
}

#[derive(Default)]
struct Found {
    files: Vec<PathBuf>,
    /// There is more than is looked at.
    is_too_much: bool,
}

impl Found {
    /// Adds a file, or those below a folder. A link is a file: what it leads to is no matter of the list.
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

    /// What all files say, with their names. What cannot be read whole has another digest each time: it is asked for
    /// again.
    fn digest(&self, root: &Path) -> String {
        let mut hash = Sha256::new();
        let mut is_whole = !self.is_too_much;
        for file in &self.files {
            let name = file.strip_prefix(root).unwrap_or(file).as_os_str().as_encoded_bytes();
            let content = content(file);
            is_whole &= content.is_some();
            let content = content.unwrap_or_default();
            // With their lengths, so that nothing moves from one to the other.
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

/// A plain file, or where a link leads.
fn content(file: &Path) -> Option<Vec<u8>> {
    let metadata = fs::symlink_metadata(file).ok()?;
    if metadata.is_symlink() {
        // Where it leads may change without it: it is never loaded, and named in the list alone.
        return fs::read_link(file).ok().map(|to| to.into_os_string().into_encoded_bytes());
    }
    if !metadata.is_file() || metadata.len() > SIZE_MAX {
        return None;
    }
    fs::read(file).ok()
}
