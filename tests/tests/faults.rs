//! The fault matrix: every fault around the daemon, and the result for its
//! caller. Each test names its row.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "faults/answer.rs"]
mod answer;
#[path = "faults/callers.rs"]
mod callers;
#[path = "faults/clock.rs"]
mod clock;
#[path = "faults/daemon_killed.rs"]
mod daemon_killed;
#[path = "faults/disk.rs"]
mod disk;
#[path = "faults/fixture.rs"]
mod fixture;
#[path = "faults/guard_killed.rs"]
mod guard_killed;
#[path = "faults/lifecycle.rs"]
mod lifecycle;
#[path = "faults/load.rs"]
mod load;
#[path = "faults/missing.rs"]
mod missing;
#[path = "faults/output.rs"]
mod output;
#[path = "faults/real_codex.rs"]
mod real_codex;
#[path = "faults/real_codex_silence.rs"]
mod real_codex_silence;
#[path = "faults/scarce.rs"]
mod scarce;
#[path = "faults/silence.rs"]
mod silence;
#[path = "faults/subreaper.rs"]
mod subreaper;
#[path = "faults/supervisor.rs"]
mod supervisor;
