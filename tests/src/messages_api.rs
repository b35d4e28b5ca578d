//! The mock model for the real Claude Code client: a script for the main agent and its
//! sub-agents, which replaces the model when a test runs that client. All requests of the client are recorded, so that a
//! test can check what the model received.
//!
//! ```no_run
//! # async fn example() -> std::io::Result<()> {
//! use serde_json::json;
//! use tests::messages_api::{MessagesApi, Reply, Script};
//!
//! let script = Script::new()
//!     .main(|_| Reply::tool("Bash", json!({"command": "date", "description": "ask the clock"})))
//!     .main(|request| Reply::text(format!("It is {}.", request.last_result())));
//! let api = MessagesApi::start(script).await?;
//! // Run the client with ANTHROPIC_BASE_URL = api.url(), then look at what it sent:
//! assert_eq!(api.requests().len(), 2);
//! # Ok(()) }
//! ```
//!
//! A [`Script`] is a list of rules; the first that applies answers. The usual rule is a *turn*: it
//! answers the main agent (or a sub-agent) when its conversation has a certain number of answers already. The
//! conversation itself is the counter, so that a request which the client repeats gets the same reply,
//! concurrent sub-agents do not affect one another, and a resumed session continues where it
//! was. A request for which no rule applies, or whose calls and results are not in pairs, is refused with
//! 400, which the client does not repeat and the test sees as the run's result.
//!
//! By design there is no judgement: nothing here interprets a prompt as a model would.

mod request;
mod script;
mod server;

pub use request::{Agent, Request};
pub use script::{Reply, Script};
pub use server::MessagesApi;
