//! Drives Codex by `codex app-server`, one process per turn (codex 0.145 to 0.169).
//!
//! The protocol is JSON-RPC over stdin and stdout, one object per line, without the member `jsonrpc`. [`message`] parses
//! the server's messages, [`request`] builds ours, [`check`] checks that a thread is as confined as
//! requested, [`exchange`] is the protocol's state machine, pure, so that it is tested without a process.
//! [`manuscript`] tracks how far a model has written.
//!
//! The driver yields the events of `codex exec` ([`crate::event::Event`]), so that one
//! [`crate::turn::Turn`] and one classification serve both drivers.

pub(crate) mod check;
pub(crate) mod exchange;
mod keys;
pub(crate) mod manuscript;
pub(crate) mod message;
pub(crate) mod request;
