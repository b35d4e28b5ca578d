//! The state folder: owner, permissions, file system, and the token in it.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use host::{Access, Durability};

use super::Finding;
use crate::config::Config;
use crate::state_dir;
use crate::store::DATABASE_FILE;
use crate::token::{self, Rights, TokenError};
use host::ErrorChain;

/// Minimum free space to store another answer, in bytes.
const SPACE_LEAST: u64 = 16 << 20;

/// Free space below which the disk will soon be full, in bytes.
const SPACE_WANTED: u64 = 256 << 20;

/// Accepted lead of a file's time over the clock: coarse time stamps and small corrections.
const AHEAD_MAX: Duration = Duration::from_secs(300);

pub(super) fn examine(config: &Config) -> Vec<Finding> {
    let path = &config.state_dir;
    if let Err(error) = state_dir::prepare(path) {
        let mend = "it must be a folder of yours that nobody else can write to";
        return vec![Finding::fail("state_dir", ErrorChain(&error).to_string(), mend)];
    }
    let mut findings = vec![folder(path)];
    findings.push(writable(path));
    findings.extend(space(path));
    findings.extend(medium(path));
    findings.extend(time_stamps(path));
    findings.push(token(config, "token", Rights::Advisor));
    findings
}

fn folder(path: &Path) -> Finding {
    let shown = path.display();
    let mode = path.metadata().map_or(0, |metadata| metadata.mode() & 0o777);
    // The private Codex home has its own temporary folder; the problem with the system's temporary folders
    // is that they are not permanent.
    let temporary = [&*std::env::temp_dir(), Path::new("/tmp"), Path::new("/var/tmp")]
        .iter()
        .any(|folder| path.starts_with(folder));
    if temporary {
        let message = format!("{shown} is below a temp folder, which the system empties");
        Finding::warn("state_dir", message, "set `state_dir` to a folder that lasts")
    } else if mode & 0o077 != 0 {
        let message = format!("other users can look into {shown} (mode {mode:03o})");
        Finding::warn("state_dir", message, format!("run `chmod 700 {shown}`"))
    } else {
        Finding::ok("state_dir", shown.to_string())
    }
}

fn writable(path: &Path) -> Finding {
    let file = path.join("written-by-doctor");
    let tried = host::replace(&file, b"", Access::PRIVATE, Durability::Synced)
        .and_then(|()| std::fs::remove_file(&file));
    match tried {
        Ok(()) => Finding::ok("state_writable", "files can be written"),
        Err(error) => Finding::fail(
            "state_writable",
            format!("no file can be written: {error}"),
            "free some space, or make the folder writable",
        ),
    }
}

fn space(path: &Path) -> Option<Finding> {
    let free = state_dir::free_space(path)?;
    let message = format!("{} MB are free", free >> 20);
    let mend = "free some space, or shorten `store.retention`";
    Some(match free {
        free if free < SPACE_LEAST => Finding::fail("state_space", message, mend),
        free if free < SPACE_WANTED => Finding::warn("state_space", message, mend),
        _ => Finding::ok("state_space", message),
    })
}

/// Type of the file system, by the numbers of statfs(2).
fn medium(path: &Path) -> Option<Finding> {
    let kind = rustix::fs::statfs(path).ok()?.f_type;
    let remote = match u32::try_from(kind & 0xffff_ffff).ok()? {
        0x6969 => Some("NFS"),
        0xff53_4d42 | 0xfe53_4d42 | 0x517b => Some("SMB"),
        0x0102_1997 => Some("9P"),
        0x6573_5546 => Some("a FUSE file system"),
        0x0102_1994 | 0x8584_58f6 => {
            return Some(Finding::warn(
                "state_medium",
                "the state lies in memory and is lost at a reboot",
                "set `state_dir` to a folder on a disk",
            ));
        }
        _ => None,
    };
    remote.map(|remote| {
        Finding::warn(
            "state_medium",
            format!("the state lies on {remote}: SQLite's log and file locks are not safe there"),
            "set `state_dir` to a folder on a local disk",
        )
    })
}

/// A store with a time stamp in the future: the clock was set back, so sessions expire too late.
fn time_stamps(path: &Path) -> Option<Finding> {
    let written = path.join(DATABASE_FILE).metadata().ok()?.modified().ok()?;
    let ahead = written.duration_since(SystemTime::now()).ok()?;
    (ahead > AHEAD_MAX).then(|| {
        Finding::warn(
            "clock",
            format!("the store was last written {} s from now", ahead.as_secs()),
            "set the clock, or leave it be if it was wrong before",
        )
    })
}

fn token(config: &Config, name: &'static str, rights: Rights) -> Finding {
    match token::load(config, rights) {
        Ok(_) if token::configured(config, rights).is_some() => Finding::ok(name, "as configured"),
        Ok(_) => Finding::ok(name, token::path(&config.state_dir, rights).display().to_string()),
        Err(TokenError::Absent { .. }) => Finding::ok(name, "made at the first start"),
        Err(error) => {
            let mend = "make it private, or make a new one with `codex-bridge token --rotate`";
            Finding::fail(name, ErrorChain(&error).to_string(), mend)
        }
    }
}
