//! A daemon whose Codex is driven by its app-server: what callers see that `codex exec` does not show.

use std::fs;
use std::time::Duration;

use mock_model::{MockModel, Part, Piece, Reply, Script, Turn, advice};
use serde_json::{Value, json};
use tests::harness::{Daemon, DaemonBuilder, codex_bin, wait_until_some};

use crate::fixture::{LIMIT, advised, ended, question, run_id, second, start, verdict};

/// A key of a form that is masked.
const KEY: &str = "ghp_a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6e7F8";

/// A daemon with the real Codex; `None` where there is none.
async fn driven(driver: &str, script: impl Into<Script>) -> Option<(MockModel, Daemon)> {
    let codex = codex_bin()?;
    let mock = MockModel::local(script).await.unwrap();
    let builder = DaemonBuilder::new().unwrap().codex(&codex).mock_model(&mock);
    let builder = builder.env("CODEX_BRIDGE_CODEX_DRIVER", driver);
    Some((mock, builder.start().await.unwrap()))
}

#[tokio::test]
async fn which_driver_is_used_is_said_by_answer_readiness_and_metrics() {
    for (setting, driver) in
        [("exec", "exec"), ("app-server", "app-server"), ("auto", "app-server")]
    {
        let Some((mock, daemon)) = driven(setting, Reply::Advice).await else { return };
        let answer = advised(&daemon, &question("Which queue?")).await;
        assert_eq!(answer.body["meta"]["codex"]["driver"], driver, "{setting}");
        assert_eq!(mock.request_count(), 1, "{setting}");
        let store = rusqlite::Connection::open(daemon.state().join("state.sqlite")).unwrap();
        let kept: String =
            store.query_row("SELECT driver FROM runs", [], |row| row.get(0)).unwrap();
        assert_eq!(kept, driver, "{setting}");
        let ready = daemon.client().get("/readyz").await.unwrap().body;
        let checks = ready["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["name"] == "codex_driver").unwrap();
        assert_eq!((&check["ok"], &check["message"]), (&json!(true), &json!(driver)), "{setting}");
        let metrics = daemon.client().get("/metrics").await.unwrap().body;
        let line = format!("codex_bridge_attempts_total{{outcome=\"ok\",driver=\"{driver}\"}} 1");
        assert!(metrics.as_str().unwrap().contains(&line), "{metrics}");
    }
}

/// A failed round 2 stays in its thread; the next try is a copy that ends with round 1.
#[tokio::test]
async fn after_a_failed_second_round_the_model_sees_round_one_and_the_new_prompt_once() {
    let Some((mock, daemon)) = driven("app-server", Reply::Advice).await else { return };
    let first = advised(&daemon, &question("Which queue?")).await;
    let asked = mock.requests().pop().unwrap().user_texts();
    mock.set_script(Reply::error(400, "x", "no"));
    let failed = daemon.client().analyze(&second(&first, "One that fails.")).await.unwrap();
    assert_eq!(verdict(&failed), "502 bad_request");
    let daemon = daemon.restart().await.unwrap();
    mock.set_script(Reply::Advice);
    let last = advised(&daemon, &second(&first, "Which queue, then?")).await;
    let said = mock.requests().pop().unwrap().user_texts();
    assert_eq!(said.len(), 2, "{said:#?}");
    assert_eq!(said[0], asked[0]);
    assert!(said[1].contains("Which queue, then?"), "{}", said[1]);
    assert_eq!(last.body["meta"]["usage"], first.body["meta"]["usage"], "its own tokens");
    assert_eq!(last.body["meta"]["limits"], json!([]));
}

#[tokio::test]
async fn counts_the_title_of_a_thought_and_the_field_are_seen_and_the_title_is_not_stored() {
    let script = Script::choose(|request| {
        let slow = |text: &str| Piece { text: text.to_owned(), pause: Duration::from_millis(150) };
        let mut thought = vec![Piece::new(format!("**Weighing {KEY}**\n\nand more"))];
        thought.extend((0..6).map(|_| slow(" word")));
        let answer = advice::answer(&request.user_texts());
        let mut pieces = Vec::new();
        for character in answer.chars() {
            pieces.push(Piece::new(character));
        }
        pieces.extend((0..10).map(|_| slow(" ")));
        let half = pieces.len() / 2;
        pieces[half].pause = Duration::from_secs(2);
        let thinking = Part::Reasoning { shown: thought, opaque: None };
        Reply::Turn(Turn::empty().and(thinking).and(Part::Text(pieces)))
    });
    let Some((_mock, daemon)) = driven("app-server", script).await else { return };
    let run = run_id(&start(&daemon, &question("Which queue?")).await);
    let seen = async |is: &dyn Fn(&Value) -> bool| {
        let found = wait_until_some(LIMIT, async || {
            let record = daemon.client().get(&format!("/runs/{run}")).await.unwrap().body;
            let progress = record["progress"].clone();
            is(&progress).then_some(progress)
        });
        found.await.expect("never seen")
    };
    let thinking = seen(&|it| it["stage"] == "thinking" && it["chars"].as_u64() > Some(50)).await;
    assert_eq!(thinking.get("title"), None, "the thought is not whole: {thinking}");
    let writing = seen(&|it| it["stage"] == "writing" && it["field"].is_string()).await;
    assert!(writing["chars"].as_u64() > Some(0) && writing.get("title").is_none(), "{writing}");
    let known = contract::advice::KEYS.iter().any(|key| writing["field"] == *key);
    assert!(known, "{writing}");
    assert_eq!(ended(&daemon, &run).await["run"]["state"], "succeeded");
    for file in fs::read_dir(daemon.state()).unwrap().flatten() {
        let bytes = fs::read(file.path()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("Weighing"), "{}", file.path().display());
    }
}

#[tokio::test]
async fn the_title_of_a_whole_thought_is_told_masked() {
    let script = Script::choose(|request| {
        let slow = |text: &str| Piece { text: text.to_owned(), pause: Duration::from_millis(300) };
        let thought = format!("**Weighing {KEY} and the outbox**\n\nand more");
        // Cut in the middle of the key.
        let (before, after) = thought.split_at(thought.find(KEY).unwrap() + 9);
        let whole = Part::Reasoning { shown: vec![Piece::new(before), slow(after)], opaque: None };
        let next = Part::Reasoning { shown: (0..8).map(|_| slow("next ")).collect(), opaque: None };
        let answer = advice::answer(&request.user_texts());
        Reply::Turn(Turn::empty().and(whole).and(next).and(Part::Text(vec![Piece::new(answer)])))
    });
    let Some((_mock, daemon)) = driven("app-server", script).await else { return };
    let run = run_id(&start(&daemon, &question("Which queue?")).await);
    let title = wait_until_some(LIMIT, async || {
        let record = daemon.client().get(&format!("/runs/{run}")).await.unwrap().body;
        assert!(!record.to_string().contains(&KEY[4..9]), "{record}");
        record["progress"]["title"].as_str().map(str::to_owned)
    });
    let title = title.await.expect("never a title");
    assert!(
        title.starts_with("Weighing [REDACTED") && title.ends_with("and the outbox"),
        "{title}"
    );
    assert_eq!(ended(&daemon, &run).await["run"]["state"], "succeeded");
}
