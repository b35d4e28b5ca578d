//! Models behind one trait: ids, a catalogue, neutral messages and events.
//!
//! Pure functions build a request from neutral messages, in one module per wire protocol, and
//! decoders that accept any input parse the response. The crate executes no tool,
//! opens no file (the catalogue is compiled in), reads no environment variable and prints nothing.

mod answer;
mod arguments;
mod catalogue;
pub mod estimate;
mod event;
mod failure;
mod http;
mod id;
mod key;
mod message;
mod model;
mod reply;
mod request;
mod retry;
mod sse;
mod wire;

pub use answer::{Answer, Asked, Collector};
pub use arguments::Arguments;
pub use catalogue::{
    ASSUMED_OUTPUT, ASSUMED_WINDOW, Catalogue, Limits, LongPrice, OutputLimit, Price, Protocol,
    ProviderEntry, Quirks, ToolCalling,
};
pub use event::{Event, Reason, Usage};
pub use failure::{Failure, Wait};
pub use http::{InvalidAddress, Proxy, RemoteModel, Settings, Times, tls_config};
pub use id::{InvalidId, ModelId, Provider};
pub use key::{InvalidKey, Key};
pub use message::{Call, CallResult, Content, Message, Opaque, Part};
pub use model::{Cancel, Events, Model};
pub use request::{Request, Tool};
pub use retry::{Decision, Effect, decide};
