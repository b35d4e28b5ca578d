//! The path of the daemon's state folder, by the rule that daemon and clients share.

use std::path::{Path, PathBuf};

use crate::environment::{self, Environment, UserFolder};

/// The default path, and the variable that it is derived from: the first of systemd's folders,
/// else below the XDG state folder, else below the home folder.
#[must_use]
pub fn usual(environment: &Environment) -> Option<(PathBuf, &'static str)> {
    let systemd = environment
        .text(environment::STATE_DIRECTORY)
        .and_then(|list| list.split(':').next())
        .map(|first| (PathBuf::from(first), "$STATE_DIRECTORY"));
    let users = || {
        let folder = environment.user_folder(UserFolder::State)?.join("codex-bridge");
        let is_named = environment.folder(environment::XDG_STATE_HOME).is_some();
        Some((folder, if is_named { "$XDG_STATE_HOME" } else { "$HOME" }))
    };
    systemd.or_else(users)
}

/// The path for a client: the folder named by `CODEX_BRIDGE_STATE_DIR`, else the default one. The
/// daemon's configuration file, which may name another, is not read.
#[must_use]
pub fn of_client(environment: &Environment) -> Option<PathBuf> {
    match environment.get(environment::STATE_DIR) {
        Some(named) => Some(named_folder(Path::new(named), environment)),
        None => usual(environment).map(|(path, _)| path),
    }
}

/// The log file of a daemon that a client started, in its state folder.
#[must_use]
pub fn log(state_dir: &Path) -> PathBuf {
    state_dir.join("daemon.log")
}

/// Expands `~` to the home folder and resolves a relative path against the working folder, as the daemon does.
fn named_folder(named: &Path, environment: &Environment) -> PathBuf {
    match (named.strip_prefix("~"), environment.folder(environment::HOME)) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => environment.working_dir().join(named),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_looks_where_the_daemon_keeps_its_state() {
        let check = |pairs: &[(&str, &str)], expected: Option<&str>| {
            let environment: Environment = pairs.iter().copied().collect();
            assert_eq!(of_client(&environment).as_deref(), expected.map(Path::new), "{pairs:?}");
        };
        let (home, xdg) = (("HOME", "/home/me"), ("XDG_STATE_HOME", "/xdg"));
        check(&[home], Some("/home/me/.local/state/codex-bridge"));
        check(&[home, xdg], Some("/xdg/codex-bridge"));
        check(&[home, ("XDG_STATE_HOME", "rel")], Some("/home/me/.local/state/codex-bridge"));
        check(&[xdg, ("STATE_DIRECTORY", "/var/lib/a:/var/lib/b")], Some("/var/lib/a"));
        check(&[home, xdg, ("CODEX_BRIDGE_STATE_DIR", "~/mine")], Some("/home/me/mine"));
        check(&[home, ("CODEX_BRIDGE_STATE_DIR", "mine")], Some("/mine"));
        check(&[home, ("CODEX_BRIDGE_STATE_DIR", "")], Some("/home/me/.local/state/codex-bridge"));
        check(&[], None);
    }
}
