//! Checks which user owns the program that listens at the other end of a connection. This is checked before the first
//! byte is sent, and for each connection again: any user of this machine can listen on a port that the daemon has
//! released, or has not opened yet.
//!
//! A challenge instead (the daemon first proves that it knows the token) would not be safe: a
//! man in the middle could relay challenge and proof, and the question after them.

use std::time::Duration;

use tokio::net::{TcpStream, UnixStream};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::connection::Fault;
use crate::discovery::Remote;
use host::socket_owner::{self, Owner, SocketOwners};

/// The first pause before the kernel is asked again about a connection that is not accepted yet. It
/// doubles up to the longest one.
const FIRST_PAUSE: Duration = Duration::from_micros(500);

/// The longest such pause.
const LAST_PAUSE: Duration = Duration::from_millis(20);

/// Root, which can read the token's file as well.
const ROOT: u32 = 0;

/// Whose program may be the peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trust {
    /// The user named in the environment, which runs the daemon as a service of this machine.
    pub(crate) service: Option<u32>,
    /// Whether a peer is accepted whose user the kernel cannot report.
    pub(crate) remote: Remote,
}

impl Trust {
    /// Waits until the connection is accepted, and checks by which user.
    ///
    /// # Errors
    /// [`Fault::Foreign`] if that is another user, [`Fault::Untold`] if it cannot be determined and the
    /// caller has not accepted that, [`Fault::Silent`] if it is not accepted in time.
    ///
    /// # Cancel safety
    /// Nothing is sent.
    pub(crate) async fn check_tcp(
        self,
        stream: &TcpStream,
        deadline: Instant,
    ) -> Result<(), Fault> {
        let end = stream.peer_addr().map_err(Fault::Refused)?;
        let from = stream.local_addr().map_err(Fault::Refused)?;
        let kernel = SocketOwners::open();
        let mut pause = FIRST_PAUSE;
        loop {
            let owner = match &kernel {
                Ok(kernel) => kernel.of(end, from),
                Err(_) => socket_owner::by_table(end, from),
            };
            match owner {
                Owner::User(user) => return self.judge(Some(user)),
                Owner::Unknown => return self.judge(None),
                Owner::Nobody => {}
            }
            if Instant::now() >= deadline {
                return Err(Fault::Silent);
            }
            let next_look = (Instant::now() + pause).min(deadline);
            // A peer sends nothing on a connection that it has not accepted, unless the connection is closed.
            let mut first = [0];
            match timeout_at(next_look, stream.peek(&mut first)).await {
                Ok(Ok(0)) => return Err(Fault::Closed),
                Ok(Ok(_)) => sleep_until(next_look).await,
                Ok(Err(error)) => return Err(Fault::Refused(error)),
                Err(_) => {}
            }
            pause = (pause * 2).min(LAST_PAUSE);
        }
    }

    /// Checks which user listens on the socket: the kernel records it when listening begins.
    ///
    /// # Errors
    /// As [`Trust::check_tcp`], without waiting.
    pub(crate) fn check_unix(self, stream: &UnixStream) -> Result<(), Fault> {
        let user = stream.peer_cred().map_err(Fault::Refused)?.uid();
        self.judge(Some(user).filter(|user| !socket_owner::is_blurred(*user)))
    }

    fn judge(self, user: Option<u32>) -> Result<(), Fault> {
        let own = rustix::process::geteuid().as_raw();
        match (user, self.remote) {
            (Some(user), _) if [own, ROOT].contains(&user) || self.service == Some(user) => Ok(()),
            (Some(user), _) => Err(Fault::Foreign { user }),
            (None, Remote::Allowed) => Ok(()),
            (None, Remote::Refused) => Err(Fault::Untold),
        }
    }
}
