//! The version of the client that the protocol was tested with, and how the installed one compares with it.
//!
//! The tests of the workspace use the client that `tests/peers/package.json` pins; [`PROVEN`] is
//! that version. Another version is reported and used nevertheless.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use supervise::{HelperCommand, HelperError, run_helper};

/// The client's program.
pub const PROGRAM: &str = "claude";

/// The version of the client that hooks, answers, transcript words and fields were tested with.
pub const PROVEN: Version = Version { major: 2, minor: 1, patch: 197 };

/// The timeout of `claude --version`. It takes 40 ms (2.1.197, native), and half a second if
/// Node must start; the rest is for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How much of its output is read, in bytes: a line of 21 is expected.
const PRINTED_MAX: usize = 4096;

/// The version of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// 2 so far.
    pub major: u32,
    /// Changes rarely.
    pub minor: u32,
    /// Changes every few days.
    pub patch: u32,
}

/// The result of comparing a client with [`PROVEN`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is the tested version.
    Proven,
    /// It is newer.
    Newer,
    /// It is older.
    Older,
}

/// Why a program's version is not known.
#[derive(Debug, thiserror::Error)]
pub enum VersionError {
    /// It cannot be run.
    #[error("it cannot be run: {0}")]
    NotRun(#[from] HelperError),
    /// It failed, timed out after 10 s, or printed something else.
    #[error("`--version` printed no version")]
    NoVersion,
}

impl Version {
    /// Parses the output of `claude --version`, `2.1.197 (Claude Code)`, or the `version` in a
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

    /// Compares it with [`PROVEN`].
    #[must_use]
    pub fn standing(self) -> Standing {
        match self.cmp(&PROVEN) {
            std::cmp::Ordering::Equal => Standing::Proven,
            std::cmp::Ordering::Greater => Standing::Newer,
            std::cmp::Ordering::Less => Standing::Older,
        }
    }

    /// The description for users, such as `Claude Code 2.1.197, the proven version`.
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

/// Runs a client to get its version; `path` is the `PATH` for finding it. Since this starts the program,
/// it must be one that the user named or would start.
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

    /// The proven version is the one that the workspace's tests use.
    #[test]
    fn the_proven_version_is_the_one_that_is_tested() {
        let package = include_str!("../../../../tests/peers/package.json");
        let package: serde_json::Value = serde_json::from_str(package).unwrap();
        let pinned = package.pointer("/devDependencies/@anthropic-ai~1claude-code").unwrap();
        assert_eq!(pinned, &serde_json::json!(PROVEN.to_string()));
    }
}
