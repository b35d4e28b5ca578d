//! A client of the daemon, like any other program: sends requests with a token, and returns the responses unchanged.

use std::time::Duration;

use contract::failure::{Failure, FailureCode};
use reqwest::header::HeaderMap;
use reqwest::{Method, RequestBuilder};
use serde_json::Value;

/// More than every deadline that a test sets: a request that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(90);

/// Less than the two seconds after which the daemon closes an idle connection: a request must not be sent on
/// a connection that is being closed.
const IDLE_LIMIT: Duration = Duration::from_secs(1);

/// A client of one daemon.
#[derive(Debug, Clone)]
pub struct Client {
    address: String,
    token: String,
    http: reqwest::Client,
}

/// A complete response.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as JSON; as a JSON string if it is not JSON.
    pub body: Value,
}

impl Client {
    /// A client of the daemon at `address` (`host:port`).
    ///
    /// # Errors
    /// The HTTP client cannot be built.
    pub fn new(address: &str, token: &str) -> reqwest::Result<Self> {
        let http = reqwest::Client::builder()
            .timeout(LIMIT)
            .pool_idle_timeout(IDLE_LIMIT)
            .no_proxy()
            .build()?;
        Ok(Self { address: address.to_owned(), token: token.to_owned(), http })
    }

    /// `host:port`.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The token that it sends.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// A request with the token only.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.bare(method, path).bearer_auth(&self.token)
    }

    /// A request without the token.
    pub fn bare(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("http://{}{path}", self.address))
    }

    /// `POST /analyze` that waits for the outcome.
    ///
    /// # Errors
    /// There was no response.
    pub async fn analyze(&self, input: &Value) -> reqwest::Result<Answer> {
        send(self.request(Method::POST, "/analyze").json(input)).await
    }

    /// `POST /analyze` that only starts the run.
    ///
    /// # Errors
    /// There was no response.
    pub async fn analyze_async(&self, input: &Value) -> reqwest::Result<Answer> {
        let request = self.request(Method::POST, "/analyze").header("prefer", "respond-async");
        send(request.json(input)).await
    }

    /// `GET path`.
    ///
    /// # Errors
    /// There was no response.
    pub async fn get(&self, path: &str) -> reqwest::Result<Answer> {
        send(self.request(Method::GET, path)).await
    }

    /// `DELETE path`.
    ///
    /// # Errors
    /// There was no response.
    pub async fn delete(&self, path: &str) -> reqwest::Result<Answer> {
        send(self.request(Method::DELETE, path)).await
    }
}

/// Sends the request and reads the whole response.
///
/// # Errors
/// There was no response.
pub async fn send(request: RequestBuilder) -> reqwest::Result<Answer> {
    let response = request.send().await?;
    let status = response.status().as_u16();
    let headers = response.headers().clone();
    let text = response.text().await?;
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Ok(Answer { status, headers, body })
}

impl Answer {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body as a failure of the contract.
    ///
    /// # Errors
    /// The body is not a failure.
    pub fn failure(&self) -> serde_json::Result<Failure> {
        serde_json::from_value(self.body.clone())
    }

    /// The failure's code, if the body is a failure.
    #[must_use]
    pub fn code(&self) -> Option<FailureCode> {
        self.failure().ok().map(|failure| failure.error.code)
    }
}
