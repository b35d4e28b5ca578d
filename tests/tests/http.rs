//! The HTTP surface from outside: raw sockets against a live listener.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "http/answers.rs"]
mod answers;
#[path = "http/connection.rs"]
mod connection;
#[path = "http/framing.rs"]
mod framing;
#[path = "http/load.rs"]
mod load;
#[path = "http/surface.rs"]
mod surface;
#[path = "http/wire.rs"]
mod wire;
