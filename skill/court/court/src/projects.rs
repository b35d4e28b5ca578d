//! The user's projects in which sessions began: recorded for the daemon's pages, one small file each in the user's state
//! folder. Not here: the content of a project.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::places::Places;

/// The file, below the project's state folder.
const FILE: &str = "project.json";
/// Maximum size of the file, in bytes: a path has at most 4,096.
const BYTES_MAX: u64 = 32 << 10;

/// A project in which a session began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Identifies it among the user's projects.
    pub key: String,
    /// Its root.
    pub root: PathBuf,
    /// Start of the latest session, in milliseconds since 1970.
    pub seen_ms: u64,
}

#[derive(Serialize, Deserialize)]
struct Noted {
    root: PathBuf,
    seen_ms: u64,
}

/// Records that a session begins in a project.
///
/// # Errors
/// The user's state folder cannot be written, or the root is not valid text.
pub fn note(places: &Places, seen_ms: u64) -> io::Result<()> {
    let Some(state) = places.state() else { return Err(io::ErrorKind::NotFound.into()) };
    let root = fs::canonicalize(&places.project)?;
    let text = serde_json::to_vec(&Noted { root, seen_ms })?;
    state.replace(FILE, &text)
}

/// The projects that still exist, those with the latest session first.
#[must_use]
pub fn list(places: &Places, environment: &Environment) -> Vec<Project> {
    let names = places.projects().and_then(|folder| folder.names("").ok()).unwrap_or_default();
    let keys = names.iter().filter_map(|name| name.to_str());
    let mut projects: Vec<Project> =
        keys.filter_map(|key| find(places, environment, key)).collect();
    projects.sort_by(|one, other| (other.seen_ms, &one.key).cmp(&(one.seen_ms, &other.key)));
    projects
}

/// The project with this key, if it still exists.
#[must_use]
pub fn find(places: &Places, environment: &Environment, key: &str) -> Option<Project> {
    if !contract::court::is_key(key) {
        return None;
    }
    let file = places.projects()?.open(Path::new(key).join(FILE)).ok()?;
    let mut text = Vec::new();
    file.take(BYTES_MAX).read_to_end(&mut text).ok()?;
    let Noted { root, seen_ms } = serde_json::from_slice(&text).ok()?;
    // The path may now contain another folder, or none.
    let is_it = root.is_dir() && Places::of_project(root.clone(), environment).key() == key;
    is_it.then(|| Project { key: key.to_owned(), root, seen_ms })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{find, list, note};
    use crate::environment::Environment;
    use crate::places::Places;

    #[test]
    fn projects_are_told_newest_first_as_long_as_they_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let environment = Environment::of([("HOME", home.to_str().unwrap())]);
        let at = |name: &str| {
            let root = folder.path().join(name);
            fs::create_dir_all(&root).unwrap();
            Places::of_project(root, &environment)
        };
        let (one, two, gone) = (at("one"), at("two"), at("gone"));
        assert_eq!(list(&one, &environment), Vec::new());
        for (places, seen_ms) in [(&one, 5), (&two, 9), (&gone, 7), (&one, 6)] {
            note(places, seen_ms).unwrap();
        }
        fs::remove_dir(&gone.project).unwrap();
        let told = list(&two, &environment);
        let told: Vec<_> = told.iter().map(|it| (it.root.as_path(), it.seen_ms)).collect();
        assert_eq!(told, [(two.project.as_path(), 9), (one.project.as_path(), 6)]);
        assert!(find(&one, &environment, gone.key()).is_none());
        assert!(find(&one, &environment, "../one").is_none());

        // A file that names another root than its own is not trusted.
        let state = home.join(".local/state/codex-bridge/court");
        let file = |places: &Places| state.join(places.key()).join("project.json");
        fs::copy(file(&one), file(&two)).unwrap();
        assert!(find(&one, &environment, two.key()).is_none());
        fs::write(file(&one), "{").unwrap();
        assert_eq!(list(&one, &environment), Vec::new());
    }
}
