//! The unit files: what systemd's own checks say of them, and the daemon under a real systemd that
//! is booted in a container of this machine's own root folder.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "systemd/booted.rs"]
mod booted;
#[path = "systemd/fixture.rs"]
mod fixture;
#[path = "systemd/machine.rs"]
mod machine;
#[path = "systemd/units.rs"]
mod units;
