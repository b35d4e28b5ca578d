//! One lock per folder, held by the kernel, so that it is released when its process dies.

use std::fs::{File, TryLockError};
use std::time::Instant;

use super::error::StoreError;
use super::files::Files;

/// The name of the lock file.
const NAME: &str = ".lock";

/// The lock, held until dropped.
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
