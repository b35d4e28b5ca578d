//! What the crate's own tests judge by.

use super::{Context, NoDisk};

/// A project in a home folder, of which nothing is on the disk.
pub(crate) const CONTEXT: Context<'static> = Context {
    cwd: "/home/dev/app",
    project: "/home/dev/app",
    home: "/home/dev",
    scratch: &[],
    protected: &[],
    disk: &NoDisk,
};
