//! Codex prints too much, or invalid output.

use std::fs;
use std::time::Duration;

use crate::fixture::{ask, fake, memory_kib, question};

const DEADLINE: Duration = Duration::from_secs(60);

/// The promise for the daemon's memory whatever Codex prints.
const GROWTH_MAX_KIB: u64 = 16 << 10;

/// How far the daemon's memory rises at most while it answers a question in this mode.
async fn growth_kib(mode: &str, verdict: &str) -> u64 {
    let daemon = fake().start().await.unwrap();
    assert_eq!(ask(&daemon, &question("ok", DEADLINE)).await.verdict(), "200 advice, 1 attempts");
    // "5" sets the high-water mark back (proc_pid_clear_refs(5)).
    fs::write(format!("/proc/{}/clear_refs", daemon.pid()), "5").unwrap();
    let before = memory_kib(daemon.pid(), "VmRSS");
    let asked = ask(&daemon, &question(mode, DEADLINE)).await;
    assert_eq!(asked.verdict(), verdict, "{mode}");
    memory_kib(daemon.pid(), "VmHWM").saturating_sub(before)
}

/// Row 5.
#[tokio::test]
async fn a_gigabyte_of_output_is_cut_and_costs_no_memory() {
    let growth = growth_kib("flood 1073741824", "502 output_limit, 1 attempts").await;
    assert!(growth < GROWTH_MAX_KIB, "{growth} KiB");
}

/// Row 6.
#[tokio::test]
async fn a_line_of_50_megabytes_is_skipped_and_the_rest_is_read() {
    let growth = growth_kib("longline 50000000", "200 advice, 1 attempts").await;
    assert!(growth < GROWTH_MAX_KIB, "{growth} KiB");
}

/// Row 7.
#[tokio::test]
async fn a_flood_on_stderr_stops_nothing() {
    let growth = growth_kib("stderrflood 209715200", "200 advice, 1 attempts").await;
    assert!(growth < GROWTH_MAX_KIB, "{growth} KiB");
}

/// Row 8.
#[tokio::test]
async fn odd_lines_are_skipped_and_the_answer_is_read() {
    let daemon = fake().start().await.unwrap();
    for mode in ["badutf8", "notjson", "unknown-events", "duplicate-keys", "warnings"] {
        let asked = ask(&daemon, &question(mode, DEADLINE)).await;
        assert_eq!(asked.verdict(), "200 advice, 1 attempts", "{mode}");
    }
}

/// Rows 6 and 8: what was skipped is counted where an operator looks.
#[tokio::test]
async fn skipped_lines_are_counted_in_the_log() {
    let daemon = fake().start().await.unwrap();
    for mode in ["longline 2000000", "notjson"] {
        let before = daemon.log().matches("skipped_lines").count();
        ask(&daemon, &question(mode, DEADLINE)).await;
        assert_eq!(daemon.log().matches("skipped_lines").count(), before + 1, "{mode}");
    }
}
