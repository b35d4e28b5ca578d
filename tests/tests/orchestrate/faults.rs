//! Wrong input, and a Codex that fails: with the stand-in.

use std::fs;
use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};
use tests::harness::{Client, Daemon, DaemonBuilder, send};

use crate::fixture::{LIMIT, LOST, answered, ask, ended, example, exec, in_thread, resume, start};

/// A daemon with the stand-in for Codex. Its user has a home of their own.
fn builder() -> DaemonBuilder {
    let codex = Path::new(env!("CARGO_BIN_EXE_fake-codex"));
    let builder = DaemonBuilder::new().unwrap().codex(codex);
    // A sign-in that the stand-in calls good.
    let home = builder.folder().home().join(".codex");
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("auth.json"), "{}").unwrap();
    builder
}

#[tokio::test]
async fn everything_wrong_with_a_turn_is_said_at_once() {
    let daemon = builder().start().await.unwrap();
    let answer = ask(
        &daemon,
        &json!({ "promt": "x", "workspace": "here", "mode": "resume", "thread_id": "last" }),
    )
    .await;
    assert_eq!((answer.status, answer.code().unwrap().as_str()), (422, "contract_violation"));
    let details = answer.failure().unwrap().error.details;
    let paths: Vec<_> = details.iter().map(|violation| violation.path.as_str()).collect();
    assert_eq!(paths, ["/prompt", "/promt", "/thread_id", "/workspace"]);

    let missing = daemon.folder().work().join("missing");
    let answer = ask(&daemon, &exec(&missing, "hello")).await;
    assert_eq!(answer.status, 422, "{:#}", answer.body);
    assert_eq!(answer.body["error"]["details"][0]["path"], "/workspace");

    let foreign = daemon.client().bare(Method::POST, "/orchestrate");
    let foreign = send(foreign.json(&exec(&daemon.folder().work(), "hello"))).await.unwrap();
    assert_eq!(foreign.status, 401);
    let advisors = daemon.client().request(Method::POST, "/orchestrate");
    let advisors = send(advisors.json(&exec(&daemon.folder().work(), "hello"))).await.unwrap();
    assert_eq!((advisors.status, advisors.code().unwrap().as_str()), (403, "forbidden"));
    assert_eq!(daemon.orchestrator().get("/runs").await.unwrap().body["runs"], json!([]));
}

#[tokio::test]
async fn a_turn_is_a_run_like_any_other() {
    let daemon = builder().start().await.unwrap();
    let work = daemon.folder().work();
    let report = answered(&daemon, &exec(&work, "fake-codex: text It is here.")).await;
    assert_eq!(report["answer"]["text"], "It is here.");
    let run = report["meta"]["run_id"].as_str().unwrap();
    let record = ended(&daemon, run).await;
    assert_eq!(record["outcome"], report);
    assert_eq!(
        (&record["run"]["kind"], &record["run"]["round"], &record["run"]["phase"]),
        (&json!("orchestrate"), &json!(1), &json!("final"))
    );
    assert_eq!(record["run"]["problem"], "fake-codex: text It is here.");
    let daemon = daemon.restart().await.unwrap();
    assert_eq!(ended(&daemon, run).await, record, "it survives a restart");
}

#[tokio::test]
async fn a_turn_is_not_shown_to_who_may_only_ask_the_advisor() {
    let daemon = builder().start().await.unwrap();
    let work = daemon.folder().work();
    let report = answered(&daemon, &exec(&work, "fake-codex: text It is here.")).await;
    let run = report["meta"]["run_id"].as_str().unwrap();
    let record = ended(&daemon, run).await;
    let session = record["run"]["session_id"].as_str().unwrap();
    let advisor = daemon.client();
    for path in
        [format!("/runs/{run}"), format!("/runs/{run}/events"), format!("/sessions/{session}")]
    {
        let answer = advisor.get(&path).await.unwrap();
        assert_eq!((answer.status, answer.code().unwrap().as_str()), (403, "forbidden"), "{path}");
        assert_eq!(daemon.orchestrator().get(&path).await.unwrap().status, 200, "{path}");
    }
    assert_eq!(advisor.get("/runs").await.unwrap().body["runs"], json!([]));
    assert_eq!(advisor.delete(&format!("/runs/{run}")).await.unwrap().status, 403);
}

#[tokio::test]
async fn a_page_is_full_whoever_asks_for_it() {
    let daemon = builder().start().await.unwrap();
    let work = daemon.folder().work();
    let mut asked = Vec::new();
    // Runs that the advisor's caller sees, each behind two turns that it does not.
    for index in 0..3 {
        let mut question = example("initial");
        question["problem"] = json!(format!("fake-codex: ok {index}"));
        let advice = daemon.client().analyze(&question).await.unwrap();
        asked.push(advice.body["meta"]["run_id"].clone());
        for _ in 0..2 {
            answered(&daemon, &exec(&work, "fake-codex: text It is here.")).await;
        }
    }
    asked.reverse();
    let pages = async |client: &Client, limit: usize| {
        let (mut pages, mut before) = (Vec::new(), String::new());
        loop {
            let page = client.get(&format!("/runs?limit={limit}{before}")).await.unwrap().body;
            let runs = page["runs"].as_array().unwrap().iter();
            pages.push(runs.map(|run| run["run_id"].clone()).collect::<Vec<_>>());
            let Some(next) = page["next_before"].as_str() else { return pages };
            before = format!("&before={next}");
        }
    };
    assert_eq!(pages(daemon.client(), 2).await, [&asked[..2], &asked[2..]]);
    assert_eq!(pages(daemon.client(), 3).await, [&asked[..]], "no page follows the last run");
    let all = pages(daemon.orchestrator(), 4).await;
    assert_eq!(all.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4, 1]);
}

/// The names of a stream's events, and the data of the last one.
async fn stream(daemon: &Daemon, turn: &Value) -> (Vec<String>, Value) {
    let request = daemon.orchestrator().request(Method::POST, "/orchestrate");
    let request = request.header("accept", "text/event-stream").json(turn);
    let body = send(request).await.unwrap().body;
    let field = |block: &str, name: &str| -> Option<String> {
        block.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned)
    };
    let events = body.as_str().unwrap().split("\n\n").filter_map(|block| {
        let data: Value = serde_json::from_str(&field(block, "data: ")?).unwrap();
        Some((field(block, "event: ")?, data))
    });
    // How the model goes on is told in an order of its own.
    let stages = ["waiting", "thinking", "writing", "quiet"];
    let is_of_model = |data: &Value| stages.iter().any(|stage| data["stage"] == *stage);
    let (names, mut datas): (Vec<_>, Vec<_>) =
        events.filter(|(_, data)| !is_of_model(data)).unzip();
    (names, datas.pop().unwrap())
}

#[tokio::test]
async fn a_turn_as_a_stream_tells_its_progress_and_ends_with_its_outcome() {
    let daemon = builder().start().await.unwrap();
    let work = daemon.folder().work();
    let (names, report) = stream(&daemon, &exec(&work, "fake-codex: text Streamed.")).await;
    assert_eq!(
        names,
        ["queued", "started", "progress", "thread", "progress", "progress", "progress", "report"]
    );
    assert_eq!(report["answer"]["text"], "Streamed.");
    let turn = exec(&work, "fake-codex: turnfailed usage limit reached");
    let (names, failure) = stream(&daemon, &turn).await;
    assert_eq!(names.last().unwrap(), "failure");
    assert_eq!(failure["error"]["code"], "quota");
}

#[tokio::test]
async fn the_same_key_is_the_same_turn_and_another_is_refused() {
    let daemon = builder().start().await.unwrap();
    let work = daemon.folder().work();
    let keyed = |turn: Value| {
        let request = daemon.orchestrator().request(Method::POST, "/orchestrate");
        send(request.header("idempotency-key", "one").json(&turn))
    };
    let first = keyed(exec(&work, "fake-codex: text A")).await.unwrap();
    let again = keyed(exec(&work, "fake-codex: text A")).await.unwrap();
    assert_eq!((first.status, &first.body), (200, &again.body));
    let other = keyed(exec(&work, "fake-codex: text B")).await.unwrap();
    assert_eq!(other.code().unwrap().as_str(), "idempotency_conflict");
}

#[tokio::test]
async fn one_run_at_a_time_goes_on_in_a_thread() {
    let daemon = builder().start().await.unwrap();
    let work = daemon.folder().work();
    let first = answered(&daemon, &exec(&work, "fake-codex: text A")).await;
    let thread = &first["client"]["session_id"];
    let run = start(&daemon, &resume(&work, thread, "fake-codex: hang-after-thread")).await;
    in_thread(&daemon, &run).await;
    let beside = ask(&daemon, &resume(&work, thread, "fake-codex: text B")).await;
    assert_eq!((beside.status, beside.code().unwrap().as_str()), (409, "session_busy"));

    let cancelled = daemon.orchestrator().delete(&format!("/runs/{run}")).await.unwrap();
    assert_eq!(cancelled.body["state"], "cancelled");
    assert!(daemon.is_idle_within(LIMIT).await, "{:?}", daemon.children());
    let after = answered(&daemon, &resume(&work, thread, "fake-codex: text C")).await;
    assert_eq!(&after["client"]["session_id"], thread, "the thread is free again");
}

#[tokio::test]
async fn another_thread_than_the_one_asked_for_is_a_lost_one() {
    let daemon = builder().start().await.unwrap();
    let work = daemon.folder().work();
    let thread = json!("0199a213-81c0-7800-8aa1-bbab2a035a53");
    let report = answered(&daemon, &resume(&work, &thread, "fake-codex: text A")).await;
    assert_ne!(report["client"]["session_id"], thread);
    assert_eq!(report["fused_context"]["for_user"]["limits_text"], LOST);
    assert_eq!(report["degraded"]["is_degraded"], true);
    assert_eq!(report["meta"]["attempts"], 2);
}

#[tokio::test]
async fn a_caller_who_leaves_takes_the_turn_along() {
    let daemon = builder().start().await.unwrap();
    let work = daemon.folder().work();
    let request = daemon.orchestrator().request(Method::POST, "/orchestrate");
    let request = request.header("accept", "text/event-stream");
    let turn = exec(&work, "fake-codex: hang-after-thread");
    let mut response = request.json(&turn).send().await.unwrap();
    let run = response.headers()["content-location"].to_str().unwrap().to_owned();
    let mut seen = String::new();
    while !seen.contains("event: thread") {
        seen.push_str(&String::from_utf8_lossy(&response.chunk().await.unwrap().unwrap()));
    }
    drop(response);
    let record = ended(&daemon, run.trim_start_matches("/runs/")).await;
    assert_eq!(record["run"]["state"], "cancelled");
    assert!(daemon.is_idle_within(LIMIT).await, "{:?}", daemon.children());
}

#[tokio::test]
async fn without_a_sign_in_the_turn_says_so() {
    let builder = builder();
    // The stand-in reads what `login status` says beside its executable.
    let bin = builder.folder().work().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::hard_link(env!("CARGO_BIN_EXE_fake-codex"), bin.join("codex")).unwrap();
    fs::write(bin.join("fake-codex.login"), "Not logged in").unwrap();
    let daemon = builder.codex(&bin.join("codex")).start().await.unwrap();
    let answer = ask(&daemon, &exec(&daemon.folder().work(), "hello")).await;
    assert_eq!((answer.status, answer.code().unwrap().as_str()), (502, "auth"));
}
