//! A part of a run is killed by another process: the run guard, the namespace's init, Codex.

use std::collections::BTreeSet;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tests::harness::wait_until;

use crate::fixture::{LIMIT, Role, end_of, fake, in_turn, kill, of_run, process, question, start};

const DEADLINE: Duration = Duration::from_secs(30);

/// Row 18, and the same for its neighbours: one death is got over.
#[tokio::test]
async fn a_run_survives_the_death_of_any_of_its_parts() {
    let daemon = fake().start().await.unwrap();
    for role in [Role::Guard, Role::Init, Role::Codex] {
        // Each mode counts its own attempts: the words must differ.
        let mode = format!("flaky 1 tree {role:?}");
        let run_id = start(&daemon, &question(&mode, DEADLINE)).await;
        tree(&run_id, &BTreeSet::new()).await;
        kill(process(&run_id, role).await);
        assert_eq!(end_of(&daemon, &run_id).await, "succeeded advice, 2 attempts", "{role:?}");
    }
}

/// Row 18: two deaths are a crash, and nothing of the run is left.
#[tokio::test]
async fn a_run_whose_parts_are_killed_twice_has_crashed() {
    let daemon = fake().start().await.unwrap();
    for role in [Role::Guard, Role::Init, Role::Codex] {
        let run_id = start(&daemon, &question("tree 3", DEADLINE)).await;
        let first = tree(&run_id, &BTreeSet::new()).await;
        kill(process(&run_id, role).await);
        tree(&run_id, &first).await;
        kill(process(&run_id, role).await);
        assert_eq!(end_of(&daemon, &run_id).await, "failed crashed, 2 attempts", "{role:?}");
    }
}

/// Waits for the three that an attempt in the mode `tree` leaves in the background, when the
/// `earlier` attempt is gone.
pub(crate) async fn tree(run_id: &str, earlier: &BTreeSet<u32>) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let complete = wait_until(LIMIT, || {
        let processes = of_run(run_id);
        let lingering = processes.iter().filter(|each| each.command.ends_with("__linger"));
        found = lingering.map(|each| each.pid).collect();
        found.len() == 3 && found.is_disjoint(earlier)
    });
    assert!(complete.await, "{:?}", of_run(run_id));
    found
}

/// Row 18: a guard that is stopped cannot hold a run beyond its deadline.
#[tokio::test]
async fn a_guard_that_does_not_react_is_killed_after_the_deadline() {
    let daemon = fake().start().await.unwrap();
    let input = question("hang", Duration::from_secs(2));
    let run_id = start(&daemon, &input).await;
    in_turn(&daemon, &run_id).await;
    for role in [Role::Guard, Role::Init] {
        let pid = process(&run_id, role).await;
        let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        kill_process(pid, Signal::STOP).unwrap();
    }
    let begun = tokio::time::Instant::now();
    assert_eq!(end_of(&daemon, &run_id).await, "failed timeout, 1 attempts");
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
}
