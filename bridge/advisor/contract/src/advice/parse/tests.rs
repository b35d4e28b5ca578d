//! Parsing an answer, and the message about one that is not advice.

use expect_test::{Expect, expect};
use serde_json::json;

use super::*;

/// Advice that keeps every rule; the question's plans are `PlanA` and ` Plan B `.
fn advice() -> Value {
    json!({
        "clarifying_questions": ["Why now?"],
        "assumption_check": [{"text": "It fits", "status": "risky", "comment": "Measure."}],
        "alternatives": [{
            "name": "Alt 1", "description": "Wait.", "pros": ["Cheap"], "cons": [],
            "applicable_when": "Nothing burns.",
        }],
        "tradeoffs": [{"dimension": "risk", "notes": "Low."}],
        "recommendation": {"preferred_plan": "PlanA", "reason": "Simple.", "confidence": "low"},
        "followup_suggestions": [],
        "raw_text": "Take {PlanA}, \"simple\".",
    })
}

/// The advice with the value at a pointer replaced.
fn with(pointer: &str, value: Value) -> String {
    let mut advice = advice();
    *advice.pointer_mut(pointer).unwrap() = value;
    advice.to_string()
}

/// The advice with the value at a pointer removed.
fn without(pointer: &str) -> String {
    let mut advice = advice();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    advice.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key).unwrap();
    advice.to_string()
}

fn candidates() -> Vec<String> {
    vec!["PlanA".to_owned(), " Plan B ".to_owned()]
}

/// The preferred plan of each answer, or its violations.
fn check(answers: &[&str], expected: Expect) {
    check_in(Phase::Initial, answers, expected);
}

/// The same in a phase.
fn check_in(phase: Phase, answers: &[&str], expected: Expect) {
    let told =
        answers.iter().map(|answer| match parse_advice(answer, Asked::new(phase, &candidates())) {
            Ok(advice) => format!("prefers `{}`\n", advice.recommendation.preferred_plan),
            Err(AdviceFault { violations }) => {
                assert!(!violations.is_empty());
                let line = |Violation { path, message, hint }: &Violation| match hint {
                    Some(hint) => format!("{path}: {message} ({hint})\n"),
                    None => format!("{path}: {message}\n"),
                };
                format!(
                    "refused\n    {}",
                    violations
                        .iter()
                        .map(line)
                        .collect::<String>()
                        .trim_end()
                        .replace('\n', "\n    ")
                        + "\n"
                )
            }
        });
    expected.assert_eq(&told.collect::<String>());
}

#[test]
fn advice_is_found_wherever_it_stands() {
    let bare = advice().to_string();
    let pretty = serde_json::to_string_pretty(&advice()).unwrap();
    let expected: Advice = serde_json::from_value(advice()).unwrap();
    for answer in [
        bare.clone(),
        format!("\u{feff}\n {pretty} \n"),
        format!("```json\n{pretty}\n```"),
        format!("```\r\n{bare}\r\n```\r\n"),
        format!("~~~json\n{pretty}\n~~~"),
        format!(
            "Here is my advice {{as JSON}}:\n\n```json\n{pretty}\n```\nHope this helps {{:-)}}."
        ),
        format!("fn main() {{ \"x\" }} {bare}"),
        format!("Sure! {bare} Anything else?"),
        format!("{{\"advice\": {bare}, \"note\": \"wrapped\"}}"),
        format!("[{bare}]"),
        format!(
            "{{\"problem\": \"quoted back\", \"candidate_plans\": [{{\"name\": \"A\"}}]}}\n{bare}"
        ),
        format!("{{\"raw_text\": \"a first try\"}}\n{bare}"),
        format!("{{\"clarifying_questions\": [\"never closed\", {bare}"),
        format!("<think>{{\"a\": 1,}}</think>{bare}"),
    ] {
        assert_eq!(
            parse_advice(&answer, Asked::new(Phase::Initial, &candidates())).as_ref(),
            Ok(&expected),
            "{answer}"
        );
    }
}

#[test]
fn an_answer_without_advice_says_what_was_found() {
    check(
        &[
            "",
            "  \n",
            "I cannot help with that.",
            "{}",
            "null",
            "[1, 2]",
            "{\"problem\": \"quoted back\"}",
            "{\"clarifying_questions\": [\"cut in the mid",
            "{\"raw_text\": 'single'}",
            "{\"a\": \"\\ud800\"}",
            "{\"raw_text\": \"all in prose\"}",
            &format!("{{\"raw_text\": [{}0]}}", "0,".repeat(2_000)),
        ],
        expect![[r#"
            refused
                : expected one JSON object with the seven fields of the advice, found nothing
            refused
                : expected one JSON object with the seven fields of the advice, found nothing
            refused
                : expected one JSON object with the seven fields of the advice, found a text of 24 characters without a JSON object
            refused
                : expected one JSON object with the seven fields of the advice, found an object without any of them
            refused
                : expected one JSON object with the seven fields of the advice, found a text of 4 characters without a JSON object
            refused
                : expected one JSON object with the seven fields of the advice, found a text of 6 characters without a JSON object
            refused
                : expected one JSON object with the seven fields of the advice, found an object without any of them
            refused
                : expected one JSON object with the seven fields of the advice, found an object that is not JSON (EOF while parsing a string)
            refused
                : expected one JSON object with the seven fields of the advice, found an object that is not JSON (expected value)
            refused
                : expected one JSON object with the seven fields of the advice, found an object that is not JSON (unexpected end of hex escape)
            refused
                /alternatives: expected a list with at least one alternative, found nothing
                /assumption_check: expected a list, found nothing
                /clarifying_questions: expected a list of at most 5 questions, found nothing
                /followup_suggestions: expected a list of strings, found nothing
                /recommendation: expected an object with `preferred_plan`, `reason` and `confidence`, found nothing
                /tradeoffs: expected a list, found nothing
            refused
                : expected at most 2000 JSON values, found more
        "#]],
    );
}

#[test]
fn the_rules_of_the_contract_hold() {
    let question = json!("Why?");
    check(
        &[
            &with("/clarifying_questions", json!(vec![question.clone(); 5])),
            &with("/clarifying_questions", json!(vec![question; 6])),
            &with("/alternatives", json!([])),
            &with("/raw_text", json!(" \n")),
            &with("/assumption_check/0/status", json!("Risk")),
            &with("/tradeoffs/0/dimension", json!("cost")),
            &with("/recommendation/confidence", json!(0.8)),
            &with("/alternatives/0/pros", json!("cheap")),
            &with("/alternatives/0/name", json!("none")),
            &with("/recommendation", json!("PlanA")),
            &without("/tradeoffs"),
            &without("/recommendation/reason"),
            &without("/recommendation/preferred_plan"),
        ],
        expect![[r#"
            prefers `PlanA`
            refused
                /clarifying_questions: expected a list of at most 5 questions, found a list with 6 items
            refused
                /alternatives: expected a list with at least one alternative, found an empty list
            refused
                /raw_text: expected a text that is not blank (a summary for people), found a blank text
            refused
                /assumption_check/0/status: expected `plausible`, `risky` or `invalid`, found the text `Risk` (did you mean `risky`?)
            refused
                /tradeoffs/0/dimension: expected `maintainability`, `risk`, `performance`, `consistency` or `complexity`, found the text `cost`
            refused
                /recommendation/confidence: expected `low`, `medium` or `high`, found the number 0.8
            refused
                /alternatives/0/pros: expected a list of strings, found the text `cheap`
            refused
                /alternatives/0/name: expected a name in one line without control characters, at most 200 characters, other than `none`, found the text `none`
            refused
                /recommendation: expected an object with `preferred_plan`, `reason` and `confidence`, found the text `PlanA`
            refused
                /tradeoffs: expected a list, found nothing
            refused
                /recommendation/reason: expected a string, found nothing
            refused
                /recommendation/preferred_plan: expected a candidate's name, an alternative's name, or `none`, found nothing
        "#]],
    );
}

#[test]
fn the_preferred_plan_exists() {
    let prefer = |plan: &str| with("/recommendation/preferred_plan", json!(plan));
    check(
        &[
            &prefer("PlanA"),
            &prefer(" PlanA\n"),
            &prefer("Plan B"),
            &prefer("Alt 1"),
            &prefer("none"),
            &prefer(" none "),
            &prefer("plana"),
            &prefer("None"),
            &prefer("PlanA and Alt 1"),
            &prefer("Rewrite everything"),
            &prefer(" "),
            &prefer("\u{85}"),
            &with("/recommendation/preferred_plan", Value::Null),
        ],
        expect![[r#"
            prefers `PlanA`
            prefers `PlanA`
            prefers ` Plan B `
            prefers `Alt 1`
            prefers `none`
            prefers `none`
            refused
                /recommendation/preferred_plan: expected `PlanA`, ` Plan B `, `Alt 1` or `none`, found the text `plana` (did you mean `PlanA`?)
            refused
                /recommendation/preferred_plan: expected `PlanA`, ` Plan B `, `Alt 1` or `none`, found the text `None` (did you mean `none`?)
            refused
                /recommendation/preferred_plan: expected `PlanA`, ` Plan B `, `Alt 1` or `none`, found the text `PlanA and Alt 1` (did you mean `Alt 1`?)
            refused
                /recommendation/preferred_plan: expected `PlanA`, ` Plan B `, `Alt 1` or `none`, found the text `Rewrite everything` (use the exact name of a candidate or an alternative)
            refused
                /recommendation/preferred_plan: expected a candidate's name, an alternative's name, or `none`, found a blank text
            refused
                /recommendation/preferred_plan: expected a candidate's name, an alternative's name, or `none`, found a blank text
            refused
                /recommendation/preferred_plan: expected a candidate's name, an alternative's name, or `none`, found null
        "#]],
    );
}

#[test]
fn no_plan_needs_a_reason() {
    let recommend = |plan, reason| {
        with(
            "/recommendation",
            json!({"preferred_plan": plan, "reason": reason, "confidence": "high"}),
        )
    };
    check(
        &[
            &recommend("none", "Both lose data."),
            &recommend("none", ""),
            &recommend(" none", " \t"),
            &recommend("\u{85}none", "\u{85}"),
            &recommend("PlanA", ""),
        ],
        expect![[r#"
            prefers `none`
            refused
                /recommendation/reason: expected a reason, because the preferred plan is `none`, found an empty text
            refused
                /recommendation/reason: expected a reason, because the preferred plan is `none`, found a blank text
            refused
                /recommendation/reason: expected a reason, because the preferred plan is `none`, found a blank text
            prefers `PlanA`
        "#]],
    );
}

#[test]
fn names_and_fields_are_given_once() {
    let alternative = advice()["alternatives"][0].clone();
    let twice = advice().to_string().replacen('{', "{\"raw_text\": \"first\", ", 1);
    check(
        &[&with("/alternatives", json!([alternative.clone(), alternative])), &twice],
        expect![[r#"
            refused
                /alternatives/1/name: expected a name of its own, found the text `Alt 1` (`/alternatives/0/name` is the same)
            refused
                /raw_text: expected each field once, found this one more than once (keep one of them)
        "#]],
    );
}

#[test]
fn the_nulls_of_the_wire_form_are_empty_texts() {
    let mut wire = advice();
    wire["assumption_check"][0]["comment"] = Value::Null;
    wire["alternatives"][0]["applicable_when"] = Value::Null;
    assert!(schema::ADVICE_WIRE.accepts(&wire));
    let advice =
        parse_advice(&wire.to_string(), Asked::new(Phase::Initial, &candidates())).unwrap();
    assert_eq!(advice.assumption_check[0].comment, "");
    assert_eq!(advice.alternatives[0].applicable_when, "");
    check(
        &[&with("/alternatives/0/pros", Value::Null)],
        expect![[r#"
        refused
            /alternatives/0/pros: expected a list of strings, found null
    "#]],
    );
}

#[test]
fn many_candidates_are_not_all_listed() {
    let candidates: Vec<String> = (0..100).map(|index| format!("Plan {index}")).collect();
    let answer = with("/recommendation/preferred_plan", json!("Other"));
    let fault = parse_advice(&answer, Asked::new(Phase::Initial, &candidates)).unwrap_err();
    assert!(fault.violations[0].message.len() < 500, "{fault:?}");
}

#[test]
fn the_final_round_weighs_every_plan_and_asks_little() {
    let notes = |text: &str| with("/tradeoffs/0/notes", json!(text));
    let three = with("/clarifying_questions", json!(["a?", "b?", "c?"]));
    let reason = with("/recommendation/reason", json!("PlanA beats PLAN-B."));
    let answers = [
        notes("PlanA is simple; \u{201c}plan b\u{201d} is not."),
        reason,
        notes("PlanA is simple."),
        with("/tradeoffs", json!([])),
        three.clone(),
    ];
    let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
    check_in(
        Phase::Final,
        &answers,
        expect![[r#"
            prefers `PlanA`
            prefers `PlanA`
            refused
                /tradeoffs: expected a weighing of every plan in the final round, found nothing about ` Plan B ` (name each candidate plan, as it was given, in the notes of a trade-off or in the recommendation's reason)
            refused
                /tradeoffs: expected a weighing of every plan in the final round, found no trade-off (name each candidate plan, as it was given, in the notes of a trade-off or in the recommendation's reason)
            refused
                /clarifying_questions: expected at most 2 questions in the final round, found 3 (keep those whose answer would turn the decision round, or none)
                /tradeoffs: expected a weighing of every plan in the final round, found nothing about `PlanA` or ` Plan B ` (name each candidate plan, as it was given, in the notes of a trade-off or in the recommendation's reason)
        "#]],
    );
    // The first round may ask, and may leave a plan for later.
    check(
        &[&three],
        expect![[r#"
            prefers `PlanA`
        "#]],
    );
}

#[test]
fn a_short_name_is_no_part_of_a_word() {
    let candidates = ["A".to_owned(), "方案".to_owned()];
    let asked = Asked::new(Phase::Final, &candidates);
    let advice = |notes: &str| {
        let mut advice = advice();
        advice["recommendation"]["preferred_plan"] = json!("A");
        advice["tradeoffs"][0]["notes"] = json!(notes);
        parse_advice(&advice.to_string(), asked)
    };
    assert!(advice("A goes before 旧方案。").is_ok());
    let fault = advice("Any way is cheap, 方案.").unwrap_err();
    assert!(fault.violations[0].message.contains("nothing about `A`"), "{fault:?}");
}
