//! The client of the daemon: each request has a typed result and a time limit.
//!
//! A [`Client`] looks the daemon and its token up for each request, so that a daemon which restarts
//! on another port is found. Every outcome is the contract's: the result, or a [`Failure`]
//! of the daemon or `bridge_unreachable`, which only this crate creates and which says what to do.
//!
//! It is also the only place where a token leaves a program: a request is only sent over a
//! connection whose peer is known to be the user's.
//!
//! The locations of the daemon's files and the form of a token are defined in `host`. By design there is no TLS and no
//! pool of connections; and no process is started except a daemon: see [`launch`].
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
