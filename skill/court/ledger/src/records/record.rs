//! The trait of the court's files: location and limits.

/// The file format version that this program writes, and the newest that it reads.
pub const VERSION: u32 = 1;

/// A file of the court: its location, its maximum size, and how it is kept below that.
pub trait Record: serde::Serialize + serde::de::DeserializeOwned + Default {
    /// Its folder.
    const FOLDER: Folder;
    /// Its file name.
    const NAME: &'static str;
    /// Maximum size in bytes; a larger file is set aside.
    const BYTES_MAX: u64;
    /// The first character of its JSON: serde would also read a struct from a list.
    const OPENS: u8 = b'{';

    /// The version stated in the file.
    fn version(&self) -> u32 {
        VERSION
    }

    /// Drops the oldest entries over the record's limits; returns them as JSON
    /// texts for the archive.
    fn bound(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// One of the court's folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folder {
    /// `.claude/historian` in the project: records of the work. It may come with a clone.
    Historian,
    /// `.court` in the project: requests of the project. It may come with a clone.
    Court,
    /// The folder for this root in the user's state folder: records of its sessions.
    State,
    /// The same, for the repository currently at this root: records that grant something. A repository that
    /// replaces it does not inherit them.
    Grants,
}
