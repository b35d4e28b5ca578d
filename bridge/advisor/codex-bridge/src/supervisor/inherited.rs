//! Descriptors that the supervisor hands over: systemd's sockets and pm2's channel.
//!
//! They are known by number only. Taking a number needs `unsafe` or someone who does it for us:
//! `listenfd` for sockets that listen; for the channel, the kernel's `pidfd_getfd`, asked for a
//! descriptor of our own process, which gives a duplicate that is owned and close-on-exec.

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

/// What the supervisor handed over.
#[derive(Debug, Default)]
pub struct Inherited {
    /// TCP sockets that listen already (socket activation).
    pub tcp: Vec<TcpListener>,
    /// Unix sockets that listen already.
    pub unix: Vec<UnixListener>,
    /// pm2's channel.
    pub channel: Option<OwnedFd>,
    /// What was handed over and cannot be used, one sentence each; for the log, which is set up
    /// later.
    pub problems: Vec<String>,
}

impl Inherited {
    /// Takes everything that was handed over.
    ///
    /// To be called first thing, once: before any thread, because it clears the variables of socket
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

/// The channel behind this number. The number itself stays open; the guard of a run closes what it
/// inherits, so it goes no further.
fn channel(number: RawFd) -> io::Result<OwnedFd> {
    let this = pidfd_open(getpid(), PidfdFlags::empty())?;
    let duplicate = pidfd_getfd(&this, number, PidfdGetfdFlags::empty())?;
    // A variable that outlived its supervisor may name another program's descriptor.
    let is_channel = sockopt::socket_domain(&duplicate)? == AddressFamily::UNIX
        && sockopt::socket_type(&duplicate)? == SocketType::STREAM;
    if !is_channel {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(duplicate)
}
