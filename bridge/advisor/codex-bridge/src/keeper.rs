//! The supervisor of a daemon, so that `stop` does not stop a supervised daemon, and a page can show the
//! consequences.

use std::fs;
use std::path::Path;

/// The supervisor of a daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeper {
    Pm2,
    /// systemd, as a user service.
    UserService,
    /// systemd, as a system service: runs as its own user, who cannot read home folders.
    SystemService,
}

impl Keeper {
    /// The supervisor of the process with this folder below `/proc`. pm2 sets the variable `pm_id`; systemd is
    /// recognised by the control group.
    #[must_use]
    pub(crate) fn of(process: &Path) -> Option<Self> {
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|pair| pair.starts_with(b"pm_id=")) {
            return Some(Self::Pm2);
        }
        let group = fs::read_to_string(process.join("cgroup")).unwrap_or_default();
        let is_unit = group.lines().any(|line| line.ends_with("/codex-bridge.service"));
        match (is_unit, group.contains("/user.slice/")) {
            (true, true) => Some(Self::UserService),
            (true, false) => Some(Self::SystemService),
            (false, _) => None,
        }
    }

    /// Its name.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pm2 => "pm2",
            Self::UserService | Self::SystemService => "systemd",
        }
    }

    /// The command that stops the daemon.
    #[must_use]
    pub(crate) fn stop_command(self) -> &'static str {
        match self {
            Self::Pm2 => "pm2 stop codex-bridge",
            Self::UserService => "systemctl --user stop codex-bridge",
            Self::SystemService => "systemctl stop codex-bridge",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The supervisor of a process with this environment and this control group.
    fn keeper(environment: &str, group: &str) -> Option<Keeper> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("environ"), environment).unwrap();
        fs::write(folder.path().join("cgroup"), group).unwrap();
        Keeper::of(folder.path())
    }

    #[test]
    fn a_keeper_is_known_by_what_it_leaves() {
        let user =
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/codex-bridge.service\n";
        let system = "0::/system.slice/codex-bridge.service\n";
        for (environment, group, expected) in [
            ("A=b\0pm_id=0\0", system, Some(Keeper::Pm2)),
            ("A=pm_id=\0", user, Some(Keeper::UserService)),
            ("", system, Some(Keeper::SystemService)),
            ("", "0::/user.slice/user-1000.slice/session-2.scope\n", None),
            ("", "0::/system.slice/not-codex-bridge.service.d\n", None),
        ] {
            assert_eq!(keeper(environment, group), expected, "{environment:?} {group}");
        }
        assert_eq!(Keeper::of(Path::new("/nowhere")), None);
    }
}
