//! The version of Codex, and its features.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use supervise::{Exit, Guard, SpawnError};

/// Timeout of `codex --version`. It takes 30 ms (codex 0.169); the rest allows for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The version of an installed Codex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// 0 so far.
    pub major: u32,
    /// Changes every few days.
    pub minor: u32,
    /// Seldom other than 0.
    pub patch: u32,
}

impl Version {
    /// The oldest supported version: 0.128 and 0.139 reject the private home (`agents.enabled`).
    /// For advice it must also pass the self-test: see [`Self::LEAST_PROVEN`].
    pub const MINIMUM: Self = Self { major: 0, minor: 145, patch: 0 };

    /// The oldest version known to pass the self-test; the one named in messages and documents.
    pub const LEAST_PROVEN: Self = Self { major: 0, minor: 155, patch: 0 };

    /// The first version known to support `codex exec fork` (0.145 does not).
    pub const WITH_FORK: Self = Self { major: 0, minor: 155, patch: 0 };

    /// The first version whose app-server is used in driver mode `auto`.
    pub const WITH_APP_SERVER: Self = Self { major: 0, minor: 155, patch: 0 };

    /// Parses the output of `codex --version`, such as `codex-cli 0.169.0`. A suffix such as
    /// `-alpha.3` is ignored.
    #[must_use]
    pub fn parse(printed: &str) -> Option<Self> {
        let word = printed.split_whitespace().next_back()?;
        let plain = word.split(['-', '+']).next()?;
        let mut numbers = plain.split('.').map(|number| number.parse().ok());
        let version =
            Self { major: numbers.next()??, minor: numbers.next()??, patch: numbers.next()?? };
        numbers.next().is_none().then_some(version)
    }

    /// Whether it is supported.
    #[must_use]
    pub fn is_supported(&self) -> bool {
        *self >= Self::MINIMUM
    }

    /// Whether its app-server can be used.
    #[must_use]
    pub fn has_app_server(&self) -> bool {
        *self >= Self::WITH_APP_SERVER
    }

    /// Whether a thread can be forked.
    #[must_use]
    pub fn supports_fork(&self) -> bool {
        *self >= Self::WITH_FORK
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Why Codex's version is unknown or unsupported.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// It could not be started or did not end in time.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// Its output is not a version.
    #[error("`{} --version` ended with {exit:?} and printed {printed:?}", binary.display())]
    Unreadable {
        /// The executable.
        binary: PathBuf,
        /// How it ended.
        exit: Exit,
        /// Its output, truncated to 200 characters.
        printed: String,
    },
    /// It is older than [`Version::MINIMUM`].
    #[error(
        "codex {found} is too old, {} or newer is needed; update with `npm install -g @openai/codex`",
        Version::LEAST_PROVEN
    )]
    TooOld {
        /// The version that Codex printed.
        found: Version,
    },
}

/// Runs the executable to get its version and checks that it is supported.
///
/// # Errors
/// [`ProbeError::Spawn`], [`ProbeError::Unreadable`] and [`ProbeError::TooOld`].
///
/// # Cancel safety
/// Dropping the future kills the process.
pub async fn probe(guard: &Guard, binary: &Path) -> Result<Version, ProbeError> {
    let captured = crate::probe::ask(guard, binary, &["--version"], TIMEOUT, None).await?;
    let printed = captured.stdout;
    let version = match captured.exit {
        Exit::Code(0) => Version::parse(&printed),
        Exit::Code(_) | Exit::Signal(_) => None,
    };
    let version = version.ok_or_else(|| ProbeError::Unreadable {
        binary: binary.to_owned(),
        exit: captured.exit,
        printed: printed.chars().take(200).collect(),
    })?;
    if version.is_supported() { Ok(version) } else { Err(ProbeError::TooOld { found: version }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_codex_prints_them() {
        let parse = |text| Version::parse(text).map(|version| version.to_string());
        assert_eq!(parse("codex-cli 0.169.0\n"), Some("0.169.0".to_owned()));
        assert_eq!(parse("codex-cli 0.170.0-alpha.3"), Some("0.170.0".to_owned()));
        assert_eq!(parse("codex 1.2.3+build"), Some("1.2.3".to_owned()));
        for no_version in ["", "codex-cli", "codex-cli 0.169", "1.2.3.4", "v1.2.3", "a.b.c"] {
            assert_eq!(parse(no_version), None, "{no_version}");
        }
    }

    #[test]
    fn old_versions_are_told_apart() {
        let able = |text| {
            let version = Version::parse(text).unwrap();
            (version.is_supported(), version.supports_fork())
        };
        assert_eq!(able("0.144.9"), (false, false));
        assert_eq!(able("0.145.0"), (true, false));
        assert_eq!(able("0.154.9"), (true, false));
        assert_eq!(able("0.155.0"), (true, true));
        assert_eq!(able("1.0.0"), (true, true));
    }
}
