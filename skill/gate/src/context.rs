//! What only the host knows: folders, links, and what this session wrote. Absent: how it knows.

/// Where symbolic links lead, as the host sees it.
pub trait Links {
    /// Where an absolute, normalised path really leads, if that is somewhere else.
    fn resolve(&self, path: &str) -> Option<String>;
}

/// A host without links.
#[derive(Clone, Copy, Debug)]
pub struct NoLinks;

impl Links for NoLinks {
    fn resolve(&self, _path: &str) -> Option<String> {
        None
    }
}

/// A file that an earlier call of this session wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its absolute path.
    pub path: String,
    /// Its text; none if the host does not know it.
    pub content: Option<String>,
}

/// The surroundings of a call. Paths are absolute.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The working folder of the call.
    pub cwd: &'a str,
    /// The root of the project.
    pub project: &'a str,
    /// The user's home folder.
    pub home: &'a str,
    /// Folders whose content may be lost: temporary folders and what git ignores.
    pub scratch: &'a [String],
    /// Paths that a call may not change without a review, beside those that the gate knows.
    pub protected: &'a [String],
    /// What this session wrote, the oldest first.
    pub written: &'a [Written],
    /// Where links lead.
    pub links: &'a dyn Links,
}
