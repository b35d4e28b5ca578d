//! The types and the schema say the same.

use std::fs;
use std::path::Path;

use contract::schema::ORCHESTRATOR_REPORT;
use serde_json::Value;

use super::Report;

fn examples(folder: &str) -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/examples").join(folder);
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
    for (name, value) in examples("valid") {
        assert_eq!(ORCHESTRATOR_REPORT.violations(&value), [], "{name}");
        let report: Report = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(report).unwrap(), value, "{name}");
    }
}

#[test]
fn every_invalid_report_is_refused() {
    for (name, value) in examples("invalid") {
        assert!(!ORCHESTRATOR_REPORT.accepts(&value), "{name}");
    }
}
