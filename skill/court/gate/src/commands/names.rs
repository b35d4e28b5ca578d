//! Other spellings of a program's name: with a version, with the ending that Windows gives it, in capitals
//! (file systems that ignore case find it all the same), by a path of Windows. Not here: what a program does.

use super::registry;
use crate::shell::Field;

/// The program of a path of Windows: `C:\\Tools\\git.exe`, `C:/Tools/git.exe`.
pub(super) fn of_windows(command: &str) -> Option<String> {
    let bytes = command.as_bytes();
    let drive = bytes.len() > 3
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'/' | b'\\');
    let mounted = command.starts_with("/mnt/") && is_executable(command);
    if !(drive || mounted || command.contains('\\') && is_executable(command)) {
        return None;
    }
    let name = command.rsplit(['/', '\\']).next().unwrap_or_default();
    (!name.is_empty()).then(|| name.to_owned())
}

const ENDINGS: &[&str] = &[".exe", ".cmd", ".bat", ".com"];

fn is_executable(command: &str) -> bool {
    let lower = command.to_ascii_lowercase();
    ENDINGS.iter().any(|ending| lower.ends_with(ending))
}

fn is_known(name: &str) -> bool {
    registry::command(name).is_some()
}

/// The name under which a program is known here, if it is another one.
pub(super) fn plain(name: &str) -> Option<String> {
    if name.len() > 64 || is_known(name) {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    let stem = ENDINGS.iter().find_map(|ending| lower.strip_suffix(ending)).unwrap_or(&lower);
    // `perl5.38.2`, `gcc-12`, `php8.3`.
    let base = stem.trim_end_matches(|each: char| each.is_ascii_digit() || "._-".contains(each));
    let versioned = stem.len() > base.len() && base.len() > 2 && registry::is_told(base);
    [stem, base]
        .into_iter()
        .find(|other| {
            *other != name && is_known(other) && (*other != base || versioned || base == stem)
        })
        .map(str::to_owned)
}

/// The words of a command with another name.
pub(super) fn renamed(words: &[Field], name: &str) -> Vec<Field> {
    let mut words = words.to_vec();
    name.clone_into(&mut words[0].text);
    words
}

#[cfg(test)]
mod tests {
    use super::{of_windows, plain};

    #[test]
    fn other_spellings_are_the_same_program() {
        assert_eq!(plain("perl5.38.2").as_deref(), Some("perl"));
        assert_eq!(plain("GIT.EXE").as_deref(), Some("git"));
        assert_eq!(plain("RM").as_deref(), Some("rm"));
        assert_eq!(plain("git"), None);
        assert_eq!(plain("b2sum"), None);
        assert_eq!(of_windows("C:/Program Files/Git/bin/git.exe").as_deref(), Some("git.exe"));
        assert_eq!(of_windows("./git.exe"), None);
    }
}
