//! The types and the schema say the same.

use std::fs;
use std::path::Path;

use contract::schema::ORCHESTRATOR_REPORT;
use serde_json::Value;

use super::Report;

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
    // An answer is what the bridge adds; the kernel never has one.
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
