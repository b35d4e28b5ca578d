//! The second way to drive Codex: `codex app-server`, one process for one turn (codex 0.145 to 0.169).
//!
//! JSON-RPC over stdin and stdout, one object a line, without the member `jsonrpc`. [`message`] reads what
//! the server says, [`request`] writes what it is told, [`check`] says whether a thread is as confined as
//! it was asked to be, [`exchange`] is the order of it all: pure, so that it is tested without a process. [`manuscript`] says how far a model
//! has written.
//!
//! What it yields are the events of `codex exec` ([`crate::event::Event`]), so that one
//! [`crate::turn::Turn`] and one classification serve both drivers.

pub(crate) mod check;
pub(crate) mod exchange;
mod keys;
pub(crate) mod manuscript;
pub(crate) mod message;
pub(crate) mod request;
