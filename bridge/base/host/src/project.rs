//! Finds the project of a folder, by which runs are separated.

use std::fs;
use std::path::{Path, PathBuf};

use crate::own::{has_git, is_own};

/// The root of the project of `folder`, with links resolved: the nearest folder at or above that contains
/// `.git`, else `folder` itself. The search ends at a folder of another user, as git's does, and below
/// the user's home folder and `/`: neither makes one project of everything below it.
#[must_use]
pub fn root(folder: &Path, home: Option<&Path>) -> PathBuf {
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let home = home.and_then(|home| fs::canonicalize(home).ok());
    let is_project = |folder: &Path| folder.parent().is_some() && Some(folder) != home.as_deref();
    let mut above = folder.ancestors().take_while(|folder| is_own(folder) && is_project(folder));
    let root = above.find(|folder| has_git(folder)).map(Path::to_owned);
    root.unwrap_or(folder)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn the_root_is_where_git_is() {
        let folder = TempDir::new().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let deep = top.join("project/src/deep");
        fs::create_dir_all(&deep).unwrap();
        assert_eq!(root(&deep, None), deep, "no project above");
        fs::create_dir(top.join("project/.git")).unwrap();
        assert_eq!(root(&deep, None), top.join("project"));
        symlink(&deep, top.join("link")).unwrap();
        assert_eq!(root(&top.join("link"), None), top.join("project"));
        // A linked work tree has a file of that name.
        fs::write(top.join("project/src/.git"), "gitdir: elsewhere").unwrap();
        assert_eq!(root(&deep, None), top.join("project/src"));
    }

    #[test]
    fn a_home_folder_under_git_is_no_project() {
        let folder = TempDir::new().unwrap();
        let home = folder.path().canonicalize().unwrap();
        fs::create_dir(home.join(".git")).unwrap();
        fs::create_dir(home.join("notes")).unwrap();
        assert_eq!(root(&home.join("notes"), Some(&home)), home.join("notes"));
    }

    #[test]
    fn a_folder_that_is_gone_is_its_own_project() {
        assert_eq!(root(Path::new("/no/such/folder"), None), Path::new("/no/such/folder"));
    }
}
