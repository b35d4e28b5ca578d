//! What the guard is told on its command line.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::guard::Isolation;

/// The hidden subcommand that owns a program.
pub(crate) const GUARD: &str = "__guard";
/// The hidden subcommand that is process 1 of a run's namespace.
pub(crate) const INIT: &str = "__init";
/// The hidden subcommand that becomes the program where there is no namespace.
pub(crate) const EXEC: &str = "__exec";
/// The hidden subcommand that does nothing, for the probe.
pub(crate) const PROBE: &str = "__probe";

/// One run, as the guard needs to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Task {
    /// How the program is fenced in.
    pub isolation: Isolation,
    /// How many bytes of the control channel are the program's stdin.
    pub stdin_bytes: u64,
    /// Limit of the address space in bytes; 0 for none.
    pub address_space: u64,
    /// Where the program starts.
    pub dir: PathBuf,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
}

impl Task {
    /// The arguments after the subcommand.
    pub(crate) fn to_args(&self) -> Vec<OsString> {
        let isolation = match self.isolation {
            Isolation::PidNamespace => "namespace",
            Isolation::Subreaper => "subreaper",
        };
        let mut args = vec![
            isolation.into(),
            self.stdin_bytes.to_string().into(),
            self.address_space.to_string().into(),
            self.dir.clone().into(),
            self.program.clone().into(),
        ];
        args.extend(self.args.iter().cloned());
        args
    }

    /// Reads what [`Task::to_args`] wrote.
    pub(crate) fn from_args(mut args: impl Iterator<Item = OsString>) -> Option<Self> {
        let isolation = match args.next()?.to_str()? {
            "namespace" => Isolation::PidNamespace,
            "subreaper" => Isolation::Subreaper,
            _ => return None,
        };
        Some(Self {
            isolation,
            stdin_bytes: number(&args.next()?)?,
            address_space: number(&args.next()?)?,
            dir: args.next()?.into(),
            program: args.next()?.into(),
            args: args.collect(),
        })
    }
}

fn number(text: &OsStr) -> Option<u64> {
    text.to_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_survives_the_command_line() {
        let task = Task {
            isolation: Isolation::Subreaper,
            stdin_bytes: u64::MAX,
            address_space: 0,
            dir: "/a dir".into(),
            program: "/bin/x".into(),
            args: vec!["".into(), "--".into(), "ü".into()],
        };
        assert_eq!(Task::from_args(task.to_args().into_iter()), Some(task.clone()));
        assert_eq!(Task::from_args(task.to_args().into_iter().take(4)), None);
    }
}
