//! The settings of the sandbox for commands. Not here: which sandbox is in use.

use std::fmt;

use clap::ValueEnum;

use super::fields::Fields;
use super::source::{Source, Sourced};

/// Whether commands are confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SandboxMode {
    /// Where this system can
    Auto,
    /// Always; without a sandbox no command is run
    Require,
    /// Never
    Off,
}

impl SandboxMode {
    const ALL: [Self; 3] = [Self::Auto, Self::Require, Self::Off];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Require => "require",
            Self::Off => "off",
        }
    }
}

impl fmt::Display for SandboxMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Whether ordinary commands need permission when they are confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WhenSandboxed {
    Ask,
    Allow,
}

impl fmt::Display for WhenSandboxed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Ask => "ask",
            Self::Allow => "allow",
        })
    }
}

/// The settings of the sandbox.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SandboxConfig {
    pub(crate) mode: Sourced<SandboxMode>,
    /// Whether confined commands have a network.
    pub(crate) network: Sourced<bool>,
    /// Additional paths that may be written: absolute, or below `~/`.
    pub(crate) write: Sourced<Vec<String>>,
    /// Additional paths that are not readable.
    pub(crate) hide: Sourced<Vec<String>>,
    /// Whether ordinary commands in it need permission.
    pub(crate) commands: Sourced<WhenSandboxed>,
}

/// The values in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct InFile {
    mode: Option<SandboxMode>,
    network: Option<bool>,
    write: Option<Vec<String>>,
    hide: Option<Vec<String>>,
    commands: Option<WhenSandboxed>,
}

impl InFile {
    /// Reads `sandbox`; `permissions.sandboxed` was read before.
    pub(super) fn read(top: &mut Fields<'_>, commands: Option<WhenSandboxed>) -> Self {
        let mut inner = top.object("sandbox");
        let modes = SandboxMode::ALL.map(|mode| (mode.as_str(), mode));
        let read = Self {
            mode: inner.word("mode", &modes),
            network: inner.yes_or_no("network"),
            write: inner.paths("write"),
            hide: inner.paths("hide"),
            commands,
        };
        inner.finish();
        read
    }

    /// Reads `permissions.sandboxed`.
    pub(super) fn read_commands(permissions: &mut Fields<'_>) -> Option<WhenSandboxed> {
        let words = [("ask", WhenSandboxed::Ask), ("allow", WhenSandboxed::Allow)];
        permissions.word("sandboxed", &words)
    }
}

impl SandboxConfig {
    /// The file's values, else the defaults.
    pub(super) fn of(file: InFile) -> Self {
        Self {
            mode: Sourced::or_default(file.mode, SandboxMode::Auto),
            network: Sourced::or_default(file.network, true),
            write: Sourced::or_default(file.write, Vec::new()),
            hide: Sourced::or_default(file.hide, Vec::new()),
            commands: Sourced::or_default(file.commands, WhenSandboxed::Ask),
        }
    }

    /// The mode, which a command line option may override.
    pub(crate) fn mode(&self, flag: Option<SandboxMode>) -> Sourced<SandboxMode> {
        match flag {
            Some(value) => Sourced { value, source: Source::Flag("--sandbox") },
            None => self.mode.clone(),
        }
    }
}
