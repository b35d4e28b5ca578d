//! Creates the PID namespace of a run: when its init ends, the kernel kills all remaining processes in it.

use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::{fs, io};

use nix::sched::CloneFlags;
use nix::sys::socket::{AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType};
use rustix::io::Errno;
use rustix::mount::MountFlags;
use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

use super::{
    GUARD_FAILED, complain, confine, errno, exit_code, guard_failed, hygiene, not_confined,
    program, reaper,
};
use crate::confine::{Fence, Means, Network};
use crate::report::Report;
use crate::task::{self, INIT, Task};

/// The first descriptor after the standard ones.
const FIRST_FREE: i32 = 3;

/// `__guard`: creates the PID namespace of a run, starts its init and waits for it.
pub(super) fn guard(network: Network) -> Result<u8, Report> {
    create_pid_namespace(network).map_err(guard_failed)?;
    let mut init = Command::new("/proc/self/exe").arg(INIT).spawn().map_err(guard_failed)?;
    hygiene::release_output().map_err(guard_failed)?;
    // Only init reads the channel; this end sends one report.
    let control = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), FIRST_FREE);
    let control = control.map_err(guard_failed)?;
    hygiene::release_control().map_err(guard_failed)?;
    let status = init.wait().map_err(guard_failed)?;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    let code = code.and_then(|code| u8::try_from(code).ok()).unwrap_or(GUARD_FAILED);
    // The kernel dismantles the mount namespace before it reports this process's end, and waits for all processors
    // to notice (Linux 6.18). Callers need not wait for that.
    reaper::send_on(&control, Report::Empty(code.into()));
    // Left to the kernel, which closes it after it has freed this process's memory: the daemon waits for that.
    std::mem::forget(control);
    Ok(code)
}

/// `__init`: process 1 of the namespace. When it ends, everything in the namespace ends. It reads the task from the control
/// channel after all preparation that does not depend on the task, which may come later.
pub(super) fn init() -> Result<u8, Report> {
    // Started by hand: there is no process to report to.
    match task::from_parent(rustix::stdio::stdin()) {
        Ok(()) if std::process::id() == 1 => {}
        Ok(()) => return Ok(complain(guard_failed(Errno::PERM))),
        Err(error) => return Ok(complain(guard_failed(error))),
    }
    // The guard may have died before this line. Then the control channel is closed.
    die_with_parent().map_err(guard_failed)?;
    // Refused if the outer /proc is masked, as in most containers. The run then sees the outer
    // one, which reveals more but does not weaken the isolation.
    let fresh = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let _ = rustix::mount::mount("proc", "/proc", "proc", fresh, None);
    let task = &Task::read(rustix::stdio::stdin()).map_err(guard_failed)?;
    if let Some(Fence { confine, means: Means::LandlockAndMounts, .. }) = &task.fence {
        confine::mounts(confine).map_err(not_confined)?;
    }
    drop_ambient().map_err(guard_failed)?;
    // A separate session: no controlling terminal, no signals from it.
    rustix::process::setsid().map_err(guard_failed)?;
    std::env::set_current_dir(&task.dir).map_err(|error| Report::Directory(errno(&error)))?;
    // Also confines this process, which does not need to write any more.
    if let Some(fence) = &task.fence {
        confine::landlock(fence).map_err(not_confined)?;
    }
    let child = program(task)
        .stdin(if task.has_stdin() { Stdio::piped() } else { Stdio::null() })
        .process_group(0)
        .spawn()
        .map_err(|error| Report::Program(errno(&error)))?;
    reaper::send(Report::Started(child.id().cast_signed()));
    hygiene::release_output().map_err(guard_failed)?;
    let exit = reaper::keep(child, task).map_err(guard_failed)?;
    reaper::tell_what_is_left();
    reaper::send(Report::Ended(exit));
    Ok(exit_code(exit))
}

/// Asks the kernel to kill this process when its parent ends.
pub(super) fn die_with_parent() -> io::Result<()> {
    Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
}

/// Creates a user, a mount and a PID namespace; the next child is process 1 of the PID namespace.
/// User and group ids are the same inside.
fn create_pid_namespace(network: Network) -> io::Result<()> {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let mut spaces = CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNS;
    if network == Network::Closed {
        spaces |= CloneFlags::CLONE_NEWNET;
    }
    nix::sched::unshare(spaces)?;
    // Otherwise the kernel refuses an unprivileged group map.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1", user = user.as_raw()))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1", group = group.as_raw()))?;
    if network == Network::Closed {
        bring_loopback_up()?;
    }
    // An ordinary user's capabilities do not survive an exec unless they are ambient; init needs
    // this one to mount /proc.
    let mut sets = capabilities(None)?;
    sets.inheritable |= CapabilitySet::SYS_ADMIN;
    set_capabilities(None, sets)?;
    Ok(rustix::thread::configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true)?)
}

/// Activates the loopback device of a new network namespace.
fn bring_loopback_up() -> io::Result<()> {
    /// `struct nlmsghdr` and `struct ifinfomsg` of linux/netlink.h and linux/rtnetlink.h: `RTM_NEWLINK` with
    /// `NLM_F_REQUEST`, of the device 1, which is to be `IFF_UP`.
    const UP: [u32; 8] = [32, 1 << 16 | 16, 0, 0, 0, 1, 1, 1];
    let socket = nix::sys::socket::socket(
        AddressFamily::Netlink,
        SockType::Raw,
        SockFlag::SOCK_CLOEXEC,
        SockProtocol::NetlinkRoute,
    )?;
    let message: Vec<u8> = UP.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let kernel = NetlinkAddr::new(0, 0);
    nix::sys::socket::sendto(socket.as_raw_fd(), &message, &kernel, MsgFlags::empty())?;
    Ok(())
}

/// Drops the capability before the program starts.
fn drop_ambient() -> io::Result<()> {
    rustix::thread::clear_ambient_capability_set()?;
    let mut sets = capabilities(None)?;
    sets.inheritable = CapabilitySet::empty();
    Ok(set_capabilities(None, sets)?)
}
