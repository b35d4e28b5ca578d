//! The environment of a Codex process: an allow-list, not the daemon's own environment.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use contract::id::RunId;

use crate::pulse::LOG_FILTER;

/// The PATH of Codex. It brings `rg` and `bwrap` along and prefers the system's
/// `bwrap` (codex 0.169); private folders of users are not included.
pub const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Variable for the folder with Codex's settings, sign-in and threads.
pub const CODEX_HOME: &str = "CODEX_HOME";

/// A PATH without programs: it is not a folder and cannot become one. A Codex without tools needs no programs. If it finds
/// `lsb_release`, a script of Debian, it runs that twice in each turn, some twenty processes (codex 0.169). Without it, it
/// reads `/etc/os-release`.
const NO_PROGRAMS: &str = "/dev/null";

/// Variables that are passed on if set: network access and trusted certificates.
pub const HANDED_ON: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CODEX_CA_CERTIFICATE",
];

/// Variables of the user that a turn of their own Codex gets as well: user, home,
/// language, and where their programs store data. No key and no token is among them.
pub const OF_USER: &[&str] = &[
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
];

/// Variables that are set by us for every process.
const OURS: [&str; 6] = [CODEX_HOME, "HOME", "PATH", "TMPDIR", "LANG", "RUST_LOG"];

/// Whether a variable cannot be set by any configuration.
pub(crate) fn is_ours(name: &str) -> bool {
    OURS.contains(&name)
}

/// What Codex logs on stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Log {
    /// Nothing: stderr contains only Codex's messages about its own end.
    Off,
    /// A record for each sign of life of the provider; see [`crate::pulse`].
    Pulse,
}

impl Log {
    /// The value of RUST_LOG.
    pub(crate) fn filter(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Pulse => LOG_FILTER,
        }
    }
}

/// The variables that [`crate::Driver`] adds to every process: those of [`HANDED_ON`] that `lookup` finds, and
/// the API key under its own name.
#[must_use]
pub fn extras(
    lookup: impl Fn(&str) -> Option<OsString>,
    api_key: Option<(&str, &str)>,
) -> Vec<(OsString, OsString)> {
    let handed_on = HANDED_ON.iter().filter_map(|name| Some(((*name).into(), lookup(name)?)));
    handed_on.chain(api_key.map(|(name, key)| (name.into(), key.into()))).collect()
}

/// The environment of a process that uses `home`.
///
/// `HOME` is the private home as well, so that Codex finds no dot files of the user.
#[must_use]
pub fn of_process(
    home: &Path,
    temp_dir: &Path,
    log: Log,
    extras: &[(OsString, OsString)],
) -> Vec<(OsString, OsString)> {
    let fixed: [(&str, &OsStr); 6] = [
        (CODEX_HOME, home.as_os_str()),
        ("HOME", home.as_os_str()),
        ("PATH", OsStr::new(PATH)),
        ("TMPDIR", temp_dir.as_os_str()),
        ("LANG", OsStr::new("C.UTF-8")),
        ("RUST_LOG", OsStr::new(log.filter())),
    ];
    let fixed = fixed.into_iter().map(|(name, value)| (name.into(), value.to_owned()));
    fixed.chain(extras.iter().cloned()).collect()
}

/// The same environment with a PATH without programs. Not for a script that starts Codex, which may need some.
#[must_use]
pub fn without_programs(mut env: Vec<(OsString, OsString)>) -> Vec<(OsString, OsString)> {
    for (_, value) in env.iter_mut().filter(|(name, _)| name == "PATH") {
        *value = NO_PROGRAMS.into();
    }
    env
}

/// The variable that marks every process of a run.
#[must_use]
pub fn marker(run_id: RunId) -> (OsString, OsString) {
    (host::environment::RUN.into(), run_id.to_string().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_variables_reach_codex() {
        let lookup = |name: &str| (name != "NO_PROXY").then(|| OsString::from("set"));
        let extras = extras(lookup, Some(("MY_KEY", "sk-1")));
        let environment =
            of_process(Path::new("/home"), Path::new("/tmp/run"), Log::Pulse, &extras);
        let names: Vec<_> = environment.iter().map(|(name, _)| name.to_string_lossy()).collect();
        expect_test::expect![
            "CODEX_HOME HOME PATH TMPDIR LANG RUST_LOG HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy no_proxy SSL_CERT_FILE SSL_CERT_DIR CODEX_CA_CERTIFICATE MY_KEY"
        ]
        .assert_eq(&names.join(" "));
    }

    #[test]
    fn a_codex_without_tools_finds_no_program() {
        let folders = (Path::new("/home"), Path::new("/tmp/run"));
        let before = of_process(folders.0, folders.1, Log::Off, &[]);
        let after = without_programs(before.clone());
        let differ: Vec<_> = before.iter().zip(&after).filter(|(a, b)| a != b).collect();
        let path = (OsString::from("PATH"), OsString::from(NO_PROGRAMS));
        assert!(matches!(differ[..], [(_, found)] if *found == path), "{differ:?}");
    }
}
