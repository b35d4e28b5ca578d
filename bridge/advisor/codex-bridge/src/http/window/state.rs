//! State of the pages: its inputs, and what the handlers share.

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

/// Inputs of the pages.
#[derive(Debug)]
pub struct Window {
    /// The host name of the pages.
    pub name: WindowName,
    /// The signed-in browsers.
    pub sign_in: SignIn,
    /// Where the daemon listens.
    pub address: SocketAddr,
    /// Cancelled when the daemon stops serving, which ends the streams.
    pub stopping: CancellationToken,
    /// The daemon's configuration and environment.
    pub surroundings: Surroundings,
}

/// State shared by the handlers of pages.
pub(super) struct Pages {
    pub(super) app: Arc<AppState>,
    pub(super) window: Window,
    /// The cached result of the checks.
    pub(super) last_look: LastLook,
    /// Access to the court.
    pub(super) court: Arc<Court>,
    /// Requests in the court that wait for the user.
    pub(super) waits: Arc<Waits>,
    /// The updates for open pages.
    pub(super) feed: Feed,
    /// One permit per stream.
    pub(super) streams: Arc<Semaphore>,
    /// When the daemon started, in milliseconds since 1970.
    pub(super) started_ms: i64,
}

impl Pages {
    /// The initial state: no check has run, and no page is open.
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
