//! Lines as codex 0.169 prints them, and lines that it does not.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

fn check(line: &str, expected: Expect) {
    expected.assert_eq(&format!("{:?}", Message::read(line.as_bytes())));
}

/// What a notice says, without thread and turn.
fn news(line: &str) -> String {
    match Message::read(line.as_bytes()) {
        Message::Notice(notice) => format!("{:?}", notice.news),
        other => format!("{other:?}"),
    }
}

#[test]
fn answers_questions_and_notices_are_told_apart() {
    check(
        r#"{"id":0,"result":{"userAgent":"codex_bridge/0.169.0"}}"#,
        expect![[r#"Answer(0, Ok(Object {"userAgent": String("codex_bridge/0.169.0")}))"#]],
    );
    check(
        r#"{"id":1,"error":{"code":-32600,"message":"no rollout found"}}"#,
        expect![[r#"Answer(1, Err(Refusal { message: "no rollout found" }))"#]],
    );
    check(
        r#"{"id":"a","method":"item/tool/requestUserInput","params":{"x":1}}"#,
        expect![[r#"Question { id: String("a") }"#]],
    );
    check(
        r#"{"method":"turn/started","params":{"threadId":"T","turn":{"id":"U","items":[],"status":"inProgress"}},"emittedAtMs":1}"#,
        expect![[r#"Notice(Notice { thread: Some("T"), turn: Some("U"), news: TurnStarted })"#]],
    );
    for ignored in [
        r#"{"method":"a/method/of/tomorrow","params":7}"#,
        r#"{"method":"configWarning","params":{"summary":"no bubblewrap"}}"#,
    ] {
        check(ignored, expect!["Ignored"]);
    }
}

#[test]
fn what_happens_in_a_turn_is_understood() {
    let of = |method: &str, rest: &str| {
        news(&format!(r#"{{"method":"{method}","params":{{"threadId":"T","turnId":"U",{rest}}}}}"#))
    };
    let wrote = of(
        "item/agentMessage/delta",
        r#""itemId":"m","delta":"{\"a\u00e9"}"#.trim_end_matches('}'),
    );
    assert_eq!(wrote, r#"Wrote("{\"aé")"#);
    let delta = r#""delta":"dé计","summaryIndex":0"#;
    assert_eq!(of("item/reasoning/summaryTextDelta", delta), r#"Summarised("dé计")"#);
    assert_eq!(of("item/reasoning/textDelta", delta), "Thought(3)");
    assert_eq!(of("item/reasoning/summaryPartAdded", r#""summaryIndex":1"#), "Part");
    let usage = r#""tokenUsage":{"total":{"totalTokens":120,"inputTokens":100,"cachedInputTokens":10,"outputTokens":20,"reasoningOutputTokens":5},"last":{}}"#;
    assert_eq!(
        of("thread/tokenUsage/updated", usage),
        "Usage(Usage { input_tokens: 100, cached_input_tokens: 10, output_tokens: 20, reasoning_output_tokens: 5 })"
    );
    let trouble = r#""willRetry":true,"error":{"message":"Reconnecting... 1/2","codexErrorInfo":{"responseStreamDisconnected":{"httpStatusCode":null}},"additionalDetails":"stream closed"}"#;
    assert_eq!(
        of("error", trouble),
        r#"Trouble { message: "Reconnecting... 1/2 (stream closed)", will_retry: true }"#
    );
    let item = r#""item":{"type":"reasoning","id":"rs","summary":["**One**"],"content":[]}"#;
    let whole = of("item/completed", item);
    assert!(whole.starts_with(r#"Done(Item { kind: "reasoning", id: "rs""#), "{whole}");
    assert_eq!(of("warning", r#""message":"beware""#), r#"Warning { message: "beware" }"#);
}

/// A plan that cannot be read is no reason to say that Codex is not understood.
#[test]
fn of_an_account_only_the_numbers_of_its_plan_are_read() {
    let of = |limits: &str| {
        news(&format!(
            r#"{{"method":"account/rateLimits/updated","params":{{"rateLimits":{limits}}},"emittedAtMs":1}}"#
        ))
    };
    let told = of(
        r#"{"limitId":"codex","limitName":"a@example.com","primary":{"usedPercent":43,"windowDurationMins":300,"resetsAt":1795545767},"secondary":null,"credits":{"hasCredits":true,"unlimited":false,"balance":"9.99"},"planType":"pro"}"#,
    );
    assert_eq!(
        told,
        "Plan([Some(PlanWindow { used_percent: 43, minutes: Some(300), resets_at_s: Some(1795545767) }), None])"
    );
    for odd in
        ["{}", "null", "7", r#""x""#, r#"{"primary":{"usedPercent":-1}}"#, r#"{"primary":[1]}"#]
    {
        assert_eq!(of(odd), "Plan([None, None])", "{odd}");
    }
    assert_eq!(
        news(r#"{"method":"account/rateLimits/updated","params":{}}"#),
        "Plan([None, None])"
    );
}

#[test]
fn the_end_of_a_turn_has_its_kind() {
    let ended = |turn: &str| {
        news(&format!(
            r#"{{"method":"turn/completed","params":{{"threadId":"T","turn":{{"id":"U","items":[{{"type":"agentMessage"}}],{turn}}}}}}}"#
        ))
    };
    assert_eq!(ended(r#""status":"completed","error":null"#), "TurnEnded(Completed)");
    assert_eq!(ended(r#""status":"interrupted","error":null"#), "TurnEnded(Interrupted)");
    for (info, kind) in [
        ("\"serverOverloaded\"", r#"Some(ErrorKind { name: "serverOverloaded", status: None })"#),
        (
            r#"{"httpConnectionFailed":{"httpStatusCode":502}}"#,
            r#"Some(ErrorKind { name: "httpConnectionFailed", status: Some(502) })"#,
        ),
        (
            r#"{"httpConnectionFailed":{"httpStatusCode":null}}"#,
            r#"Some(ErrorKind { name: "httpConnectionFailed", status: None })"#,
        ),
        (
            r#"{"tomorrow":{"httpStatusCode":70000}}"#,
            r#"Some(ErrorKind { name: "tomorrow", status: None })"#,
        ),
        ("null", "None"),
        ("7", "None"),
        ("{}", "None"),
    ] {
        let failed =
            format!(r#""status":"failed","error":{{"message":"no","codexErrorInfo":{info}}}"#);
        let expected = format!(r#"TurnEnded(Failed {{ message: "no", kind: {kind} }})"#);
        assert_eq!(ended(&failed), expected, "{info}");
    }
    assert_eq!(ended(r#""status":"failed""#), "Malformed");
    assert_eq!(ended(r#""status":"paused""#), "Malformed");
}

#[test]
fn what_is_no_message_is_malformed() {
    for line in [
        "",
        "panicked at src/main.rs",
        "[1]",
        "{}",
        r#"{"id":1}"#,
        r#"{"id":"x","result":{}}"#,
        r#"{"id":-1,"result":{}}"#,
        r#"{"method":"turn/started"}"#,
        r#"{"method":"item/agentMessage/delta","params":{"delta":7}}"#,
        r#"{"method":7}"#,
    ] {
        check(line, expect!["Malformed"]);
    }
    assert_eq!(Message::read(b"{\"method\":\"\xff\"}"), Message::Malformed);
    check(&format!("{}1", "[".repeat(10_000)), expect!["Malformed"]);
}

proptest! {
    #[test]
    fn any_bytes_are_some_message(line in prop::collection::vec(any::<u8>(), 0..512)) {
        let _ = Message::read(&line);
    }

    #[test]
    fn any_cut_or_mutated_line_is_some_message(cut in 0usize..300, at in 0usize..300, byte: u8) {
        let mut line = br#"{"method":"turn/completed","params":{"threadId":"T","turn":{"id":"U","items":[],"status":"failed","error":{"message":"\ud83d\ude00","codexErrorInfo":{"httpConnectionFailed":{"httpStatusCode":502}}}}}}"#.to_vec();
        let length = line.len();
        line[at % length] = byte;
        line.truncate(cut);
        let _ = Message::read(&line);
    }
}
