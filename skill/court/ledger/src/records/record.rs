//! A file of the court: where it lies, and its bounds.

/// The version of the file formats that this program writes, and the newest that it reads.
pub const VERSION: u32 = 1;

/// A file of the court: where it lies, how large it may be, and how it keeps below that.
pub trait Record: serde::Serialize + serde::de::DeserializeOwned + Default {
    /// The folder it lies in.
    const FOLDER: Folder;
    /// Its name there.
    const NAME: &'static str;
    /// The largest file that is read, in bytes; a larger one is kept aside.
    const BYTES_MAX: u64;
    /// How its text begins: a struct would also be read from a list.
    const OPENS: u8 = b'{';

    /// The version that the file says.
    fn version(&self) -> u32 {
        VERSION
    }

    /// Drops the oldest of what is over the record's limits; returns what was dropped, one JSON
    /// text each, for the archive.
    fn bound(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// One of the court's folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folder {
    /// `.claude/historian`, in the project: what the work shows. It may come with a clone.
    Historian,
    /// `.court`, in the project: what the project would like. It may come with a clone.
    Court,
    /// The user's state folder for this root: what the court remembers of its sessions.
    State,
    /// The same, for this very repository at this root: what grants something. A repository that is
    /// put in its place finds nothing here.
    Grants,
}
