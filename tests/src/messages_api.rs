//! The mock model as the real Claude Code client needs it: a script about the main agent and its
//! sub-agents, which stands in for the model when a test runs that client. Every request of the client is kept, so that a test can say what the
//! model was shown.
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
//! answers the main agent (or a sub-agent) once its conversation holds so many answers already. The
//! conversation itself is the counter, so that a request which the client repeats gets the same reply,
//! sub-agents that run side by side do not disturb one another, and a resumed session goes on where it
//! was. A request that no rule wants, or whose calls and results are not in pairs, is refused with
//! 400, which the client does not repeat and the test sees as the run's result.
//!
//! Absent by design: judgement. Nothing here reads a prompt as a model would.

mod request;
mod script;
mod server;

pub use request::{Agent, Request};
pub use script::{Reply, Script};
pub use server::MessagesApi;
