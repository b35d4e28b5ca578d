//! Sign-in: open links, browser sessions, and form tokens. All of it is in
//! memory and lost when the daemon ends; of codes and cookies only hashes are kept.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::config::Secret;
use crate::store::clock::Clock;
use crate::token::Rights;

/// Lifetime of a link.
pub const LINK_TTL: Duration = Duration::from_secs(60);

/// Maximum number of open links; the oldest is dropped first.
const LINKS_MAX: usize = 3;

/// Maximum number of sessions; the least recently used is dropped first.
const SESSIONS_MAX: usize = 8;

/// Session timeout without a request.
const IDLE_MAX: Duration = Duration::from_secs(2 * 3600);

/// Random bytes of a code, a cookie and the key for form tokens.
const RANDOM_BYTES: usize = 32;

/// Characters of a code or a cookie: [`RANDOM_BYTES`] in base64 without padding.
const SECRET_CHARS: usize = 43;

type Hash = [u8; 32];

/// The links and sessions of one daemon.
pub struct SignIn {
    clock: Clock,
    /// Maximum lifetime of a session.
    longest: Duration,
    /// Key of the form tokens; generated at the start and never shown.
    key: [u8; RANDOM_BYTES],
    state: Mutex<State>,
    /// Counts how often sessions were ended before they expired.
    ended: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    /// Oldest first. Written by [`SignIn::open_link`], [`SignIn::enter`] and [`SignIn::revoke`].
    links: VecDeque<Link>,
    /// Written by [`SignIn::enter`], [`SignIn::leave`] and [`SignIn::revoke`].
    sessions: Vec<Session>,
}

struct Link {
    code: Hash,
    rights: Rights,
    /// The user who requested it, if it is another user than the daemon's.
    user: Option<u32>,
    made: Moment,
}

struct Session {
    cookie: Hash,
    /// The `Host` that it was begun under and is valid for.
    host: String,
    /// The user whose browser began it, where that is another than the daemon's: it is good for no other.
    user: Option<u32>,
    rights: Rights,
    begun: Moment,
    /// Time of the last request.
    seen: Moment,
}

/// A point in time on two clocks. The wall clock continues while the machine sleeps but may be set
/// back; the monotonic clock is never set.
#[derive(Clone, Copy)]
struct Moment {
    wall: Timestamp,
    machine: Instant,
}

impl Moment {
    /// Time passed since, by the clock that shows more.
    fn until(self, now: Self) -> Duration {
        let wall = Duration::try_from(now.wall.duration_since(self.wall)).unwrap_or_default();
        wall.max(now.machine.duration_since(self.machine))
    }
}

impl SignIn {
    /// Creates it without sessions. A session lasts `longest` at most.
    ///
    /// # Errors
    /// The system has no randomness.
    pub fn new(clock: Clock, longest: Duration) -> std::io::Result<Self> {
        let mut key = [0; RANDOM_BYTES];
        getrandom::fill(&mut key)?;
        Ok(Self { clock, longest, key, state: Mutex::default(), ended: watch::Sender::default() })
    }

    /// The code of a new link: valid once, for [`LINK_TTL`]. `user` is the user who requests it, if it is another
    /// user than the daemon's.
    ///
    /// # Errors
    /// The system has no randomness.
    pub fn open_link(&self, rights: Rights, user: Option<u32>) -> std::io::Result<Secret> {
        let code = secret()?;
        let made = self.now();
        let mut state = self.state();
        state.links.push_back(Link { code: hash(code.expose()), rights, user, made });
        if state.links.len() > LINKS_MAX {
            state.links.pop_front();
        }
        Ok(code)
    }

    /// Uses up the code and starts a session for this `Host`; returns its cookie. `None` if no open link has
    /// this code, or if another user presents it than the one who requested it: the arguments of a
    /// browser's process are visible to all users of a machine.
    ///
    /// # Errors
    /// The system has no randomness. The code stays valid then.
    pub fn enter(
        &self,
        code: &str,
        host: &str,
        user: Option<u32>,
    ) -> std::io::Result<Option<Secret>> {
        let cookie = secret()?;
        let (now, code) = (self.now(), hash(code));
        let mut state = self.state();
        state.links.retain(|link| link.made.until(now) < LINK_TTL);
        let may_use = |link: &Link| user.is_none() || link.user == user;
        let found = state.links.iter().position(|link| link.code == code && may_use(link));
        let Some(found) = found else { return Ok(None) };
        let Some(link) = state.links.remove(found) else { return Ok(None) };
        self.forget_ended(&mut state, now);
        if state.sessions.len() >= SESSIONS_MAX {
            let longest_ago = state.sessions.iter().enumerate();
            let longest_ago = longest_ago.max_by_key(|(_, session)| session.seen.until(now));
            if let Some((place, _)) = longest_ago {
                state.sessions.remove(place);
            }
        }
        let host = host.to_ascii_lowercase();
        let (cookie_hash, rights) = (hash(cookie.expose()), link.rights);
        let user = user.or(link.user);
        let session = Session { cookie: cookie_hash, host, user, rights, begun: now, seen: now };
        state.sessions.push(session);
        Ok(Some(cookie))
    }

    /// What the session of this cookie under this `Host` may see, and that it was used now. `user` comes with it, where
    /// that is another than the daemon's: cookies know no ports, so that a browser gives them to whoever listens on
    /// another port under the same name.
    #[must_use]
    pub fn visit(&self, cookie: &str, host: &str, user: Option<u32>) -> Option<Rights> {
        let now = self.now();
        let mut state = self.state();
        self.forget_ended(&mut state, now);
        let session = find(&mut state.sessions, cookie, host)?;
        if user.is_some() && user != session.user {
            return None;
        }
        session.seen = now;
        Some(session.rights)
    }

    /// Whether the session with this cookie exists; does not count as use of it.
    #[must_use]
    pub fn is_signed_in(&self, cookie: &str, host: &str) -> bool {
        let now = self.now();
        let mut state = self.state();
        self.forget_ended(&mut state, now);
        find(&mut state.sessions, cookie, host).is_some()
    }

    /// Ends the session with this cookie.
    pub fn leave(&self, cookie: &str) {
        let cookie = hash(cookie);
        self.state().sessions.retain(|session| session.cookie != cookie);
        self.ended.send_modify(|times| *times += 1);
    }

    /// Changes each time sessions are ended by the user or revoked.
    #[must_use]
    pub fn ended(&self) -> watch::Receiver<u64> {
        self.ended.subscribe()
    }

    /// Ends every session and every open link; returns the number of sessions.
    pub fn revoke(&self) -> usize {
        let now = self.now();
        let mut state = self.state();
        self.forget_ended(&mut state, now);
        state.links.clear();
        let sessions = std::mem::take(&mut state.sessions).len();
        drop(state);
        self.ended.send_modify(|times| *times += 1);
        sessions
    }

    /// The token that a form on a page of this session must contain to post to `path`. `secret` is the cookie, or
    /// the code of a link.
    #[must_use]
    pub fn form_token(&self, secret: &str, path: &str) -> String {
        URL_SAFE_NO_PAD.encode(self.form_mac(secret, path).finalize().into_bytes())
    }

    /// Whether the token is correct; compared in constant time.
    #[must_use]
    pub fn is_form_token(&self, given: &str, secret: &str, path: &str) -> bool {
        let given = URL_SAFE_NO_PAD.decode(given).unwrap_or_default();
        self.form_mac(secret, path).verify_slice(&given).is_ok()
    }

    fn form_mac(&self, secret: &str, path: &str) -> Hmac<Sha256> {
        let mac = Hmac::<Sha256>::new_from_slice(&self.key).expect("a key may have any length");
        // A secret contains no line end, so two different pairs never give the same text.
        mac.chain_update(secret).chain_update("\n").chain_update(path)
    }

    fn forget_ended(&self, state: &mut State, now: Moment) {
        state.sessions.retain(|session| {
            session.begun.until(now) < self.longest && session.seen.until(now) < IDLE_MAX
        });
    }

    fn now(&self) -> Moment {
        Moment { wall: self.clock.now(), machine: Instant::now() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is complete before the lock is released.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SignIn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SignIn(..)")
    }
}

/// Whether a text has the form of a code or a cookie. Other texts are not hashed.
#[must_use]
pub fn is_secret(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.len() == SECRET_CHARS && text.bytes().all(is_letter)
}

/// The hashes are of random secrets unknown to a caller, so the time of comparing them
/// reveals nothing about a secret.
fn find<'s>(sessions: &'s mut [Session], cookie: &str, host: &str) -> Option<&'s mut Session> {
    let cookie = hash(cookie);
    let is_it = |session: &&mut Session| {
        session.cookie == cookie && session.host.eq_ignore_ascii_case(host)
    };
    sessions.iter_mut().find(is_it)
}

fn secret() -> std::io::Result<Secret> {
    let mut bytes = [0; RANDOM_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(Secret::new(URL_SAFE_NO_PAD.encode(bytes)))
}

fn hash(secret: &str) -> Hash {
    Sha256::digest(secret).into()
}

#[cfg(test)]
mod tests;
