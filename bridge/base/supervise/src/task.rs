//! What a hidden subcommand is told to do: over a socket that it inherits from its own parent, and
//! never on its command line. So an executable of ours that is started by hand starts nothing.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
use rustix::io::Errno;

use crate::confine::{Fence, number, put, take};
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

/// The longest task in bytes. The kernel takes no more than 6 MiB of arguments.
const TASK_MAX: usize = 8 << 20;

/// Stands for no limit.
const UNLIMITED: u64 = u64::MAX;

/// One run, as the guard needs to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Task {
    /// How the program is fenced in.
    pub isolation: Isolation,
    /// How many bytes of the control channel are the program's stdin.
    pub stdin_bytes: u64,
    /// Whether more of stdin may follow them, by order: see [`crate::outbound`].
    pub is_stdin_open: bool,
    /// Limits of each of its processes.
    pub limits: Limits,
    /// What it may reach; all that we may where there is none.
    pub fence: Option<Fence>,
    /// Where the program starts.
    pub dir: PathBuf,
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
}

impl Task {
    /// Whether the program gets a stdin of ours.
    pub(crate) fn has_stdin(&self) -> bool {
        self.is_stdin_open || self.stdin_bytes > 0
    }

    /// What goes before everything else on the control channel: the task, once for each process
    /// that reads it there.
    pub(crate) fn announced(&self) -> Vec<u8> {
        match self.isolation {
            Isolation::PidNamespace => self.encode().repeat(2),
            Isolation::Subreaper => self.encode(),
        }
    }

    /// The task behind its length in bytes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut body = vec![match self.isolation {
            Isolation::PidNamespace => b'N',
            Isolation::Subreaper => b'S',
        }];
        body.extend(self.stdin_bytes.to_le_bytes());
        body.push(self.is_stdin_open.into());
        let Limits { address_space, file_bytes, open_files, core_bytes } = self.limits;
        for limit in [address_space, file_bytes, open_files, core_bytes] {
            body.extend(limit.unwrap_or(UNLIMITED).to_le_bytes());
        }
        let fence = self.fence.as_ref().map(Fence::encode).unwrap_or_default();
        put(&mut body, OsStr::from_bytes(&fence));
        let words = [self.dir.as_os_str(), self.program.as_os_str()];
        for word in words.into_iter().chain(self.args.iter().map(OsString::as_os_str)) {
            put(&mut body, word);
        }
        let mut task = number(body.len()).to_vec();
        task.append(&mut body);
        task
    }

    /// Reads the task that this process's own parent has sent; not a byte beyond it.
    ///
    /// # Errors
    /// EPERM where the other end is not our parent's, ENOTSOCK where `channel` is no socket, EINVAL
    /// where what is said is no task.
    pub(crate) fn from_parent(channel: impl AsFd) -> io::Result<Self> {
        // Who made the pair. Neither is seen from inside a new namespace: both are 0 there.
        let peer = getsockopt(&channel, PeerCredentials)?.pid();
        let parent = rustix::process::getppid().map_or(0, |pid| pid.as_raw_pid());
        if peer != parent {
            return Err(Errno::PERM.into());
        }
        Self::read(channel)
    }

    fn read(channel: impl AsFd) -> io::Result<Self> {
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
        let [isolation, rest @ ..] = body else { return None };
        body = rest;
        let isolation = match isolation {
            b'N' => Isolation::PidNamespace,
            b'S' => Isolation::Subreaper,
            _ => return None,
        };
        let (stdin_bytes, rest) = body.split_first_chunk()?;
        let [is_stdin_open @ (0 | 1), rest @ ..] = rest else { return None };
        body = rest;
        let mut limit = || {
            let (limit, rest) = body.split_first_chunk()?;
            body = rest;
            let limit = u64::from_le_bytes(*limit);
            Some((limit != UNLIMITED).then_some(limit))
        };
        let limits = Limits {
            address_space: limit()?,
            file_bytes: limit()?,
            open_files: limit()?,
            core_bytes: limit()?,
        };
        let fence = take(&mut body)?;
        let fence = match fence.as_bytes() {
            [] => None,
            fence => Some(Fence::decode(fence)?),
        };
        let (dir, program) = (take(&mut body)?, take(&mut body)?);
        let mut args = Vec::new();
        while !body.is_empty() {
            args.push(take(&mut body)?);
        }
        Some(Self {
            isolation,
            stdin_bytes: u64::from_le_bytes(*stdin_bytes),
            is_stdin_open: *is_stdin_open == 1,
            limits,
            fence,
            dir: dir.into(),
            program: program.into(),
            args,
        })
    }
}

/// Reads exactly as much as fits.
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
    use crate::confine::{Confine, Means, Network};

    fn task() -> Task {
        Task {
            isolation: Isolation::Subreaper,
            stdin_bytes: u64::MAX,
            is_stdin_open: true,
            limits: Limits { open_files: Some(0), ..Limits::CHOSEN },
            fence: None,
            dir: "/a dir".into(),
            program: "/bin/x".into(),
            args: vec!["".into(), "--".into(), "ü\n".into(), OsString::from_vec(vec![0xFF])],
        }
    }

    #[test]
    fn a_task_survives_the_channel_and_leaves_what_follows_it() {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let confine = Confine {
            write: vec!["/w".into()],
            keep: vec!["/w/k".into()],
            hide: vec!["/h".into()],
            network: Network::Open,
        };
        let fence = Some(Fence { confine, means: Means::LandlockAndMounts, landlock: 7 });
        let namespace = Task { isolation: Isolation::PidNamespace, fence, ..task() };
        ours.write_all(&[namespace.announced(), task().announced(), b"I".to_vec()].concat())
            .unwrap();
        for expected in [&namespace, &namespace, &task()] {
            assert_eq!(&Task::read(&theirs).unwrap(), expected);
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

    /// This process made the pair, and is not its own parent.
    #[test]
    fn a_task_of_somebody_else_is_refused() {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        ours.write_all(&task().encode()).unwrap();
        let error = Task::from_parent(&theirs).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(Errno::PERM.raw_os_error()));
        let (reader, _writer) = std::io::pipe().unwrap();
        let error = Task::from_parent(&reader).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(Errno::NOTSOCK.raw_os_error()));
    }
}
