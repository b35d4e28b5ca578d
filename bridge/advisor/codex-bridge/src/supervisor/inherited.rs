//! File descriptors passed by the supervisor: systemd's sockets and pm2's channel.
//!
//! They are known by number only. Taking ownership of a number needs `unsafe`, which is left to others:
//! `listenfd` for listening sockets; for the channel, the kernel's `pidfd_getfd` on
//! our own process, which returns an owned, close-on-exec duplicate.

use std::io;
use std::net::TcpListener;
use std::os::fd::{OwnedFd, RawFd};
use std::os::unix::net::UnixListener;

use listenfd::ListenFd;
use rustix::net::{AddressFamily, SocketType, sockopt};
use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};

use crate::config::Environment;
use crate::config::environment::NODE_CHANNEL_FD;

/// The first descriptor that can be inherited; 0, 1 and 2 are the standard ones.
const FIRST: RawFd = 3;

/// The inherited file descriptors.
#[derive(Debug, Default)]
pub struct Inherited {
    /// Listening TCP sockets (socket activation).
    pub tcp: Vec<TcpListener>,
    /// Listening Unix sockets.
    pub unix: Vec<UnixListener>,
    /// pm2's channel.
    pub channel: Option<OwnedFd>,
    /// Inherited descriptors that cannot be used, one sentence each; for the log, which is set up
    /// later.
    pub problems: Vec<String>,
}

impl Inherited {
    /// Takes all inherited descriptors.
    ///
    /// Must be called first and once: before any thread, because it clears the variables of socket
    /// activation, and before any descriptor is opened, so that every number is an inherited one.
    #[must_use]
    pub fn take(environment: &Environment) -> Self {
        let mut inherited = Self::default();
        let mut sockets = ListenFd::from_env();
        for index in 0..sockets.len() {
            match sockets.take_tcp_listener(index) {
                Ok(Some(listener)) => inherited.tcp.push(listener),
                Ok(None) => {}
                Err(_) => match sockets.take_unix_listener(index) {
                    Ok(listener) => inherited.unix.extend(listener),
                    Err(error) => inherited.problems.push(format!("socket activation: {error}")),
                },
            }
        }
        if let Some(text) = environment.text(NODE_CHANNEL_FD) {
            let first_free = FIRST.saturating_add(RawFd::try_from(sockets.len()).unwrap_or(0));
            let channel = match text.parse::<RawFd>() {
                Ok(number) if number >= first_free => channel(number),
                Ok(_) | Err(_) => Err(io::ErrorKind::InvalidInput.into()),
            };
            match channel {
                Ok(channel) => inherited.channel = Some(channel),
                Err(error) => inherited
                    .problems
                    .push(format!("{NODE_CHANNEL_FD}={text} is no channel to pm2: {error}")),
            }
        }
        inherited
    }
}

/// The channel with this number. The number itself stays open; the guard of a run closes the descriptors that it
/// inherits, so Codex does not get it.
fn channel(number: RawFd) -> io::Result<OwnedFd> {
    let this = pidfd_open(getpid(), PidfdFlags::empty())?;
    let duplicate = pidfd_getfd(&this, number, PidfdGetfdFlags::empty())?;
    // A stale variable may name the descriptor of something else.
    let is_channel = sockopt::socket_domain(&duplicate)? == AddressFamily::UNIX
        && sockopt::socket_type(&duplicate)? == SocketType::STREAM;
    if !is_channel {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(duplicate)
}
