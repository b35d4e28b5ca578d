//! A second, read-only connection to the database: queries of the pages do not wait for writes,
//! and writes do not wait for them. It is opened by the first query.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use tokio::sync::{Mutex, Semaphore};
use tokio::time::timeout;

use super::error::StoreError;

/// Maximum number of waiting queries; more are refused.
const WAITING_MAX: usize = 16;

/// Time limit of one query. A search through 10,000 runs takes a tenth of a second.
const QUESTION_LIMIT: Duration = Duration::from_secs(2);

/// A small cache, because the kernel caches pages of the file as well.
const PRAGMAS: &str =
    "PRAGMA query_only = ON; PRAGMA cache_size = -128; PRAGMA busy_timeout = 2000;";

/// The read-only connection. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Reader {
    path: PathBuf,
    state: Arc<Mutex<State>>,
    places: Arc<Semaphore>,
}

#[derive(Debug)]
enum State {
    /// No query was made yet.
    Unopened,
    Open(Connection),
    Closed,
}

impl Reader {
    /// A reader of the database at `path`; does not open it yet.
    pub(super) fn new(path: &Path) -> Self {
        let state = Arc::new(Mutex::new(State::Unopened));
        Self { path: path.to_owned(), state, places: Arc::new(Semaphore::new(WAITING_MAX)) }
    }

    /// Runs a query on a blocking thread, one query after the other.
    ///
    /// # Errors
    /// [`StoreError::Busy`] if too many are waiting or the query takes too long, else by cause.
    ///
    /// # Cancel safety
    /// The result of a dropped query is discarded.
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

    /// Closes the connection permanently.
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
