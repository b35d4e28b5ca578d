//! The executable: one report on standard output in every case, and never exit code 1 or 2.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use contract::schema::ORCHESTRATOR_REPORT;
use serde_json::Value;
use supervise::{Brief, BriefEnd, Exit, brief};

fn run(cwd: &Path, args: &[&str], env: &[(&str, &str)]) -> (i32, String, String) {
    let told = brief(&Brief {
        program: env!("CARGO_BIN_EXE_auto-tool-orchestrator").into(),
        args: args.iter().map(OsString::from).collect(),
        env: env.iter().map(|(name, value)| (name.into(), value.into())).collect(),
        current_dir: cwd.to_owned(),
        deadline: Instant::now() + Duration::from_secs(120),
        stdout_max: 1 << 20,
    })
    .unwrap();
    let BriefEnd::Exited(Exit::Code(code)) = told.end else { panic!("{:?}", told.end) };
    (code, String::from_utf8(told.stdout).unwrap(), told.stderr)
}

fn report(text: &str) -> Value {
    assert_eq!(text.lines().count(), 1, "{text}");
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(ORCHESTRATOR_REPORT.violations(&value), []);
    value
}

#[test]
fn a_plan_is_printed_for_a_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = run(folder.path(), &["--plan", "--prompt", "修复登录错误"], &[]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(report(&out)["tool_plan"]["tools"][1]["args"]["query"], "修复登录错误");
    let (code, out, _) =
        run(folder.path(), &["--text", "--plan", "--prompt", "fix the login bug"], &[]);
    assert!(
        code == 0 && out.starts_with("[Auto Tools] 3 tools\n- ci_index_status (tier 0)"),
        "{out}"
    );
}

#[test]
fn every_failure_has_its_code_and_a_report() {
    let folder = tempfile::tempdir().unwrap();
    for (args, env, expected, said) in [
        (&[][..], &[][..], 30, "standard input is empty"),
        (&["--prompt"], &[], 20, "command line: error: a value is required"),
        (&["--promt", "x"], &[], 20, "unexpected argument '--promt'"),
        (
            &["--prompt", "fix the bug"],
            &[("CI_AUTO_TOOLS", "perhaps")],
            20,
            "CI_AUTO_TOOLS: expected auto, on or off",
        ),
    ] {
        let (code, out, err) = run(folder.path(), args, env);
        assert_eq!(code, expected, "{args:?} {out} {err}");
        let report = report(&out);
        let limits = report["fused_context"]["for_user"]["limits_text"].as_str().unwrap();
        assert!(limits.starts_with("[Limits] ") && limits.contains(said), "{limits}");
        assert_eq!(report["fused_context"]["for_model"]["additional_context"], "");
        assert_ne!(err, "");
    }
}

#[test]
fn help_and_completions_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    let (code, help, _) = run(folder.path(), &["--help"], &[]);
    assert!(code == 0 && help.contains("CI_AUTO_TOOLS_TIER_MAX") && help.contains("Exit codes"));
    let (code, script, _) = run(folder.path(), &["--completions", "bash"], &[]);
    assert!(code == 0 && script.contains("auto-tool-orchestrator"));
}
