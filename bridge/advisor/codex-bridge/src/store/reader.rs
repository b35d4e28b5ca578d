//! A second connection to the database, which only reads: what the pages ask never waits for a write,
//! and no write waits for it. It is opened at the first question.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use tokio::sync::{Mutex, Semaphore};
use tokio::time::timeout;

use super::error::StoreError;

/// Questions that may wait; more are refused.
const WAITING_MAX: usize = 16;

/// Longest time for one question. A search through 10,000 runs takes a tenth of a second.
const QUESTION_LIMIT: Duration = Duration::from_secs(2);

/// A small cache: pages of the file are cached by the kernel as well.
const PRAGMAS: &str =
    "PRAGMA query_only = ON; PRAGMA cache_size = -128; PRAGMA busy_timeout = 2000;";

/// The connection that reads. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Reader {
    path: PathBuf,
    state: Arc<Mutex<State>>,
    places: Arc<Semaphore>,
}

#[derive(Debug)]
enum State {
    /// No question was asked yet.
    Unopened,
    Open(Connection),
    Closed,
}

impl Reader {
    /// A reader of the database at `path`, which it does not open yet.
    pub(super) fn new(path: &Path) -> Self {
        let state = Arc::new(Mutex::new(State::Unopened));
        Self { path: path.to_owned(), state, places: Arc::new(Semaphore::new(WAITING_MAX)) }
    }

    /// Asks on a thread where it may block, one question after the other.
    ///
    /// # Errors
    /// [`StoreError::Busy`] where too many wait or the question takes too long, else by cause.
    ///
    /// # Cancel safety
    /// A dropped question is answered to no one.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| StoreError::Busy)?;
        let mut state = Arc::clone(&self.state).lock_owned().await;
        if let State::Unopened = *state {
            *state = State::Open(open(&self.path)?);
        }
        let State::Open(connection) = &*state else { return Err(StoreError::Closed) };
        let interrupt = connection.get_interrupt_handle();
        let mut asked = tokio::task::spawn_blocking(move || {
            let _place = place;
            match &*state {
                State::Open(connection) => question(connection),
                State::Unopened | State::Closed => Err(StoreError::Closed),
            }
        });
        let answer = match timeout(QUESTION_LIMIT, &mut asked).await {
            Ok(answer) => answer,
            Err(_) => {
                interrupt.interrupt();
                asked.await
            }
        };
        answer.unwrap_or(Err(StoreError::Closed))
    }

    /// Closes the connection for good.
    pub(super) async fn close(&self) {
        *self.state.lock().await = State::Closed;
    }
}

fn open(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.execute_batch(PRAGMAS)?;
    Ok(connection)
}
