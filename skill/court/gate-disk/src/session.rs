//! What a session wrote. Not here: the files themselves, and how a host knows.

use gate::{Extent, Source, Target};

/// What is known of a session's own files.
#[derive(Debug, Default)]
pub struct Session {
    /// When it began, in nanoseconds since 1970; `None` where that is not known.
    pub began_ns: Option<i64>,
    /// Where it wrote, the oldest first.
    pub targets: Vec<Target>,
}

impl Session {
    /// Whether the session wrote a file that was last changed at a time: the kernel sets this time, and no
    /// program can set it back.
    pub fn wrote(&self, path: &str, ctime_ns: i64) -> bool {
        self.began_ns.is_some_and(|began| ctime_ns >= began)
            || self.targets.iter().any(|target| covers(target, path))
    }

    /// Whether the session fetched a file: by itself, or in a tree.
    pub fn fetched(&self, path: &str) -> Option<Extent> {
        let of = |target: &&Target| target.source == Source::Network && covers(target, path);
        self.targets.iter().filter(of).map(|target| target.extent).min()
    }

    /// The single files, the oldest first.
    pub fn files(&self) -> Vec<String> {
        let single = self.targets.iter().filter(|target| target.extent == Extent::File);
        single.map(|target| target.path.clone()).collect()
    }
}

fn covers(target: &Target, path: &str) -> bool {
    let Some(rest) = path.strip_prefix(target.path.as_str()) else { return false };
    rest.is_empty() || target.extent == Extent::Tree && rest.starts_with('/')
}

/// A time of the file system as one number.
#[must_use]
pub fn nanoseconds(seconds: i64, nanoseconds: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds)
}
