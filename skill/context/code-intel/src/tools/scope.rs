//! The part of the repository that a request covers: some files or folders, with or without tests.

use crate::engine::EngineError;
use crate::view::{File, View};

/// Whether tests are included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tests {
    /// They are.
    Counted,
    /// They are not.
    Left,
}

/// Some of a view's files.
pub(crate) struct Scope<'v> {
    view: &'v View,
    paths: Vec<String>,
    tests: Tests,
}

impl<'v> Scope<'v> {
    /// The files at or below these paths; all files when there are no paths.
    ///
    /// # Errors
    /// [`EngineError::Unknown`] for a path with no indexed file at or below it.
    pub(crate) fn new(view: &'v View, paths: &[String], tests: Tests) -> Result<Self, EngineError> {
        let paths: Vec<String> = paths.iter().map(|path| plain(path).to_owned()).collect();
        for path in &paths {
            if !view.files().any(|file| is_below(file.path, path)) {
                let hint = Some("files are named from the root; ignored ones are not known".into());
                return Err(EngineError::Unknown {
                    what: "file or folder",
                    name: path.clone(),
                    hint,
                });
            }
        }
        Ok(Self { view, paths, tests })
    }

    /// Its files. A test that was requested by its path is included.
    pub(crate) fn files(&self) -> impl Iterator<Item = File<'v>> {
        self.view.files().filter(|file| {
            let is_named = self.paths.iter().any(|path| path == file.path);
            let is_inside =
                self.paths.is_empty() || self.paths.iter().any(|path| is_below(file.path, path));
            is_inside && (is_named || self.tests == Tests::Counted || !file.is_test)
        })
    }
}

/// A path in the form of the index: `./src/` becomes `src`.
fn plain(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    let path = path.strip_prefix("./").unwrap_or(path);
    if path == "." { "" } else { path }
}

fn is_below(file: &str, path: &str) -> bool {
    let rest = file.strip_prefix(path);
    path.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_file_or_all_below_a_folder() {
        assert!(is_below("src/a.rs", plain("./src/")));
        assert!(is_below("src/a.rs", plain("src/a.rs")));
        assert!(is_below("src/a.rs", plain(".")));
        assert!(!is_below("src2/a.rs", plain("src")));
        assert!(!is_below("a/src/a.rs", plain("src")));
    }
}
