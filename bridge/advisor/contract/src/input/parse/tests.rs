//! The errors for a request body, case by case.

use expect_test::{Expect, expect};

use super::*;

/// Each body, and below it what the caller is told.
fn check_bodies<B: AsRef<[u8]>>(bodies: &[B], expected: Expect) {
    let told = bodies.iter().map(|body| {
        let body = body.as_ref();
        let text = String::from_utf8_lossy(body);
        let shown: String = text.chars().take(80).map(|c| if c < ' ' { '¶' } else { c }).collect();
        format!("{shown}\n{}", tell(body))
    });
    expected.assert_eq(&told.collect::<String>());
}

/// As [`check_bodies`], for a valid question with these fields put over it.
fn check(changes: &[&str], expected: Expect) {
    let told = changes.iter().map(|change| {
        let mut question = serde_json::json!({
            "problem": "Where should the cache live?",
            "context": "",
            "candidate_plans": [{"name": "A", "description": "In the gateway."}],
            "phase": "initial",
        });
        let fields: serde_json::Map<String, Value> = serde_json::from_str(change).unwrap();
        question.as_object_mut().unwrap().extend(fields);
        format!("{change}\n{}", tell(question.to_string().as_bytes()))
    });
    expected.assert_eq(&told.collect::<String>());
}

fn tell(body: &[u8]) -> String {
    match parse_input(body) {
        Ok(_) => "    accepted\n".to_owned(),
        Err(fault @ InputFault::InvalidJson { .. }) => format!("    {fault}\n"),
        Err(InputFault::Violations(violations)) => violations
            .iter()
            .map(|Violation { path, message, hint }| match hint {
                Some(hint) => format!("    {path}: {message} ({hint})\n"),
                None => format!("    {path}: {message}\n"),
            })
            .collect(),
    }
}

#[test]
fn everything_wrong_is_said_at_once() {
    check_bodies(
        &[
            r#"{"problme": "x", "context": 5, "candidate_plans": [{"name": "", "descripton": "d"}, "B"],
                "phase": "finale", "options": {"timeout_ms": 10, "model": "-m"}}"#,
            "{}",
        ],
        expect![[r#"
            {"problme": "x", "context": 5, "candidate_plans": [{"name": "", "descripton": "d
                /candidate_plans/0/description: expected a text that is not blank (what the plan does), found nothing
                /candidate_plans/0/descripton: unknown field `descripton` (did you mean `description`?)
                /candidate_plans/0/name: expected a name in one line without control characters, at most 200 characters, other than `none`, found an empty text
                /candidate_plans/1: expected an object with `name` and `description`, found the text `B` (a plan is an object such as {"name": "PlanA", "description": "..."})
                /context: expected a text (stack, constraints, structure), found the number 5
                /options/model: expected a model's name such as gpt-5.5, found the text `-m`
                /options/timeout_ms: expected an integer from 1000 to 590000, found the number 10
                /phase: expected `initial` or `final`, found the text `finale` (did you mean `final`?)
                /problem: expected a text that is not blank (the problem in one to three sentences), found nothing
                /problme: unknown field `problme` (did you mean `problem`?)
            {}
                /candidate_plans: expected a list with at least one plan, found nothing (a plan is an object such as {"name": "PlanA", "description": "..."})
                /context: expected a text (stack, constraints, structure), found nothing
                /phase: expected `initial` or `final`, found nothing
                /problem: expected a text that is not blank (the problem in one to three sentences), found nothing
        "#]],
    );
}

#[test]
fn a_wrong_type_names_what_was_expected() {
    check_bodies(
        &["[]", "null", "\"text\""],
        expect![[r#"
            []
                : expected an object with `problem`, `context`, `candidate_plans` and `phase`, found an empty list
            null
                : expected an object with `problem`, `context`, `candidate_plans` and `phase`, found null
            "text"
                : expected an object with `problem`, `context`, `candidate_plans` and `phase`, found the text `text`
        "#]],
    );
    check(
        &[
            r#"{"problem": ["a"]}"#,
            r#"{"candidate_plans": {"name": "A"}}"#,
            r#"{"candidate_plans": ["A"]}"#,
            r#"{"non_goals": "performance"}"#,
            r#"{"non_goals": [1, null, true]}"#,
            r#"{"phase": 1}"#,
            r#"{"session_id": null}"#,
            r#"{"options": []}"#,
            r#"{"options": {"timeout_ms": "30000"}}"#,
            r#"{"options": {"timeout_ms": 1500.5}}"#,
        ],
        expect![[r#"
            {"problem": ["a"]}
                /problem: expected a text that is not blank (the problem in one to three sentences), found a list with 1 item
            {"candidate_plans": {"name": "A"}}
                /candidate_plans: expected a list with at least one plan, found an object (a plan is an object such as {"name": "PlanA", "description": "..."})
            {"candidate_plans": ["A"]}
                /candidate_plans/0: expected an object with `name` and `description`, found the text `A` (a plan is an object such as {"name": "PlanA", "description": "..."})
            {"non_goals": "performance"}
                /non_goals: expected a list of strings, found the text `performance`
            {"non_goals": [1, null, true]}
                /non_goals/0: expected a string, found the number 1
                /non_goals/1: expected a string, found null
                /non_goals/2: expected a string, found true
            {"phase": 1}
                /phase: expected `initial` or `final`, found the number 1
            {"session_id": null}
                /session_id: expected a session id such as 0199a213-81c0-7800-8aa1-bbab2a035a53, found null (take it from `meta.session_id` of the first round, or leave it out to open a session)
            {"options": []}
                /options: expected an object, found an empty list
            {"options": {"timeout_ms": "30000"}}
                /options/timeout_ms: expected an integer from 1000 to 590000, found the text `30000`
            {"options": {"timeout_ms": 1500.5}}
                /options/timeout_ms: expected an integer from 1000 to 590000, found the number 1500.5
        "#]],
    );
}

#[test]
fn a_missing_plan_is_refused() {
    check(
        &[
            r#"{"candidate_plans": []}"#,
            r#"{"candidate_plans": [{}]}"#,
            r#"{"candidate_plans": null}"#,
        ],
        expect![[r#"
            {"candidate_plans": []}
                /candidate_plans: expected a list with at least one plan, found an empty list (a plan is an object such as {"name": "PlanA", "description": "..."})
            {"candidate_plans": [{}]}
                /candidate_plans/0/description: expected a text that is not blank (what the plan does), found nothing
                /candidate_plans/0/name: expected a name in one line without control characters, at most 200 characters, other than `none`, found nothing
            {"candidate_plans": null}
                /candidate_plans: expected a list with at least one plan, found null (a plan is an object such as {"name": "PlanA", "description": "..."})
        "#]],
    );
}

#[test]
fn a_blank_text_is_no_text() {
    check(
        &[
            r#"{"problem": ""}"#,
            r#"{"problem": " \n\t\u3000 "}"#,
            r#"{"candidate_plans": [{"name": " ", "description": "\n"}]}"#,
            r#"{"context": "", "non_goals": [""]}"#,
        ],
        expect![[r#"
            {"problem": ""}
                /problem: expected a text that is not blank (the problem in one to three sentences), found an empty text
            {"problem": " \n\t\u3000 "}
                /problem: expected a text that is not blank (the problem in one to three sentences), found a blank text
            {"candidate_plans": [{"name": " ", "description": "\n"}]}
                /candidate_plans/0/description: expected a text that is not blank (what the plan does), found a blank text
                /candidate_plans/0/name: expected a name in one line without control characters, at most 200 characters, other than `none`, found a blank text
            {"context": "", "non_goals": [""]}
                accepted
        "#]],
    );
}

#[test]
fn an_unknown_field_gets_a_suggestion() {
    check(
        &[
            r#"{"candidatePlans": []}"#,
            r#"{"nongoals": []}"#,
            r#"{"timeout_ms": 5000}"#,
            r#"{"priority": 1, "a/b~c": 2}"#,
            r#"{"options": {"timeout": 5000, "effort": "high"}}"#,
            r#"{"candidate_plans": [{"name": "A", "description": "d", "risks": []}]}"#,
        ],
        expect![[r#"
            {"candidatePlans": []}
                /candidatePlans: unknown field `candidatePlans` (did you mean `candidate_plans`?)
            {"nongoals": []}
                /nongoals: unknown field `nongoals` (did you mean `non_goals`?)
            {"timeout_ms": 5000}
                /timeout_ms: unknown field `timeout_ms` (`timeout_ms` belongs under `options`)
            {"priority": 1, "a/b~c": 2}
                /a~1b~0c: unknown field `a/b~c` (the fields here are `problem`, `context`, `candidate_plans`, `questions_for_codex`, `non_goals`, `phase`, `session_id`, `workspace` and `options`)
                /priority: unknown field `priority` (the fields here are `problem`, `context`, `candidate_plans`, `questions_for_codex`, `non_goals`, `phase`, `session_id`, `workspace` and `options`)
            {"options": {"timeout": 5000, "effort": "high"}}
                /options/effort: unknown field `effort` (did you mean `reasoning_effort`?)
                /options/timeout: unknown field `timeout` (did you mean `timeout_ms`?)
            {"candidate_plans": [{"name": "A", "description": "d", "risks": []}]}
                /candidate_plans/0/risks: unknown field `risks` (the fields here are `name`, `description`, `assumptions` and `suspicions`)
        "#]],
    );
}

#[test]
fn a_word_outside_a_choice_gets_a_suggestion() {
    check(
        &[
            r#"{"phase": "finale"}"#,
            r#"{"phase": "Initial"}"#,
            r#"{"phase": "second"}"#,
            r#"{"options": {"reasoning_effort": "max"}}"#,
        ],
        expect![[r#"
            {"phase": "finale"}
                /phase: expected `initial` or `final`, found the text `finale` (did you mean `final`?)
            {"phase": "Initial"}
                /phase: expected `initial` or `final`, found the text `Initial` (did you mean `initial`?)
            {"phase": "second"}
                /phase: expected `initial` or `final`, found the text `second`
            {"options": {"reasoning_effort": "max"}}
                /options/reasoning_effort: expected `minimal`, `low`, `medium`, `high` or `xhigh`, found the text `max`
        "#]],
    );
}

#[test]
fn plan_names_can_be_told_apart() {
    let plans = |names: &[&str]| {
        let plan = |name: &&str| serde_json::json!({"name": name, "description": "d"});
        let plans: Vec<Value> = names.iter().map(plan).collect();
        serde_json::json!({ "candidate_plans": plans }).to_string()
    };
    check(
        &[
            &plans(&["A", "B", "A"]),
            &plans(&["Plan A", " plan a "]),
            &plans(&["方案一", "方案一"]),
            &plans(&["None"]),
            &plans(&["A\nB", "tab\there"]),
            &plans(&[&"n".repeat(200), &"n".repeat(201)]),
            &plans(&["none at all", "A B"]),
        ],
        expect![[r#"
            {"candidate_plans":[{"name":"A","description":"d"},{"name":"B","description":"d"},{"name":"A","description":"d"}]}
                /candidate_plans/2/name: expected a name of its own, found the text `A` (`/candidate_plans/0/name` is the same)
            {"candidate_plans":[{"name":"Plan A","description":"d"},{"name":" plan a ","description":"d"}]}
                /candidate_plans/1/name: expected a name of its own, found the text ` plan a ` (`/candidate_plans/0/name` is the same)
            {"candidate_plans":[{"name":"方案一","description":"d"},{"name":"方案一","description":"d"}]}
                /candidate_plans/1/name: expected a name of its own, found the text `方案一` (`/candidate_plans/0/name` is the same)
            {"candidate_plans":[{"name":"None","description":"d"}]}
                /candidate_plans/0/name: expected a name in one line without control characters, at most 200 characters, other than `none`, found the text `None`
            {"candidate_plans":[{"name":"A\nB","description":"d"},{"name":"tab\there","description":"d"}]}
                /candidate_plans/0/name: expected a name in one line without control characters, at most 200 characters, other than `none`, found the text `A\nB`
                /candidate_plans/1/name: expected a name in one line without control characters, at most 200 characters, other than `none`, found the text `tab\there`
            {"candidate_plans":[{"name":"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn","description":"d"},{"name":"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn","description":"d"}]}
                /candidate_plans/1/name: expected a name in one line without control characters, at most 200 characters, other than `none`, found a text of 201 characters
            {"candidate_plans":[{"name":"none at all","description":"d"},{"name":"A B","description":"d"}]}
                accepted
        "#]],
    );
}

#[test]
fn bounds_and_forms_are_checked() {
    check(
        &[
            r#"{"options": {"timeout_ms": 999}}"#,
            r#"{"options": {"timeout_ms": 590001}}"#,
            r#"{"options": {"timeout_ms": -1}}"#,
            r#"{"options": {"timeout_ms": 1e30}}"#,
            r#"{"options": {"timeout_ms": 590000}}"#,
            r#"{"options": {"timeout_ms": 1000.0}}"#,
            r#"{"session_id": "latest"}"#,
            r#"{"session_id": "0199A213-81C0-7800-8AA1-BBAB2A035A53"}"#,
            r#"{"workspace": "src"}"#,
            r#"{"workspace": "/a\u0000b"}"#,
            r#"{"options": {"model": "--config=x"}}"#,
            r#"{"options": {"model": "openai/gpt-5.5:free"}}"#,
        ],
        expect![[r#"
            {"options": {"timeout_ms": 999}}
                /options/timeout_ms: expected an integer from 1000 to 590000, found the number 999
            {"options": {"timeout_ms": 590001}}
                /options/timeout_ms: expected an integer from 1000 to 590000, found the number 590001
            {"options": {"timeout_ms": -1}}
                /options/timeout_ms: expected an integer from 1000 to 590000, found the number -1
            {"options": {"timeout_ms": 1e30}}
                /options/timeout_ms: expected an integer from 1000 to 590000, found the number 1e+30
            {"options": {"timeout_ms": 590000}}
                accepted
            {"options": {"timeout_ms": 1000.0}}
                accepted
            {"session_id": "latest"}
                /session_id: expected a session id such as 0199a213-81c0-7800-8aa1-bbab2a035a53, found the text `latest` (take it from `meta.session_id` of the first round, or leave it out to open a session)
            {"session_id": "0199A213-81C0-7800-8AA1-BBAB2A035A53"}
                accepted
            {"workspace": "src"}
                /workspace: expected the absolute path of a folder, such as /home/ann/shop, found the text `src`
            {"workspace": "/a\u0000b"}
                /workspace: expected the absolute path of a folder, such as /home/ann/shop, found the text `/a\0b`
            {"options": {"model": "--config=x"}}
                /options/model: expected a model's name such as gpt-5.5, found the text `--config=x`
            {"options": {"model": "openai/gpt-5.5:free"}}
                accepted
        "#]],
    );
}

#[test]
fn a_field_given_twice_is_not_dropped_in_silence() {
    check_bodies(
        &[r#"{"problem": "a", "problem": "b", "context": "", "phase": "initial",
            "candidate_plans": [{"name": "A", "name": "B", "description": "d", "name": "C"}]}"#],
        expect![[r#"
            {"problem": "a", "problem": "b", "context": "", "phase": "initial",¶            
                /candidate_plans/0/name: expected each field once, found this one more than once (keep one of them)
                /problem: expected each field once, found this one more than once (keep one of them)
        "#]],
    );
}

#[test]
fn text_that_is_not_json_is_placed() {
    check_bodies(
        &[
            "",
            " \n ",
            "{\n  \"problem\": \"方案\", }",
            "{'problem': 1}",
            "{\"problem\": \"a\nb\"}",
            "{\"problem\": \"\\ud800\"}",
            "{\"problem\": 1e999}",
            "{} {}",
            "{\"problem\": ",
            &"[".repeat(10_000),
        ],
        expect![[r#"

                the body is not JSON: the text is empty at line 1 column 1
             ¶ 
                the body is not JSON: the text is empty at line 1 column 1
            {¶  "problem": "方案", }
                the body is not JSON: trailing comma at line 2 column 20
            {'problem': 1}
                the body is not JSON: key must be a string at line 1 column 2
            {"problem": "a¶b"}
                the body is not JSON: control character (\u0000-\u001F) found while parsing a string at line 2 column 1
            {"problem": "\ud800"}
                the body is not JSON: unexpected end of hex escape at line 1 column 20
            {"problem": 1e999}
                the body is not JSON: number out of range at line 1 column 17
            {} {}
                the body is not JSON: trailing characters at line 1 column 4
            {"problem": 
                the body is not JSON: EOF while parsing a value at line 1 column 12
            [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
                the body is not JSON: lists and objects are nested too deeply at line 1 column 128
        "#]],
    );
    check_bodies(
        &[&b"{\"a\":\n \"\xe6\x96\xb9\xff\"}"[..], b"\xff\xfe{\0}\0", b"\xef\xbb\xbf{} {}"],
        expect![[r#"
            {"a":¶ "方�"}
                the body is not JSON: the text is not UTF-8 at line 2 column 4
            ��{¶}¶
                the body is not JSON: the text is UTF-16, not UTF-8 at line 1 column 1
            ﻿{} {}
                the body is not JSON: trailing characters at line 1 column 4
        "#]],
    );
}

#[test]
fn a_long_list_of_violations_is_bounded() {
    let body = format!("{{\"non_goals\": [{}0]}}", "0,".repeat(1_500));
    let Err(InputFault::Violations(violations)) = parse_input(body.as_bytes()) else { panic!() };
    assert_eq!(violations.len(), 101);
    check_bodies(
        &[
            format!("[{}0]", "0,".repeat(2_000)),
            format!("{{\"{}\": {{\"a\": 1, \"a\": 2}}}}", "k".repeat(5_000)),
        ],
        expect![[r#"
            [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0
                : expected at most 2000 JSON values, found more
            {"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk
                : unknown field with a name of 5000 characters (the fields here are `problem`, `context`, `candidate_plans`, `questions_for_codex`, `non_goals`, `phase`, `session_id`, `workspace` and `options`)
                : expected each field once, found this one more than once (keep one of them)
                /candidate_plans: expected a list with at least one plan, found nothing (a plan is an object such as {"name": "PlanA", "description": "..."})
                /context: expected a text (stack, constraints, structure), found nothing
                /phase: expected `initial` or `final`, found nothing
                /problem: expected a text that is not blank (the problem in one to three sentences), found nothing
        "#]],
    );
    expect![[r#"
        Violation {
            path: "",
            message: "1405 more violations are not listed",
            hint: None,
        }
    "#]]
    .assert_debug_eq(violations.last().unwrap());
}
