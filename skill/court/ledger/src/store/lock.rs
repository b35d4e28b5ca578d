//! One lock a folder, held by the kernel: a process that dies lets go of it.

use std::fs::{File, TryLockError};
use std::time::Instant;

use super::error::StoreError;
use super::files::Files;

/// The name of the file that is locked.
const NAME: &str = ".lock";

/// The lock, until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock until the deadline.
    pub(super) fn take(files: &Files, deadline: Instant) -> Result<Self, StoreError> {
        let file = files.lock_file(NAME)?;
        match host::lock_until(&file, deadline) {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Busy { path: files.path(NAME) }),
            Err(TryLockError::Error(source)) => Err(files.failed(NAME.as_ref(), source)),
        }
    }
}
