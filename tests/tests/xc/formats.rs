//! XC-11, XC-19: what stands on standard output, in each of the three formats.

use std::process::Stdio;

use contract::schema;
use contract::xc::Event;
use mock_model::{Fault, Reply, Trouble, Turn};
use serde_json::{Value, json};

use crate::fixture::{Place, Said, ended, shell};
use crate::newcomer::{faulty, mending};

/// The events of a run: each keeps the schema, their numbers have no gap, the first is `start` unless
/// the run was refused, and the last alone is `end`.
fn events(said: &Said) -> Vec<Value> {
    let schema = schema::find("xc-event").unwrap();
    let events: Vec<Value> =
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (seq, event) in events.iter().enumerate() {
        assert_eq!(schema.violations(event), [], "{event}");
        assert_eq!(event["seq"], seq);
        assert_eq!(event["session"], events[0]["session"]);
        assert_eq!(event["type"] == "end", seq + 1 == events.len(), "{event}");
        Event::parse(&event.to_string()).unwrap();
    }
    events
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn text_is_the_answer_alone_and_the_rest_is_on_standard_error() {
    let place = Place::with_turns(mending()).await;
    faulty(&place);
    let said = place.run(&["-p", "-t", "make the test pass"]).await;
    assert_eq!(said.out, "It adds now. 测试通过。\n");
    assert!(said.err.contains("I look.") && said.err.contains("prompt ("), "{}", said.err);
}

#[tokio::test]
async fn json_is_one_object_with_all_that_was_done() {
    let place = Place::with_turns(mending()).await;
    faulty(&place);
    let said = place.run(&["-p", "-t", "--output-format", "json", "make the test pass"]).await;
    let result: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(schema::find("xc-result").unwrap().violations(&result), []);
    assert_eq!(said.out.lines().count(), 1);
    assert_eq!(result["answer"], "It adds now. 测试通过。");
    assert_eq!(result["changed"], json!(["add.sh"]));
    let run = |exit: i32| json!({ "command": "sh test.sh", "exit": exit });
    assert_eq!(result["commands"], json!([run(1), run(0)]));
    assert_eq!(result["usage"]["input"], 500);
    assert_eq!(result["cost_usd"], Value::Null, "the price of a custom model is not known");
}

#[tokio::test]
async fn stream_json_is_an_event_a_line_with_one_end() {
    let place = Place::with_turns(mending()).await;
    faulty(&place);
    let words = ["-p", "-t", "--output-format", "stream-json", "make the test pass"];
    let said = place.run(&words).await;
    assert_eq!(said.code, Some(0), "{}", said.err);
    let events = events(&said);
    assert_eq!(
        (&events[0]["type"], &events[0]["model"]),
        (&json!("start"), &json!("custom:scripted"))
    );
    assert_eq!(events[0]["mode"], "trust");
    let types = types(&events);
    for kind in ["prompt", "text", "call", "permission", "output", "result", "usage", "evidence"] {
        assert!(types.contains(&kind), "{kind}: {types:?}");
    }
    assert_eq!(types.iter().filter(|kind| **kind == "call").count(), 5);
    let end = events.last().unwrap();
    assert_eq!((&end["reason"], &end["exit"]), (&json!("answered"), &json!(0)));
}

/// Whatever ends a run, there is one `end`, and it says so.
#[tokio::test]
async fn each_end_is_told_once() {
    let words = |more: &[&'static str]| [&["-p", "--output-format", "stream-json"], more].concat();
    let cut = Reply::Turn(Turn::text("half")).with(Fault::before_end(Trouble::Cut));
    let place = Place::new(cut).await;
    let said = place.run(&words(&["q"])).await;
    let told = events(&said);
    assert_eq!(
        (said.code, &told.last().unwrap()["reason"]),
        (Some(4), &json!("failed")),
        "{said:?}"
    );
    assert_eq!(told.last().unwrap()["answer"], "", "a stream without its end is no answer");
    assert!(types(&told).contains(&"failure"));

    let place = Place::with_turns([]).await;
    for (more, code) in [(vec!["-m", "nothing", "q"], 2), (vec![], 2), (vec!["-m", "opus", "q"], 3)]
    {
        let said = place.run(&words(&more)).await;
        let told = events(&said);
        assert_eq!(
            (said.code, &told.last().unwrap()["exit"]),
            (Some(code), &json!(code)),
            "{said:?}"
        );
    }
    assert_eq!(place.mock.request_count(), 0);
}

/// A reader that goes away: the work goes on, and nothing panics.
#[tokio::test]
async fn a_closed_standard_output_is_no_panic() {
    for format in ["text", "json", "stream-json"] {
        let place = Place::with_turns([shell("touch made"), Turn::text("done")]).await;
        let mut child = place.xc(&["-p", "-t", "--output-format", format, "q"]).spawn().unwrap();
        drop(child.stdout.take());
        let said = ended(child).await;
        assert_eq!(said.code, Some(0), "{format}: {}", said.err);
        assert!(!said.err.contains("panicked"), "{}", said.err);
        assert!(place.project().join("made").exists());
    }
}

/// Control sequences of a model or a command do not reach a terminal.
#[tokio::test]
async fn nothing_that_a_terminal_would_act_on_is_printed() {
    let hostile = tests::planted::HOSTILE;
    for format in ["text", "json", "stream-json"] {
        let call = shell("printf '\\033]0;PWNED\\007\\033[31mred'");
        let answer = Turn::text(format!("a{hostile}b"));
        let place = Place::with_turns([call.and_text(hostile), answer]).await;
        let said = place.run(&["-p", "-t", "--output-format", format, "q"]).await;
        assert_eq!(tests::planted::hidden(&said.out), None, "{format}: {}", said.out);
        assert_eq!(tests::planted::hidden(&said.err), None, "{format}: {}", said.err);
    }
}

/// XC-12: with a pipe and without a terminal, a run is as with `-p`.
#[tokio::test]
async fn without_a_terminal_a_run_is_as_with_print() {
    let place = Place::with_turns([Turn::text("seen")]).await;
    let mut command = place.xc(&["what is it?"]);
    command.stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdin.take());
    let said = ended(child).await;
    assert_eq!((said.code, said.out.as_str()), (Some(0), "seen\n"), "{}", said.err);
}
