//! XC-20: the exit code tells who has to act, and a run without an answer is never 0.

use std::time::Duration;

use futures_util::future::join_all;
use mock_model::{ErrorKind, ProviderError, Reply, Turn};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tests::harness::wait_until;

use crate::fixture::{KEY, LIMIT, Place, Said, ended, shell};

/// A run in JSON, whose only line has the exit code of the process.
fn result(said: &Said, code: i32) -> Value {
    assert_eq!(said.code, Some(code), "{said:?}");
    assert!(!said.err.is_empty(), "nothing is said on standard error");
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(lines.len(), 1, "{said:?}");
    let result: Value = serde_json::from_str(lines[0]).unwrap();
    assert_eq!(result["exit"], code, "{result}");
    assert_eq!(result["reason"] == "answered", code == 0, "{result}");
    result
}

fn refusal(kind: ErrorKind) -> Reply {
    ProviderError { kind, message: None, param: None, retry_after: Some(Duration::ZERO) }.into()
}

#[tokio::test]
async fn an_answer_is_0_and_denied_calls_do_not_change_it() {
    let place = Place::with_turns([shell("touch made"), Turn::text("I may not.")]).await;
    let result = result(&place.run(&["-p", "--output-format", "json", "make it"]).await, 0);
    assert_eq!(result["answer"], "I may not.");
    assert_eq!(result["denied"][0]["tool"], "shell");
    assert!(!place.project().join("made").exists());
}

#[tokio::test]
async fn what_was_given_wrongly_is_2() {
    let place = Place::with_turns([]).await;
    for words in [
        &["-p", "--model", "custm:x", "q"][..],
        &["-p", "--resume", "q"],
        &["-p", "--add-dir", "nowhere", "q"],
        &["-p", "--config", "nowhere.json", "q"],
        &["-p", "--max-cost", "1", "q"],
        &["-p"],
    ] {
        let words = [words, &["--output-format", "json"]].concat();
        result(&place.run(&words).await, 2);
    }
    for words in [
        &["-p", "--no-such-option"][..],
        &["-p", "two", "words"],
        &["-C", "nowhere", "-p", "q"],
        &["-t", "config"],
    ] {
        let said = place.run(words).await;
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{words:?}: {}", said.err);
        assert!(!said.err.is_empty());
    }
    assert_eq!(place.mock.request_count(), 0);
}

#[tokio::test]
async fn all_faults_of_the_settings_are_told_at_once() {
    let place = Place::with_turns([]).await;
    place.settings(&json!({
        "modle": "qwen",
        "providers": { "openai": { "apikey": KEY }, "xai": { "baseURL": "http://example.com" } },
        "permissions": { "allow": ["shell npm test", "rule(files.mode)"] },
        "shell": { "timeoutMs": -1 },
    }));
    let said = place.run(&["-p", "q"]).await;
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""));
    for fault in [
        "modle: unknown setting; did you mean `model`?",
        "providers.openai.apikey: unknown setting; did you mean `apiKey`?",
        "providers.xai.baseURL: plain http is spoken to this machine only",
        "permissions.allow[0]",
        "permissions.allow[1]",
        "shell.timeoutMs: -1 is not a whole number",
    ] {
        assert!(said.err.contains(fault), "{fault}: {}", said.err);
    }
    assert!(!said.err.contains(KEY));
}

#[tokio::test]
async fn no_model_and_no_key_are_3() {
    let place = Place::with_turns([]).await;
    let mut command = place.xc(&["-p", "--output-format", "json", "q"]);
    command.env_remove("OPENAI_COMPATIBLE_API_KEY");
    let said = ended(command.spawn().unwrap()).await;
    result(&said, 3);
    for variable in ["ANTHROPIC_API_KEY", "MOONSHOT_API_KEY", "OPENAI_COMPATIBLE_API_KEY"] {
        assert!(said.err.contains(variable), "{}", said.err);
    }
    for kind in [ErrorKind::Unauthorized, ErrorKind::Forbidden, ErrorKind::ModelUnknown] {
        let place = Place::new(refusal(kind)).await;
        let said = place.run(&["-p", "--output-format", "json", "q"]).await;
        result(&said, 3);
        let requests = place.mock.requests();
        let asked = requests.iter().filter(|request| !request.body.is_empty()).count();
        assert_eq!(asked, 1, "it is not tried again");
        let is_listed = said.err.contains("the provider has mock-model");
        assert_eq!(is_listed, kind == ErrorKind::ModelUnknown, "{}", said.err);
    }
}

#[tokio::test]
async fn a_provider_that_fails_is_4() {
    // Beside one another: two of them wait before they try again.
    let kinds = [ErrorKind::BadRequest, ErrorKind::RateLimited, ErrorKind::Server];
    join_all(kinds.map(async |kind| {
        let place = Place::new(refusal(kind)).await;
        let result = result(&place.run(&["-p", "--output-format", "json", "q"]).await, 4);
        assert_eq!((&result["reason"], &result["answer"]), (&json!("failed"), &json!("")));
    }))
    .await;
}

#[tokio::test]
async fn a_limit_is_5_and_what_was_done_stays() {
    let place =
        Place::with_turns([shell("touch made"), shell("touch more"), Turn::text("never")]).await;
    let words = ["-p", "-t", "--max-turns", "1", "--output-format", "json", "q"];
    let ended = result(&place.run(&words).await, 5);
    assert_eq!(ended["reason"], "turn_limit");
    assert!(place.project().join("made").exists() && !place.project().join("more").exists());

    let place = Place::with_turns([shell("touch made"), Turn::text("never")]).await;
    place.settings(&json!({
        "model": "openai:gpt-4.1",
        "providers": { "openai": { "apiKey": KEY, "baseURL": place.mock.base_url() } },
    }));
    let words = ["-p", "-t", "--max-cost", "0.0000001", "--output-format", "json", "q"];
    let ended = result(&place.run(&words).await, 5);
    assert_eq!(ended["reason"], "cost_limit");
}

/// A run that waits in a command, which is told by a file.
async fn interrupted(signal: Signal, code: i32) {
    let place = Place::with_turns([shell("touch begun; sleep 60"), Turn::text("never")]).await;
    let child = place.xc(&["-p", "-t", "--output-format", "json", "q"]).spawn().unwrap();
    let pid = Pid::from_raw(i32::try_from(child.id().unwrap()).unwrap()).unwrap();
    let begun = place.project().join("begun");
    assert!(wait_until(LIMIT, || begun.exists()).await);
    kill_process(pid, signal).unwrap();
    let ended = result(&ended(child).await, code);
    assert_eq!(ended["reason"], "interrupted");
}

#[tokio::test]
async fn sigint_is_130() {
    interrupted(Signal::INT, 130).await;
}

#[tokio::test]
async fn sigterm_is_143() {
    interrupted(Signal::TERM, 143).await;
}

/// While standard input is waited for, too.
#[tokio::test]
async fn sigint_ends_a_run_that_waits_for_its_input() {
    let place = Place::with_turns([]).await;
    let mut command = place.xc(&["-p", "q"]);
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let stdin = child.stdin.take();
    let pid = child.id().unwrap();
    // It catches the signal as soon as the mask of caught signals has it.
    let caught = || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .is_some_and(|mask| mask & 2 != 0)
    };
    assert!(wait_until(LIMIT, caught).await);
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::INT).unwrap();
    assert_eq!(ended(child).await.code, Some(130));
    drop(stdin);
}
