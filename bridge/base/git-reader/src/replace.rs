//! Replaces a file of ours whole.

use std::path::Path;
use std::{fs, io};

/// Writes a file so that who reads it meanwhile sees the old or the new content; leaves it alone when
/// it has this content.
///
/// # Errors
/// When the file or its folder cannot be written.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let half = folder.join(name);
    fs::write(&half, content)?;
    fs::rename(half, path)
}
