//! Stores the self-test result of each executable in the state folder.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use codex_driver::home::RECIPE;
use host::{Access, Durability};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Failed, Proof};
use crate::advisor::prompt::INSTRUCTIONS;

/// The file's name in the state folder.
const FILE: &str = "codex-proofs.json";

/// Maximum number of stored executables.
const KEPT_MAX: usize = 16;

/// Stands for every version, for an executable that was assumed to pass.
const ANY_VERSION: &str = "*";

/// Chunk size when reading an executable, in bytes.
const CHUNK: usize = 1 << 20;

/// The stored results.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    /// Digest of everything else that the self-test depends on; if it differs, the test is repeated.
    recipe: String,
    entries: Vec<Value>,
}

/// An executable on disk.
#[derive(Debug)]
pub struct Executable {
    /// Identifies the unchanged file.
    stamp: Value,
    /// The SHA-256, in hexadecimal.
    pub digest: String,
    /// Whether it is a binary and not a script that starts one: a script can stay the same while
    /// the program that it starts changes.
    is_program: bool,
}

impl Ledger {
    /// Reads the stored results; unreadable ones are ignored. `model` is the configured one.
    #[must_use]
    pub fn open(state_dir: &Path, model: Option<&str>) -> Self {
        let path = state_dir.join(FILE);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let kept: Value = serde_json::from_str(&text).unwrap_or_default();
        let entries = kept.as_array().cloned().unwrap_or_default();
        let mut hash = Sha256::new();
        for part in [release::VERSION, RECIPE, INSTRUCTIONS, model.unwrap_or_default()] {
            hash.update(part);
            hash.update([0]);
        }
        Self { path, recipe: hexadecimal(&hash.finalize()), entries }
    }

    /// The executable's identity; the file is hashed only if it has changed. Blocks.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn executable(&self, path: &Path) -> io::Result<Executable> {
        let mut file = File::open(path)?;
        let stamp = stamp(path, &file.metadata()?);
        let known = self.entries.iter().find(|entry| entry["stamp"] == stamp);
        if let Some(digest) = known.and_then(|entry| entry["digest"].as_str()) {
            return Ok(Executable { stamp, digest: digest.to_owned(), is_program: true });
        }
        let mut hash = Sha256::new();
        let mut chunk = vec![0; CHUNK];
        let mut is_program = None;
        loop {
            let read = file.read(&mut chunk)?;
            if read == 0 {
                break;
            }
            is_program.get_or_insert(!chunk.starts_with(b"#!"));
            hash.update(&chunk[..read]);
        }
        let digest = hexadecimal(&hash.finalize());
        Ok(Executable { stamp, digest, is_program: is_program.unwrap_or_default() })
    }

    /// The result for an executable that reports this version.
    #[must_use]
    pub fn proof(&self, executable: &Executable, version: &str) -> Option<Proof> {
        let entry = self.entries.iter().find(|entry| {
            entry["digest"] == executable.digest.as_str()
                && entry["recipe"] == self.recipe.as_str()
                && (entry["version"] == version || entry["version"] == ANY_VERSION)
        })?;
        let failed = entry["failed"].as_array()?.iter().map(|failed| {
            let text = |key: &str| failed[key].as_str().unwrap_or_default().to_owned();
            Failed { check: text("check"), reason: text("reason") }
        });
        Some(Proof {
            digest: executable.digest.clone(),
            version: version.to_owned(),
            failed: failed.collect(),
            has_log: entry["has_log"].as_bool()?,
        })
    }

    /// Stores a result. Scripts are not stored: each daemon tests them again.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep(&mut self, executable: &Executable, proof: &Proof) -> io::Result<()> {
        if !executable.is_program {
            return Ok(());
        }
        self.entries.retain(|entry| {
            entry["digest"] != proof.digest.as_str() || entry["recipe"] != self.recipe.as_str()
        });
        let failed = proof.failed.iter();
        let failed: Vec<Value> = failed
            .map(|failed| json!({ "check": failed.check, "reason": failed.reason }))
            .collect();
        self.entries.push(json!({
            "stamp": executable.stamp, "digest": proof.digest, "recipe": self.recipe,
            "version": proof.version, "failed": failed, "has_log": proof.has_log,
        }));
        let excess = self.entries.len().saturating_sub(KEPT_MAX);
        self.entries.drain(..excess);
        let text = Value::from(self.entries.clone()).to_string();
        host::replace(&self.path, text.as_bytes(), Access::PRIVATE, Durability::Synced)
    }
}

/// Records that an executable passes with any version, without a test: for a
/// stand-in for Codex that calls no model. No command reaches this.
///
/// # Errors
/// The executable cannot be found, or the state folder cannot be written.
pub fn assume(state_dir: &Path, executable: &Path, model: Option<&str>) -> io::Result<()> {
    let mut ledger = Ledger::open(state_dir, model);
    let path = executable.canonicalize()?;
    let stamp = stamp(&path, &path.metadata()?);
    let executable = Executable { digest: format!("assumed {stamp}"), stamp, is_program: true };
    let digest = executable.digest.clone();
    let version = ANY_VERSION.to_owned();
    ledger.keep(&executable, &Proof { digest, version, failed: Vec::new(), has_log: true })
}

/// Identifies the unchanged file.
fn stamp(path: &Path, found: &Metadata) -> Value {
    json!([
        path.display().to_string(),
        found.dev(),
        found.ino(),
        found.size(),
        found.mtime(),
        found.mtime_nsec(),
    ])
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
