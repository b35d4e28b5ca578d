//! The executable: one report on standard output in every case, and never exit code 1 or 2.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use contract::schema::ORCHESTRATOR_REPORT;
use serde_json::Value;
use supervise::{Exit, HelperCommand, HelperEnd, run_helper, run_helper_with_input};

use crate::shop::{Shop, context, result};

fn run(cwd: &Path, args: &[&str], env: &[(&str, &str)]) -> (i32, String, String) {
    let told = run_helper(&HelperCommand {
        program: env!("CARGO_BIN_EXE_auto-tool-orchestrator").into(),
        args: args.iter().map(OsString::from).collect(),
        env: env.iter().map(|(name, value)| (name.into(), value.into())).collect(),
        current_dir: cwd.to_owned(),
        deadline: Instant::now() + Duration::from_secs(120),
        stdout_max: 1 << 20,
    })
    .unwrap();
    let HelperEnd::Exited(Exit::Code(code)) = told.end else { panic!("{:?}", told.end) };
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

#[test]
fn a_request_on_standard_input_is_answered() {
    let shop = Shop::new("");
    let request = r#"{"prompt":"fix the login bug","client":{"name":"claude-code","event":"UserPromptSubmit","session_id":"s1"},"cwd":"FOLDER"}"#;
    let request = request.replace("FOLDER", &shop.folder.path().display().to_string());
    let orchestrator = env!("CARGO_BIN_EXE_auto-tool-orchestrator");
    let told = run_helper(&HelperCommand {
        program: "/bin/sh".into(),
        args: ["-c", "printf '%s' \"$1\" | \"$0\"", orchestrator, &request].map(Into::into).into(),
        env: vec![("CI_AUTO_TOOLS_MODE".into(), "plan".into())],
        current_dir: "/".into(),
        deadline: Instant::now() + Duration::from_secs(120),
        stdout_max: 1 << 20,
    })
    .unwrap();
    assert_eq!(told.end, HelperEnd::Exited(Exit::Code(0)), "{}", told.stderr);
    let report = report(&String::from_utf8(told.stdout).unwrap());
    assert_eq!(report["client"]["name"], "claude-code");
    assert_eq!(report["client"]["session_id"], "s1");
    let root = shop.folder.path().canonicalize().unwrap();
    assert_eq!(report["inputs"]["repo_root"], root.display().to_string());
    assert_eq!(report["tool_plan"]["tools"][1]["args"]["query"], "fix the login bug");
}

/// A hook reads nothing of a report without context; what is not repeated need not be masked.
#[test]
fn a_hook_gets_its_own_words_back_only_with_a_context() {
    for (event, expected) in [("UserPromptSubmit", ""), ("cli", "have a nice weekend")] {
        let request = format!(
            r#"{{"prompt":"have a nice weekend","client":{{"name":"x","event":"{event}"}},"cwd":"/"}}"#
        );
        let orchestrator = HelperCommand {
            program: env!("CARGO_BIN_EXE_auto-tool-orchestrator").into(),
            args: Vec::new(),
            env: Vec::new(),
            current_dir: "/".into(),
            deadline: Instant::now() + Duration::from_secs(120),
            stdout_max: 1 << 20,
        };
        let told = run_helper_with_input(&orchestrator, request.as_bytes()).unwrap();
        let report = report(&String::from_utf8(told.stdout).unwrap());
        assert_eq!(report["inputs"]["prompt"], expected);
        assert_eq!(report["fused_context"]["for_model"]["additional_context"], "");
    }
}

#[test]
fn the_engine_answers_all_eight_tools() {
    let mut shop = Shop::new("");
    shop.tier = "2";
    let source =
        "use crate::login::login;\n\npub fn enter(name: &str) -> bool {\n    login(name)\n}\n";
    std::fs::write(shop.folder.path().join("src/enter.rs"), source).unwrap();
    let always = ["ci_index_status", "ci_search", "ci_graph_rag"];
    let (_, report) =
        shop.ask_until("locate the bug: panicked at src/login.rs:3", &["ci_bug_locate"]);
    assert!(context(&report).contains("src/login.rs"), "{report:#}");
    let prompt = "measure the complexity of the code and find the hotspots";
    shop.ask_until(prompt, &["ci_complexity", "ci_hotspot"]);
    let prompt = "show the call chain and the impact of `login`";
    let deep = ["ci_call_chain", "ci_impact"];
    let (code, report) = shop.ask_until(prompt, &[&always[..], &deep[..]].concat());
    assert_eq!(code, 0, "{report:#}");
    let places = |tool: &str| result(&report, tool)["summary"].as_str().unwrap().to_owned();
    assert_eq!(places("ci_call_chain"), "1 place", "{report:#}");
    assert_ne!(places("ci_impact"), "0 places", "{report:#}");
    assert!(context(&report).contains("src/enter.rs"), "{report:#}");
}
