//! `GET /window/events`: the progress of all runs, as one stream of server-sent events for each open
//! page. A slow reader gets only the latest state.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::response::sse::{self, Sse};
use axum::response::{IntoResponse, Response};
use contract::failure::FailureCode;
use futures_util::stream;
use jiff::Timestamp;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::timeout;
use window::view::{LiveRun, Queue};
use window::{LIVE_EVENT, Lang, Live};

use super::feed::Told;
use super::session::Session;
use super::state::Pages;
use super::visitor::Visitor;
use crate::http::failure::Rejection;

/// Delay after which a browser reconnects.
const RETRY: Duration = Duration::from_secs(2);

/// Idle time after which a comment is sent, to detect a dead peer.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// One stream.
struct Reader {
    pages: Arc<Pages>,
    told: watch::Receiver<Told>,
    /// Changes when sessions are ended.
    ended: watch::Receiver<u64>,
    session: Session,
    lang: Lang,
    is_first: bool,
    /// The last sent version and queue, if nothing ran.
    idle: Option<(u64, Queue)>,
    _place: OwnedSemaphorePermit,
}

pub(super) async fn events(
    State(pages): State<Arc<Pages>>,
    Extension(session): Extension<Session>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Rejection> {
    let place = Arc::clone(&pages.streams).try_acquire_owned().map_err(|_| {
        Rejection::new(FailureCode::Overloaded, "too many pages are open; close some")
    })?;
    let mut told = pages.feed.subscribe(&pages.app.service, &pages.waits);
    // Send the existing snapshot first.
    told.mark_changed();
    let reader = Reader {
        told,
        ended: pages.window.sign_in.ended(),
        pages,
        session,
        lang: visitor.lang,
        is_first: true,
        idle: None,
        _place: place,
    };
    let events = stream::unfold(reader, async |mut reader| {
        let event = reader.next().await?;
        Some((Ok::<_, Infallible>(event), reader))
    });
    Ok(Sse::new(events).into_response())
}

impl Reader {
    /// The next event; `None` once the session or the daemon ends.
    async fn next(&mut self) -> Option<sse::Event> {
        loop {
            let sign_in = &self.pages.window.sign_in;
            if !sign_in.is_signed_in(self.session.cookie.expose(), &self.session.host) {
                return None;
            }
            // Every arm is cancel safe: a watch keeps its change.
            let news = tokio::select! {
                () = self.pages.window.stopping.cancelled() => return None,
                ended = self.ended.changed() => match ended {
                    Ok(()) => continue,
                    Err(_) => return None,
                },
                news = timeout(KEEP_ALIVE, self.told.changed()) => news,
            };
            match news {
                Err(_) => return Some(sse::Event::default().comment("")),
                Ok(Err(_)) => return None,
                Ok(Ok(())) => {}
            }
            let told = self.told.borrow_and_update().clone();
            let Some(snapshot) = told else { continue };
            let rights = self.session.rights;
            let runs = snapshot.shown(rights);
            // Both only grow, so the sum changes with either.
            let version = snapshot.version + self.pages.waits.version(rights);
            // While something runs, the times change in any case.
            let idle = runs.is_empty().then_some((version, snapshot.queue));
            if idle.is_some() && idle == self.idle {
                continue;
            }
            self.idle = idle;
            return Some(self.event(version, snapshot.queue, &runs));
        }
    }

    fn event(&mut self, version: u64, queue: Queue, runs: &[LiveRun]) -> sse::Event {
        let data = Live { version, queue, runs }.data(self.lang, Timestamp::now().as_millisecond());
        let event = sse::Event::default().event(LIVE_EVENT).data(data);
        if std::mem::take(&mut self.is_first) { event.retry(RETRY) } else { event }
    }
}
