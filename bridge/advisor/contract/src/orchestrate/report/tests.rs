//! The types and the schema agree.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::orchestrate::identity;
use crate::schema::ORCHESTRATOR_REPORT;

fn examples(folder: &str) -> Vec<(String, Value)> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../schemas/examples").join(folder);
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let ours = files.filter_map(|path| {
        let name = path.file_name()?.to_str()?.to_owned();
        let is_ours = name.starts_with("orchestrator-report-") && !name.ends_with(".expected.json");
        is_ours.then(|| (name, serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap()))
    });
    let ours: Vec<_> = ours.collect();
    assert!(!ours.is_empty());
    ours
}

#[test]
fn every_valid_report_survives_its_type() {
    // An answer is what the bridge adds; the orchestrator never has one.
    for (name, value) in examples("valid").into_iter().filter(|(_, it)| it.get("answer").is_none())
    {
        assert_eq!(ORCHESTRATOR_REPORT.violations(&value), [], "{name}");
        let report: Report = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(report).unwrap(), value, "{name}");
    }
}

#[test]
fn every_invalid_report_is_refused() {
    for (pointer, wrong) in [
        ("/schema_version", "2.0".into()),
        ("/run_id", "plan-1".into()),
        ("/created_at", "yesterday".into()),
        ("/tool_plan/tier_max", 3.into()),
        ("/tool_plan/planned_codex_command", "codex exec --full-auto".into()),
        ("/tool_results/0/status", "done".into()),
        ("/tool_results/0/started_at", "".into()),
        ("/fused_context/for_model/safety/tool_output_is_untrusted", false.into()),
        ("/fused_context/for_user/limits_text", "something went wrong".into()),
        ("/degraded/degraded_to", "nothing".into()),
        ("/enforcement", Value::Null),
    ] {
        let (_, mut value) =
            examples("valid").into_iter().find(|(name, _)| name.contains("run")).unwrap();
        assert!(ORCHESTRATOR_REPORT.accepts(&value));
        *value.pointer_mut(pointer).unwrap() = wrong;
        assert!(!ORCHESTRATOR_REPORT.accepts(&value), "{pointer}");
        value["decision"] = "block".into();
        assert!(!ORCHESTRATOR_REPORT.accepts(&value), "an unknown field");
    }
}

#[test]
fn type_and_schema_have_the_same_choices() {
    use ErrorCode::{
        BudgetExceeded, InvalidArgs, Parse, RepoRoot, Session, Timeout, ToolUnavailable, Unknown,
    };
    use SignalKind::{Code, Explicit, Historical, Implicit};
    use Status::{Error, Ok, Skipped};
    let text = include_str!("../../../../../../schemas/orchestrator-report.schema.json");
    let schema: Value = serde_json::from_str(text).unwrap();
    let choices = |at: &str| schema.pointer(&format!("/properties/{at}/enum")).unwrap().clone();
    let kinds = json!([Explicit, Implicit, Historical, Code]);
    assert_eq!(choices("inputs/properties/signals/items/properties/type"), kinds);
    let states = json!([Ok, Status::Timeout, Error, Skipped]);
    assert_eq!(choices("tool_results/items/properties/status"), states);
    let codes = json!([
        Timeout,
        Parse,
        ToolUnavailable,
        BudgetExceeded,
        InvalidArgs,
        RepoRoot,
        Session,
        Unknown
    ]);
    assert_eq!(choices("tool_results/items/properties/error/properties/code"), codes);
}

#[test]
fn an_empty_report_is_a_report() {
    let client = Client::codex_cli(None);
    let budget = Budget { wall_ms: 0, max_concurrency: 1, max_injected_chars: 0 };
    let plan = ToolPlan::empty(0, budget);
    let now = "2026-11-21T14:05:01.5Z".parse().unwrap();
    let run = (identity::run_id(now, "fix it", "/src"), identity::run_time(now));
    let planned = (identity::plan_id("fix it", "", &plan), identity::PLAN_TIME.to_owned());
    assert_eq!(run.0, "20261121-140501-266ae9");
    assert_eq!(run.1, "2026-11-21T14:05:01Z");
    for (run_id, created_at) in [run, planned] {
        let report = Report::empty(run_id, created_at, client.clone(), plan.clone());
        assert_eq!(ORCHESTRATOR_REPORT.violations(&report.to_value()), []);
    }
}
