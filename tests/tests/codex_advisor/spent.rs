//! A round that the bridge tried twice is not asked again, in whatever words (ADV-17).

use std::fs;

use serde_json::{Value, json};
use tests::harness::Daemon;

use crate::fixture::{Advisor, daemon, question};

fn run(failure: &Value) -> &Value {
    &failure["meta"]["run_id"]
}

/// Where the stand-in is asked to mend its answer, the words of the question are not there: a file has them.
fn never_mended(daemon: &Daemon) {
    let mode = daemon.folder().state().join("codex-home/fake-codex.mode");
    fs::write(mode, "badschema-always").unwrap();
}

async fn runs(advisor: &Advisor) -> usize {
    advisor.json(&["runs"], "", 0).await["runs"].as_array().unwrap().len()
}

#[tokio::test]
async fn a_round_that_was_tried_twice_is_answered_with_what_is_kept() {
    let daemon = daemon().await;
    let advisor = Advisor::of(daemon.folder());
    advisor.json(&["ask"], &question("ok"), 0).await;
    never_mended(&daemon);
    let asked = question("badschema-always");
    let first = advisor.json(&["ask"], &asked, 4).await;
    assert_eq!(
        (&first["error"]["code"], &first["meta"]["attempts"]),
        (&json!("bad_output"), &json!(2))
    );
    // The same, and the same problem in other words around it.
    for again in [asked.clone(), asked.replace("three services", "two services, in short")] {
        let kept = advisor.json(&["ask"], &again, 4).await;
        assert_eq!(run(&kept), run(&first), "{kept:#}");
        assert!(kept["error"]["message"].as_str().unwrap().contains("tried twice"), "{kept:#}");
        assert_eq!(kept["error"]["details"], first["error"]["details"]);
    }
    assert_eq!(runs(&advisor).await, 2);
    let anew = advisor.json(&["ask", "--again"], &asked, 4).await;
    assert_ne!(run(&anew), run(&first));
    // Another question is another round.
    advisor.json(&["ask"], &question("ok"), 0).await;
    assert_eq!(runs(&advisor).await, 4);
}

#[tokio::test]
async fn in_a_session_the_round_counts_and_not_its_words() {
    let daemon = daemon().await;
    let advisor = Advisor::of(daemon.folder());
    let first = advisor.json(&["ask"], &question("ok"), 0).await;
    let session = first["meta"]["session_id"].as_str().unwrap();
    never_mended(&daemon);
    let last = ["ask", "--phase", "final", "--session", session];
    let failed = advisor.json(&last, &question("badschema-always"), 4).await;
    assert_eq!(failed["meta"]["attempts"], 2);
    let kept = advisor.json(&last, &question("ok"), 4).await;
    assert_eq!(run(&kept), run(&failed));
    assert_eq!(runs(&advisor).await, 2);
}

#[tokio::test]
async fn a_round_that_was_tried_once_may_be_asked_again() {
    let daemon = daemon().await;
    let advisor = Advisor::of(daemon.folder());
    let asked = question("exit1-auth");
    let first = advisor.json(&["ask"], &asked, 4).await;
    assert_eq!(first["meta"]["attempts"], 1, "{first:#}");
    let second = advisor.json(&["ask"], &asked, 4).await;
    assert_ne!(run(&first), run(&second));
}
