//! Every recorded run against the class that was noted when it was recorded.

use std::collections::BTreeSet;

use expect_test::{Expect, expect};
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::event::Event;

/// 454 runs of codex 0.42 to 0.169; see the README beside it.
const RUNS: &str = include_str!("../../../../../tests/fixtures/codex/runs.jsonl");

/// Where the class differs from the one noted at the recording, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "bounded_hang_mid_stream",
        "stalled, retry now",
        "`timeout` is the run's own deadline; here the provider went silent",
    ),
    ("failed_cyber_policy", "refused", "a policy declined; the request was well formed"),
    ("failed_invalid_prompt", "refused", "a policy declined; the request was well formed"),
    ("old_0.120.0_login_status", "auth", "Codex says that it is not signed in"),
    ("old_0.139.0_login_status", "auth", "Codex says that it is not signed in"),
    ("old_0.77.0_login_status", "auth", "Codex says that it is not signed in"),
    ("old_0.120.0_resume_malformed", "answer", NO_THREAD_ID),
    ("old_0.139.0_resume_malformed", "answer", NO_THREAD_ID),
    ("old_0.45.0_resume_malformed", "answer", NO_THREAD_ID),
    ("old_0.77.0_resume_malformed", "answer", NO_THREAD_ID),
    ("resume_malformed_id", "answer", NO_THREAD_ID),
];

const NO_THREAD_ID: &str = "what was resumed is no ThreadId, so it never gets to a command line";

struct Run {
    name: String,
    turn: Turn,
    ended: Ended,
    resumed: Option<ThreadId>,
    /// As noted at the recording, in the contract's words.
    expected: Option<String>,
}

fn runs() -> Vec<Run> {
    RUNS.lines().map(|line| run(&serde_json::from_str(line).unwrap())).collect()
}

fn run(recorded: &Value) -> Run {
    let mut turn = Turn::default();
    for line in recorded["stdout"].as_array().unwrap() {
        turn.apply(Event::read(line.as_str().unwrap().as_bytes()));
    }
    let exit = i32::try_from(recorded["exit"].as_i64().unwrap()).unwrap();
    let killed = recorded["killed_at_deadline"].as_bool().unwrap();
    let ended = Ended {
        exit: if exit < 0 { Exit::Signal(-exit) } else { Exit::Code(exit) },
        cause: if killed { Cause::Deadline } else { Cause::Exited },
        stderr_tail: recorded["stderr"].as_str().unwrap().to_owned(),
        ..exited_with(0)
    };
    Run {
        name: recorded["name"].as_str().unwrap().to_owned(),
        turn,
        ended,
        resumed: recorded["resumed"].as_str().map(|id| id.parse().unwrap()),
        expected: recorded.get("expected").filter(|it| !it.is_null()).map(|it| noted(it, killed)),
    }
}

fn exited_with(code: i32) -> Ended {
    Ended {
        exit: Exit::Code(code),
        cause: Cause::Exited,
        signal: None,
        stderr_tail: String::new(),
        stdout_bytes: 0,
        stderr_bytes: 0,
        long_lines: 0,
        pid: 1,
        duration: Duration::from_secs(1),
    }
}

/// The note in the contract's words.
fn noted(expected: &Value, killed: bool) -> String {
    let Some(code) = expected["code"].as_str() else { return "answer".to_owned() };
    let code = match code {
        // The bridge makes the prompt, the schema and the folder itself, and checks a caller's
        // workspace before: a fault in them is the bridge's.
        "bad_prompt" | "bad_schema" | "bad_workdir" => "internal",
        // Out of file descriptors; the contract's `overloaded` is a full queue.
        "overloaded" => "spawn_failed",
        "input_too_large" => "body_too_large",
        same => same,
    };
    // Once the deadline has passed there is no time for another attempt.
    match expected["retryable"].as_bool() {
        Some(true) if !killed => format!("{code}, retry"),
        _ => code.to_owned(),
    }
}

fn described(outcome: &Result<Answer, AttemptFailure>) -> String {
    match outcome {
        Ok(_) => "answer".to_owned(),
        Err(failure) => {
            let code = failure.code.as_str();
            match failure.retry {
                Retry::Never => code.to_owned(),
                Retry::Now => format!("{code}, retry now"),
                Retry::After(delay) => format!("{code}, retry after {} ms", delay.as_millis()),
                Retry::Repair => format!("{code}, retry in the thread"),
            }
        }
    }
}

#[test]
fn every_recorded_run_has_the_class_noted_for_it() {
    let mut wrong = Vec::new();
    let mut unused: BTreeSet<&str> = EXCEPTIONS.iter().map(|(name, ..)| *name).collect();
    for run in runs() {
        let Some(expected) = run.expected else { continue };
        let outcome = classify(&run.turn, &run.ended, run.resumed);
        let found = described(&outcome);
        let exception = EXCEPTIONS.iter().find(|(name, ..)| *name == run.name);
        if let Some((name, excepted, _)) = exception
            && found == *excepted
            && !found.starts_with(&expected)
        {
            unused.remove(name);
        } else if !(found == expected || found.starts_with(&format!("{expected} ")))
            || exception.is_some()
        {
            wrong.push(format!("{}: expected {expected}, found {found}", run.name));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(unused, BTreeSet::new(), "exceptions that nothing needs");
}

#[test]
fn runs_without_a_note_are_no_answer_unless_their_turn_completed() {
    let mut found = String::new();
    for run in runs().into_iter().filter(|run| run.expected.is_none()) {
        let outcome = classify(&run.turn, &run.ended, run.resumed);
        found.push_str(&format!("{}: {}\n", run.name, described(&outcome)));
    }
    expect![[r#"
        delete_fork: crashed, retry now
        delete_parent_of_fork: crashed, retry now
        delete_session: crashed, retry now
        delete_session_force: crashed, retry now
        delete_session_unknown: crashed, retry now
        login_status_apikey: crashed, retry now
        login_status_chatgpt: crashed, retry now
        login_status_corrupt: crashed, retry now
        login_status_custom_provider: auth
        login_status_env_key: auth
        login_status_none: auth
        no_json_plain: crashed, retry now
        old_0.42.0_experimental_json: crashed, retry now
        old_0.42.0_json: crashed, retry now
        resume_concurrent_same_id_0: answer
        resume_concurrent_same_id_1: session_busy, retry after 2000 ms
    "#]]
    .assert_eq(&found);
}

#[test]
fn an_answer_is_the_last_message_of_a_completed_turn_and_nothing_else() {
    for run in runs() {
        let outcome = classify(&run.turn, &run.ended, run.resumed);
        let completed = matches!(run.turn.terminal(), Some(Terminal::Completed { .. }));
        match outcome {
            Ok(answer) => {
                assert!(completed, "{}", run.name);
                assert_eq!(Some(answer.text.as_str()), run.turn.last_message(), "{}", run.name);
            }
            Err(failure) => {
                assert!(failure.message.len() > 20, "{}", run.name);
                assert!(failure.raw.len() <= RAW_MAX_BYTES, "{}", run.name);
            }
        }
    }
}

#[test]
fn the_last_of_several_messages_is_the_answer() {
    let answer = |name: &str| {
        let run = runs().into_iter().find(|run| run.name == name).unwrap();
        classify(&run.turn, &run.ended, run.resumed).map(|answer| answer.text)
    };
    assert_eq!(answer("ok_two_messages").unwrap(), "final answer");
}

fn check(lines: &[&str], ended: Ended, expected: Expect) {
    let mut turn = Turn::default();
    for line in lines {
        turn.apply(Event::read(line.as_bytes()));
    }
    let outcome = classify(&turn, &ended, None);
    let raw = outcome.as_ref().err().map(|failure| failure.raw.clone()).unwrap_or_default();
    expected.assert_eq(&format!("{}\n{raw}", described(&outcome)));
}

const ANSWER: &str = r#"{"type":"item.completed","item":{"type":"agent_message","text":"yes"}}"#;
const COMPLETED: &str = r#"{"type":"turn.completed","usage":{}}"#;
const WAITING: &str = r#"{"type":"error","message":"Reconnecting... waiting for network (Connection failed: error sending request)"}"#;

fn ended_by(cause: Cause) -> Ended {
    Ended { cause, exit: Exit::Signal(9), ..exited_with(0) }
}

#[test]
fn a_complete_answer_counts_although_the_process_had_to_be_ended() {
    for cause in [Cause::Lingered, Cause::Deadline, Cause::Stalled] {
        check(&[ANSWER, COMPLETED], ended_by(cause), expect!["answer\n"]);
    }
}

#[test]
fn a_complete_answer_does_not_count_when_the_process_broke_or_nobody_waits() {
    check(&[ANSWER, COMPLETED], exited_with(101), expect!["crashed, retry now\n"]);
    check(&[ANSWER, COMPLETED], ended_by(Cause::GuardLost), expect!["crashed, retry now\n"]);
    check(&[ANSWER, COMPLETED], ended_by(Cause::OutputLimit), expect!["output_limit\n"]);
    check(&[ANSWER, COMPLETED], ended_by(Cause::Cancelled), expect!["cancelled\n"]);
}

#[test]
fn an_unfinished_turn_is_never_an_answer() {
    for (cause, expected) in [
        (Cause::Exited, expect!["crashed, retry now\n"]),
        (Cause::Lingered, expect!["crashed, retry now\n"]),
        (Cause::Deadline, expect!["timeout\n"]),
        (Cause::Stalled, expect!["stalled, retry now\n"]),
        (Cause::Cancelled, expect!["cancelled\n"]),
        (Cause::OutputLimit, expect!["output_limit\n"]),
        (Cause::GuardLost, expect!["crashed, retry now\n"]),
    ] {
        check(&[ANSWER], ended_by(cause), expected);
    }
    check(&[ANSWER], exited_with(0), expect!["crashed, retry now\n"]);
}

#[test]
fn what_codex_struggled_with_explains_a_deadline_until_it_got_over_it() {
    let struggling = expect!["network\nConnection failed: error sending request"];
    check(&[WAITING], ended_by(Cause::Deadline), struggling);
    check(&[WAITING, ANSWER], ended_by(Cause::Deadline), expect!["timeout\n"]);
}

#[test]
fn a_resumed_thread_has_to_be_named() {
    let resumed = "01a1fcca-0698-7310-ba47-d388ee82ebcb".parse().unwrap();
    let mut turn = Turn::default();
    turn.apply(Event::read(ANSWER.as_bytes()));
    let crashed = classify(&turn, &exited_with(101), Some(resumed));
    assert_eq!(described(&crashed), "crashed, retry now");
    turn.apply(Event::read(COMPLETED.as_bytes()));
    let unnamed = classify(&turn, &exited_with(0), Some(resumed));
    assert_eq!(described(&unnamed), "session_lost");
}

#[test]
fn the_end_of_stderr_is_kept_in_whole_lines() {
    let line = "x".repeat(99);
    let stderr_tail = format!("{}last words\n\n", format!("{line}\n").repeat(160));
    let failure =
        classify(&Turn::default(), &Ended { stderr_tail, ..exited_with(1) }, None).unwrap_err();
    assert!(failure.raw.len() <= RAW_MAX_BYTES && failure.raw.len() > RAW_MAX_BYTES - 100);
    assert!(failure.raw.starts_with(&line) && failure.raw.ends_with("\nlast words"));
}

#[test]
fn a_wait_that_the_provider_names_is_kept() {
    let hint = |text| rules::hinted_delay(text).map(|delay| delay.as_millis());
    assert_eq!(hint("Please try again in 2.5s."), Some(2500));
    assert_eq!(hint("try again in 320ms"), Some(320));
    assert_eq!(hint("try again in 1m"), Some(60_000));
    assert_eq!(hint("try again in 99999999999999999999s"), Some(3_600_000));
    for none in ["try again at 10:26 PM", "try again in ", "try again in a minute", ""] {
        assert_eq!(hint(none), None, "{none}");
    }
}

#[test]
fn a_process_that_never_ran_says_what_to_mend() {
    let described = |error: SpawnError| described(&Err(not_started(&error)));
    let path = std::path::PathBuf::from("/opt/codex");
    let source = || std::io::Error::from_raw_os_error(11);
    assert_eq!(described(SpawnError::NotFound { path: path.clone() }), "codex_not_found");
    let not_executable = SpawnError::NotExecutable { path: path.clone(), source: source() };
    assert_eq!(described(not_executable), "codex_not_found");
    assert_eq!(described(SpawnError::Directory { path, source: source() }), "internal");
    let resources = SpawnError::Resources { source: source() };
    assert_eq!(described(resources), "spawn_failed, retry after 2000 ms");
    assert_eq!(described(SpawnError::Guard { source: source() }), "spawn_failed");
}

proptest! {
    #[test]
    fn any_words_have_a_cause(message in ".{0,200}", stderr in ".{0,200}", code in 0i32..256) {
        let mut turn = Turn::default();
        let ended = Ended { stderr_tail: stderr, ..exited_with(code) };
        prop_assert!(classify(&turn, &ended, None).is_err());
        turn.apply(Event::TurnFailed { message, kind: None });
        prop_assert!(classify(&turn, &ended, None).is_err());
    }
}

#[test]
fn each_kind_has_its_code_and_its_retry() {
    let (never, now) = (Retry::Never, Retry::Now);
    let pause = Retry::After(Duration::from_secs(5));
    for (names, code, retry) in [
        (&["contextWindowExceeded"][..], FailureCode::ContextLength, never),
        (&["usageLimitExceeded", "sessionBudgetExceeded"], FailureCode::Quota, never),
        (&["rateLimitExceeded"], FailureCode::RateLimited, pause),
        (
            &["serverOverloaded", "flexUnavailable", "policyCapacityUnavailable"],
            FailureCode::ModelUnavailable,
            pause,
        ),
        (&["modelNotFound"], FailureCode::ModelUnavailable, never),
        (
            &[
                "cyberPolicy",
                "misalignmentPolicyViolation",
                "inferenceHookDenied",
                "tooManyDenials",
            ],
            FailureCode::Refused,
            never,
        ),
        (&["unauthorized"], FailureCode::Auth, never),
        (&["badRequest"], FailureCode::BadRequest, never),
        (&["internalServerError"], FailureCode::UpstreamError, now),
        (
            &[
                "httpConnectionFailed",
                "responseStreamConnectionFailed",
                "responseStreamDisconnected",
                "responseTooManyFailedAttempts",
            ],
            FailureCode::Network,
            now,
        ),
        (
            &["sandboxError", "threadRollbackFailed", "activeTurnNotSteerable"],
            FailureCode::Internal,
            never,
        ),
    ] {
        for name in names {
            let kind = ErrorKind { name: (*name).to_owned(), status: None };
            let diagnosis = rules::of_kind(&kind).unwrap();
            assert_eq!((diagnosis.code, diagnosis.retry), (code, retry), "{name}");
        }
    }
    for name in ["other", "somethingNew", ""] {
        assert_eq!(rules::of_kind(&ErrorKind { name: name.to_owned(), status: None }), None);
    }
}

#[test]
fn a_status_counts_whatever_the_kind_is_called() {
    for (status, code) in [
        (400, Some(FailureCode::BadRequest)),
        (401, Some(FailureCode::Auth)),
        (402, Some(FailureCode::Quota)),
        (403, Some(FailureCode::Auth)),
        (404, Some(FailureCode::BadRequest)),
        (408, Some(FailureCode::Timeout)),
        (413, Some(FailureCode::ContextLength)),
        (429, Some(FailureCode::RateLimited)),
        (500, Some(FailureCode::UpstreamError)),
        (529, Some(FailureCode::UpstreamError)),
        (302, None),
    ] {
        let name = "httpConnectionFailed".to_owned();
        let found = rules::of_kind(&ErrorKind { name, status: Some(status) });
        assert_eq!(found.map(|diagnosis| diagnosis.code), code, "{status}");
    }
}
