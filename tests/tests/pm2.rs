//! The daemon under the real pm2, by the `ecosystem.config.js` that users get: when it counts as
//! started, what a death or a restart costs, what is logged, and what pm2 keeps.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "pm2/fixture.rs"]
mod fixture;
#[path = "pm2/life.rs"]
mod life;
#[path = "pm2/log.rs"]
mod log;
#[path = "pm2/real_codex.rs"]
mod real_codex;
#[path = "pm2/secrets.rs"]
mod secrets;
