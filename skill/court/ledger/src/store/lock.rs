//! One lock a folder, held by the kernel: a process that dies lets go of it.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use super::error::StoreError;
use super::files::Files;

/// The name of the file that is locked.
const NAME: &str = ".lock";
/// The first pause between two looks; each later one is twice as long.
const PAUSE_FIRST: Duration = Duration::from_micros(200);
/// The longest pause between two looks.
const PAUSE_MAX: Duration = Duration::from_millis(5);

/// The lock, until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock until the deadline.
    pub(super) fn take(files: &Files, deadline: Instant) -> Result<Self, StoreError> {
        let file = files.lock_file(NAME)?;
        let mut pause = PAUSE_FIRST;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    return Err(StoreError::Busy { path: files.path(NAME) });
                }
                // Nothing unparks this thread: it is a pause that other threads may cut short.
                Err(TryLockError::WouldBlock) => std::thread::park_timeout(pause),
                Err(TryLockError::Error(source)) => {
                    return Err(files.failed(NAME.as_ref(), source));
                }
            }
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }
}
