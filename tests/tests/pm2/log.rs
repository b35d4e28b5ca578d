//! What pm2 writes down of what the daemon logs.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use reqwest::Method;
use serde_json::Value;
use tests::harness::{send, wait_until};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::fixture::{LIMIT, Pm2, question};

const REQUESTS: usize = 3000;

const RUNS: usize = 40;

/// Requests at once; below what the daemon serves.
const AT_ONCE: usize = 32;

/// Each request and each run leaves one line with its id, whole.
#[tokio::test]
async fn a_flood_of_requests_leaves_every_line_whole() {
    let Some(pm2) = Pm2::new() else { return };
    let pm2 = pm2.env("CODEX_BRIDGE_MAX_RUNNING", "4").env("CODEX_BRIDGE_MAX_QUEUED", "64");
    pm2.start().await;
    let client = pm2.client().await;
    let permits = Arc::new(Semaphore::new(AT_ONCE));
    let mut requests = JoinSet::new();
    for _ in 0..REQUESTS {
        let (client, permits) = (client.clone(), Arc::clone(&permits));
        requests.spawn(async move {
            let _permit = permits.acquire_owned().await.unwrap();
            let answer = send(client.request(Method::GET, "/openapi.json")).await.unwrap();
            answer.header("x-request-id").unwrap().to_owned()
        });
    }
    let mut runs = JoinSet::new();
    for _ in 0..RUNS {
        let client = client.clone();
        runs.spawn(async move {
            let answer = client.analyze(&question("ok")).await.unwrap();
            assert_eq!(answer.status, 200, "{answer:?}");
            answer.body["meta"]["run_id"].as_str().unwrap().to_owned()
        });
    }
    let (requests, runs) = tokio::join!(requests.join_all(), runs.join_all());

    // What is logged last is there when the last request's line is: pm2 reads one socket in order.
    let last = client.get("/openapi.json").await.unwrap();
    let last = last.header("x-request-id").unwrap().to_owned();
    assert!(wait_until(LIMIT, || pm2.log().contains(&last)).await, "the last line is missing");
    let log = pm2.log();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: broken: {line}")))
        .collect();
    let ended = |field: &str, word: &str| -> BTreeMap<String, usize> {
        let mut count = BTreeMap::new();
        for line in &lines {
            let fields = line.get("fields").unwrap_or(line);
            let message = fields["message"].as_str().unwrap_or_default();
            if message.starts_with(word)
                && let Some(id) = fields[field].as_str()
            {
                *count.entry(id.to_owned()).or_default() += 1;
            }
        }
        count
    };
    let of_requests = ended("request.id", "request ");
    let missing: Vec<_> = requests.iter().filter(|id| of_requests.get(*id) != Some(&1)).collect();
    assert!(missing.is_empty(), "{} of {REQUESTS} requests are not logged once", missing.len());
    let of_runs = ended("run.id", "run ");
    let missing: Vec<_> = runs.iter().filter(|id| of_runs.get(*id) != Some(&1)).collect();
    assert!(missing.is_empty(), "{} of {RUNS} runs are not logged once", missing.len());
}

/// What docs/OPERATIONS.md has logrotate do: the file is moved, and pm2 opens a new one.
#[tokio::test]
async fn a_log_that_was_moved_away_begins_anew() {
    let Some(pm2) = Pm2::new() else { return };
    pm2.start().await;
    let client = pm2.client().await;
    let ask = async || {
        let answer = client.get("/openapi.json").await.unwrap();
        answer.header("x-request-id").unwrap().to_owned()
    };
    let first = ask().await;
    pm2.logs(&first).await;
    let log = pm2.home().join("logs/codex-bridge-error.log");
    std::fs::rename(&log, log.with_extension("log.1")).unwrap();
    pm2.run(&["reloadLogs"]).await;
    let second = ask().await;
    pm2.logs(&second).await;
    assert!(!pm2.log().contains(&first), "it is a new file");
    let old = std::fs::read_to_string(log.with_extension("log.1")).unwrap();
    assert!(old.contains(&first) && !old.contains(&second), "{old}");
}

/// The configuration that docs/OPERATIONS.md shows, for this pm2.
fn configuration(home: &Path) -> String {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/OPERATIONS.md");
    let page = std::fs::read_to_string(page).unwrap();
    let begins = page.find("/home/ann/.pm2/logs/").unwrap();
    let shown = &page[begins..][..page[begins..].find("```").unwrap()];
    assert!(shown.contains("pm2 reloadLogs"), "{shown}");
    shown.replace("/home/ann/.pm2", &home.display().to_string())
}

/// With the real logrotate and while the daemon writes: each line is in one of the files, once, but for those that
/// pm2 has read and not yet written when it opens the new file. It drops them (pm2 7.0.4 destroys its stream), so
/// what is missing stands between two files and nowhere else.
#[tokio::test]
async fn logrotate_takes_the_log_while_it_is_written() {
    let Some(pm2) = Pm2::new() else { return };
    let search = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&search).chain(["/usr/sbin".into()]);
    let found = folders.map(|folder| folder.join("logrotate")).find(|path| path.is_file());
    let Some(logrotate) = found else {
        return skipping::missing("logrotate", "run `make debian`");
    };
    let file = pm2.folder().work().join("logrotate.conf");
    std::fs::write(&file, configuration(pm2.home())).unwrap();
    pm2.start().await;
    let client = pm2.client().await;
    let stop = CancellationToken::new();
    let writing = tokio::spawn({
        let (client, stop) = (client.clone(), stop.clone());
        async move {
            let mut ids = Vec::new();
            while !stop.is_cancelled() {
                let answer = client.get("/openapi.json").await.unwrap();
                ids.push(answer.header("x-request-id").unwrap().to_owned());
            }
            ids
        }
    });
    let pm2 = Arc::new(pm2);
    for _ in 0..2 {
        // An empty file is left where it is.
        assert!(wait_until(LIMIT, || !pm2.log().is_empty()).await);
        let (pm2, logrotate, file) = (Arc::clone(&pm2), logrotate.clone(), file.clone());
        tokio::task::spawn_blocking(move || pm2.rotate(&logrotate, &file)).await.unwrap();
    }
    stop.cancel();
    let mut ids = writing.await.unwrap();
    let last = client.get("/openapi.json").await.unwrap();
    ids.push(last.header("x-request-id").unwrap().to_owned());
    pm2.logs(ids.last().unwrap()).await;
    let logs = pm2.home().join("logs");
    let read = |name: &str| std::fs::read_to_string(logs.join(name)).unwrap();
    let files = [".2", ".1", ""].map(|end| read(&format!("codex-bridge-error.log{end}")));
    for line in files.iter().flat_map(|file| file.lines()) {
        assert!(serde_json::from_str::<Value>(line).is_ok(), "broken: {line}");
    }
    let times = |file: &String, id: &String| file.matches(id.as_str()).count();
    let twice = ids.iter().filter(|id| files.iter().map(|file| times(file, id)).sum::<usize>() > 1);
    assert_eq!(twice.count(), 0, "a line is there once");
    // From the first of a file's lines to its last, none is missing; the files follow one another.
    let mut from = 0;
    for file in &files {
        let has = |id: &&String| times(file, id) == 1;
        let first = ids.iter().position(|id| has(&id)).expect("each file has lines of requests");
        let last = ids.iter().rposition(|id| has(&id)).unwrap();
        assert!(first >= from && ids[first..=last].iter().all(|id| has(&id)), "{first} to {last}");
        from = last;
    }
    assert!(times(&files[0], &ids[0]) == 1 && from == ids.len() - 1, "the ends are there");
}
