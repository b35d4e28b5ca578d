//! The fence where user namespaces are forbidden: the guard adopts every orphan of the run and
//! kills its descendants at the end. Weaker than a namespace in one point: SIGKILL of the guard
//! ends only the program itself; the daemon sweeps up the rest.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::io::FdFlags;
use rustix::pipe::PipeFlags;

use super::{GUARD_FAILED, errno, exit_code, guard_failed, hygiene, keeper, namespace};
use crate::report::Report;
use crate::task::{EXEC, Task};

/// How long the guard goes on killing at the end. Thirty daemonised processes took 46 ms.
const CLEAN_UP: Duration = Duration::from_secs(5);

/// `__guard`: starts the program, keeps it, and kills what it leaves behind.
pub(super) fn guard(task: &Task) -> Result<u8, Report> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).map_err(guard_failed)?;
    std::env::set_current_dir(&task.dir).map_err(|error| Report::Directory(errno(&error)))?;
    // `__exec` tells through this pipe why it could not become the program. It closes by itself
    // when it could.
    let (verdict, verdict_end) =
        rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(guard_failed)?;
    rustix::io::fcntl_setfd(&verdict_end, FdFlags::empty()).map_err(guard_failed)?;
    let child = Command::new("/proc/self/exe")
        .arg(EXEC)
        .arg(std::process::id().to_string())
        .arg(verdict_end.as_raw_fd().to_string())
        .arg(&task.program)
        .args(&task.args)
        .stdin(if task.stdin_bytes > 0 { Stdio::piped() } else { Stdio::null() })
        .spawn()
        .map_err(guard_failed)?;
    drop(verdict_end);
    let mut failure = Vec::new();
    std::fs::File::from(verdict).read_to_end(&mut failure).map_err(guard_failed)?;
    if let Some(errno) = failure.first_chunk() {
        return Err(Report::Program(i32::from_le_bytes(*errno)));
    }
    keeper::send(Report::Started(child.id().cast_signed()));
    hygiene::release_output().map_err(guard_failed)?;
    let exit = keeper::keep(child, task.stdin_bytes).map_err(guard_failed)?;
    keeper::kill_descendants(CLEAN_UP).map_err(guard_failed)?;
    keeper::send(Report::Ended(exit));
    Ok(exit_code(exit))
}

/// `__exec`: becomes the program, after it has tied its life to the guard's and left the daemon's
/// session. Returns only if that fails.
pub(super) fn exec(mut args: impl Iterator<Item = OsString>) -> u8 {
    let parsed = (|| {
        let guard: i32 = args.next()?.to_str()?.parse().ok()?;
        let verdict: i32 = args.next()?.to_str()?.parse().ok()?;
        Some((guard, verdict, args.next()?))
    })();
    let Some((guard, verdict, program)) = parsed else { return GUARD_FAILED };
    // The inherited descriptor has no close-on-exec; this second one has.
    let Ok(mut report) = OpenOptions::new().write(true).open(format!("/proc/self/fd/{verdict}"))
    else {
        return GUARD_FAILED;
    };
    let _ = nix::unistd::close(verdict);
    let tied = namespace::die_with_parent().is_ok() && rustix::process::setsid().is_ok();
    let orphaned = rustix::process::getppid().map(|pid| pid.as_raw_pid()) != Some(guard);
    if !tied || orphaned {
        return GUARD_FAILED;
    }
    let error = Command::new(program).args(args).exec();
    let _ = report.write_all(&errno(&error).to_le_bytes());
    GUARD_FAILED
}
