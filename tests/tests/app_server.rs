//! The second driver: the real Codex's app-server with a scripted provider, beside `codex exec`; and servers
//! that do what Codex's does not.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "app_server/fake_server.rs"]
mod fake_server;
#[path = "app_server/fixture.rs"]
mod fixture;
#[path = "app_server/real_codex.rs"]
mod real_codex;
