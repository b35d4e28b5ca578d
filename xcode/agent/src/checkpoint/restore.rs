//! Restores the state of a path.

use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use host::{Access, Durability};

use super::state::{State, Store};
use crate::workspace::open::{below_top, top};

/// Brings `path` to the state `to`. Folders are only created, and removed only if they are empty.
pub(super) fn restore(store: &Store, path: &Path, to: Option<&State>) -> io::Result<()> {
    let place = below_top(path);
    match to {
        None => match top().metadata(place) {
            Ok(found) if found.is_dir() => match std::fs::remove_dir(path) {
                // Another program has put a file there.
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
                done => done,
            },
            Ok(_) => top().remove(place),
            Err(_) => Ok(()),
        },
        Some(State::Folder) => top().make(place),
        Some(State::Link(target)) => {
            top().remove(place)?;
            symlink(target, path)
        }
        Some(State::File { content, mode }) => {
            let bytes = store.content(content)?;
            let draft = top().draft(place, &bytes, Access::Exactly(*mode), Durability::Synced)?;
            draft.replace()
        }
        Some(State::Large(_)) => Err(io::Error::other("it was too large to be kept")),
    }
}
