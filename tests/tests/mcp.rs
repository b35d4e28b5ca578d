//! `codex-bridge mcp` and `ci mcp` from outside: with the official TypeScript SDK as its client, and by hand.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "mcp/ci.rs"]
mod ci;
#[path = "mcp/fixture.rs"]
mod fixture;
#[path = "mcp/raw.rs"]
mod raw;
#[path = "mcp/sdk.rs"]
mod sdk;
