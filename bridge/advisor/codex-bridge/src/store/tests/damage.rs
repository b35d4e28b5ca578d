//! A truncated, overwritten, swapped or locked database: the store opens, and reports what it found.

use std::fs;
use std::path::PathBuf;

use contract::run::RunState;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;

/// A folder as a killed daemon leaves it: some runs ended, the last one in flight, all of it in the
/// log. Returns the runs in the order of their acceptance.
async fn killed(bench: &Bench) -> (PathBuf, Vec<RunId>) {
    let store = bench.open().await;
    let mut runs = Vec::new();
    for _ in 0..6 {
        if let Some(before) = runs.last() {
            finish(&store, *before, advice_finish()).await;
        }
        runs.push(lease(&store, new_run(Phase::Initial, None)).await.run_id);
    }
    store.start(runs[5]).await.unwrap();
    let copy = bench.dir.path().join("copy");
    fs::create_dir(&copy).unwrap();
    for name in ["state.sqlite", "state.sqlite-wal"] {
        fs::copy(bench.dir.path().join(name), copy.join(name)).unwrap();
    }
    (copy, runs)
}

/// Copies a folder's files into a new bench.
fn bench_of(folder: &std::path::Path) -> Bench {
    let bench = Bench::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), bench.dir.path().join(entry.file_name())).unwrap();
        }
    }
    bench
}

/// A database that was closed as it should be, and its bytes.
async fn closed() -> (Bench, Vec<u8>) {
    let bench = Bench::new();
    let (copy, _) = killed(&bench).await;
    let bench = bench_of(&copy);
    bench.open().await.close().await;
    let bytes = fs::read(bench.dir.path().join("state.sqlite")).unwrap();
    (bench, bytes)
}

/// The store works: a whole round goes through.
async fn check_works(store: &Store) {
    let run = lease(store, new_run(Phase::Initial, None)).await;
    finish(store, run.run_id, advice_finish()).await;
    assert_eq!(store.run(run.run_id).await.unwrap().unwrap().run.state, RunState::Succeeded);
}

#[tokio::test]
async fn what_was_in_flight_is_interrupted_and_swept_before_it_is_marked() {
    let bench = Bench::new();
    let (copy, runs) = killed(&bench).await;
    let bench = bench_of(&copy);
    let (told, swept) = std::sync::mpsc::channel();
    let sweep = move |runs: &[RunId]| told.send(runs.to_vec()).unwrap();
    let (store, recovery) =
        Store::open(bench.dir.path(), bench.settings.clone(), bench.clock(), sweep).await.unwrap();
    assert_eq!(recovery.interrupted, [runs[5]]);
    assert_eq!(swept.try_recv().unwrap(), [runs[5]]);
    let record = store.run(runs[5]).await.unwrap().unwrap();
    assert_eq!(record.run.state, RunState::Interrupted);
    assert_eq!(record.run.code, Some(FailureCode::Interrupted));
    assert_eq!(record.outcome.unwrap()["error"]["code"], "interrupted");
    let page = store.events_after(runs[5], 900).await.unwrap();
    assert_eq!(
        page.events.last().unwrap().name.as_str(),
        "failure",
        "even after events that were lost"
    );
    let again = new_run(Phase::Initial, Some(record.run.session_id));
    lease(&store, again).await;
    store.close().await;
    let (_, recovery) = bench.try_open().await.unwrap();
    assert_eq!(recovery.interrupted.len(), 1, "the one that began just now and no other");
}

#[tokio::test]
async fn a_log_cut_anywhere_loses_at_most_its_tail() {
    let source = Bench::new();
    let (copy, runs) = killed(&source).await;
    let whole = fs::read(copy.join("state.sqlite-wal")).unwrap();
    let frame = 4096 + 24;
    let boundaries = (32..=whole.len()).step_by(frame);
    let odd = (0..40).map(|step| step * whole.len() / 40 + 7 * step);
    let mut found_before = 0;
    let mut cuts: Vec<usize> = boundaries.chain(odd).filter(|cut| *cut <= whole.len()).collect();
    cuts.sort_unstable();
    for cut in cuts {
        let bench = bench_of(&copy);
        fs::write(bench.dir.path().join("state.sqlite-wal"), &whole[..cut]).unwrap();
        let (store, recovery) = bench.try_open().await.unwrap();
        assert!(recovery.quarantined.is_none(), "cut at {cut}: {recovery:?}");
        let page = store.runs(RunFilter::default()).await.unwrap();
        let mut found: Vec<_> = page.runs.iter().map(|run| run.run_id).collect();
        found.reverse();
        assert_eq!(found, runs[..found.len()], "cut at {cut}");
        assert!(found.len() >= found_before, "cut at {cut}: a longer log holds more");
        found_before = found.len();
        assert!(page.runs.iter().all(|run| run.state.is_terminal()), "cut at {cut}");
        assert!(recovery.interrupted.len() <= 1, "cut at {cut}");
        check_works(&store).await;
    }
    assert_eq!(found_before, runs.len(), "the whole log holds everything");
}

/// Everything the store shows of its runs.
async fn content(store: &Store) -> Vec<(RunRecord, EventPage)> {
    let mut content = Vec::new();
    for run in store.runs(RunFilter::default()).await.unwrap().runs {
        let events = store.events_after(run.run_id, 0).await.unwrap();
        content.push((store.run(run.run_id).await.unwrap().unwrap(), events));
    }
    content
}

#[tokio::test]
async fn a_database_cut_anywhere_is_set_aside_or_has_lost_nothing() {
    let (bench, whole) = closed().await;
    let before = content(&bench.open().await).await;
    let mut unnoticed = 0;
    for cut in (1..whole.len()).step_by(509).chain((512..whole.len()).step_by(4096)) {
        let bench = Bench::new();
        fs::write(bench.dir.path().join("state.sqlite"), &whole[..cut]).unwrap();
        let (store, recovery) = bench.try_open().await.unwrap();
        match recovery.quarantined {
            Some(quarantined) => {
                assert!(fs::read(&quarantined.path).unwrap() == whole[..cut], "cut at {cut}");
            }
            None => {
                unnoticed += 1;
                assert_eq!(content(&store).await, before, "cut at {cut} of {}", whole.len());
            }
        }
        check_works(&store).await;
    }
    // Only the end of a last page that is empty can be cut off without a loss.
    assert!(unnoticed <= 4096 / 509 + 1, "{unnoticed} cuts were not noticed");
}

#[test]
fn flipped_bytes_never_keep_the_store_from_opening() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (_, whole) = runtime.block_on(closed());
    let flips = prop::collection::vec((0..whole.len(), any::<u8>()), 1..40);
    let mut runner = TestRunner::new(Config { cases: 150, ..Config::default() });
    let outcome = runner.run(&flips, |flips| {
        let mut bytes = whole.clone();
        for (at, byte) in flips {
            bytes[at] = byte;
        }
        let bench = Bench::new();
        fs::write(bench.dir.path().join("state.sqlite"), bytes).unwrap();
        runtime.block_on(async {
            let (store, recovery) = bench.try_open().await.unwrap();
            let accepted = store.accept(new_run(Phase::Initial, None)).await;
            let shown = store.runs(RunFilter::default()).await;
            if recovery.quarantined.is_some() {
                assert!(matches!(accepted, Ok(Accept::New(_))) && shown.is_ok());
            }
        });
        Ok(())
    });
    outcome.unwrap();
}

#[tokio::test]
async fn a_fault_that_is_met_later_is_looked_for_at_the_next_start() {
    let bench = Bench::new();
    let store = bench.open().await;
    let mut runs = Vec::new();
    for _ in 0..9 {
        let new = with_context(new_run(Phase::Initial, None), "x".repeat(1024 * 1024));
        runs.push(lease(&store, new).await.run_id);
        let mut end = advice_finish();
        end.outcome["raw_text"] = json!("marker ".repeat(10_000));
        finish(&store, *runs.last().unwrap(), end).await;
    }
    store.close().await;
    let path = bench.dir.path().join("state.sqlite");
    let mut bytes = fs::read(&path).unwrap();
    let text = b"marker marker marker";
    let found = bytes.windows(text.len()).rposition(|window| window == text).unwrap();
    // The last pages are of one chain, each beginning with the number of the next. One of those
    // numbers becomes a page that does not exist.
    let page = (found / 4096 - 4) * 4096;
    bytes[page..page + 4].fill(0xff);
    fs::write(&path, bytes).unwrap();

    let store = bench.open().await;
    let mut met = 0;
    for run_id in &runs {
        met += u32::from(matches!(store.run(*run_id).await, Err(StoreError::Corrupt { .. })));
    }
    assert_eq!(met, 1, "too large to be checked whole at the start");
    store.close().await;
    let (store, recovery) = bench.try_open().await.unwrap();
    assert!(matches!(recovery.quarantined.unwrap().damage, Damage::Inconsistent(_)));
    check_works(&store).await;
    store.close().await;
    assert!(bench.try_open().await.unwrap().1.quarantined.is_none());
}

#[tokio::test]
async fn what_is_not_our_database_is_set_aside_whole() {
    let sqlite = |script: &str| {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("other.sqlite");
        rusqlite::Connection::open(&path).unwrap().execute_batch(script).unwrap();
        fs::read(path).unwrap()
    };
    let (ours, bytes) = closed().await;
    let path = ours.dir.path().join("state.sqlite");
    let connection = rusqlite::Connection::open(&path).unwrap();
    let newer = "PRAGMA user_version = 99; UPDATE compatibility SET least_version = 99;
                 PRAGMA wal_checkpoint(TRUNCATE)";
    connection.execute_batch(newer).unwrap();
    drop(connection);
    let newer = fs::read(&path).unwrap();
    let noise: Vec<u8> =
        (0..9000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut headless = bytes.clone();
    headless[..100].fill(0);
    let cases: [(&str, Vec<u8>); 7] = [
        ("text", b"not a database, but longer than the header of one\n".repeat(50)),
        ("noise", noise),
        ("zeroes", vec![0; 8192]),
        ("a header of zeroes", headless),
        ("another program's", sqlite("CREATE TABLE notes (text)")),
        (
            "claimed but empty",
            sqlite("PRAGMA application_id = 1667528802; PRAGMA user_version = 1"),
        ),
        ("a newer version's", newer),
    ];
    for (name, bytes) in cases {
        let bench = Bench::new();
        fs::write(bench.dir.path().join("state.sqlite"), &bytes).unwrap();
        let (store, recovery) = bench.try_open().await.unwrap();
        let quarantined = recovery.quarantined.unwrap_or_else(|| panic!("{name}: not noticed"));
        let file = quarantined.path.file_name().unwrap().to_str().unwrap().to_owned();
        let word = if name == "a newer version's" { "newer" } else { "corrupt" };
        assert_eq!(file, format!("state.sqlite.{word}-20231114T221320Z"), "{name}");
        // Only one that passes for ours is opened for writing before the fault is found.
        let untouched = fs::read(&quarantined.path).unwrap() == bytes;
        assert!(untouched || name == "claimed but empty", "{name}: changed");
        check_works(&store).await;
        store.close().await;
        assert!(bench.try_open().await.unwrap().1.quarantined.is_none(), "{name}: once is enough");
    }
}

#[tokio::test]
async fn going_back_a_version_keeps_the_store() {
    let (bench, _) = closed().await;
    let path = bench.dir.path().join("state.sqlite");
    let version = |connection: &rusqlite::Connection| -> i64 {
        connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
    };
    let connection = rusqlite::Connection::open(&path).unwrap();
    let newer = version(&connection) + 1;
    let script = format!(
        "ALTER TABLE runs ADD COLUMN price INTEGER; CREATE TABLE prices (model TEXT) STRICT;
         PRAGMA user_version = {newer}"
    );
    connection.execute_batch(&script).unwrap();
    drop(connection);

    let store = bench.open().await;
    let kept = store.runs(RunFilter::default()).await.unwrap().runs;
    assert_eq!(kept.len(), 6, "nothing is set aside and nothing is lost");
    check_works(&store).await;
    store.close().await;
    let connection = rusqlite::Connection::open(&path).unwrap();
    assert_eq!(version(&connection), newer, "the newer one finds its own version again");
    let prices =
        connection.query_row("SELECT count(*) FROM prices", [], |row| row.get::<_, i64>(0));
    assert_eq!(prices.unwrap(), 0);
}

#[tokio::test]
async fn a_log_without_its_database_is_set_aside_with_it() {
    let source = Bench::new();
    let (copy, _) = killed(&source).await;
    let log = fs::read(copy.join("state.sqlite-wal")).unwrap();
    for emptied in [true, false] {
        let bench = bench_of(&copy);
        let path = bench.dir.path().join("state.sqlite");
        if emptied {
            fs::write(&path, b"").unwrap();
        } else {
            fs::remove_file(&path).unwrap();
        }
        // The name of this second is taken already: nothing that was set aside is overwritten.
        let taken = bench.dir.path().join("state.sqlite.corrupt-20231114T221320Z");
        fs::write(&taken, b"earlier").unwrap();
        let (store, recovery) = bench.try_open().await.unwrap();
        let quarantined = recovery.quarantined.unwrap();
        assert!(matches!(quarantined.damage, Damage::Headless));
        let beside = format!("{}-wal", quarantined.path.display());
        assert!(fs::read(beside).unwrap() == log);
        assert_eq!(fs::read(taken).unwrap(), b"earlier");
        check_works(&store).await;
    }
}

#[tokio::test]
async fn a_folder_has_one_daemon() {
    let bench = Bench::new();
    let store = bench.open().await;
    match bench.try_open().await {
        Err(OpenError::InUse { path, pid }) => {
            assert_eq!(path, bench.dir.path());
            assert_eq!(pid, Some(std::process::id()));
        }
        other => panic!("{other:?}"),
    }
    check_works(&store).await;
    store.close().await;
    bench.open().await;
}

#[tokio::test]
async fn a_folder_that_cannot_be_used_is_named() {
    let bench = Bench::new();
    fs::create_dir(bench.dir.path().join("state.sqlite")).unwrap();
    match bench.try_open().await {
        Err(OpenError::Unusable { path, .. }) => assert!(path.ends_with("state.sqlite")),
        other => panic!("{other:?}"),
    }
    fs::remove_dir(bench.dir.path().join("state.sqlite")).unwrap();
    bench.open().await;
}

#[tokio::test]
async fn every_file_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut bench = Bench::new();
    let inner = bench.dir.path().join("made/by/us");
    let (store, _) =
        Store::open(&inner, bench.settings.clone(), bench.clock(), |_| {}).await.unwrap();
    check_works(&store).await;
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&inner), 0o700);
    let mut names = Vec::new();
    for entry in fs::read_dir(&inner).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        names.push(path.file_name().unwrap().to_str().unwrap().to_owned());
    }
    names.sort();
    assert_eq!(names, ["lock", "state.sqlite", "state.sqlite-shm", "state.sqlite-wal"]);
    bench.settings.bodies = false;
}
