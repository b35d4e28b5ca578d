//! Threads on disk: `$CODEX_HOME/fake-threads/ID.json`, so that only existing ones can be resumed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::cli::Refusal;

/// The tokens of a whole thread, as in `turn.completed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Usage {
    input_tokens: u64,
    cached_input_tokens: u64,
    cache_write_input_tokens: u64,
    output_tokens: u64,
    reasoning_output_tokens: u64,
}

/// The stored data of a thread.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Record {
    /// All prompts, including those of failed turns.
    prompts: Vec<String>,
    /// The number of completed turns.
    turns: u32,
    usage: Usage,
}

/// A thread.
#[derive(Debug)]
pub(crate) struct Thread {
    /// Its id, as printed.
    pub(crate) id: String,
    path: PathBuf,
    record: Record,
    /// The lock, held while this process may write.
    lock: Option<File>,
}

/// `CODEX_HOME`, which must exist.
pub(crate) fn home() -> Result<PathBuf, Refusal> {
    let home = std::env::var_os("CODEX_HOME").map(PathBuf::from).unwrap_or_default();
    match home.is_dir() {
        true => Ok(home),
        false => {
            let path = home.display();
            Err(Refusal(
                1,
                format!("Error: CODEX_HOME points to {path:?}, but that path does not exist"),
            ))
        }
    }
}

impl Thread {
    /// A new thread.
    pub(crate) fn fresh(home: &Path) -> Self {
        let id = Uuid::now_v7().to_string();
        Self { path: file(home, &id), id, record: Record::default(), lock: None }
    }

    /// The thread with this id. A text that is not a UUID is a name that no thread has, so a new thread begins.
    pub(crate) fn resume(home: &Path, id: &str) -> Result<Self, Refusal> {
        let Ok(uuid) = id.parse::<Uuid>() else { return Ok(Self::fresh(home)) };
        let id = uuid.to_string();
        let path = file(home, &id);
        let record = load(&path, "resume", &id)?;
        Ok(Self { path, id, record, lock: None })
    }

    /// A copy of the thread with this id.
    pub(crate) fn fork(home: &Path, id: &str) -> Result<Self, Refusal> {
        let Ok(uuid) = id.parse::<Uuid>() else {
            return Err(Refusal(1, format!("Error: Session not found: {id}")));
        };
        let id = uuid.to_string();
        let record = load(&file(home, &id), "fork", &id)?;
        Ok(Self { record, ..Self::fresh(home) })
    }

    /// Adds a prompt. It is kept, whether the turn succeeds or not. Only one process may do so at a time.
    pub(crate) fn ask(&mut self, prompt: String) -> Result<(), Refusal> {
        self.record.prompts.push(prompt);
        self.save().map_err(|error| Refusal(1, format!("Error: {error}")))?;
        let lock = File::open(&self.path).map_err(|error| Refusal(1, format!("Error: {error}")))?;
        rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).map_err(|_| {
            let id = &self.id;
            Refusal(1, format!("Error: thread/resume: thread/resume failed: thread {id} already has an active writer (code -32600)"))
        })?;
        self.lock = Some(lock);
        Ok(())
    }

    /// Counts a completed turn, and returns the usage of the whole thread.
    pub(crate) fn complete(&mut self) -> Usage {
        self.record.turns += 1;
        let usage = &mut self.record.usage;
        usage.input_tokens += 100;
        usage.cached_input_tokens += 10;
        usage.output_tokens += 20;
        usage.reasoning_output_tokens += 5;
        let usage = usage.clone();
        // With a full disk the turn is lost, but not the answer.
        let _ = self.save();
        usage
    }

    /// Every prompt so far, this turn's last.
    pub(crate) fn prompts(&self) -> &[String] {
        &self.record.prompts
    }

    /// The number of completed turns before this one.
    pub(crate) fn turns(&self) -> u32 {
        self.record.turns
    }

    /// Removes the thread, as on a full disk.
    pub(crate) fn forget(&self) {
        let _ = fs::remove_file(&self.path);
    }

    fn save(&self) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let record = serde_json::to_vec(&self.record)?;
        // In place, so that the lock stays on the same file, and not truncated first: if this process is
        // killed here, the file has the old or the new record, as with Codex, which only appends.
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(false).open(&self.path)?;
        file.write_all(&record)?;
        file.set_len(record.len() as u64)
    }
}

fn file(home: &Path, id: &str) -> PathBuf {
    home.join("fake-threads").join(format!("{id}.json"))
}

fn load(path: &Path, verb: &str, id: &str) -> Result<Record, Refusal> {
    let lost = || {
        let what = format!("no rollout found for thread id {id}");
        Refusal(1, format!("Error: thread/{verb}: thread/{verb} failed: {what} (code -32600)"))
    };
    let text = fs::read(path).map_err(|_| lost())?;
    serde_json::from_slice(&text).map_err(|_| lost())
}
