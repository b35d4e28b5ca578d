//! The permitted sources of a question: standard input, or a file of the caller's project.
//!
//! The opened file itself is checked, so that no link and no race condition leads elsewhere.

use std::fs::{self, File};
use std::io::{self, IsTerminal as _, Read};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use contract::failure::{Failure, FailureCode, Violation};
use host::streams;
use rustix::fs::{FileType, Mode, OFlags, fstat, fstatfs, open};

use crate::caller::Caller;
use crate::question;

/// The longest text that is read, in bytes: YAML with its comments may be longer than its JSON form,
/// to which [`contract::limits::BODY_MAX_BYTES`] applies.
const TEXT_MAX_BYTES: u64 = 2 << 20;

/// The kernel's own file systems (statfs(2)): proc, sysfs, cgroup, cgroup2, debugfs, tracefs.
const KERNEL: [u64; 6] = [0x9fa0, 0x6265_6572, 0x0027_e0eb, 0x6367_7270, 0x6462_6720, 0x7472_6163];

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
enum Refused {
    /// It is elsewhere, or a link leads elsewhere.
    #[error("it is not a file of the project {}", root.display())]
    Outside { root: PathBuf },
    /// It is a folder, a pipe, a socket or a device, or in a file system of the kernel.
    #[error("it is not a regular file")]
    NoFile,
    /// An error of the operating system.
    #[error("{0}")]
    Unreadable(#[from] io::Error),
}

/// Reads the text.
///
/// # Errors
/// `contract_violation` if the file cannot or must not be read, `body_too_large`.
///
/// # Cancel safety
/// If the future is dropped, what was read from standard input is lost.
pub(crate) async fn read(file: Option<PathBuf>, caller: &Caller) -> Result<Vec<u8>, Failure> {
    let file = file.filter(|path| path.as_os_str() != "-");
    if file.is_none() && io::stdin().is_terminal() {
        streams::note("reading the question from the terminal; end it with Ctrl-D");
    }
    let root = caller.root.clone();
    let here = caller.environment.working_dir().to_owned();
    let reading = tokio::task::spawn_blocking(move || match &file {
        Some(path) => beneath(&root, &here.join(path))
            .and_then(|file| Ok(bounded(file)?))
            .map_err(|error| unreadable(&path.display().to_string(), &error)),
        None => bounded(io::stdin().lock())
            .map_err(|error| unreadable("standard input", &Refused::Unreadable(error))),
    });
    let text = reading.await.map_err(|error| {
        Failure::new(FailureCode::Internal, format!("the question was not read: {error}"))
    })??;
    if text.len() as u64 > TEXT_MAX_BYTES {
        return Err(question::too_large());
    }
    Ok(text)
}

/// Opens a regular file whose real path is in the folder `root`, which has no links in its path.
fn beneath(root: &Path, path: &Path) -> Result<File, Refused> {
    let outside = || Refused::Outside { root: root.to_owned() };
    // This handle reads nothing: opening a pipe or a device for reading could have side effects.
    let handle = match open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) {
        Ok(handle) => handle,
        // Whether a file exists elsewhere is not revealed.
        Err(errno) => {
            let folder = path.parent().and_then(|folder| fs::canonicalize(folder).ok());
            let is_inside = folder.is_some_and(|folder| folder.starts_with(root));
            return Err(if is_inside { Refused::Unreadable(errno.into()) } else { outside() });
        }
    };
    let name = link(&handle);
    if !fs::read_link(&name)?.starts_with(root) {
        return Err(outside());
    }
    let status = fstat(&handle).map_err(io::Error::from)?;
    let system = fstatfs(&handle).map_err(io::Error::from)?;
    let is_kernels = u64::try_from(system.f_type).is_ok_and(|kind| KERNEL.contains(&kind));
    if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile || is_kernels {
        return Err(Refused::NoFile);
    }
    Ok(File::open(&name)?)
}

/// The kernel's path for a handle.
fn link(handle: &OwnedFd) -> PathBuf {
    Path::new("/proc/self/fd").join(handle.as_raw_fd().to_string())
}

fn bounded(source: impl Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    source.take(TEXT_MAX_BYTES + 1).read_to_end(&mut text)?;
    Ok(text)
}

fn unreadable(what: &str, error: &Refused) -> Failure {
    let message = format!("the question cannot be read from {what}: {error}");
    let hint = "give the question on standard input: `codex-advisor ask -`";
    let violation = Violation::new("", message.clone()).with_hint(hint);
    Failure::new(FailureCode::ContractViolation, message).with_details(vec![violation])
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use rustix::fs::{CWD, mknodat};
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn only_a_regular_file_that_lies_in_the_project_is_opened() {
        let folder = TempDir::new().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let root = top.join("project");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(root.join("sub/q.yaml"), "problem: x").unwrap();
        fs::write(top.join("secret"), "canary").unwrap();
        fs::create_dir(top.join("project-2")).unwrap();
        fs::write(top.join("project-2/q.yaml"), "canary").unwrap();
        symlink(root.join("sub/q.yaml"), root.join("inside")).unwrap();
        symlink(top.join("secret"), root.join("out")).unwrap();
        symlink(&top, root.join("up")).unwrap();
        symlink("/proc/self", root.join("kernel")).unwrap();
        let pipe = root.join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RWXU, 0).unwrap();
        let _socket = UnixListener::bind(root.join("socket")).unwrap();

        for path in ["sub/q.yaml", "inside", "sub/../sub/q.yaml"] {
            assert!(beneath(&root, &root.join(path)).is_ok(), "{path}");
        }
        for path in
            ["out", "up/secret", "../secret", "../project-2/q.yaml", "../absent", "kernel/environ"]
        {
            let refused = beneath(&root, &root.join(path)).unwrap_err();
            assert!(matches!(refused, Refused::Outside { .. }), "{path}: {refused}");
        }
        for path in ["sub", "pipe", "socket"] {
            let refused = beneath(&root, &root.join(path)).unwrap_err();
            assert!(matches!(refused, Refused::NoFile), "{path}: {refused}");
        }
        assert!(matches!(beneath(&root, &root.join("absent")), Err(Refused::Unreadable(_))));
    }

    #[test]
    fn the_kernels_files_are_none_wherever_a_project_is() {
        for path in ["/proc/self/environ", "/dev/null", "/sys/kernel/uevent_seqnum"] {
            let refused = beneath(Path::new("/"), Path::new(path)).unwrap_err();
            assert!(matches!(refused, Refused::NoFile), "{path}: {refused}");
        }
    }
}
