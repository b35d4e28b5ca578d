//! What an answer changes in a report, and what it leaves alone.

use super::*;
use crate::input::Phase;

fn meta() -> Meta {
    let report: Value = serde_json::from_str(include_str!(
        "../../../../../../schemas/examples/valid/orchestrator-report-answered.json"
    ))
    .unwrap();
    serde_json::from_value(report["meta"].clone()).unwrap()
}

fn answered(limits: &[&str]) -> Answered {
    Answered {
        text: "Done.".to_owned(),
        usage: Some(Usage::default()),
        thread_id: "0199a213-81c0-7800-8aa1-bbab2a035a53".parse().ok(),
        limits: limits.iter().map(|limit| (*limit).to_owned()).collect(),
    }
}

fn none() -> Orchestration {
    let (id, time) = ("20261121-140501-5f2c1e".to_owned(), "2026-11-21T14:05:01Z".to_owned());
    Orchestration::none(id, time, "why?")
}

#[test]
fn the_report_of_no_orchestration_keeps_the_schema() {
    assert_eq!(ORCHESTRATOR_REPORT.violations(none().body()), []);
    assert_eq!((none().additional_context(), none().is_plan()), ("", false));
}

#[test]
fn an_answer_is_put_in_and_the_report_stays_one() {
    let report = none().answered(answered(&[]), &meta());
    assert_eq!(ORCHESTRATOR_REPORT.violations(report.body()), []);
    assert_eq!(report.text(), "Done.");
    assert_eq!(report.usage(), Some(Usage::default()));
    assert_eq!(report.thread_id(), answered(&[]).thread_id);
    assert_eq!((report.limits_text(), report.is_degraded()), ("", false));
    assert_eq!(report.body()["meta"]["phase"], json!(Phase::Final));
    assert_eq!(TurnReport::read(report.body().clone()), Ok(report));
    assert!(TurnReport::read(none().body().clone()).is_err(), "there is no answer in it");
}

#[test]
fn a_lost_thread_is_a_limit_and_a_degradation() {
    let report = none().answered(answered(&[CONTINUITY_LOST]), &meta());
    let line = "[Limits] session continuity unavailable; fallback to stateless exec";
    assert_eq!((report.limits_text(), report.is_degraded()), (line, true));
    assert_eq!(report.body()["degraded"]["degraded_to"], "stateless-exec");
    assert_eq!(ORCHESTRATOR_REPORT.violations(report.body()), []);

    let twice = none().without_continuity().answered(answered(&[CONTINUITY_LOST]), &meta());
    assert_eq!(twice.body()["degraded"], report.body()["degraded"], "said once");
    assert_eq!(twice.limits_text(), line);

    let again = report.with_limit(CONTINUITY_LOST).with_limit("another");
    assert_eq!(again.limits_text(), format!("{line}\n[Limits] another"), "each once");
}

#[test]
fn a_lost_thread_is_an_error_of_the_session() {
    let report = none().without_continuity().answered(answered(&[CONTINUITY_LOST]), &meta());
    let results = report.body()["tool_results"].as_array().unwrap();
    assert_eq!(results.len(), 1, "once: {results:?}");
    assert_eq!(results[0]["tool"], "codex exec resume");
    assert_eq!(results[0]["error"], json!({ "message": CONTINUITY_LOST, "code": "E_SESSION" }));
    assert_eq!(ORCHESTRATOR_REPORT.violations(report.body()), []);
}

#[test]
fn what_the_orchestrator_lacks_is_not_hidden() {
    let mut report = none().0;
    report["degraded"] =
        json!({ "is_degraded": true, "reason": "tool timeout", "degraded_to": "plan-only" });
    let report = Orchestration::read(report).unwrap();
    let report = report.answered(answered(&[CONTINUITY_LOST]), &meta());
    assert_eq!(
        report.body()["degraded"],
        json!({
            "is_degraded": true,
            "reason": format!("tool timeout; {CONTINUITY_LOST}"),
            "degraded_to": "plan-only",
        })
    );
}
