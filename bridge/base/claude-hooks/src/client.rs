//! Which client the protocol was proven with, and how the installed one compares with it.
//!
//! The tests of the workspace drive the client that `tests/peers/package.json` pins; [`PROVEN`] is
//! that version. Another client is told as such and used all the same.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use supervise::{HelperCommand, HelperError, run_helper};

/// The client's program.
pub const PROGRAM: &str = "claude";

/// The client that hooks, answers, transcript words and fields were proven with.
pub const PROVEN: Version = Version { major: 2, minor: 1, patch: 197 };

/// How long `claude --version` may take. It takes 40 ms (2.1.197, native), and half a second where
/// Node has to start; the rest is a busy machine.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The most that is read of what it prints, in bytes: a line of 21 is expected.
const PRINTED_MAX: usize = 4096;

/// The version of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// 2 so far.
    pub major: u32,
    /// Seldom changes.
    pub minor: u32,
    /// Changes every few days.
    pub patch: u32,
}

/// How a client compares with [`PROVEN`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is the proven one.
    Proven,
    /// It came out later.
    Newer,
    /// It came out earlier.
    Older,
}

/// Why a program's version is not known.
#[derive(Debug, thiserror::Error)]
pub enum VersionError {
    /// It cannot be run.
    #[error("it cannot be run: {0}")]
    NotRun(#[from] HelperError),
    /// It failed, was ended after 10 s, or printed something else.
    #[error("`--version` printed no version")]
    NoVersion,
}

impl Version {
    /// Reads what `claude --version` prints, `2.1.197 (Claude Code)`, or the `version` of a
    /// transcript's lines. A suffix such as `-beta.1` is ignored.
    #[must_use]
    pub fn parse(printed: &str) -> Option<Self> {
        let word = printed.split_whitespace().next()?;
        let plain = word.split(['-', '+']).next()?;
        let mut numbers = plain.split('.').map(|number| number.parse().ok());
        let version =
            Self { major: numbers.next()??, minor: numbers.next()??, patch: numbers.next()?? };
        numbers.next().is_none().then_some(version)
    }

    /// How it compares with [`PROVEN`].
    #[must_use]
    pub fn standing(self) -> Standing {
        match self.cmp(&PROVEN) {
            std::cmp::Ordering::Equal => Standing::Proven,
            std::cmp::Ordering::Greater => Standing::Newer,
            std::cmp::Ordering::Less => Standing::Older,
        }
    }

    /// What a person is told about it, such as `Claude Code 2.1.197, the proven version`.
    #[must_use]
    pub fn told(self) -> String {
        let comparison = match self.standing() {
            Standing::Proven => return format!("Claude Code {self}, the proven version"),
            Standing::Newer => "newer",
            Standing::Older => "older",
        };
        format!("Claude Code {self} is {comparison} than {PROVEN}, the proven version")
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Asks a client for its version; `path` is the `PATH` that it is found by. It starts the program,
/// so the program must be one that the user named or would start.
///
/// # Errors
/// [`VersionError`].
pub fn version_of(program: &Path, path: &OsStr, home: &Path) -> Result<Version, VersionError> {
    let env: [(OsString, OsString); 3] = [
        ("PATH".into(), path.to_owned()),
        ("HOME".into(), home.into()),
        ("DISABLE_AUTOUPDATER".into(), "1".into()),
    ];
    let told = run_helper(&HelperCommand {
        program: program.to_owned(),
        args: vec!["--version".into()],
        env: env.into(),
        current_dir: "/".into(),
        deadline: Instant::now() + TIMEOUT,
        stdout_max: PRINTED_MAX,
    })?;
    let printed = String::from_utf8_lossy(&told.stdout);
    let version = Version::parse(&printed).filter(|_| told.is_success());
    version.ok_or(VersionError::NoVersion)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_the_client_prints_them() {
        let parse = |text| Version::parse(text).map(|version| version.to_string());
        assert_eq!(parse("2.1.197 (Claude Code)\n"), Some("2.1.197".to_owned()));
        assert_eq!(parse("2.2.0-beta.1 (Claude Code)"), Some("2.2.0".to_owned()));
        assert_eq!(parse("2.1.197"), Some("2.1.197".to_owned()));
        for none in ["", "2.1", "2.1.197.1", "v2.1.197", "Claude Code", "2.1.99999999999"] {
            assert_eq!(parse(none), None, "{none}");
        }
    }

    #[test]
    fn a_newer_and_an_older_client_are_told_as_such() {
        let told = |text| Version::parse(text).unwrap().told();
        assert_eq!(told("2.1.197"), "Claude Code 2.1.197, the proven version");
        assert_eq!(
            told("2.1.198"),
            "Claude Code 2.1.198 is newer than 2.1.197, the proven version"
        );
        assert_eq!(
            told("2.0.999"),
            "Claude Code 2.0.999 is older than 2.1.197, the proven version"
        );
        assert_eq!(Version::parse("3.0.0").unwrap().standing(), Standing::Newer);
    }

    /// What the workspace's tests drive is what is called proven.
    #[test]
    fn the_proven_version_is_the_one_that_is_tested() {
        let package = include_str!("../../../../tests/peers/package.json");
        let package: serde_json::Value = serde_json::from_str(package).unwrap();
        let pinned = package.pointer("/devDependencies/@anthropic-ai~1claude-code").unwrap();
        assert_eq!(pinned, &serde_json::json!(PROVEN.to_string()));
    }
}
