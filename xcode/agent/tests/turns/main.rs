//! Turns of a session against scripted models over real sockets, with a scripted host.

mod answers;
mod anything;
mod calls;
mod compaction;
mod eyes;
mod failures;
mod interrupts;
mod planning;
mod requests;
mod rules;
mod secrets;
mod stage;
mod undo;
mod users;
