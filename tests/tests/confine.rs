//! A confined program with real processes and the real kernel: a script tries in many ways to write outside, to change
//! what is kept, to read what is hidden. Without mounts it reaches what `landlock_only` lists, and nothing else.

#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "confine/another_user.rs"]
mod another_user;
#[path = "confine/projects.rs"]
mod projects;

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use supervise::{
    Cause, Chunk, Command, Confine, Confinement, Exit, Guard, Isolation, Limits, Network,
    SpawnError, WatchBounds, Watched, watch,
};
use tempfile::TempDir;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

const ESCAPE: &str = include_str!("confine/escape.py");

/// What goes through where there is Landlock alone: it knows nothing of modes, owners, times, attributes and flags, can
/// keep and hide nothing, and does not look at sockets that have a path.
const LANDLOCK_ONLY: &[&str] = &[
    "change_mode",
    "change_owner",
    "change_times",
    // Root may look at each process's memory map.
    "environment_of_outsider",
    "folder_of_kept_renamed",
    "hidden_socket_of_outsider",
    "kept_file",
    "kept_file_removed",
    "kept_file_replaced",
    "kept_folder",
    "kept_folder_renamed",
    "read_hidden",
    "read_hidden_by_proc",
    "read_hidden_by_symlink",
    "read_hidden_file",
    "set_attribute",
    "set_flags",
    "socket_of_outsider",
];

/// The newest version of Landlock's interface that is used.
const NEWEST: u8 = 7;

/// The version of Landlock's interface from which on no file outside can be cut.
const TRUNCATING: u8 = 3;

/// What goes through with an older Landlock: the words by which it is told, whether it does so with mounts as well, and the
/// attempts.
const OLDER: &[(&str, bool, &[&str])] = &[
    ("truncating", false, &["open_to_read_and_truncate", "truncate"]),
    ("TCP", false, &[]),
    ("orders to devices", false, &[]),
    ("signals", true, &["abstract_socket_of_outsider", "signal"]),
];

/// A workspace, and what lies around it.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        for folder in ["work/.git/hooks", "outside/empty", "hidden"] {
            fs::create_dir_all(place.at(folder)).unwrap();
        }
        for (file, text) in [
            ("work/.git/config", "kept"),
            ("outside/canary", "canary"),
            ("outside/hidden-file", "planted"),
            ("hidden/secret", "planted"),
        ] {
            fs::write(place.at(file), text).unwrap();
        }
        place
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn confine(&self) -> Confine {
        Confine {
            write: vec![self.at("work")],
            keep: vec![self.at("work/.git/config"), self.at("work/.git/hooks")],
            // What lies in a hidden folder can be named as well: the socket of a desktop's agent does.
            hide: ["hidden", "hidden/secret", "outside/hidden-file", "nothing"]
                .map(|name| self.at(name))
                .to_vec(),
            network: Network::Open,
        }
    }
}

fn guard(isolation: Isolation, means: Confinement) -> Guard {
    Guard::new(another_user::guard()).with_isolation(isolation).with_confinement(means)
}

async fn output(
    guard: &Guard,
    program: &str,
    args: &[&str],
    dir: &Path,
) -> Result<(String, Watched), SpawnError> {
    let command = Command {
        program: program.into(),
        args: args.iter().map(Into::into).collect(),
        env: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
        current_dir: dir.to_owned(),
        stdin: Vec::new(),
    };
    let bounds = WatchBounds {
        deadline: Instant::now() + Duration::from_secs(120),
        output_max: 1 << 20,
        grace: Duration::from_millis(200),
        limits: Limits::NONE,
    };
    let mut text = Vec::new();
    let never = CancellationToken::new();
    let watched = watch(guard, command, bounds, &never, |chunk| match chunk {
        Chunk::Started(_) => {}
        Chunk::Stdout(bytes) | Chunk::Stderr(bytes) => text.extend_from_slice(bytes),
    });
    let watched = watched.await?;
    Ok((String::from_utf8(text).unwrap(), watched))
}

/// Everything about the files below a folder but when they were read.
fn state(folder: &Path) -> Vec<(PathBuf, Vec<u8>, [i64; 6])> {
    let mut state = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            let metadata = fs::symlink_metadata(&path).unwrap();
            let content = if metadata.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            let numbers = [
                metadata.mode().into(),
                metadata.uid().into(),
                metadata.nlink().cast_signed(),
                metadata.mtime(),
                metadata.mtime_nsec(),
                metadata.ctime_nsec(),
            ];
            if metadata.is_dir() {
                folders.push(path.clone());
            }
            state.push((path, content, numbers));
        }
    }
    state
}

/// The means that this system has; says which it leaves out.
async fn means() -> Vec<(Isolation, Confinement)> {
    let here = Guard::new(another_user::guard()).confinement().await;
    let all = [
        (Isolation::PidNamespace, Confinement::LandlockAndMounts),
        (Isolation::PidNamespace, Confinement::Landlock),
        (Isolation::Subreaper, Confinement::Landlock),
    ];
    match here {
        Confinement::LandlockAndMounts => all.to_vec(),
        Confinement::Landlock => {
            skipping::impossible("mount namespaces are not allowed here");
            all[2..].to_vec()
        }
        Confinement::None => {
            skipping::impossible("this kernel has no Landlock");
            Vec::new()
        }
    }
}

/// The attempts of the script that went through, of how many.
async fn escape(
    isolation: Isolation,
    means: Confinement,
    landlock: u8,
) -> (BTreeSet<String>, usize, Place) {
    let place = Place::new();
    fs::write(place.at("escape.py"), ESCAPE).unwrap();
    let held: File = OpenOptions::new().write(true).open(place.at("outside/canary")).unwrap();
    let pid = std::process::id();
    let name = SocketAddr::from_abstract_name(format!("confine-{pid}")).unwrap();
    let _abstract = UnixListener::bind_addr(&name).unwrap();
    let _named = UnixListener::bind(place.at("outside/socket")).unwrap();
    let _hidden = UnixListener::bind(place.at("hidden/socket")).unwrap();
    let before = state(&place.at("outside"));
    let text = |path: &str| place.at(path).to_str().unwrap().to_owned();
    let (work, outside, hidden) = (text("work"), text("outside"), text("hidden"));
    let (script, pid, held_at) = (text("escape.py"), pid.to_string(), held.as_raw_fd().to_string());
    let guard = guard(isolation, means).with_confine(place.confine()).with_landlock(landlock);
    let args = ["python3", &script, &work, &outside, &hidden, &pid, &held_at];
    let (lines, watched) = output(&guard, "/usr/bin/env", &args, &place.at("work")).await.unwrap();
    assert_eq!((watched.cause, watched.exit), (Cause::Exited, Exit::Code(0)), "{lines}");
    eprintln!("{isolation:?} {means:?} {landlock}\n{lines}");
    // A file that was cut to nothing cannot be shared as memory.
    assert!(landlock < TRUNCATING || !lines.contains("broken"), "{lines}");
    let through = lines.lines().filter_map(|line| line.strip_suffix(": through"));
    let through: BTreeSet<String> = through.map(str::to_owned).collect();
    if means == Confinement::LandlockAndMounts {
        assert_eq!(state(&place.at("outside")), before, "nothing outside has changed");
        assert_eq!(fs::read_to_string(place.at("work/.git/config")).unwrap(), "kept");
        assert_eq!(fs::read_dir(place.at("work/.git/hooks")).unwrap().count(), 0);
    }
    if landlock >= TRUNCATING {
        assert_eq!(fs::read_to_string(place.at("outside/canary")).unwrap(), "canary");
    }
    (through, lines.lines().count(), place)
}

/// Whether this kernel's Landlock does not hold a program to all that the attempts try.
fn is_older_than_the_attempts() -> bool {
    !guard(Isolation::Subreaper, Confinement::Landlock).landlock_gaps().is_empty()
}

#[tokio::test]
async fn no_way_leads_out_of_the_workspace() {
    if is_older_than_the_attempts() {
        return skipping::impossible("this kernel's Landlock is older than the attempts");
    }
    for (isolation, means) in means().await {
        let (through, attempts, _place) = escape(isolation, means, NEWEST).await;
        let expected = expected(means);
        let unexpected: Vec<_> = through.difference(&expected).collect();
        assert!(unexpected.is_empty(), "{isolation:?} {means:?}: {unexpected:?} went through");
        assert!(attempts >= 70, "{attempts} attempts");
    }
}

/// What goes through with the newest Landlock.
fn expected(means: Confinement) -> BTreeSet<String> {
    match means {
        // A socket with a path can be reached, unless its folder is hidden.
        Confinement::LandlockAndMounts => ["socket_of_outsider".to_owned()].into(),
        _ => LANDLOCK_ONLY.iter().map(|name| (*name).to_owned()).collect(),
    }
}

/// On an older kernel what goes through beyond that is what `xc doctor` tells, and nothing else.
#[tokio::test]
async fn with_an_older_landlock_nothing_leads_out_but_what_is_told() {
    if is_older_than_the_attempts() {
        return skipping::impossible("this kernel's Landlock is older than the attempts");
    }
    for (isolation, means) in means().await {
        for landlock in [1, 3, 4, 5] {
            let (through, _, _place) = escape(isolation, means, landlock).await;
            let gaps = guard(isolation, means).with_landlock(landlock).landlock_gaps().join("; ");
            let mut expected = expected(means);
            for (word, needs_no_mounts, names) in OLDER {
                let goes = gaps.contains(word)
                    && (*needs_no_mounts || means != Confinement::LandlockAndMounts);
                expected.extend(names.iter().filter(|_| goes).map(|name| (*name).to_owned()));
            }
            let unexpected: Vec<_> = through.difference(&expected).collect();
            assert!(unexpected.is_empty(), "{isolation:?} {means:?} {landlock}: {unexpected:?}");
            // What is told is so: a word of it that holds nothing would be a false alarm.
            for (word, _, names) in OLDER.iter().filter(|(word, ..)| gaps.contains(word)) {
                let is_seen = names.iter().any(|name| through.contains(*name));
                let is_held = means == Confinement::LandlockAndMounts || names.is_empty();
                assert!(is_seen || is_held, "{isolation:?} {landlock}: {word} went not through");
            }
        }
    }
}

/// Without mounts only Landlock closes a network, and that from Linux 6.7 on.
#[tokio::test]
async fn a_network_that_cannot_be_closed_is_no_run() {
    for (isolation, means) in means().await {
        for landlock in [1, 3, 4] {
            let place = Place::new();
            let confine = Confine { network: Network::Closed, ..place.confine() };
            let guard = guard(isolation, means).with_confine(confine).with_landlock(landlock);
            let ran = output(&guard, "/bin/sh", &["-c", "touch ran"], &place.at("work")).await;
            let may_run = landlock >= 4 || means == Confinement::LandlockAndMounts;
            assert_eq!(
                place.at("work/ran").exists(),
                may_run,
                "{isolation:?} {means:?} {landlock}"
            );
            match ran {
                Ok((_, watched)) => assert_eq!(watched.exit, Exit::Code(0)),
                Err(error) => assert!(matches!(error, SpawnError::Unconfined { .. }), "{error}"),
            }
        }
    }
}

/// What holds them is the confinement, and nothing else that happens to be here.
#[tokio::test]
async fn without_a_confinement_the_same_ways_lead_out() {
    let place = Place::new();
    let guard = guard(Isolation::Subreaper, Confinement::None);
    let outside = place.at("outside/new");
    let script = format!("echo out > {}", outside.display());
    output(&guard, "/bin/sh", &["-c", &script], &place.at("work")).await.unwrap();
    assert_eq!(fs::read_to_string(outside).unwrap(), "out\n");
}

#[tokio::test]
async fn what_cannot_be_confined_is_not_run() {
    let place = Place::new();
    let guard = guard(Isolation::Subreaper, Confinement::None).with_confine(place.confine());
    let script = "touch ran";
    let error = output(&guard, "/bin/sh", &["-c", script], &place.at("work")).await.unwrap_err();
    assert!(matches!(error, SpawnError::Unconfined { .. }), "{error}");
    assert!(!place.at("work/ran").exists());
}

/// As where the hooks of git are a link to a folder of the project.
#[tokio::test]
async fn a_link_to_what_is_kept_is_not_replaced() {
    for (isolation, means) in means().await {
        if means != Confinement::LandlockAndMounts {
            continue;
        }
        let place = Place::new();
        let (git, hooks) = (place.at("work/.git"), place.at("work/.git/hooks"));
        fs::rename(&git, place.at("work/repository")).unwrap();
        fs::remove_dir(place.at("work/repository/hooks")).unwrap();
        fs::create_dir(place.at("work/githooks")).unwrap();
        symlink("repository", &git).unwrap();
        symlink("../githooks", &hooks).unwrap();
        let guard = guard(isolation, means).with_confine(place.confine());
        let script = "mkdir new; for link in .git/hooks repository/hooks .git; do rm -f $link; \
                      mv -T new $link; ln -sfn new $link; done; mv repository away; \
                      mv githooks away; echo x > githooks/post-checkout; \
                      echo x > repository/index";
        let dir = place.at("work");
        let (said, _) = output(&guard, "/bin/sh", &["-c", script], &dir).await.unwrap();
        assert_eq!(fs::read_link(&git).unwrap(), Path::new("repository"), "{said}");
        assert_eq!(fs::read_link(&hooks).unwrap(), Path::new("../githooks"), "{said}");
        assert_eq!(fs::read_dir(&hooks).unwrap().count(), 0, "{said}");
        assert!(place.at("work/repository/index").exists(), "{said}");
    }
}

#[tokio::test]
async fn a_closed_network_reaches_nothing_outside() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for (isolation, means) in means().await {
        for (network, expected) in [(Network::Open, "connected"), (Network::Closed, "refused")] {
            let place = Place::new();
            let confine = Confine { network, ..place.confine() };
            let guard = guard(isolation, means).with_confine(confine);
            let script = format!(
                "import socket\ntry:\n  socket.create_connection(('127.0.0.1', {port}), 5)\n  \
                 print('connected')\nexcept OSError:\n  print('refused')"
            );
            let args = ["python3", "-c", &script];
            let (text, _) = output(&guard, "/usr/bin/env", &args, &place.at("work")).await.unwrap();
            assert_eq!(text.trim(), expected, "{isolation:?} {means:?} {network:?}");
        }
    }
}

/// A server of a test and its client find each other where the network is a namespace of its own.
#[tokio::test]
async fn with_mounts_a_closed_network_has_loopback() {
    for (isolation, means) in means().await {
        if means != Confinement::LandlockAndMounts {
            continue;
        }
        let place = Place::new();
        let confine = Confine { network: Network::Closed, ..place.confine() };
        let guard = guard(isolation, means).with_confine(confine);
        let script = "import socket\ns = socket.create_server(('127.0.0.1', 0))\n\
                      socket.create_connection(s.getsockname(), 5)\nprint('connected')";
        let args = ["python3", "-c", script];
        let (text, _) = output(&guard, "/usr/bin/env", &args, &place.at("work")).await.unwrap();
        assert_eq!(text.trim(), "connected");
    }
}
