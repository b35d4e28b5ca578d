//! Reads the workspace's files of knowledge: through links that stay inside the workspace, never through
//! one that leads out, and only plain files. Not here: their content.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::workspace::Workspace;
use crate::workspace::open::{Fault, open};

/// How much of one file is used, in bytes.
pub(crate) const FILE_MAX: usize = 32 << 10;

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    /// The content, or its beginning.
    pub(crate) text: String,
    /// Its size in bytes, where it was cut.
    pub(crate) cut_from: Option<u64>,
}

/// Reads the file at `path` below `top`, which has no links. None if there is no file.
///
/// # Errors
/// Why it is not read, as a message for the user.
pub(crate) fn read(top: &Workspace, path: &Path) -> Result<Option<Text>, String> {
    let shown = path.strip_prefix(top.root()).unwrap_or(path).display().to_string();
    let real = top.real(path);
    if !real.starts_with(top.root()) {
        return Err(format!("{shown} leads out of the project; it is not read"));
    }
    if redact::is_sensitive_path(&real) {
        return Err(format!("{shown} leads to a file that holds secrets; it is not read"));
    }
    match open(&real) {
        Err(Fault::Missing | Fault::ThroughFile) => Ok(None),
        Err(fault) => Err(fault.told(&shown)),
        Ok(opened) => {
            let size = opened.metadata.len();
            text(opened.file, size).map(Some).map_err(|error| format!("{shown}: {error}"))
        }
    }
}

/// The text of an open file.
///
/// # Errors
/// An error of the file system.
pub(crate) fn text(file: std::fs::File, size: u64) -> io::Result<Text> {
    let mut bytes = Vec::new();
    file.take(FILE_MAX as u64 + 1).read_to_end(&mut bytes)?;
    let is_cut = bytes.len() > FILE_MAX;
    if is_cut {
        bytes.truncate(FILE_MAX);
        // The text is cut at a line end.
        while bytes.pop().is_some_and(|last| last != b'\n') {}
        if bytes.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "its first line is too long"));
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
    Ok(Text { text, cut_from: is_cut.then_some(size) })
}

/// The names of the files in a folder below `top` that end with `ending`, sorted; none if the folder is absent or
/// outside.
pub(crate) fn names(top: &Workspace, folder: &Path, ending: &str) -> Vec<PathBuf> {
    let real = top.real(folder);
    if !real.starts_with(top.root()) {
        return Vec::new();
    }
    let Ok(entries) = std::fs::read_dir(real) else { return Vec::new() };
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    let mut names: Vec<PathBuf> = names
        .filter(|name| name.to_str().is_some_and(|name| name.ends_with(ending)))
        .map(|name| folder.join(name))
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_is_followed_inside_and_nothing_else_is() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let top = Workspace::open(folder.path(), &[]).unwrap();
        let at = |name: &str| top.root().join(name);
        fs::write(at("real.md"), "\u{feff}text\n").unwrap();
        fs::write(at(".env"), "KEY=1\n").unwrap();
        fs::write(outside.path().join("theirs.md"), "x").unwrap();
        symlink("real.md", at("inside.md")).unwrap();
        symlink(".env", at("secret.md")).unwrap();
        symlink(outside.path().join("theirs.md"), at("out.md")).unwrap();
        symlink("circle.md", at("circle.md")).unwrap();
        fs::create_dir(at("folder.md")).unwrap();
        let fifo = rustix::fs::FileType::Fifo;
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, at("fifo.md"), fifo, mode, 0).unwrap();
        let told = |name: &str| read(&top, &at(name)).map(|text| text.map(|text| text.text));
        assert_eq!(told("gone.md"), Ok(None));
        assert_eq!(told("inside.md"), Ok(Some("text\n".to_owned())));
        for name in ["secret.md", "out.md", "circle.md", "folder.md", "fifo.md"] {
            assert!(told(name).is_err(), "{name}: {:?}", told(name));
        }
        let found = names(&top, &at(""), ".md");
        assert_eq!(found.len(), 7);
        symlink(outside.path(), at("rules")).unwrap();
        assert_eq!(names(&top, &at("rules"), ".md"), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_long_file_is_cut_behind_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let top = Workspace::open(folder.path(), &[]).unwrap();
        let path = top.root().join("long.md");
        let whole = "一行字\n".repeat(5_000);
        fs::write(&path, &whole).unwrap();
        let Text { text, cut_from } = read(&top, &path).unwrap().unwrap();
        assert_eq!(cut_from, Some(whole.len() as u64));
        assert!(text.len() <= FILE_MAX && text.len() > FILE_MAX - 20 && !text.contains('\u{fffd}'));
        fs::write(&path, &whole.as_bytes()[..FILE_MAX]).unwrap();
        assert_eq!(read(&top, &path).unwrap().unwrap().cut_from, None);
        fs::write(&path, "x".repeat(FILE_MAX + 1)).unwrap();
        read(&top, &path).unwrap_err();
    }
}
