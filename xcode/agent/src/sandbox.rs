//! The access of the model's commands: they may write in the workspace, in temporary folders and in caches; files that grant
//! permissions are read-only, and keys are not readable. Not here: enforcing it (`supervise`).

mod git;
mod unasked;

use std::fs;
use std::path::{Path, PathBuf};

use supervise::{Confine, Confinement, Network};

pub(crate) use unasked::Unasked;

/// What stays as it is although it lies in the workspace: a hook, a task or a setting of git, of an editor or of another
/// agent starts a program the next time that these run, and the others decide what a session may do. Of a folder all
/// that is in it stays: what such a program reads there grows with its versions.
const KEPT: [&str; 20] = [
    ".claude",
    ".codex",
    ".court",
    ".cursor",
    ".devcontainer",
    ".devcontainer.json",
    ".exrc",
    ".gemini",
    ".git/config",
    ".git/config.worktree",
    ".git/hooks",
    ".helix",
    ".husky",
    ".idea",
    ".mcp.json",
    ".nvim.lua",
    ".nvimrc",
    ".vscode",
    ".x-code",
    ".zed",
];

/// What stays as it is in a cache that may be written: shells and editors execute it when they start.
const KEPT_IN_CACHE: [&str; 8] =
    ["antidote", "antigen", "gitstatus", "nvim", "oh-my-zsh", "sheldon", "starship", "zsh"];

/// How the names begin of what a shell reads in the cache when it starts: a prompt's, and the list of completions.
const STARTS_IN_CACHE: [&str; 3] = ["p10k-", ".zcompdump", "zcompdump"];

/// Where programs put what they may lose.
const TEMPORARY: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue"];

/// Folders and files below the home folder that package managers fill. None contains programs that a user starts.
const CACHES: [&str; 14] = [
    ".bun/install/cache",
    ".cache",
    ".cargo/.global-cache",
    ".cargo/.package-cache",
    ".cargo/.package-cache-mutate",
    ".cargo/git",
    ".cargo/registry",
    ".gradle/caches",
    ".gradle/daemon",
    ".ivy2/cache",
    ".m2/repository",
    ".npm",
    ".nuget/packages",
    "go/pkg",
];

/// Paths below the home folder that are not readable: keys, this program's own folder, and those of the bridge and the court with
/// tokens, runs of other projects and the approver's key.
const HIDDEN: [&str; 42] = [
    ".aws",
    ".azure",
    ".bash_history",
    ".boto",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".claude.json",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".config/chromium",
    ".config/codex-bridge",
    ".config/doctl",
    ".config/gcloud",
    ".config/gh",
    ".config/glab-cli",
    ".config/google-chrome",
    ".config/hub",
    ".config/op",
    ".config/rclone",
    ".config/sops",
    ".config/stripe",
    ".docker/config.json",
    ".fly",
    ".git-credentials",
    ".gnupg",
    ".kube/config",
    ".local/share/keyrings",
    ".local/state/codex-bridge",
    ".mozilla",
    ".netrc",
    ".npmrc",
    ".oci",
    ".password-store",
    ".pgpass",
    ".pulumi",
    ".pypirc",
    ".s3cfg",
    ".ssh",
    ".terraform.d",
    ".vault-token",
    ".xcode",
    ".zsh_history",
];

/// Sockets whose servers do what they are told, outside of every confinement.
const SERVERS: [&str; 13] = [
    "/run/containerd",
    "/run/crio",
    "/run/dbus",
    "/run/docker.sock",
    "/run/incus",
    "/run/libvirt",
    "/run/lxd",
    "/run/podman",
    "/run/screen",
    "/run/screens",
    "/run/snapd.socket",
    "/run/systemd/private",
    "/run/user",
];

/// The sandbox of a session's commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// The folders of the workspace, absolute.
    pub folders: Vec<PathBuf>,
    /// The user's home folder.
    pub home: PathBuf,
    /// Additional writable paths: absolute, or below `~/`.
    pub write: Vec<String>,
    /// Additional unreadable paths: absolute, or below `~/`.
    pub hide: Vec<String>,
    /// A folder for temporary files, from the environment.
    pub temporary: Option<PathBuf>,
    /// Sockets of the user's own servers, which would start programs outside of the sandbox: a terminal multiplexer, an
    /// editor, an SSH agent. Those in the workspace can be reached nevertheless.
    pub servers: Vec<PathBuf>,
    /// Whether commands have network access.
    pub network: Network,
    /// The mechanism that enforces it.
    pub confinement: Confinement,
}

impl Sandbox {
    /// The access of a command now: files with secrets directly in a folder of the workspace are searched
    /// each time.
    #[must_use]
    pub(crate) fn confine(&self) -> Confine {
        let below_home = |name: &&str| self.home.join(name);
        let mut write = self.folders.clone();
        write.extend(TEMPORARY.iter().map(PathBuf::from));
        // A variable that names the home folder or a folder above it would open all of it.
        write.extend(self.temporary.clone().filter(|folder| !self.home.starts_with(folder)));
        write.extend(CACHES.iter().map(below_home));
        write.extend(self.write.iter().map(|path| self.named(path)));
        let mut keep: Vec<PathBuf> =
            self.folders.iter().flat_map(|folder| KEPT.map(|name| folder.join(name))).collect();
        keep.extend(self.folders.iter().flat_map(|folder| git::kept(folder, &self.home)));
        keep.extend(kept_in_cache(&self.home.join(".cache")));
        let mut hide: Vec<PathBuf> = HIDDEN.iter().map(below_home).collect();
        hide.extend(SERVERS.iter().map(PathBuf::from));
        let is_inside =
            |socket: &PathBuf| self.folders.iter().any(|folder| socket.starts_with(folder));
        hide.extend(self.servers.iter().filter(|socket| !is_inside(socket)).cloned());
        hide.extend(self.hide.iter().map(|path| self.named(path)));
        hide.extend(self.folders.iter().flat_map(|folder| secrets(folder)));
        Confine { write, keep, hide, network: self.network }
    }

    /// The places at which others take orders unasked and nothing is yet, for a command that begins now.
    pub(crate) fn unasked(&self) -> Unasked {
        Unasked::look(&self.folders)
    }

    /// The description for the model, in one line.
    #[must_use]
    pub(crate) fn told(&self) -> String {
        let read = match self.confinement {
            Confinement::LandlockAndMounts => " Files that hold secrets read as empty.",
            Confinement::Landlock | Confinement::None => "",
        };
        let network = match self.network {
            Network::Open => "",
            Network::Closed => " There is no network.",
        };
        format!(
            "Sandbox: shell commands can write in the workspace, temporary folders and caches only; .git/config, \
             .git/hooks, .x-code, .claude and what else starts programs later stay as they are.{read}{network} A \
             command that needs more takes `unsandboxed: true`, and the user is asked."
        )
    }

    /// Whether an output shows that the sandbox denied something.
    pub(crate) fn has_refused(&self, output: &str) -> bool {
        let words: &[&str] = match self.confinement {
            Confinement::LandlockAndMounts => &["Read-only file system", "EROFS", "os error 30"],
            // A normal permission error has the same text.
            Confinement::Landlock => &["Permission denied", "EACCES", "os error 13"],
            Confinement::None => &[],
        };
        words.iter().any(|word| output.contains(word))
    }

    fn named(&self, path: &str) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(below) => self.home.join(below),
            None => Path::new(path).to_owned(),
        }
    }
}

/// What shells and editors execute of a cache when they start.
fn kept_in_cache(cache: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(cache).into_iter().flatten().flatten();
    let is_kept = |name: &str| {
        KEPT_IN_CACHE.contains(&name) || STARTS_IN_CACHE.iter().any(|start| name.starts_with(start))
    };
    entries
        .filter(|entry| entry.file_name().to_str().is_some_and(is_kept))
        .map(|entry| entry.path())
        .collect()
}

/// The files of a folder that hold secrets by their name.
fn secrets(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| redact::is_sensitive_path(path) && path.is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sandbox(root: &Path) -> Sandbox {
        Sandbox {
            folders: vec![root.to_owned()],
            home: "/home/ann".into(),
            write: vec!["~/.sbt".into(), "/srv/cache".into()],
            hide: vec!["~/notes".into()],
            temporary: Some("/scratch".into()),
            servers: vec!["/run/agent".into(), root.join("db.sock")],
            network: Network::Open,
            confinement: Confinement::LandlockAndMounts,
        }
    }

    #[test]
    fn a_command_writes_in_the_workspace_and_reads_no_keys() {
        let root = tempfile::tempdir().unwrap();
        for name in [".env", ".env.example", "main.rs", "server.pem"] {
            fs::write(root.path().join(name), "").unwrap();
        }
        let Confine { write, keep, hide, network } = sandbox(root.path()).confine();
        for path in
            ["/tmp", "/scratch", "/home/ann/.cargo/registry", "/home/ann/.sbt", "/srv/cache"]
        {
            assert!(write.contains(&path.into()), "{path}");
        }
        assert!(write.contains(&root.path().to_owned()));
        for wide in ["/", "/home", "/home/ann"] {
            let open = Sandbox { temporary: Some(wide.into()), ..sandbox(root.path()) };
            assert!(!open.confine().write.contains(&wide.into()), "{wide}");
        }
        for place in [".git/hooks", ".claude", ".codex", ".vscode", ".husky"] {
            assert!(keep.contains(&root.path().join(place)), "{place}");
        }
        for path in ["/home/ann/.xcode", "/home/ann/.ssh", "/home/ann/notes", "/run/agent"] {
            assert!(hide.contains(&path.into()), "{path}");
        }
        let of_root: Vec<_> = hide.iter().filter(|path| path.starts_with(root.path())).collect();
        assert_eq!(of_root.len(), 2, "{of_root:?}");
        assert_eq!(network, Network::Open);
    }

    #[test]
    fn what_a_shell_executes_of_its_cache_stays() {
        let home = tempfile::tempdir().unwrap();
        let cache = home.path().join(".cache");
        for name in ["gitstatus", "pip", "p10k-instant-prompt-ann.zsh", "p10k"] {
            fs::create_dir_all(cache.join(name)).unwrap();
        }
        let Confine { keep, .. } =
            Sandbox { home: home.path().to_owned(), ..sandbox(home.path()) }.confine();
        let mut kept: Vec<_> = keep.iter().filter(|path| path.starts_with(&cache)).collect();
        kept.sort();
        assert_eq!(kept, [&cache.join("gitstatus"), &cache.join("p10k-instant-prompt-ann.zsh")]);
    }

    /// Nothing that is hidden or runs by itself may be written.
    #[test]
    fn no_cache_is_a_place_of_keys_or_programs() {
        for cache in CACHES {
            let path = Path::new("/home/ann").join(cache).join("x");
            assert!(!redact::is_sensitive_path(&path), "{cache}");
            assert!(!cache.ends_with("bin"), "{cache}");
            assert!(!HIDDEN.iter().any(|hidden| cache.starts_with(hidden)), "{cache}");
        }
    }

    #[test]
    fn a_refusal_is_told_from_an_ordinary_failure() {
        let with_mounts = sandbox(Path::new("/w"));
        assert!(with_mounts.has_refused("touch: cannot touch '/x': Read-only file system\n"));
        assert!(!with_mounts.has_refused("./run: Permission denied\n"));
        let alone = Sandbox { confinement: Confinement::Landlock, ..with_mounts };
        assert!(alone.has_refused("Error: EACCES: permission denied, open '/x'"));
        assert!(!alone.has_refused("1 test failed\n"));
    }
}
