//! Checks which user owns the program that listens at the other end of a connection. It is asked before the first
//! byte is sent, and for each connection anew: any user of this machine can listen on a port that the daemon has
//! left, or that it has not taken yet.
//!
//! A challenge in its place (the daemon proves first that it knows the token) would not hold: whoever
//! stands between passes challenge and proof on, and the question after it.

use std::time::Duration;

use tokio::net::{TcpStream, UnixStream};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::connection::Fault;
use crate::discovery::Remote;
use host::socket_owner::{self, Owner, SocketOwners};

/// First pause before the kernel is asked again about a connection that is not accepted yet. It
/// doubles up to the last.
const FIRST_PAUSE: Duration = Duration::from_micros(500);

/// Longest such pause.
const LAST_PAUSE: Duration = Duration::from_millis(20);

/// Root: it can read the token's file as well.
const ROOT: u32 = 0;

/// Who may be at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trust {
    /// A user whom the environment names: the one that runs the daemon as a service of this machine.
    pub(crate) service: Option<u32>,
    /// Whether an other end that the kernel cannot tell is accepted.
    pub(crate) remote: Remote,
}

impl Trust {
    /// Waits until the connection is accepted, and by whom.
    ///
    /// # Errors
    /// [`Fault::Foreign`] where that is another user, [`Fault::Untold`] where it cannot be told and the
    /// caller has not accepted that, [`Fault::Silent`] where it is not accepted in time.
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
            // Nothing comes from an end that is not accepted, unless it is closed.
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

    /// Who listens on the socket: the kernel notes it when the socket is listened on.
    ///
    /// # Errors
    /// As [`Trust::check_tcp`], except that nothing is waited for.
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
