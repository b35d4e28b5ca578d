//! Models behind one trait: ids, a catalogue, neutral messages and events.
//!
//! A request is made from neutral messages by pure functions, one room for each wire protocol, and
//! what comes back is read by decoders that no input can make fail. The crate executes no tool,
//! opens no file (the catalogue is compiled in), reads no environment variable and prints nothing.

mod answer;
mod arguments;
mod catalogue;
pub mod estimate;
mod event;
mod id;
mod message;
mod request;
#[cfg_attr(not(test), expect(dead_code, reason = "the client that uses it follows"))]
mod sse;
#[cfg_attr(not(test), expect(dead_code, reason = "the client that uses it follows"))]
mod wire;

pub use answer::{Answer, Asked, Collector};
pub use arguments::Arguments;
pub use catalogue::{
    ASSUMED_OUTPUT, ASSUMED_WINDOW, Catalogue, Limits, LongPrice, OutputLimit, Price, Protocol,
    ProviderEntry, Quirks, ToolCalling,
};
pub use event::{Event, Reason, Usage};
pub use id::{InvalidId, ModelId, Provider};
pub use message::{Call, CallResult, Content, Message, Opaque, Part};
pub use request::{Request, Tool};
