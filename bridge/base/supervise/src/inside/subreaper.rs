//! The isolation where user namespaces are forbidden: the guard adopts every orphan of the run and
//! kills its descendants at the end. Weaker than a namespace in one point: SIGKILL of the guard
//! ends only the program itself; the daemon's sweep kills the rest.

use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command};
use std::time::Duration;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use rustix::pipe::PipeFlags;

use super::{
    GUARD_FAILED, confine, errno, exit_code, guard_failed, hygiene, namespace, program, reaper,
};
use crate::report::Report;
use crate::task::{self, EXEC, Task};

/// How long the guard keeps killing at the end. Thirty daemonised processes took 46 ms.
const CLEAN_UP: Duration = Duration::from_secs(5);

/// Sent before the task from guard to `__exec`, together with the program's stdin.
const STDIN: &[u8] = b"0";

/// Sent before the error number from `__exec` to guard if the program could not be executed.
const NOT_EXECUTED: u8 = b'P';

/// The same if it could not be confined.
const NOT_CONFINED: u8 = b'F';

/// `__guard`: starts the program, supervises it, and kills its leftover processes.
pub(super) fn guard() -> Result<u8, Report> {
    let task = &Task::read(rustix::stdio::stdin()).map_err(guard_failed)?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).map_err(guard_failed)?;
    std::env::set_current_dir(&task.dir).map_err(|error| Report::Directory(errno(&error)))?;
    // `__exec` gets its task through this socket, and reports an error on it. It is closed by
    // a successful exec.
    let (mut ours, theirs) = UnixStream::pair().map_err(guard_failed)?;
    let (stdin, feed) = stdin(task).map_err(guard_failed)?;
    let mut child = Command::new("/proc/self/exe")
        .arg(EXEC)
        .stdin(OwnedFd::from(theirs))
        .spawn()
        .map_err(guard_failed)?;
    child.stdin = feed.map(ChildStdin::from);
    pass(&ours, &stdin).map_err(guard_failed)?;
    drop(stdin);
    ours.write_all(&task.encode()).map_err(guard_failed)?;
    let mut failure = Vec::new();
    ours.read_to_end(&mut failure).map_err(guard_failed)?;
    if let [what, errno @ ..] = &*failure
        && let Some(errno) = errno.first_chunk()
    {
        let errno = i32::from_le_bytes(*errno);
        let is_fence = *what == NOT_CONFINED;
        return Err(if is_fence { Report::Confine(errno) } else { Report::Program(errno) });
    }
    reaper::send(Report::Started(child.id().cast_signed()));
    hygiene::release_output().map_err(guard_failed)?;
    let exit = reaper::keep(child, task).map_err(guard_failed)?;
    reaper::tell_what_is_left();
    reaper::kill_descendants(CLEAN_UP).map_err(guard_failed)?;
    reaper::send(Report::Ended(exit));
    Ok(exit_code(exit))
}

/// The program's stdin, and the writing end if there is something to write.
fn stdin(task: &Task) -> io::Result<(OwnedFd, Option<OwnedFd>)> {
    if !task.has_stdin() {
        return Ok((File::open("/dev/null")?.into(), None));
    }
    let (reader, writer) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    Ok((reader, Some(writer)))
}

/// Sends a descriptor.
fn pass(channel: &UnixStream, descriptor: &OwnedFd) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let descriptors = [descriptor.as_fd()];
    ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
    sendmsg(channel, &[IoSlice::new(STDIN)], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives a descriptor sent by [`pass`].
fn received(channel: impl AsFd) -> Option<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0; 1];
    let mut bytes = [IoSliceMut::new(&mut byte)];
    recvmsg(channel, &mut bytes, &mut ancillary, RecvFlags::CMSG_CLOEXEC).ok()?;
    ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    })
}

/// `__exec`: executes the program, after it has tied its lifetime to the guard's and left the daemon's
/// session. Returns only on an error.
pub(super) fn exec() -> u8 {
    let tied = namespace::die_with_parent().is_ok() && rustix::process::setsid().is_ok();
    // The channel is the stdin that will be replaced; this copy is closed on exec. The task
    // is read last, which proves that the guard is still our parent.
    let parsed = (|| {
        let channel = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3).ok()?;
        let stdin = received(&channel)?;
        task::from_parent(&channel).ok()?;
        let task = Task::read(&channel).ok()?;
        rustix::stdio::dup2_stdin(&stdin).ok()?;
        Some((UnixStream::from(channel), task))
    })();
    let Some((mut guard, task)) = parsed.filter(|_| tied) else { return GUARD_FAILED };
    let confined = match &task.fence {
        Some(fence) => confine::landlock(fence),
        None => Ok(()),
    };
    let (what, error) = match confined {
        Ok(()) => (NOT_EXECUTED, program(&task).exec()),
        Err(error) => (NOT_CONFINED, error),
    };
    let [a, b, c, d] = errno(&error).to_le_bytes();
    let _ = guard.write_all(&[what, a, b, c, d]);
    GUARD_FAILED
}
