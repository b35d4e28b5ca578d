//! Replaces a file atomically at the path that was judged: at any moment it has the old or the new content; its
//! mode, owner and access list are preserved, and changes by another program meanwhile are not lost.
//!
//! Our own programs are serialised by a lock on the file that is replaced. A change by another program is
//! noticed until immediately before the replacement. Temporary files of writers that were killed are removed.

use std::fs::{File, Metadata, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use host::{Access, Durability};
use rustix::fs::{Gid, Uid, XattrFlags, fchown, fgetxattr, flistxattr, fsetxattr};
use rustix::io::Errno;

use super::open::{Fault, Opened, below_top, open, top};
use super::stop::Stop;

/// Permission bits that are preserved. The set-user-ID and set-group-ID bits are not, as with any write.
const MODE_KEPT: u32 = 0o1777;

/// The extended attribute with the access control list.
const ACCESS_LIST: &[u8] = b"system.posix_acl_access";

/// The longest value of an attribute, and the longest list of names, in Linux, in bytes.
const ATTRIBUTE_MAX: usize = 64 << 10;

/// A file to be replaced: open, locked, read.
pub(crate) struct Held {
    real: PathBuf,
    /// Holds the lock.
    opened: Opened,
    /// Its content.
    pub(crate) bytes: Vec<u8>,
}

impl Held {
    /// Opens the file at a path without links; none if it does not exist.
    pub(crate) fn open(real: &Path) -> Result<Option<Self>, Fault> {
        let mut opened = match open(real) {
            Err(Fault::Missing) => return Ok(None),
            opened => opened?,
        };
        match opened.file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(Fault::Locked),
            // Some file systems have no locks; the comparison of content remains.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let bytes = opened.read()?;
        let held = Self { real: real.to_owned(), opened, bytes };
        // Another program may have replaced the file before it was locked here.
        held.is_as_it_was(top().metadata(below_top(real)))?;
        Ok(Some(held))
    }

    /// Replaces the content, unless it must stop before the new content is complete.
    pub(crate) fn replace(self, bytes: &[u8], stop: &Stop) -> Result<(), Fault> {
        let old = &self.opened.metadata;
        if old.mode() & 0o200 == 0 {
            return Err(Fault::ReadOnly);
        }
        let access = Access::Exactly(old.mode() & MODE_KEPT);
        let draft = top().draft(below_top(&self.real), bytes, access, Durability::Synced)?;
        let new = draft.file().metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            let (owner, group) = (Uid::from_raw(old.uid()), Gid::from_raw(old.gid()));
            fchown(draft.file(), Some(owner), Some(group)).map_err(|_| Fault::Owner)?;
        }
        keep_attributes(&self.opened.file, draft.file()).map_err(|_| Fault::Owner)?;
        draft.sync()?;
        go_on(stop)?;
        draft.sweep();
        self.is_as_it_was(draft.replaced())?;
        Ok(draft.replace()?)
    }

    fn is_as_it_was(&self, now: io::Result<Metadata>) -> Result<(), Fault> {
        let stamp = |of: &Metadata| {
            let changed = (of.mtime(), of.mtime_nsec(), of.ctime(), of.ctime_nsec());
            (of.dev(), of.ino(), of.size(), changed)
        };
        match now {
            Ok(now) if stamp(&now) == stamp(&self.opened.metadata) => Ok(()),
            Ok(_) => Err(Fault::Changed),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Fault::Changed),
            Err(error) => Err(error.into()),
        }
    }
}

/// Copies the access list, and the attributes that users set. Those of the kernel or its security modules
/// are set by these on the new file.
fn keep_attributes(old: &File, new: &File) -> rustix::io::Result<()> {
    let mut names = vec![0; ATTRIBUTE_MAX];
    let length = match flistxattr(old, &mut names[..]) {
        // The file system has no attributes.
        Err(Errno::OPNOTSUPP) => 0,
        length => length?,
    };
    for name in names[..length].split(|byte| *byte == 0) {
        if name == ACCESS_LIST || name.starts_with(b"user.") {
            let mut value = vec![0; ATTRIBUTE_MAX];
            let length = fgetxattr(old, name, &mut value[..])?;
            fsetxattr(new, name, &value[..length], XattrFlags::empty())?;
        }
    }
    Ok(())
}

/// Creates a file at a path without links that did not exist, and its parent folders; not if it must stop
/// before the content is complete.
pub(crate) fn create(real: &Path, bytes: &[u8], stop: &Stop) -> Result<(), Fault> {
    let draft = top().draft(below_top(real), bytes, Access::Umask, Durability::Synced)?;
    draft.sync()?;
    go_on(stop)?;
    draft.sweep();
    match draft.create() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(Fault::Changed),
        made => Ok(made?),
    }
}

fn go_on(stop: &Stop) -> Result<(), Fault> {
    if stop.is_cancelled() { Err(Fault::Stopped) } else { Ok(()) }
}
