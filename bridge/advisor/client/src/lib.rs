//! How callers reach the daemon: one call, one typed answer, and never for ever.
//!
//! A [`Client`] finds the daemon and its token anew for each call, so that a daemon which comes back
//! on another port is found. Every outcome is the contract's: what was asked for, or a [`Failure`],
//! the daemon's or `bridge_unreachable`, which only this crate makes and which says what to do.
//!
//! It is also the one door through which a token leaves a program: a request is only sent over a
//! connection whose other end is known to be the user's.
//!
//! Where a daemon keeps its files, and what a token is, is `host`'s. Absent by design: TLS, a pool of
//! connections; and no process starts but a daemon: see [`launch`].
//!
//! [`Failure`]: contract::failure::Failure

pub mod exit;
pub mod markdown;

pub mod address;
pub mod discovery;
pub mod launch;
mod spent;

mod connection;
mod error;
mod listener_owner;

mod client;
mod follow;
mod orchestrate;
mod stream;

pub use client::{Client, Health, Presence, RunQuery};
pub use discovery::{ConnectOptions, Discovery, Found, Origin, Remote};
pub use follow::{Follow, Followed};
pub use orchestrate::TurnNews;
