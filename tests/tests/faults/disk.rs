//! A full disk, or changed files on it.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mock_model::{MockModel, Reply};
use rustix::process::Signal;
use tests::harness::{Daemon, DaemonBuilder, codex_bin, wait_until_some};

use crate::fixture::{
    LIMIT, ask, ask_unstored, fake, healthy, in_turn, question, record, start, works,
};

const DEADLINE: Duration = Duration::from_secs(20);

/// Mounts a small disk on a folder that only what follows sees.
const ON_A_SMALL_DISK: &str =
    "mkdir -p \"$0\" && mount -t tmpfs -o size=\"$1\",mode=700 none \"$0\" && shift && exec \"$@\"";

/// A daemon that has a disk of this size in the folder below its state; `None` where that cannot be.
pub(crate) fn on_small_disk(
    builder: DaemonBuilder,
    folder: &str,
    size: &str,
) -> Option<DaemonBuilder> {
    let unshare = ["unshare", "-U", "-r", "-m", "sh", "-c"];
    let trial = ["mount -t tmpfs none /mnt"];
    if !works(&[&unshare[..], &trial].concat()) {
        skipping::impossible(
            "this test mounts a small disk in a namespace of its own, and may not",
        );
        return None;
    }
    let disk = builder.folder().state().join(folder);
    let disk = disk.to_str().unwrap().trim_end_matches('/').to_owned();
    Some(builder.through([&unshare[..], &[ON_A_SMALL_DISK, disk.as_str(), size]].concat()))
}

/// A file that takes all the room there is. Removing it gives the room back.
pub(crate) fn fill(folder: &Path) -> PathBuf {
    let path = folder.join("filler");
    let mut file = fs::File::create(&path).unwrap();
    let mut block = vec![0; 64 << 10];
    while !block.is_empty() {
        if file.write_all(&block).is_err() {
            block.truncate(block.len() / 2);
        }
    }
    path
}

/// Row 15: an answer is an answer, also where it cannot be stored.
#[tokio::test]
async fn a_disk_that_fills_during_a_run_costs_no_answer() {
    // What the state folder knows of the stand-in is below the disk.
    let fake = fake().env("CODEX_BRIDGE_CODEX_ALLOW_UNPROVEN", "true");
    let Some(builder) = on_small_disk(fake, "", "16m") else { return };
    let daemon = builder.start().await.unwrap();
    assert_eq!(ask(&daemon, &question("ok", DEADLINE)).await.verdict(), "200 advice, 1 attempts");
    let input = question("ok-after 2000", DEADLINE);
    let run = async {
        let running = wait_until_some(LIMIT, async || {
            let page = daemon.client().get("/runs?state=running").await.ok()?.body;
            page["runs"][0]["run_id"].as_str().map(ToOwned::to_owned)
        });
        let run_id = running.await.unwrap();
        in_turn(&daemon, &run_id).await;
        (run_id, fill(&daemon.state()))
    };
    let (asked, (run_id, filler)) = tokio::join!(ask_unstored(&daemon, &input), run);
    assert_eq!(asked.verdict(), "200 advice, 1 attempts");
    assert!(asked.limits().contains("this answer is not stored yet"), "{}", asked.limits());
    assert_eq!(record(&daemon, &run_id).await["run"]["state"], "succeeded");

    // New work is refused for what it is, and what there is can be read.
    let refused = daemon.client().analyze(&question("ok", DEADLINE)).await.unwrap();
    assert_eq!((refused.status, refused.code().unwrap().as_str()), (500, "store_failed"));
    let ready = daemon.client().get("/readyz").await.unwrap();
    assert_eq!(ready.status, 503);
    let checks = ready.body["checks"].as_array().unwrap();
    let state = checks.iter().find(|check| check["name"] == "state_writable").unwrap();
    assert_eq!(state["ok"], false);
    healthy(&daemon).await;

    fs::remove_file(filler).unwrap();
    assert_eq!(ask(&daemon, &question("ok", DEADLINE)).await.verdict(), "200 advice, 1 attempts");
    let stored =
        wait_until_some(LIMIT, async || daemon.log().contains("is stored now").then_some(()));
    assert!(stored.await.is_some(), "{}", daemon.log());
    assert_eq!(daemon.client().get("/readyz").await.unwrap().status, 200);
    assert!(!daemon.log().contains("panicked"), "{}", daemon.log());
}

/// A disk that was full during the self-test says nothing of the Codex: with room, the same Codex is trusted.
#[tokio::test]
async fn a_disk_that_is_full_is_not_held_against_codex() {
    let Some(codex) = codex_bin() else { return };
    let mock = MockModel::local(Reply::Advice).await.unwrap();
    let real = DaemonBuilder::new().unwrap().codex(&codex).mock_model(&mock).unproven();
    let Some(builder) = on_small_disk(real, "", "4m") else { return };
    let daemon = builder.start().await.unwrap();
    for room in [0, 200, 400, 800] {
        let filler = fill(&daemon.state());
        let filled = fs::metadata(&filler).unwrap().len();
        let file = fs::File::options().write(true).open(&filler).unwrap();
        file.set_len(filled.saturating_sub(room << 10)).unwrap();
        // It looks at Codex, and whatever comes of it, the disk is the reason.
        daemon.client().get("/readyz").await.unwrap();
        fs::remove_file(filler).unwrap();
    }
    assert_eq!(ask(&daemon, &question("x", DEADLINE)).await.verdict(), "200 advice, 1 attempts");
    assert!(!daemon.log().contains("failed the self-test"), "{}", daemon.log());
}

/// A daemon that has answered once and was stopped, and its database.
async fn stopped() -> (Daemon, PathBuf, String) {
    let mut daemon = fake().start().await.unwrap();
    let asked = ask(&daemon, &question("ok", DEADLINE)).await;
    let run_id = asked.answer.body["meta"]["run_id"].as_str().unwrap().to_owned();
    daemon.signal(Signal::TERM).unwrap();
    daemon.exit(LIMIT).await.unwrap();
    let database = daemon.folder().state().join("state.sqlite");
    (daemon, database, run_id)
}

fn set_aside(daemon: &Daemon) -> Vec<PathBuf> {
    let entries = fs::read_dir(daemon.folder().state()).unwrap().flatten();
    let paths = entries.map(|entry| entry.path());
    // The log goes with its database.
    let is_database = |path: &PathBuf| {
        let name = path.to_string_lossy();
        name.contains("state.sqlite.corrupt-") && !name.ends_with("-wal") && !name.ends_with("-shm")
    };
    paths.filter(is_database).collect()
}

/// Row 16.
#[tokio::test]
async fn a_damaged_store_is_set_aside_and_work_goes_on() {
    let (mut daemon, database, run_id) = stopped().await;
    let good = fs::read(&database).unwrap();
    let noise: Vec<u8> =
        (0..20_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let holed = [&good[..200], &noise[..8_000], &good[8_200..]].concat();
    let foreign = [&good[..68], b"abcd", &good[72..]].concat();
    let damages: [(&str, &[u8]); 5] = [
        ("noise", &noise),
        ("text", b"this is no database"),
        ("cut", &good[..good.len() / 2]),
        ("holed", &holed),
        ("foreign", &foreign),
    ];
    for (count, (name, content)) in damages.iter().enumerate() {
        daemon.signal(Signal::TERM).ok();
        daemon.exit(LIMIT).await.unwrap();
        fs::write(&database, content).unwrap();
        daemon = daemon.restart().await.unwrap();
        let aside = set_aside(&daemon);
        assert_eq!(aside.len(), count + 1, "{name}: {aside:?}");
        assert!(aside.iter().any(|path| fs::read(path).unwrap() == *content), "{name} is kept");
        let told = daemon.log().matches("was set aside").count();
        assert_eq!(told, count + 1, "{name}: {}", daemon.log());
        let unknown = daemon.client().get(&format!("/runs/{run_id}")).await.unwrap();
        assert_eq!(unknown.status, 404, "{name}");
        let asked = ask(&daemon, &question("ok", DEADLINE)).await;
        assert_eq!(asked.verdict(), "200 advice, 1 attempts", "{name}");
    }
}

/// Row 16: what is not damaged is not set aside, whatever lies beside it.
#[tokio::test]
async fn a_whole_store_is_kept() {
    let (daemon, database, run_id) = stopped().await;
    fs::write(database.with_file_name("state.sqlite-wal"), b"left over").unwrap();
    let daemon = daemon.restart().await.unwrap();
    assert_eq!(set_aside(&daemon), Vec::<PathBuf>::new());
    assert_eq!(record(&daemon, &run_id).await["run"]["state"], "succeeded");
}

/// Row 16: somebody removes the files of a running daemon.
#[tokio::test]
async fn a_codex_home_that_vanishes_is_told_and_mended_by_a_restart() {
    let daemon = fake().start().await.unwrap();
    assert_eq!(ask(&daemon, &question("ok", DEADLINE)).await.verdict(), "200 advice, 1 attempts");
    fs::remove_dir_all(daemon.folder().state().join("codex-home")).unwrap();
    let asked = ask(&daemon, &question("ok", DEADLINE)).await;
    assert_ne!(asked.answer.status, 200, "{asked:?}");
    let daemon = daemon.restart().await.unwrap();
    assert_eq!(ask(&daemon, &question("ok", DEADLINE)).await.verdict(), "200 advice, 1 attempts");
    let run_id = start(&daemon, &question("ok", DEADLINE)).await;
    assert_eq!(record(&daemon, &run_id).await["run"]["round"], 1);
}
