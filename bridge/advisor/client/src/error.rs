//! The client's own failure, `bridge_unreachable`, with advice on what to do.

use std::time::Duration;

use contract::failure::{Failure, FailureCode};
use contract::id::RunId;

use crate::address::Address;
use crate::connection::Fault;
use crate::discovery::{Found, NoAddress, NoToken, Origin};

/// Why there is no response of the daemon.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    /// There is no address.
    #[error(transparent)]
    NoAddress(#[from] NoAddress),
    /// Nothing listens there.
    #[error(
        "codex-bridge is not running: nothing answers at {} (from {}): {source}; start it with `codex-bridge serve`, with pm2 or systemd, or with `codex-advisor ask --start`",
        place.value,
        place.origin
    )]
    NotRunning {
        place: Found<Address>,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A program accepts connections and does not respond.
    #[error(
        "{} (from {}) takes connections but gave no answer within {:.1} s; if that is codex-bridge, look at its log and restart it, else name the right address in CODEX_BRIDGE_URL",
        place.value,
        place.origin,
        after.as_secs_f32()
    )]
    Silent {
        place: Found<Address>,
        /// How long the client waited.
        after: Duration,
    },
    /// Another program listens there.
    #[error(
        "another program answers at {} (from {}): {what}; stop it, or name the address of codex-bridge in CODEX_BRIDGE_URL",
        place.value,
        place.origin
    )]
    Stranger {
        place: Found<Address>,
        /// What it responded.
        what: String,
    },
    #[error(
        "user {user} of this machine listens at {} (from {}), and not you: nothing was sent there; start codex-bridge on another address (`codex-bridge serve --listen 127.0.0.1:0`), or, if that user runs it as a service for you, name the user with CODEX_BRIDGE_SERVICE_UID={user}",
        place.value,
        place.origin
    )]
    Foreign { place: Found<Address>, user: u32 },
    /// The kernel does not report whose program listens.
    #[error(
        "it cannot be told which user listens at {} (from {}), so that nothing was sent there: it is in another network namespace, or a sandbox hides it; use the daemon's Unix socket (`socket` in its configuration, unix:PATH as the address)",
        place.value,
        place.origin
    )]
    Untold { place: Found<Address> },
    /// There is no token.
    #[error(
        "codex-bridge answers at {}, but there is no token for it: {error}; set CODEX_BRIDGE_STATE_DIR to the daemon's state folder, or CODEX_BRIDGE_TOKEN",
        place.value
    )]
    NoToken { place: Found<Address>, error: NoToken },
    /// The daemon refuses the token.
    #[error(
        "codex-bridge at {} (from {}) does not take the token from {token}; it may use another state folder, or the token was rotated and it must be restarted; on its side `codex-bridge token --path` names its file, whose folder is for CODEX_BRIDGE_STATE_DIR",
        place.value,
        place.origin
    )]
    WrongToken {
        place: Found<Address>,
        /// The source of the token.
        token: Origin,
    },
    /// The connection to the daemon was lost.
    #[error(
        "the connection to codex-bridge at {} was lost ({cause}) and it did not come back; the request may have been taken; start the daemon again, then `codex-advisor runs` shows it",
        place.value
    )]
    Lost { place: Found<Address>, cause: String },
    /// The daemon stopped while a run was followed.
    #[error(
        "codex-bridge went away during run {run} and did not come back within {:.0} s ({cause}); when it runs again, `codex-advisor wait {run}` says how the run ended",
        after.as_secs_f32()
    )]
    LostRun {
        run: RunId,
        /// How long the client waited for it.
        after: Duration,
        /// The error of the last attempt.
        cause: String,
    },
    /// The daemon's record has no answer.
    #[error(
        "run {run} ended as {state}, but its answer is not kept (`store.bodies` is off, or its time is over)"
    )]
    NotKept {
        run: RunId,
        /// The run's final state.
        state: &'static str,
    },
}

impl ClientError {
    /// The error for a connection fault at a place.
    pub(crate) fn of(fault: Fault, place: Found<Address>, waited: Duration) -> Self {
        match fault {
            Fault::Refused(source) => Self::NotRunning { place, source },
            Fault::Silent => Self::Silent { place, after: waited },
            fault @ (Fault::Broken(_) | Fault::Closed) => {
                Self::Lost { place, cause: fault.to_string() }
            }
            Fault::Foreign { user } => Self::Foreign { place, user },
            Fault::Untold => Self::Untold { place },
            fault @ (Fault::NotHttp | Fault::TooLong) => {
                Self::Stranger { place, what: fault.to_string() }
            }
        }
    }

    /// Whether a further attempt may succeed: the daemon is being started, stopped or replaced.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::NotRunning { .. }
            | Self::Silent { .. }
            | Self::Stranger { .. }
            | Self::NoToken { .. }
            | Self::Lost { .. }
            | Self::NoAddress(NoAddress::Stale { .. }) => true,
            Self::NoAddress(_)
            | Self::Foreign { .. }
            | Self::Untold { .. }
            | Self::WrongToken { .. }
            | Self::LostRun { .. }
            | Self::NotKept { .. } => false,
        }
    }

    /// Whether nothing listens there, so that a daemon could be started.
    pub(crate) fn is_absence(&self) -> bool {
        matches!(self, Self::NotRunning { .. } | Self::NoAddress(NoAddress::Stale { .. }))
    }

    /// The failure in the contract's form.
    pub(crate) fn failure(&self) -> Failure {
        let code = match self {
            Self::NotKept { .. } => FailureCode::NotFound,
            _ => FailureCode::BridgeUnreachable,
        };
        Failure::new(code, self.to_string())
    }
}
