//! A system without user namespaces: the weaker isolation gives the same guarantees.

use std::collections::BTreeSet;
use std::time::Duration;

use tests::harness::DaemonBuilder;

use crate::daemon_killed::killed;
use crate::fixture::{
    Role, ask, end_of, fake, in_turn, kill, process, question, record, start, works,
};
use crate::guard_killed::tree;

const DEADLINE: Duration = Duration::from_secs(30);

/// Runs what follows where no further namespace may be made.
const FORBIDDEN: [&str; 6] = [
    "unshare",
    "-U",
    "-r",
    "sh",
    "-c",
    "echo 0 > /proc/sys/user/max_user_namespaces; exec \"$0\" \"$@\"",
];

fn without_namespaces() -> Option<DaemonBuilder> {
    let refused = works(&[&FORBIDDEN[..], &["sh", "-c", "! unshare -U true"]].concat());
    if !refused {
        skipping::impossible("no user namespace can be made here in which others are forbidden");
    }
    refused.then(|| fake().through(FORBIDDEN))
}

/// Row 33.
#[tokio::test]
async fn without_namespaces_runs_work_and_leave_nothing_behind() {
    let Some(builder) = without_namespaces() else { return };
    let daemon = builder.start().await.unwrap();
    for (mode, deadline, verdict) in [
        ("ok", DEADLINE, "200 advice, 1 attempts"),
        ("forkbomb 30", DEADLINE, "200 advice, 1 attempts"),
        ("linger", DEADLINE, "200 advice, 1 attempts"),
        ("diemid", DEADLINE, "502 crashed, 2 attempts"),
        ("flood 200000000", DEADLINE, "502 output_limit, 1 attempts"),
        ("tree 3", Duration::from_secs(2), "504 timeout, 1 attempts"),
        ("ignoreterm", Duration::from_secs(2), "504 timeout, 1 attempts"),
    ] {
        let asked = ask(&daemon, &question(mode, deadline)).await;
        assert_eq!(asked.verdict(), verdict, "{mode}");
    }
    assert!(daemon.log().contains("no PID namespace: falling back"), "{}", daemon.log());
}

/// Rows 18 and 33: the daemon sweeps up what a killed guard leaves.
#[tokio::test]
async fn without_namespaces_a_killed_guard_leaves_nothing_behind() {
    let Some(builder) = without_namespaces() else { return };
    let daemon = builder.start().await.unwrap();
    let run_id = start(&daemon, &question("flaky 1 tree", DEADLINE)).await;
    tree(&run_id, &BTreeSet::new()).await;
    kill(process(&run_id, Role::Guard).await);
    assert_eq!(end_of(&daemon, &run_id).await, "succeeded advice, 2 attempts");
}

/// Rows 17 and 33.
#[tokio::test]
async fn without_namespaces_a_killed_daemon_leaves_nothing_behind() {
    let Some(builder) = without_namespaces() else { return };
    let mut daemon = builder.start().await.unwrap();
    for mode in ["hang", "tree 4", "ignoreterm"] {
        let run_id = start(&daemon, &question(mode, DEADLINE)).await;
        in_turn(&daemon, &run_id).await;
        daemon = killed(daemon).await;
        assert_eq!(record(&daemon, &run_id).await["run"]["state"], "interrupted", "{mode}");
    }
}
