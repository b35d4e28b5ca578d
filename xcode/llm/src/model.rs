//! The one trait behind which every model is asked.

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
pub use tokio_util::sync::CancellationToken as Cancel;

use crate::catalogue::Limits;
use crate::event::Event;
use crate::failure::Failure;
use crate::id::ModelId;
use crate::request::Request;

/// What a request gives while it comes. The last item is [`Event::End`] or a [`Failure`]; a stream
/// that ends otherwise does not exist.
pub type Events = BoxStream<'static, Result<Event, Failure>>;

/// A model that can be asked.
pub trait Model: Send + Sync {
    /// Which model it is.
    fn id(&self) -> &ModelId;

    /// What fits into it.
    fn limits(&self) -> Limits;

    /// Sends `request`. The future is ready when the answer begins.
    ///
    /// `cancel` ends the request at any time, then and later; the stream then ends in
    /// [`Failure::Cancelled`].
    ///
    /// # Errors
    /// Every [`Failure`] but [`Failure::Cut`] before the answer begins; the same and `Cut` in the
    /// stream.
    ///
    /// # Cancel safety
    /// Dropping the future or the stream ends the request and its connection.
    fn stream(&self, request: Request, cancel: Cancel) -> BoxFuture<'_, Result<Events, Failure>>;
}
