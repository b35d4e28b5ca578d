//! Sets up the sandbox for the commands of a run, from the settings and the system's abilities.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use agent::{Fencing, Sandbox, SandboxedCommands};
use contract::xc::Sandboxed;
use host::Environment;
use host::environment::TMPDIR;
use supervise::{Confinement, Guard, Network};

use crate::config::{Config, SandboxMode, WhenSandboxed};

/// The variable with the socket of an SSH agent, which holds keys.
const KEY_AGENT: &str = "SSH_AUTH_SOCK";

/// The kernel's list of Unix sockets (proc_net_unix(5)).
const SOCKETS: &str = "/proc/net/unix";

/// The flag in it of a listening socket (`__SO_ACCEPTCON`, proc_net_unix(5)).
const LISTENS: u32 = 0x1_0000;

/// The folder of X servers' sockets (X(7)). A client of an X server can type into its user's windows, and the
/// server may run as root.
const DISPLAYS: &str = "/tmp/.X11-unix";

/// Where a terminal multiplexer listens, in place of the folder for temporary files (tmux(1)).
const MULTIPLEXER: &str = "TMUX_TMPDIR";

/// Most servers that are hidden: each is a mount of every command.
const SERVERS_MAX: usize = 256;

/// The sandbox, in the form that each consumer needs.
pub(crate) struct Confining {
    /// For the shell tool.
    pub(crate) fencing: Fencing,
    /// For the permissions.
    pub(crate) commands: SandboxedCommands,
    /// For the first event.
    pub(crate) told: Sandboxed,
}

impl Confining {
    /// Determines the sandbox for a workspace with these folders.
    ///
    /// # Cancel safety
    /// Cancel safe: nothing is lost when the future is dropped.
    pub(crate) async fn find(
        environment: &Environment,
        config: &Config,
        flag: Option<SandboxMode>,
        guard: &Guard,
        folders: &[PathBuf],
    ) -> Self {
        let mode = config.sandbox.mode(flag).value;
        let confinement = match mode {
            SandboxMode::Off => Confinement::None,
            SandboxMode::Auto | SandboxMode::Require => guard.confinement().await,
        };
        let told = match confinement {
            Confinement::LandlockAndMounts => Sandboxed::LandlockAndMounts,
            Confinement::Landlock => Sandboxed::Landlock,
            Confinement::None => Sandboxed::None,
        };
        if confinement == Confinement::None {
            let is_missing = mode == SandboxMode::Require;
            let fencing = if is_missing { Fencing::Missing } else { Fencing::Off };
            return Self { fencing, commands: SandboxedCommands::Ask, told };
        }
        let settings = &config.sandbox;
        let folder = |name| environment.folder(name);
        let sandbox = Sandbox {
            folders: folders.to_vec(),
            home: config.home.clone(),
            write: settings.write.value.clone(),
            hide: settings.hide.value.clone(),
            temporary: folder(TMPDIR),
            servers: servers(folder(KEY_AGENT), &multiplexer(folder(MULTIPLEXER))),
            network: if settings.network.value { Network::Open } else { Network::Closed },
            confinement,
        };
        let commands = match settings.commands.value {
            WhenSandboxed::Ask => SandboxedCommands::Ask,
            WhenSandboxed::Allow => SandboxedCommands::Allow,
        };
        Self { fencing: Fencing::On(sandbox), commands, told }
    }
}

/// The sockets with a path on which servers of this user or of a display listen now, and the one that is named. What they are told they
/// do outside of every confinement, so no command speaks to them. What a command starts later is its own.
fn servers(named: Option<PathBuf>, multiplexer: &Path) -> Vec<PathBuf> {
    let user = user();
    // Any user can put a name of any bytes there.
    let list = fs::read(SOCKETS).unwrap_or_default();
    let list = String::from_utf8_lossy(&list);
    let found: BTreeSet<PathBuf> = list
        .lines()
        .filter_map(listener)
        .filter(|path| serves(path, user, DISPLAYS.as_ref()))
        .collect();
    // Those that may be started later, and start whatever they are told.
    let later = ["emacs", "zellij-"].map(|name| PathBuf::from(format!("/tmp/{name}{user}")));
    let known = named.into_iter().chain([multiplexer.to_owned()]).chain(later);
    known.chain(found.into_iter().take(SERVERS_MAX)).collect()
}

/// The folder of this user's terminal multiplexer, made as it makes it itself. Otherwise a command could make it, with a
/// server of its own in it: a client of the user's would connect to that, and execute what it says.
fn multiplexer(named: Option<PathBuf>) -> PathBuf {
    let folder = named.unwrap_or_else(|| PathBuf::from("/tmp")).join(format!("tmux-{}", user()));
    // Where it cannot be made, or is there already, it is as it is.
    let _ = DirBuilder::new().mode(0o700).create(&folder);
    folder
}

fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The path of a listening socket, from a line of the list: number, references, protocol, flags, type, state, inode and
/// path.
fn listener(line: &str) -> Option<PathBuf> {
    let (before, path) = line.split_once(" /")?;
    let flags = before.split_whitespace().nth(3)?;
    let listens = u32::from_str_radix(flags, 16).ok()? & LISTENS != 0;
    listens.then(|| Path::new("/").join(path))
}

/// Whether the socket belongs to a server of this user or to an X server.
fn serves(path: &Path, user: u32, displays: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| {
        found.file_type().is_socket() && (found.uid() == user || path.starts_with(displays))
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::{UnixDatagram, UnixListener};

    use super::*;

    #[test]
    fn servers_of_this_user_are_found_by_their_sockets() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let _server = UnixListener::bind(at("a server")).unwrap();
        let _gone = UnixListener::bind(at("gone")).unwrap();
        fs::remove_file(at("gone")).unwrap();
        let _mail = UnixDatagram::bind(at("datagram")).unwrap();
        let found = servers(Some("/run/agent".into()), Path::new("/tmp/tmux"));
        assert_eq!(found[..2], [Path::new("/run/agent"), Path::new("/tmp/tmux")]);
        let here: Vec<_> = found.iter().filter(|path| path.starts_with(folder.path())).collect();
        assert_eq!(here, [&at("a server")]);
    }

    #[test]
    fn the_folder_of_a_multiplexer_is_there_before_a_command_could_make_it() {
        let folder = tempfile::tempdir().unwrap();
        let made = multiplexer(Some(folder.path().to_owned()));
        assert_eq!(made, folder.path().join(format!("tmux-{}", user())));
        let found = fs::metadata(&made).unwrap();
        assert_eq!((found.is_dir(), found.mode() & 0o777, found.uid()), (true, 0o700, user()));
        fs::write(made.join("default"), "").unwrap();
        assert_eq!(multiplexer(Some(folder.path().to_owned())), made);
        assert!(made.join("default").exists(), "what is there stays");
    }

    #[test]
    fn a_display_is_found_whoever_runs_it() {
        let folder = tempfile::tempdir().unwrap();
        let other = fs::metadata("/proc/self").unwrap().uid() + 1;
        let socket = folder.path().join("X0");
        let _server = UnixListener::bind(&socket).unwrap();
        assert!(!serves(&socket, other, Path::new(DISPLAYS)), "another user's server");
        assert!(serves(&socket, other, folder.path()), "another user's display");
        fs::remove_file(&socket).unwrap();
        fs::write(&socket, "").unwrap();
        assert!(!serves(&socket, other, folder.path()), "no socket");
    }
}
