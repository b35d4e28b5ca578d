//! Confines this process and its descendants: by Landlock, and by mounts if
//! there is a mount namespace. Afterwards mounts cannot be changed, and no program gains rights.
//!
//! Not here: creating the namespaces (see `namespace`), and a fallback: either the requested confinement works, or the run fails.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::fs::CWD;
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_bind,
    mount_change, mount_remount, move_mount, open_tree,
};

use crate::confine::{Confine, Fence, Means, Network};

/// Where devices lie. What can be read there is a terminal into which the user types, a keyboard, a disk.
const DEVICES_FOLDER: &str = "/dev";

/// Devices that every program may read and write: they keep nothing.
const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Makes this mount namespace read-only except for the writable folders, protects the paths to keep, and covers the
/// paths to hide.
pub(super) fn mounts(confine: &Confine) -> io::Result<()> {
    // Later mounts outside must not propagate into this namespace.
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    let writable = roots(&confine.write);
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE;
    let trees: Vec<_> =
        writable.iter().map(|root| open_tree(CWD, root, flags)).collect::<Result<_, _>>()?;
    for mounted in mounted()? {
        let done = mount_remount(
            &mounted.point,
            MountFlags::BIND | MountFlags::RDONLY | mounted.flags,
            c"",
        );
        // Some mounts are not reachable by path, because another is mounted over them. Landlock covers these.
        if mounted.point == Path::new("/") {
            done?;
        }
    }
    for (root, tree) in writable.iter().zip(trees) {
        move_mount(&tree, "", CWD, root, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    }
    let mut held = Vec::new();
    for path in existing(&confine.keep) {
        keep(&path, &writable, &mut held)?;
    }
    // Last, because a folder that becomes a mount hides the mounts within it.
    for link in links(&confine.keep, &writable) {
        hold(&link, &writable, &mut held)?;
        hold_link(&link)?;
    }
    // A folder that contains a writable folder cannot be hidden.
    let is_around = |path: &PathBuf| writable.iter().any(|root| root.starts_with(path));
    let mut hidden = existing(&confine.hide);
    hidden.retain(|path| !is_around(path));
    // Paths within a hidden folder are covered with it, and can no longer be mounted over.
    for path in roots(&hidden) {
        hide(&path)?;
    }
    Ok(())
}

/// Makes the folders between `path` and its root mounts, which cannot be renamed: otherwise one could be replaced by
/// another and nothing would be protected.
fn hold(path: &Path, writable: &[PathBuf], held: &mut Vec<PathBuf>) -> io::Result<()> {
    let Some(root) = writable.iter().find(|root| path.starts_with(root)) else { return Ok(()) };
    let between: Vec<&Path> =
        path.ancestors().skip(1).take_while(|folder| folder != root).collect();
    for folder in between.into_iter().rev() {
        if !held.iter().any(|held| held == folder) {
            mount_bind(folder, folder)?;
            held.push(folder.to_owned());
        }
    }
    Ok(())
}

/// Makes a link a mount of itself, so that it cannot be removed, renamed or replaced.
fn hold_link(link: &Path) -> io::Result<()> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_SYMLINK_NOFOLLOW;
    let tree = open_tree(CWD, link, flags)?;
    Ok(move_mount(&tree, "", CWD, link, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?)
}

/// The links in the writable folders through which the paths are reached, by their own paths.
fn links(paths: &[PathBuf], writable: &[PathBuf]) -> Vec<PathBuf> {
    let mut links = Vec::new();
    let steps = paths.iter().flat_map(|path| path.ancestors());
    for step in steps.filter(|step| step.is_symlink()) {
        let parent = step.parent().and_then(|parent| parent.canonicalize().ok());
        let (Some(parent), Some(name)) = (parent, step.file_name()) else { continue };
        let link = parent.join(name);
        if writable.iter().any(|root| parent.starts_with(root)) && !links.contains(&link) {
            links.push(link);
        }
    }
    links
}

/// Makes `path` read-only, and prevents that it is moved.
fn keep(path: &Path, writable: &[PathBuf], held: &mut Vec<PathBuf>) -> io::Result<()> {
    let Some(root) = writable.iter().find(|root| path.starts_with(root)) else { return Ok(()) };
    if path != root {
        hold(path, writable, held)?;
        mount_bind(path, path)?;
    }
    let flags = mounted()?.into_iter().rev().find(|mounted| mounted.point == path);
    let flags = flags.map_or(MountFlags::empty(), |mounted| mounted.flags);
    Ok(mount_remount(path, MountFlags::BIND | MountFlags::RDONLY | flags, c"")?)
}

fn hide(path: &Path) -> io::Result<()> {
    if !path.is_dir() {
        return Ok(mount_bind("/dev/null", path)?);
    }
    let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    Ok(mount("tmpfs", path, "tmpfs", flags, c"mode=555")?)
}

/// A mount in the kernel's list.
struct Mounted {
    point: PathBuf,
    /// Flags that must be kept when it is changed.
    flags: MountFlags,
}

fn mounted() -> io::Result<Vec<Mounted>> {
    let list = fs::read("/proc/self/mountinfo")?;
    Ok(list.split(|byte| *byte == b'\n').filter_map(mounted_line).collect())
}

/// Parses a line of `mountinfo`: its fifth word is the mount point, its sixth the options.
fn mounted_line(line: &[u8]) -> Option<Mounted> {
    let mut words = line.split(|byte| *byte == b' ').skip(4);
    let (point, options) = (words.next()?, words.next()?);
    let mut flags = MountFlags::empty();
    for option in options.split(|byte| *byte == b',') {
        flags |= match option {
            b"nosuid" => MountFlags::NOSUID,
            b"nodev" => MountFlags::NODEV,
            b"noexec" => MountFlags::NOEXEC,
            _ => MountFlags::empty(),
        };
    }
    Some(Mounted { point: OsString::from_vec(unescaped(point)).into(), flags })
}

/// Decodes a path: the kernel writes blanks and the like as `\040`.
fn unescaped(escaped: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut rest = escaped;
    while let [first, tail @ ..] = rest {
        let code = tail.first_chunk::<3>().and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 8).ok()) {
            Some(byte) if *first == b'\\' => {
                bytes.push(byte);
                rest = &tail[3..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    bytes
}

/// Allows this process to write below the writable folders only, and to read no other device than those, for good.
pub(super) fn landlock(Fence { confine, means, landlock }: &Fence) -> io::Result<()> {
    // The library leaves out rights that this kernel does not support.
    let version = ABI::from(i32::from(*landlock));
    let (write, scopes) = (AccessFs::from_write(version), Scope::from_all(version));
    let read = AccessFs::ReadFile;
    let mut rules = Ruleset::default().handle_access(write | read).map_err(failed)?;
    if !scopes.is_empty() {
        rules = rules.scope(scopes).map_err(failed)?;
    }
    // A network namespace of its own needs no rule; its loopback device may be used.
    if (confine.network, means) == (Network::Closed, &Means::Landlock) {
        // Fail rather than run with an open network when a closed one was requested.
        let closed = rules
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessNet::from_all(version))
            .map_err(|_| Errno::OPNOTSUPP)?;
        rules = closed.set_compatibility(CompatLevel::BestEffort);
    }
    // A device that was made could be a disk.
    let allowed = (write | read) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let paths = confine.write.iter().map(PathBuf::as_path).chain(DEVICES.iter().map(Path::new));
    let readable = readable()?;
    let status = rules
        .create()
        .and_then(|rules| rules.add_rules(path_beneath_rules(paths, allowed)))
        .and_then(|rules| rules.add_rules(path_beneath_rules(readable, read)))
        .and_then(|rules| rules.restrict_self())
        .map_err(failed)?;
    match status.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => Err(Errno::NOSYS.into()),
    }
}

/// All that lies in the root of the file system but devices: a rule for the root itself would hold for them too.
fn readable() -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir("/")?;
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    Ok(paths.into_iter().filter(|path| path != Path::new(DEVICES_FOLDER)).collect())
}

fn failed(error: RulesetError) -> io::Error {
    io::Error::other(error)
}

/// The existing paths, with links resolved.
fn existing(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut existing: Vec<PathBuf> =
        paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
    existing.sort_by(|a, b| a.as_os_str().as_bytes().cmp(b.as_os_str().as_bytes()));
    existing.dedup();
    existing
}

/// The existing paths that are not below another one.
fn roots(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = Vec::new();
    let mut all = existing(paths);
    all.sort_by_key(|path| path.components().count());
    for path in all {
        if !roots.iter().any(|root| path.starts_with(root)) {
            roots.push(path);
        }
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_list_of_mounts_is_read() {
        let line =
            br"36 35 98:0 /a /mnt\040two\134x rw,nosuid,noexec,noatime shared:1 - ext3 /dev/x rw";
        let Mounted { point, flags } = mounted_line(line).unwrap();
        assert_eq!(point, Path::new(r"/mnt two\x"));
        assert_eq!(flags, MountFlags::NOSUID | MountFlags::NOEXEC);
        assert!(mounted_line(b"").is_none() && mounted_line(b"1 2 3").is_none());
    }

    /// Held by Landlock to a thread of its own, which ends with the test.
    #[test]
    fn no_device_is_read_but_those_that_keep_nothing() {
        // Every user may open it: what comes is a new terminal.
        let device = "/dev/ptmx";
        if fs::File::open(device).is_err() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "x").unwrap();
        let confine = Confine {
            write: vec![folder.path().to_owned()],
            keep: Vec::new(),
            hide: Vec::new(),
            network: Network::Open,
        };
        let fence = Fence { confine, means: Means::Landlock, landlock: 1 };
        let confined = std::thread::spawn(move || {
            match landlock(&fence) {
                Err(error) if error.raw_os_error() == Some(Errno::NOSYS.raw_os_error()) => return,
                held => held.unwrap(),
            }
            let refused = fs::File::open(device).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
            for name in ["/dev/null", "/dev/urandom", "/proc/self/status", "/etc/passwd"] {
                assert!(fs::File::open(name).is_ok(), "{name}");
            }
            assert_eq!(fs::read(&file).unwrap(), b"x");
            fs::write(&file, "y").unwrap();
            let moved = file.with_file_name("moved");
            fs::rename(&file, &moved).unwrap();
            assert_eq!(fs::read(&moved).unwrap(), b"y");
        });
        confined.join().unwrap();
    }

    #[test]
    fn a_folder_within_another_is_no_root_of_its_own() {
        let folder = std::env::temp_dir();
        let inner = tempfile::tempdir().unwrap();
        let given = [inner.path().to_owned(), folder.clone(), "/no/such".into()];
        assert_eq!(roots(&given), [folder.canonicalize().unwrap()]);
    }
}
