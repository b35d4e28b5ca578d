//! Each answer as the client gets it.

use proptest::prelude::{prop_assert, prop_assert_eq, proptest};
use serde_json::{Value, json};

use super::{Answer, CONTEXT_MAX, Context, Informed, RESERVED};

fn written(answer: &Answer) -> Vec<u8> {
    let mut output = Vec::new();
    answer.write(&mut output).unwrap();
    output
}

fn object(answer: &Answer) -> Value {
    serde_json::from_slice(&written(answer)).unwrap()
}

fn context(text: &str) -> Context {
    Context::fit(text, CONTEXT_MAX).0
}

#[test]
fn no_objection_is_silence() {
    assert_eq!(written(&Answer::silent()), b"");
    assert_eq!(written(&Answer::context(Informed::SessionStart, &context(""))), b"");
    assert_eq!(written(&Answer::silent().with_message("")), b"");
}

#[test]
fn each_answer_has_the_keys_that_its_event_honours() {
    for (answer, expected) in [
        (
            Answer::context(Informed::UserPromptSubmit, &context("a")),
            json!({"hookSpecificOutput": {
                "hookEventName": "UserPromptSubmit", "additionalContext": "a"
            }}),
        ),
        (
            Answer::deny("why"),
            json!({"hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": "why"
            }}),
        ),
        (
            Answer::ask("why").with_message("seen"),
            json!({
                "systemMessage": "seen",
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "ask",
                    "permissionDecisionReason": "why"
                }
            }),
        ),
        (
            Answer::replace_input(json!({"a": 1}).as_object().unwrap().clone()),
            json!({"hookSpecificOutput": {
                "hookEventName": "PreToolUse", "updatedInput": {"a": 1}
            }}),
        ),
        (Answer::keep_going("why"), json!({"decision": "block", "reason": "why"})),
    ] {
        assert_eq!(object(&answer), expected);
        assert_eq!(written(&answer).iter().filter(|byte| **byte == b'\n').count(), 1);
    }
}

#[test]
fn a_report_beside_the_answer_cannot_speak_for_it() {
    let mut report = json!({"schema_version": "1.0"}).as_object().unwrap().clone();
    for key in RESERVED {
        report.insert(key.to_owned(), json!("allow"));
    }
    let answer = Answer::context(Informed::UserPromptSubmit, &context("a")).beside(report);
    let expected = json!({
        "schema_version": "1.0",
        "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "a"}
    });
    assert_eq!(object(&answer), expected);
}

#[test]
fn a_text_is_cut_at_the_last_line_that_fits() {
    for (text, max, expected, cut) in [
        ("ab\ncd", 5, "ab\ncd", false),
        ("ab\ncd", 4, "ab", true),
        ("abcd", 3, "abc", true),
        ("一二三", 2, "一二", true),
        // Outside the basic plane a character has two units.
        ("😀😀", 3, "😀", true),
        ("", 0, "", false),
        ("a", 0, "", true),
    ] {
        assert_eq!(Context::fit(text, max), (Context(expected.to_owned()), cut), "{text:?} {max}");
    }
    let long = "x".repeat(CONTEXT_MAX + 1);
    assert_eq!(Context::fit(&long, usize::MAX).0.as_str().len(), CONTEXT_MAX);
}

proptest! {
    #[test]
    fn what_fits_is_a_beginning_within_the_limit(text in "\\PC{0,40}(\n\\PC{0,20}){0,4}", max in 0usize..60) {
        let (context, cut) = Context::fit(&text, max);
        prop_assert!(context.as_str().encode_utf16().count() <= max);
        prop_assert!(text.starts_with(context.as_str()));
        prop_assert_eq!(cut, context.as_str() != text);
    }
}
