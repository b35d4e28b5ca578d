//! Which shell runs the model's commands. What the gate reads is what runs: only shells whose language it knows.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The shell of `$SHELL` where it is bash, zsh, dash or sh, else `/bin/bash`, else `/bin/sh`, with its type for the
/// model: `bash`, `zsh` or `sh`.
#[must_use]
pub fn choose_shell(shell_variable: Option<&OsStr>) -> (PathBuf, &'static str) {
    let own = shell_variable.map(Path::new).filter(|path| path.is_absolute());
    let known = own.and_then(|path| Some((path, kind(path)?)));
    let fallback =
        [("/bin/bash", "bash"), ("/bin/sh", "sh")].map(|(path, kind)| (Path::new(path), kind));
    let mut found = known.into_iter().chain(fallback).filter(|(path, _)| is_executable(path));
    let (path, kind) = found.next().unwrap_or((Path::new("/bin/sh"), "sh"));
    (path.to_owned(), kind)
}

/// What a shell is, by its name.
fn kind(path: &Path) -> Option<&'static str> {
    match path.file_name()?.to_str()? {
        "bash" => Some("bash"),
        "zsh" => Some("zsh"),
        "dash" | "sh" => Some("sh"),
        _ => None,
    }
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;

    use super::choose_shell;

    #[test]
    fn only_a_shell_that_the_gate_can_read_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let program = |name: &str, mode: u32| {
            let path = folder.path().join(name);
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path.into_os_string()
        };
        let chosen = |variable: Option<&OsStr>| choose_shell(variable);
        for (name, kind) in [("bash", "bash"), ("zsh", "zsh"), ("dash", "sh"), ("sh", "sh")] {
            let own = program(name, 0o755);
            assert_eq!(chosen(Some(&own)), (PathBuf::from(&own), kind));
        }
        let fallback = chosen(None);
        assert!(fallback.0.starts_with("/bin"), "{fallback:?}");
        let others = ["fish", "nu", "python3"].map(|name| program(name, 0o755));
        let closed = program("zsh", 0o644);
        let relative = ["bash", "./zsh", "", "/no/such/zsh", "/"].map(Into::into);
        for other in others.iter().chain([&closed]).chain(&relative) {
            assert_eq!(chosen(Some(other)), fallback, "{other:?}");
        }
    }
}
