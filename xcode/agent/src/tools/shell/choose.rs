//! Chooses the shell for the model's commands: only shells whose syntax the gate can read.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use supervise::{HelperCommand, HelperOutput, run_helper};

/// The timeout of a shell's version query.
const TIMEOUT: Duration = Duration::from_millis(500);

/// How much of its output is read, in bytes.
const OUTPUT_MAX: usize = 4 << 10;

/// The longest version that is accepted, in characters.
const VERSION_MAX: usize = 16;

/// The shell in `$SHELL` if it is bash, zsh, dash or sh, else `/bin/bash`, else `/bin/sh`, with its type for the
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

/// The version that a shell reports, such as `5.2.15`; none for a shell without such an option.
#[must_use]
pub fn shell_version(program: &Path) -> Option<String> {
    let helper = HelperCommand {
        program: program.to_owned(),
        args: vec!["--version".into()],
        env: Vec::new(),
        current_dir: "/".into(),
        deadline: Instant::now() + TIMEOUT,
        stdout_max: OUTPUT_MAX,
    };
    let said = run_helper(&helper).ok().filter(HelperOutput::is_success)?;
    version_in(&String::from_utf8_lossy(&said.stdout)).map(str::to_owned)
}

/// The first two or three numbers separated by dots.
fn version_in(said: &str) -> Option<&str> {
    let words = said.lines().next()?.split(|char: char| !char.is_ascii_digit() && char != '.');
    let mut versions = words.map(|word| word.trim_matches('.'));
    versions.find(|word| word.contains('.') && word.len() <= VERSION_MAX)
}

/// The type of a shell, by its name.
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

    use super::{choose_shell, shell_version, version_in};

    #[test]
    fn a_version_is_what_the_shell_says_first() {
        let bash = "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\nCopyright 2022";
        assert_eq!(version_in(bash), Some("5.2.15"));
        assert_eq!(version_in("zsh 5.9 (x86_64-debian-linux-gnu)"), Some("5.9"));
        for none in ["", "no. version", "a\n1.2", &format!("v{}.1", "1".repeat(40))] {
            assert_eq!(version_in(none), None, "{none}");
        }
        let (program, kind) = choose_shell(Some(OsStr::new("/bin/bash")));
        assert_eq!(shell_version(&program).is_some(), kind == "bash");
        assert_eq!(shell_version("/no/such/shell".as_ref()), None);
    }

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
