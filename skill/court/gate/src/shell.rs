//! Following a shell command: every simple command at any depth, with its words expanded as far as
//! they are known, its wrappers unwrapped and its payloads read. Not here: what a command means (see
//! `commands`); nothing is ever executed.

mod arithmetic;
mod brace;
mod expand;
mod files;
mod fork_bomb;
mod parameter;
mod redirect;
mod simple;
mod state;
mod walk;

pub(crate) use crate::field::{Field, Taint, UNKNOWN};
pub(crate) use crate::pattern::matches;
pub(crate) use redirect::Mode;
pub(crate) use state::Value;
pub(crate) use walk::{Flow, Io, Walker};

use crate::limits::Limit;

/// What a step of the walk gives: nothing stops it but a limit.
pub(crate) type Step<T = ()> = Result<T, Limit>;
