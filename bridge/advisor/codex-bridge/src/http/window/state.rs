//! What the pages are served with, and what their handlers share.

use std::net::SocketAddr;
use std::sync::Arc;

use jiff::Timestamp;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::feed::{Feed, STREAMS_MAX};
use crate::http::state::AppState;
use crate::window::condition::{LastLook, Surroundings};
use crate::window::court::Court;
use crate::window::name::WindowName;
use crate::window::sign_in::SignIn;
use crate::window::waits::Waits;

/// What the pages are served with.
#[derive(Debug)]
pub struct Window {
    /// The name of the host under which a browser opens them.
    pub name: WindowName,
    /// Who is signed in.
    pub sign_in: SignIn,
    /// Where the daemon listens.
    pub address: SocketAddr,
    /// Cancelled when the daemon stops serving: streams end then.
    pub stopping: CancellationToken,
    /// What the daemon was started with.
    pub surroundings: Surroundings,
}

/// What the handlers of pages share.
pub(super) struct Pages {
    pub(super) app: Arc<AppState>,
    pub(super) window: Window,
    /// The checks, as they were looked at last.
    pub(super) last_look: LastLook,
    /// What the court is asked with.
    pub(super) court: Arc<Court>,
    /// What waits for the user there.
    pub(super) waits: Arc<Waits>,
    /// What open pages are told.
    pub(super) feed: Feed,
    /// One permit for each stream.
    pub(super) streams: Arc<Semaphore>,
    /// When the daemon began, in milliseconds since 1970.
    pub(super) started_ms: i64,
}

impl Pages {
    /// Nothing was looked at yet, and no page is open.
    pub(super) fn new(app: Arc<AppState>, window: Window) -> Self {
        let court = Arc::new(Court::new(&window.surroundings.environment));
        Self {
            waits: Arc::new(Waits::new(Arc::clone(&court))),
            court,
            app,
            window,
            last_look: LastLook::default(),
            feed: Feed::default(),
            streams: Arc::new(Semaphore::new(STREAMS_MAX)),
            started_ms: Timestamp::now().as_millisecond(),
        }
    }
}
