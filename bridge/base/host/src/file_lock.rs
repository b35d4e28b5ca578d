//! Waits for a file lock until a deadline. The kernel holds the lock for the open file: when a process
//! dies, the lock is released. Not here: the choice of the file.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

/// The first pause between two attempts; each later one is twice as long. Most locks are held for one small write.
const PAUSE_FIRST: Duration = Duration::from_micros(200);
/// The longest pause between two attempts.
const PAUSE_MAX: Duration = Duration::from_millis(5);

/// Waits for the lock on this open file until `deadline`. A free lock is taken even if
/// the deadline has passed. It is held until the file is dropped.
///
/// # Errors
/// [`TryLockError::WouldBlock`] if another open file still holds it at the deadline; [`TryLockError::Error`] for
/// an error of the file system.
pub fn lock_until(file: &File, deadline: Instant) -> Result<(), TryLockError> {
    lock_while(file, || deadline.saturating_duration_since(Instant::now()))
}

/// As [`lock_until`], as long as `left` returns remaining time: the wait may end early, or be cancelled.
///
/// # Errors
/// As [`lock_until`].
pub fn lock_while(file: &File, left: impl Fn() -> Duration) -> Result<(), TryLockError> {
    let mut pause = PAUSE_FIRST;
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let left = left();
                if left.is_zero() {
                    return Err(TryLockError::WouldBlock);
                }
                // A pause that other threads can end early.
                std::thread::park_timeout(pause.min(left));
            }
            done => return done,
        }
        pause = (pause * 2).min(PAUSE_MAX);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn two(folder: &tempfile::TempDir) -> (File, File) {
        let path = folder.path().join("lock");
        (File::create(&path).unwrap(), File::options().write(true).open(&path).unwrap())
    }

    #[test]
    fn a_free_lock_is_taken_also_when_no_time_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let (ours, theirs) = two(&folder);
        lock_until(&ours, Instant::now()).unwrap();
        assert!(matches!(theirs.try_lock(), Err(TryLockError::WouldBlock)));
    }

    #[test]
    fn a_lock_that_another_has_is_given_up_at_the_deadline() {
        let folder = tempfile::tempdir().unwrap();
        let (ours, theirs) = two(&folder);
        theirs.lock().unwrap();
        let waited = lock_until(&ours, Instant::now() + Duration::from_millis(1));
        assert!(matches!(waited, Err(TryLockError::WouldBlock)));
    }

    #[test]
    fn a_lock_is_taken_when_another_lets_go_of_it_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let (ours, theirs) = two(&folder);
        theirs.lock().unwrap();
        // The closure is called after a failed attempt and releases the lock, so the second attempt must succeed.
        let looks = Cell::new(0);
        lock_while(&ours, || {
            looks.set(looks.get() + 1);
            theirs.unlock().unwrap();
            Duration::from_secs(60)
        })
        .unwrap();
        assert_eq!(looks.get(), 1);
        assert!(matches!(theirs.try_lock(), Err(TryLockError::WouldBlock)));
    }
}
