//! The task of a hidden subcommand, which is sent over a socket inherited from its parent, and
//! never on its command line. So an executable of ours that is started by hand starts nothing.
//!
//! It has two parts: the [`Ground`], which a guard needs for its preparation, and the [`Task`], which may come
//! later. A guard reads the first part and, if there is no namespace, the second; an init reads the second.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
use rustix::io::Errno;

use crate::confine::{Fence, Means, Network, number, put, take};
use crate::isolation::Isolation;
use crate::limits::Limits;

/// The hidden subcommand that owns a program.
pub(crate) const GUARD: &str = "__guard";
/// The hidden subcommand that is process 1 of a run's namespace.
pub(crate) const INIT: &str = "__init";
/// The hidden subcommand that becomes the program where there is no namespace.
pub(crate) const EXEC: &str = "__exec";
/// The hidden subcommand that does nothing, for the probe.
pub(crate) const PROBE: &str = "__probe";

/// Maximum size of a task in bytes. The kernel accepts no more than 6 MiB of arguments and environment.
const TASK_MAX: usize = 8 << 20;

/// Encodes "no limit".
const UNLIMITED: u64 = u64::MAX;

/// Digest of the protocol's definition: it distinguishes programs of two builds with different protocols.
const SPEECH: u64 = digest(&[
    include_bytes!("task.rs"),
    include_bytes!("confine.rs"),
    include_bytes!("limits.rs"),
    include_bytes!("outbound.rs"),
    include_bytes!("report.rs"),
]);

/// FNV-1a of all the texts.
const fn digest(texts: &[&[u8]]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut text = 0;
    while text < texts.len() {
        let mut byte = 0;
        while byte < texts[text].len() {
            hash = (hash ^ texts[text][byte] as u64).wrapping_mul(0x100_0000_01b3);
            byte += 1;
        }
        text += 1;
    }
    hash
}

/// Why there is no task.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoTask {
    /// The other end is a program of another build, whose encoding may differ.
    #[error("it was started by a program of another build")]
    OtherBuild,
    /// EPERM if the other end is not our parent's, ENOTSOCK if it is not a socket, EINVAL if the data is not a
    /// task, or ends too early.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<Errno> for NoTask {
    fn from(error: Errno) -> Self {
        Self::Io(error.into())
    }
}

/// What a guard needs to prepare for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ground {
    /// How the program is isolated.
    pub isolation: Isolation,
    /// Limits of each of its processes.
    pub limits: Limits,
    /// Whether it gets a network namespace.
    pub network: Network,
}

impl Ground {
    /// The ground for programs with this confinement.
    pub(crate) fn of(isolation: Isolation, limits: Limits, fence: Option<&Fence>) -> Self {
        let mounts = fence.filter(|fence| fence.means == Means::LandlockAndMounts);
        let network = mounts.map_or(Network::Open, |fence| fence.confine.network);
        Self { isolation, limits, network }
    }

    /// Length in bytes after [`SPEECH`].
    const LENGTH: usize = 2 + 4 * 8;

    /// Encodes it; sent first.
    pub(crate) fn encode(self) -> Vec<u8> {
        let isolation = match self.isolation {
            Isolation::PidNamespace => b'N',
            Isolation::Subreaper => b'S',
        };
        let mut bytes = SPEECH.to_le_bytes().to_vec();
        bytes.extend([isolation, u8::from(self.network == Network::Closed)]);
        let Limits { address_space, file_bytes, open_files, core_bytes } = self.limits;
        for limit in [address_space, file_bytes, open_files, core_bytes] {
            bytes.extend(limit.unwrap_or(UNLIMITED).to_le_bytes());
        }
        bytes
    }

    /// Reads what this process's own parent has sent, and no byte more.
    ///
    /// # Errors
    /// [`NoTask`], by cause.
    pub(crate) fn from_parent(channel: impl AsFd) -> Result<Self, NoTask> {
        from_parent(&channel)?;
        Self::read(channel)
    }

    fn read(channel: impl AsFd) -> Result<Self, NoTask> {
        let (mut speech, mut bytes) = ([0; 8], [0; Self::LENGTH]);
        fill(&channel, &mut speech)?;
        if u64::from_le_bytes(speech) != SPEECH {
            return Err(NoTask::OtherBuild);
        }
        fill(&channel, &mut bytes)?;
        Self::decode(&bytes).ok_or_else(|| Errno::INVAL.into())
    }

    fn decode(bytes: &[u8; Self::LENGTH]) -> Option<Self> {
        let [isolation, is_closed @ (0 | 1), limits @ ..] = bytes else { return None };
        let isolation = match isolation {
            b'N' => Isolation::PidNamespace,
            b'S' => Isolation::Subreaper,
            _ => return None,
        };
        let mut limits = limits.chunks_exact(8).map(|limit| {
            let limit = u64::from_le_bytes(limit.try_into().ok()?);
            Some((limit != UNLIMITED).then_some(limit))
        });
        let mut limit = || limits.next().flatten();
        let limits = Limits {
            address_space: limit()?,
            file_bytes: limit()?,
            open_files: limit()?,
            core_bytes: limit()?,
        };
        let network = if *is_closed == 1 { Network::Closed } else { Network::Open };
        Some(Self { isolation, limits, network })
    }
}

/// Checks that the other end of `channel` is our own parent's.
///
/// # Errors
/// EPERM if it is not, ENOTSOCK if `channel` is not a socket.
pub(crate) fn from_parent(channel: impl AsFd) -> io::Result<()> {
    // The process that created the pair. Inside a new namespace both are invisible, with id 0.
    let peer = getsockopt(&channel, PeerCredentials)?.pid();
    let parent = rustix::process::getppid().map_or(0, |pid| pid.as_raw_pid());
    if peer == parent { Ok(()) } else { Err(Errno::PERM.into()) }
}

/// One run, as the guard needs it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Task {
    /// Number of bytes of the control channel that are the program's stdin.
    pub stdin_bytes: u64,
    /// Whether orders may add more stdin: see [`crate::outbound`].
    pub is_stdin_open: bool,
    /// Its confinement; without one it can access everything that we can.
    pub fence: Option<Fence>,
    /// The working directory.
    pub dir: PathBuf,
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its whole environment. It may contain keys, so tasks are never printed.
    pub env: Vec<(OsString, OsString)>,
}

impl Task {
    /// Whether the program gets a stdin of ours.
    pub(crate) fn has_stdin(&self) -> bool {
        self.is_stdin_open || self.stdin_bytes > 0
    }

    /// The encoded task, preceded by its length in bytes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut body = self.stdin_bytes.to_le_bytes().to_vec();
        body.push(self.is_stdin_open.into());
        let fence = self.fence.as_ref().map(Fence::encode).unwrap_or_default();
        put(&mut body, OsStr::from_bytes(&fence));
        put(&mut body, self.dir.as_os_str());
        put(&mut body, self.program.as_os_str());
        body.extend(number(self.env.len()));
        for (name, value) in &self.env {
            put(&mut body, name);
            put(&mut body, value);
        }
        for word in &self.args {
            put(&mut body, word);
        }
        let mut task = number(body.len()).to_vec();
        task.append(&mut body);
        task
    }

    /// Reads a task, and no byte more. The caller has checked that the other end is its
    /// parent's.
    ///
    /// # Errors
    /// EINVAL if the data is not a task, or ends too early.
    pub(crate) fn read(channel: impl AsFd) -> io::Result<Self> {
        let mut length = [0; 4];
        fill(&channel, &mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > TASK_MAX {
            return Err(Errno::INVAL.into());
        }
        let mut body = vec![0; length];
        fill(&channel, &mut body)?;
        Self::decode(&body).ok_or_else(|| Errno::INVAL.into())
    }

    fn decode(mut body: &[u8]) -> Option<Self> {
        let (stdin_bytes, rest) = body.split_first_chunk()?;
        let [is_stdin_open @ (0 | 1), rest @ ..] = rest else { return None };
        body = rest;
        let fence = take(&mut body)?;
        let fence = match fence.as_bytes() {
            [] => None,
            fence => Some(Fence::decode(fence)?),
        };
        let (dir, program) = (take(&mut body)?, take(&mut body)?);
        let (variables, rest) = body.split_first_chunk()?;
        body = rest;
        let mut env = Vec::new();
        for _ in 0..u32::from_le_bytes(*variables) {
            env.push((take(&mut body)?, take(&mut body)?));
        }
        let mut args = Vec::new();
        while !body.is_empty() {
            args.push(take(&mut body)?);
        }
        Some(Self {
            stdin_bytes: u64::from_le_bytes(*stdin_bytes),
            is_stdin_open: *is_stdin_open == 1,
            fence,
            dir: dir.into(),
            program: program.into(),
            args,
            env,
        })
    }
}

/// Reads until the buffer is full.
fn fill(channel: &impl AsFd, mut bytes: &mut [u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::read(channel, &mut *bytes) {
            Ok(0) => return Err(Errno::INVAL.into()),
            Ok(count) => bytes = &mut bytes[count..],
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::net::UnixStream;

    use std::os::unix::ffi::OsStringExt as _;

    use super::*;
    use crate::confine::Confine;

    fn task() -> Task {
        Task {
            stdin_bytes: u64::MAX,
            is_stdin_open: true,
            fence: None,
            dir: "/a dir".into(),
            program: "/bin/x".into(),
            args: vec!["".into(), "--".into(), "ü\n".into(), OsString::from_vec(vec![0xFF])],
            env: vec![("A".into(), "".into()), ("B".into(), OsString::from_vec(vec![0xFF, b'=']))],
        }
    }

    #[test]
    fn ground_and_task_survive_the_channel_and_leave_what_follows_them() {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let confine = Confine {
            write: vec!["/w".into()],
            keep: vec!["/w/k".into()],
            hide: vec!["/h".into()],
            network: Network::Closed,
        };
        let fence = Fence { confine, means: Means::LandlockAndMounts, landlock: 7 };
        let limits = Limits { open_files: Some(0), ..Limits::CHOSEN };
        let closed = Ground::of(Isolation::PidNamespace, limits, Some(&fence));
        assert_eq!(closed.network, Network::Closed);
        let open = Ground::of(Isolation::Subreaper, Limits::NONE, None);
        let fenced = Task { fence: Some(fence), env: Vec::new(), args: Vec::new(), ..task() };
        for bytes in [closed.encode(), fenced.encode(), open.encode(), task().encode()] {
            ours.write_all(&bytes).unwrap();
        }
        ours.write_all(b"I").unwrap();
        for (ground, task) in [(closed, &fenced), (open, &task())] {
            assert_eq!(Ground::read(&theirs).unwrap(), ground);
            assert!(Task::read(&theirs).unwrap() == *task);
        }
        let mut rest = [0; 1];
        fill(&theirs, &mut rest).unwrap();
        assert_eq!(&rest, b"I");
    }

    #[test]
    fn what_is_cut_or_too_long_is_no_task() {
        let whole = task().encode();
        for cut in [0, 3, 4, 5, 20, whole.len() - 1] {
            let (mut ours, theirs) = UnixStream::pair().unwrap();
            ours.write_all(&whole[..cut]).unwrap();
            drop(ours);
            assert!(Task::read(&theirs).is_err(), "{cut}");
        }
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        ours.write_all(&u32::MAX.to_le_bytes()).unwrap();
        assert!(Task::read(&theirs).is_err());
    }

    #[test]
    fn a_guard_of_another_build_is_told_apart() {
        let mut bytes = Ground::of(Isolation::PidNamespace, Limits::NONE, None).encode();
        bytes[0] ^= 1;
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        ours.write_all(&bytes).unwrap();
        assert!(matches!(Ground::read(&theirs), Err(NoTask::OtherBuild)));
    }

    /// This process created the pair, and is not its own parent.
    #[test]
    fn a_task_of_somebody_else_is_refused() {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        ours.write_all(&Ground::of(Isolation::Subreaper, Limits::NONE, None).encode()).unwrap();
        let refused = |error: NoTask| match error {
            NoTask::Io(error) => error.raw_os_error(),
            NoTask::OtherBuild => None,
        };
        let error = Ground::from_parent(&theirs).unwrap_err();
        assert_eq!(refused(error), Some(Errno::PERM.raw_os_error()));
        let (reader, _writer) = std::io::pipe().unwrap();
        let error = Ground::from_parent(&reader).unwrap_err();
        assert_eq!(refused(error), Some(Errno::NOTSOCK.raw_os_error()));
    }
}
