//! Limits the connections of other users, and closes some of them when no slot is left.
//!
//! Every user of this machine can connect to a TCP port. A connection that has not presented a token yet costs
//! its user nothing but occupies a slot, so each other user has a bounded share of such connections; connections
//! over the share are closed at once. Connections that have presented a token do not count, and neither do
//! those of this user or root.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use host::socket_owner::Owner;
use tokio_util::sync::CancellationToken;

/// The user who opened a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Opener {
    /// This user, or root, who can read the token anyway.
    Own,
    /// Another user.
    User(u32),
    /// The kernel does not say. It may be this user, so the share is unlimited; but the oldest connection
    /// can still be closed when no slot is left.
    Unknown,
}

impl Opener {
    /// The opener for the owner of the peer's socket.
    pub(super) fn of(owner: Owner) -> Self {
        let own = rustix::process::geteuid().as_raw();
        match owner {
            Owner::User(user) if user == own || user == 0 => Self::Own,
            Owner::User(user) => Self::User(user),
            Owner::Nobody | Owner::Unknown => Self::Unknown,
        }
    }
}

/// The connections without a presented token, by opener.
#[derive(Debug, Clone)]
pub(super) struct Shares {
    waiting: Arc<Mutex<Waiting>>,
    /// Maximum number of such connections of one other user.
    max: usize,
}

#[derive(Debug, Default)]
struct Waiting {
    /// Sequence number of the next connection; the oldest has the lowest number.
    next: u64,
    /// Token to close each connection. Written by [`Shares`], [`Proof`] and [`ConnectionSlot`].
    of: HashMap<Opener, BTreeMap<u64, CancellationToken>>,
}

/// Registration of a connection; removed when dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    proof: Proof,
    /// Cancelled to close the connection.
    pub(super) cut: CancellationToken,
}

/// Records that a connection has presented a token. An extension of its requests.
#[derive(Debug, Clone)]
pub(super) struct Proof {
    shares: Shares,
    opener: Opener,
    number: u64,
}

impl Shares {
    /// Allows each other user `max` connections without a token.
    pub(super) fn new(max: usize) -> Self {
        Self { waiting: Arc::default(), max: max.max(1) }
    }

    /// Registers a connection; `None` if its opener's share is used up.
    pub(super) fn enter(&self, opener: Opener) -> Option<ConnectionSlot> {
        let cut = CancellationToken::new();
        let mut waiting = self.lock();
        let number = waiting.next;
        waiting.next += 1;
        if opener != Opener::Own {
            let of_opener = waiting.of.entry(opener).or_default();
            if matches!(opener, Opener::User(_)) && of_opener.len() >= self.max {
                return None;
            }
            of_opener.insert(number, cut.clone());
        }
        Some(ConnectionSlot { proof: Proof { shares: self.clone(), opener, number }, cut })
    }

    /// Closes the oldest connection of the opener with the most connections, which frees its slot.
    pub(super) fn make_room(&self) {
        let mut waiting = self.lock();
        let most = waiting.of.values_mut().max_by_key(|of_opener| of_opener.len());
        if let Some((_, cut)) = most.and_then(BTreeMap::pop_first) {
            cut.cancel();
        }
    }

    fn leave(&self, opener: Opener, number: u64) {
        let mut waiting = self.lock();
        if let Some(of_opener) = waiting.of.get_mut(&opener) {
            of_opener.remove(&number);
            if of_opener.is_empty() {
                waiting.of.remove(&opener);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Each change is one step, so a panic elsewhere cannot leave an inconsistent state.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionSlot {
    /// The proof for the connection's requests.
    pub(super) fn proof(&self) -> Proof {
        self.proof.clone()
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.proof.proven();
    }
}

impl Proof {
    /// The user who opened the connection, if it is another user than ours.
    pub(super) fn other_user(&self) -> Option<u32> {
        match self.opener {
            Opener::User(user) => Some(user),
            Opener::Own | Opener::Unknown => None,
        }
    }

    /// Marks the connection as authenticated: it is no longer closed to free a slot.
    pub(super) fn proven(&self) {
        self.shares.leave(self.opener, self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(shares: &Shares, opener: Opener, count: usize) -> Vec<ConnectionSlot> {
        (0..count).filter_map(|_| shares.enter(opener)).collect()
    }

    fn cut(places: &[ConnectionSlot]) -> Vec<bool> {
        places.iter().map(|place| place.cut.is_cancelled()).collect()
    }

    #[test]
    fn another_user_has_a_share_and_this_one_no_limit() {
        let shares = Shares::new(2);
        let others = places(&shares, Opener::User(7), 4);
        assert_eq!(cut(&others), [false; 2], "two of four");
        assert_eq!(places(&shares, Opener::User(8), 3).len(), 2);
        assert_eq!(places(&shares, Opener::Own, 4).len(), 4);
        assert_eq!(places(&shares, Opener::Unknown, 4).len(), 4);
        drop(others);
        assert_eq!(places(&shares, Opener::User(7), 4).len(), 2);
    }

    #[test]
    fn what_has_shown_a_token_does_not_count_and_is_not_cut() {
        let shares = Shares::new(2);
        let first = shares.enter(Opener::User(7)).unwrap();
        first.proof().proven();
        let others = places(&shares, Opener::User(7), 3);
        for _ in 0..3 {
            shares.make_room();
        }
        assert_eq!(cut(&others), [true; 2]);
        assert!(!first.cut.is_cancelled());
    }

    #[test]
    fn whoever_has_most_makes_room() {
        let shares = Shares::new(8);
        let few = places(&shares, Opener::User(7), 2);
        let many = places(&shares, Opener::Unknown, 3);
        let own = places(&shares, Opener::Own, 9);
        shares.make_room();
        assert_eq!((cut(&few), cut(&many)), (vec![false; 2], vec![true, false, false]));
        assert_eq!(cut(&own), [false; 9]);
        drop((few, many));
        shares.make_room();
        assert_eq!(cut(&own), [false; 9]);
        assert!(shares.lock().of.is_empty());
    }

    #[test]
    fn the_kernels_word_says_who_opened_a_connection() {
        let own = rustix::process::geteuid().as_raw();
        assert_eq!(Opener::of(Owner::User(own)), Opener::Own);
        assert_eq!(Opener::of(Owner::User(0)), Opener::Own);
        assert_eq!(Opener::of(Owner::User(own + 1)), Opener::User(own + 1));
        assert_eq!(Opener::of(Owner::Unknown), Opener::Unknown);
        assert_eq!(Opener::of(Owner::Nobody), Opener::Unknown);
    }
}
