//! The trait of all models.

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
pub use tokio_util::sync::CancellationToken as Cancel;

use crate::catalogue::Limits;
use crate::event::Event;
use crate::failure::Failure;
use crate::id::ModelId;
use crate::request::Request;

/// The streamed events of an answer. The last item is always [`Event::End`] or a
/// [`Failure`].
pub type Events = BoxStream<'static, Result<Event, Failure>>;

/// A model that answers requests.
pub trait Model: Send + Sync {
    /// The model's id.
    fn id(&self) -> &ModelId;

    /// The model's limits.
    fn limits(&self) -> Limits;

    /// Sends `request`. The future completes when the answer begins.
    ///
    /// `cancel` ends the request at any time; the stream then ends with
    /// [`Failure::Cancelled`].
    ///
    /// # Errors
    /// Every [`Failure`] but [`Failure::Cut`] before the answer begins; the same and `Cut` in the
    /// stream.
    ///
    /// # Cancel safety
    /// Dropping the future or the stream ends the request and closes its connection.
    fn stream(&self, request: Request, cancel: Cancel) -> BoxFuture<'_, Result<Events, Failure>>;
}
