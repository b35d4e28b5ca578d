//! Decides whether and when a request is sent again: one pure table.

use std::time::Duration;

use crate::failure::Failure;

/// Number of retries after an overload.
const RETRIES_WITHOUT_ROOM: u32 = 3;

/// Number of retries after a connection error.
const RETRIES_AFTER_FAULT: u32 = 1;

/// Maximum delay requested by a provider that is waited for. A longer one is reported to the caller.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Whether the received part of a failed answer had an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing of it was executed.
    None,
    /// Something was executed; a retry could do it twice.
    Executed,
}

/// What to do after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Send the same request again after this time.
    Again(Duration),
    /// Report the failure to the caller.
    Stop,
}

/// Decides after `failure`, if the request was already retried `retries` times.
///
/// | failure | again |
/// | --- | --- |
/// | rate limited, overloaded, server | three times, after 1, 2 and 4 s, or as told if that is at most 60 s |
/// | network, cut, timeout, unreadable | once, after 1 s, if nothing was executed |
/// | all others | never |
pub fn decide(failure: &Failure, retries: u32, effect: Effect) -> Decision {
    let (most, told) = match failure {
        Failure::RateLimited { after, .. } | Failure::Overloaded { after, .. } => {
            (RETRIES_WITHOUT_ROOM, *after)
        }
        Failure::Server { .. } => (RETRIES_WITHOUT_ROOM, None),
        Failure::Network { .. }
        | Failure::Cut { .. }
        | Failure::Timeout { .. }
        | Failure::Unreadable { .. } => (RETRIES_AFTER_FAULT, None),
        Failure::Auth { .. }
        | Failure::Quota { .. }
        | Failure::ContextLength { .. }
        | Failure::ModelUnknown { .. }
        | Failure::BadRequest { .. }
        | Failure::Refused { .. }
        | Failure::Cancelled => (0, None),
    };
    let wait = told.unwrap_or_else(|| Duration::from_secs(1 << retries.min(RETRIES_WITHOUT_ROOM)));
    if retries >= most || effect == Effect::Executed || wait > LONGEST_WAIT {
        return Decision::Stop;
    }
    Decision::Again(wait)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Decision, Effect, decide};
    use crate::failure::{Failure, Wait};

    /// The waits until it is told, in milliseconds.
    fn waits(failure: &Failure) -> Vec<u128> {
        let next = |retries| match decide(failure, retries, Effect::None) {
            Decision::Again(wait) => Some(wait.as_millis()),
            Decision::Stop => None,
        };
        (0..10).map_while(next).collect()
    }

    fn limited(after: Option<u64>) -> Failure {
        let after = after.map(Duration::from_millis);
        Failure::RateLimited { after, message: String::new() }
    }

    #[test]
    fn the_table() {
        let message = String::new;
        let second = Duration::from_secs(1);
        let none: &[u128] = &[];
        let cases: [(Failure, &[u128]); 16] = [
            (limited(None), &[1_000, 2_000, 4_000]),
            (limited(Some(34_400)), &[34_400; 3]),
            (limited(Some(60_000)), &[60_000; 3]),
            (limited(Some(61_000)), none),
            (
                Failure::Overloaded { status: 529, after: None, message: message() },
                &[1_000, 2_000, 4_000],
            ),
            (Failure::Server { status: 500, message: message() }, &[1_000, 2_000, 4_000]),
            (Failure::Network { message: message() }, &[1_000]),
            (Failure::Cut { message: message() }, &[1_000]),
            (Failure::Timeout { wait: Wait::Silence, after: second }, &[1_000]),
            (Failure::Unreadable { message: message() }, &[1_000]),
            (Failure::Auth { status: 401, message: message() }, none),
            (Failure::Quota { message: message() }, none),
            (Failure::ContextLength { message: message() }, none),
            (Failure::ModelUnknown { message: message(), nearest: Vec::new() }, none),
            (Failure::BadRequest { status: 400, message: message() }, none),
            (Failure::Cancelled, none),
        ];
        for (failure, expected) in &cases {
            assert_eq!(waits(failure), *expected, "{failure}");
            assert_eq!(decide(failure, 0, Effect::Executed), Decision::Stop, "{failure}");
        }
    }
}
