//! The files in which Codex stores threads: one `rollout-*.jsonl` each, below
//! `sessions/YYYY/MM/DD` (codex 0.169). They contain whole prompts and answers.

use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Folder of the threads within a home.
const SESSIONS: &str = "sessions";

/// Depth of the files below [`SESSIONS`]: year, month, day.
const DEPTH: usize = 3;

/// Removes the threads that have not been written to for `age`, and returns their number. A removed thread
/// can neither be resumed nor forked.
///
/// # Errors
/// The error for the first file that could not be removed; the others are removed.
pub fn forget(home: &Path, age: Duration) -> io::Result<usize> {
    let Some(before) = SystemTime::now().checked_sub(age) else { return Ok(0) };
    let mut forgotten = Forgotten::default();
    forget_in(&home.join(SESSIONS), DEPTH, before, &mut forgotten);
    match forgotten.error {
        Some(error) => Err(error),
        None => Ok(forgotten.count),
    }
}

#[derive(Default)]
struct Forgotten {
    count: usize,
    error: Option<io::Error>,
}

/// Links are not followed, because their targets do not belong to Codex.
fn forget_in(folder: &Path, depth: usize, before: SystemTime, forgotten: &mut Forgotten) {
    // The folder does not exist before the first turn.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth > 0 {
            forget_in(&entry.path(), depth - 1, before, forgotten);
            // Succeeds only if the folder is empty.
            let _ = fs::remove_dir(entry.path());
        } else if kind.is_file() && is_older(&entry, before) {
            match fs::remove_file(entry.path()) {
                Ok(()) => forgotten.count += 1,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => forgotten.error = forgotten.error.take().or(Some(error)),
            }
        }
    }
}

fn is_older(entry: &DirEntry, before: SystemTime) -> bool {
    entry
        .metadata()
        .and_then(|metadata| metadata.modified())
        .is_ok_and(|modified| modified < before)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn conversations_are_forgotten_by_age_and_empty_days_with_them() {
        let home = tempfile::tempdir().unwrap();
        let day = |name: &str| home.path().join("sessions/2026/11").join(name);
        for (name, age) in [("20", 3 * 3600), ("21", 60)] {
            fs::create_dir_all(day(name)).unwrap();
            let file = File::create(day(name).join("rollout-a.jsonl")).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        }
        assert_eq!(forget(home.path(), Duration::from_secs(3600)).unwrap(), 1);
        assert!(!day("20").exists());
        assert!(day("21").join("rollout-a.jsonl").exists());
        assert_eq!(forget(home.path(), Duration::from_secs(3600)).unwrap(), 0);
    }

    #[test]
    fn a_home_that_was_never_used_has_nothing_to_forget() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(forget(home.path(), Duration::ZERO).unwrap(), 0);
    }
}
