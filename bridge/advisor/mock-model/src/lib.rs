//! A scripted model provider on loopback, for demos and tests. Real clients use it like
//! a provider; no model is involved, and the answers say so.
//!
//! It supports four protocols ([`Protocol`]): OpenAI's Responses and Chat Completions (with the
//! deviations of compatible providers, [`Dialect`]), Anthropic's Messages, and Google's
//! generateContent. The route selects the protocol; a script defines the answer independently of it
//! ([`Turn`]). Faults are part of the script: errors, delays, cuts and silence at any
//! event, bodies in chunks of any size ([`Reply`], [`Fault`]). A request whose calls and results
//! are not in pairs is refused as the provider would refuse it, whatever the script says.
//!
//! ```
//! use mock_model::{Fault, MockModel, Reply, Script, Trouble, Turn};
//! use serde_json::json;
//!
//! # async fn example() -> std::io::Result<()> {
//! let look = Turn::text("I look first.").and_call("readFile", &json!({ "filePath": "a.rs" }));
//! let cut = Reply::Turn(Turn::text("Done.")).with(Fault::before_end(Trouble::Cut));
//! let mock = MockModel::local(Script::sequence([look.in_pieces(3).into(), cut], Reply::Empty)).await?;
//! // A client asks mock.origin() + "/v1/messages", or base_url() + "/chat/completions".
//! assert_eq!((mock.request_count(), mock.refusals().len()), (0, 0));
//! # Ok(()) }
//! ```
//!
//! It knows the form of a question to the advisor, and nothing of our other crates: they treat
//! its answers as those of any provider.

pub mod advice;
mod asked;
pub mod cli;
mod delivery;
pub mod dialect;
mod event;
mod fault;
mod provider_error;
pub mod question;
pub mod record;
mod reply;
pub mod script;
mod server;
pub mod turn;
pub mod wire;

pub use asked::{Asked, Form, MODEL, Protocol};
pub use cli::main;
pub use dialect::Dialect;
pub use event::{Event, Events};
pub use fault::{At, Fault, LineEnd, Trouble};
pub use provider_error::{ErrorKind, ProviderError};
pub use record::Recorded;
pub use reply::{Beat, Hang, Reply};
pub use script::Script;
pub use server::MockModel;
pub use turn::{End, Part, Piece, Turn, USAGE, Usage};
