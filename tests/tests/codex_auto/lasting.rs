//! A bridge of its own ends with the program, however that ends; one that runs is used and stays.

use rustix::process::{Pid, Signal, kill_process};
use tests::harness::{survivors, wait_until};

use crate::fixture::{Installed, LIMIT};

/// Whether a process of the stand-in is at work.
fn is_at_work(installed: &Installed) -> bool {
    let mark = installed.folder.root().display().to_string();
    survivors(&mark).iter().any(|survivor| survivor.command.contains("fake-codex exec"))
}

#[tokio::test]
async fn nothing_outlives_the_program_whatever_ends_it() {
    for signal in [Signal::KILL, Signal::TERM, Signal::HUP, Signal::INT] {
        let installed = Installed::new();
        let mut command = installed.command(&["fake-codex: hang-after-thread"]);
        let mut child = command.spawn().unwrap();
        assert!(wait_until(LIMIT, || is_at_work(&installed)).await, "{signal:?}");
        let pid = Pid::from_raw(i32::try_from(child.id().unwrap()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
        tokio::time::timeout(LIMIT, child.wait()).await.expect("it ends").unwrap();
        installed.is_clean().await;
    }
}

#[tokio::test]
async fn a_bridge_that_runs_is_used_and_stays() {
    let codex = std::path::Path::new(env!("CARGO_BIN_EXE_fake-codex"));
    let daemon = tests::harness::DaemonBuilder::new().unwrap().codex(codex);
    let home = daemon.folder().home().join(".codex");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("auth.json"), "{}").unwrap();
    let daemon = daemon.start().await.unwrap();
    let installed = Installed::new()
        .without("codex-bridge")
        .env("CODEX_BRIDGE_STATE_DIR", daemon.folder().state());
    let told = installed.tell(&["fake-codex: text Shared."], "").await;
    assert_eq!((told.code, told.stdout.as_str()), (Some(0), "Shared.\n"), "{told:#?}");
    let runs = daemon.orchestrator().get("/runs").await.unwrap().body;
    assert_eq!(runs["runs"][0]["kind"], "orchestrate");
}
