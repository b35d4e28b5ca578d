//! Serves the script through the mock model, and records the requests.

use std::io;

use mock_model::{MockModel, Protocol, ProviderError, Recorded};

use super::request::Request;
use super::script::Script;

/// The API, which serves until it is dropped.
#[derive(Debug)]
pub struct MessagesApi {
    url: String,
    mock: MockModel,
}

impl MessagesApi {
    /// Serves the script on a free port.
    ///
    /// # Errors
    /// No port can be bound.
    pub async fn start(script: Script) -> io::Result<Self> {
        let answer = move |recorded: &Recorded| {
            let request = Request::of(recorded);
            match script.reply(&request) {
                Some(reply) => mock_model::Reply::Turn(reply.turn),
                None => ProviderError::bad_request(format!(
                    "the script says nothing to {:?} at turn {}",
                    request.agent,
                    request.turn()
                ))
                .into(),
            }
        };
        let mock = MockModel::local(mock_model::Script::choose(answer)).await?;
        Ok(Self { url: mock.origin(), mock })
    }

    /// The value for `ANTHROPIC_BASE_URL`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// All requests to `/v1/messages` so far, in the order of arrival.
    ///
    /// # Panics
    /// There were so many that the mock model dropped the oldest.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        let count = self.mock.request_count();
        let all = self.mock.requests();
        assert!(count <= all.len() as u64, "the oldest requests are gone");
        let asked = all.iter().filter(|recorded| recorded.protocol() == Some(Protocol::Messages));
        asked.map(Request::of).collect()
    }
}
