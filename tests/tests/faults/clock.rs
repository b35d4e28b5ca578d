//! Jumps of the wall clock.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tests::harness::{Daemon, wait_until_some};

use crate::fixture::{LIMIT, ask, end_of, fake, in_turn, question, record, second_round, start};

const DEADLINE: Duration = Duration::from_secs(20);

/// A daemon whose wall clock is off by what a file says, and that file.
async fn daemon() -> Option<(Daemon, PathBuf)> {
    let (builder, offset) = fake().with_own_clock().unwrap()?;
    Some((builder.start().await.unwrap(), offset))
}

/// Sets the clock and waits until a run shows it; that run's id.
async fn jump(daemon: &Daemon, offset: &Path, by: &str, expected: impl Fn(i64) -> bool) -> String {
    let now = seconds_of(&record(daemon, &start(daemon, &question("ok", DEADLINE)).await).await);
    fs::write(offset, by).unwrap();
    let jumped = wait_until_some(LIMIT, async || {
        let run_id = start(daemon, &question("ok", DEADLINE)).await;
        end_of(daemon, &run_id).await;
        expected(seconds_of(&record(daemon, &run_id).await) - now).then_some(run_id)
    });
    jumped.await.unwrap_or_else(|| panic!("the clock did not jump by {by}"))
}

/// `created_at` in seconds of its day and day of its month.
fn seconds_of(record: &serde_json::Value) -> i64 {
    let created = record["run"]["created_at"].as_str().unwrap();
    let number = |range: std::ops::Range<usize>| created[range].parse::<i64>().unwrap();
    ((number(8..10) * 24 + number(11..13)) * 60 + number(14..16)) * 60 + number(17..19)
}

/// Row 23: deadlines do not care, in either direction.
#[tokio::test]
async fn a_jump_of_the_clock_moves_no_deadline() {
    let Some((daemon, offset)) = daemon().await else { return };
    for by in ["+3600", "-3600"] {
        let long = start(&daemon, &question("ok-after 1500", DEADLINE)).await;
        in_turn(&daemon, &long).await;
        jump(&daemon, &offset, by, |moved| moved.abs() > 3000).await;
        assert_eq!(end_of(&daemon, &long).await, "succeeded advice, 1 attempts", "{by}");
        let asked = ask(&daemon, &question("hang", Duration::from_secs(2))).await;
        assert_eq!(asked.verdict(), "504 timeout, 1 attempts", "{by}");
        assert!(asked.took >= Duration::from_secs(2), "{by}: {:?}", asked.took);
        fs::write(&offset, "+0").unwrap();
    }
}

/// Row 23: a session lives on when the clock goes back, ids stay unique, and no duration is negative.
#[tokio::test]
async fn a_clock_that_goes_back_breaks_no_session() {
    let Some((daemon, offset)) = daemon().await else { return };
    let first = ask(&daemon, &question("ok", DEADLINE)).await;
    let session = &first.answer.body["meta"]["session_id"];
    let earlier = jump(&daemon, &offset, "-3600", |moved| moved < -3000).await;
    let second = ask(&daemon, &second_round(question("ok", DEADLINE), session)).await;
    assert_eq!(second.verdict(), "200 advice, 1 attempts");
    assert_ne!(first.answer.body["meta"]["run_id"], second.answer.body["meta"]["run_id"]);
    for run_id in [earlier.as_str(), second.answer.body["meta"]["run_id"].as_str().unwrap()] {
        let record = record(&daemon, run_id).await;
        assert!(record["run"]["duration_ms"].as_u64().is_some(), "{record:#}");
        assert!(
            record["run"]["finished_at"].as_str() >= record["run"]["created_at"].as_str(),
            "{record:#}"
        );
    }
}

/// Row 23: a session is over when the clock says so, not a moment of the machine's.
#[tokio::test]
async fn a_clock_that_goes_ahead_ends_sessions() {
    let Some((daemon, offset)) = daemon().await else { return };
    let first = ask(&daemon, &question("ok", DEADLINE)).await;
    let session = &first.answer.body["meta"]["session_id"];
    jump(&daemon, &offset, "+90000", |moved| moved.abs() > 80_000).await;
    let late = second_round(question("ok", DEADLINE), session);
    let answer = daemon.client().analyze(&late).await.unwrap();
    assert_eq!((answer.status, answer.code().unwrap().as_str()), (410, "session_expired"));
}
