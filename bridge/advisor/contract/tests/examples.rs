//! The examples of `schemas/examples`: each valid one is accepted and survives its type, each
//! invalid one is refused with exactly the violations beside it.
//!
//! `UPDATE_EXPECT=1` rewrites the expected lists; read the difference before you keep it.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};

use contract::advice::{Advice, Asked, Report, parse_advice};
use contract::failure::{Failure, FailureCode, Violation};
use contract::input::{AdvisorInput, InputFault, Phase, parse_input};
use contract::orchestrate::{self, OrchestrateInput, TurnReport, parse_orchestrate};
use contract::run::{Accepted, RunPage, RunRecord, RunSummary, SessionRecord};
use contract::schema::{self, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The examples of a folder, with their names without `.json`.
fn examples(folder: &str) -> Vec<(String, PathBuf)> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../schemas/examples").join(folder);
    let mut examples: Vec<(String, PathBuf)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?.strip_suffix(".json")?.to_owned();
            (!name.ends_with(".expected")).then_some((name, path))
        })
        .collect();
    examples.sort();
    assert!(!examples.is_empty());
    examples
}

/// An example's name begins with its schema's; one that does not is a question.
fn schema_of(name: &str) -> &'static Schema {
    let named = |schema: &&&Schema| name.starts_with(&format!("{}-", schema.name));
    schema::ALL.iter().find(named).copied().unwrap_or(&schema::ADVISOR_INPUT)
}

/// The names of the plans in `initial.json`: the question that the advice examples answer.
fn candidates() -> Vec<String> {
    let initial =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../schemas/examples/valid/initial.json");
    let question = parse_input(&std::fs::read(initial).unwrap()).unwrap();
    question.candidate_plans.into_iter().map(|plan| plan.name).collect()
}

/// What the type makes of the value and gives back.
fn through<T: DeserializeOwned + Serialize>(value: &Value) -> Value {
    let typed: T = serde_json::from_value(value.clone()).unwrap();
    serde_json::to_value(typed).unwrap()
}

#[test]
fn every_valid_example_is_accepted() {
    for (name, path) in examples("valid") {
        let text = std::fs::read_to_string(path).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let schema = schema_of(&name);
        assert_eq!(schema.violations(&value), [], "{name}");
        match schema.name {
            "advisor-input" => drop(parse_input(text.as_bytes()).unwrap()),
            "advice" => {
                drop(parse_advice(&text, Asked::new(Phase::Initial, &candidates())).unwrap())
            }
            "orchestrate-input" => drop(parse_orchestrate(text.as_bytes()).unwrap()),
            _ => {}
        }
    }
}

#[test]
fn every_valid_example_survives_its_type() {
    for (name, path) in examples("valid") {
        let value: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let schema = schema_of(&name);
        let back = match (schema.name, name.as_str()) {
            ("advisor-input", _) => through::<AdvisorInput>(&value),
            ("advice", _) => through::<Advice>(&value),
            ("report", _) => through::<Report>(&value),
            ("failure", _) => through::<Failure>(&value),
            ("run", "run-accepted") => through::<Accepted>(&value),
            ("run", "run-summary") => through::<RunSummary>(&value),
            ("run", "run-record") => through::<RunRecord>(&value),
            ("run", "run-page") => through::<RunPage>(&value),
            ("run", "run-session") => through::<SessionRecord>(&value),
            ("orchestrate-input", _) => through::<OrchestrateInput>(&value),
            ("orchestrator-report", "orchestrator-report-answered") => {
                TurnReport::read(value.clone()).unwrap().body().clone()
            }
            ("orchestrator-report", _) => through::<orchestrate::report::Report>(&value),
            _ => panic!("no type for {name}"),
        };
        assert_eq!(schema.violations(&back), [], "{name}");
        // Defaults are filled in and numbers lose a `.0`; nothing else changes.
        if schema.name != "advisor-input" || name == "initial" || name == "all-fields" {
            assert_eq!(back, value, "{name}");
        }
    }
}

#[test]
fn every_invalid_example_gets_exactly_its_violations() {
    for (name, path) in examples("invalid") {
        let text = std::fs::read_to_string(&path).unwrap();
        let refusal = refusal(schema_of(&name), &text);
        let refusal = serde_json::to_string_pretty(&refusal).unwrap() + "\n";
        expect_test::expect_file![path.with_extension("expected.json")].assert_eq(&refusal);
    }
}

/// What a caller learns, as `NAME.expected.json` has it.
fn refusal(schema: &Schema, text: &str) -> Value {
    let details = |code: FailureCode, violations: Vec<Violation>| {
        assert!(!violations.is_empty(), "{text}");
        json!({ "code": code, "details": violations })
    };
    let refused = |fault: InputFault| match fault {
        InputFault::Violations(violations) => details(FailureCode::ContractViolation, violations),
        InputFault::InvalidJson { line, column, message } => json!({
            "code": FailureCode::InvalidJson, "line": line, "column": column, "message": message,
        }),
    };
    match schema.name {
        "advisor-input" => refused(parse_input(text.as_bytes()).unwrap_err()),
        "orchestrate-input" => refused(parse_orchestrate(text.as_bytes()).unwrap_err()),
        "advice" => {
            let fault = parse_advice(text, Asked::new(Phase::Initial, &candidates())).unwrap_err();
            details(FailureCode::BadOutput, fault.violations)
        }
        _ => {
            let violations = schema.violations(&serde_json::from_str(text).unwrap());
            assert!(!violations.is_empty(), "{text}");
            json!({ "details": violations })
        }
    }
}
