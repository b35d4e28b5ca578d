//! SC-ATO-001 to SC-ATO-009 through the entry, with the real orchestrator. (SC-ATO-006 is with the failures,
//! SC-ATO-007 with the architecture.)

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use contract::schema::ORCHESTRATOR_REPORT;
use serde_json::{Value, json};

use crate::fixture::{ABOUT_CODE, Entry, Said, report};

/// How long the tools may be asked again: each gives up early, whatever else the machine does.
const PATIENCE: Duration = Duration::from_secs(60);

fn ask(entry: &Entry, root: &Path, prompt: &str) -> Value {
    let wrapper = json!({ "prompt": prompt, "cwd": root });
    let said = entry.run(&["--format", "json"], wrapper.to_string().as_bytes());
    assert!([0, 40, 50].contains(&said.code), "{said:?}");
    let report = said.object();
    assert_eq!(ORCHESTRATOR_REPORT.violations(&report), []);
    report
}

fn limits(report: &Value) -> &str {
    report["fused_context"]["for_user"]["limits_text"].as_str().unwrap()
}

/// Asks until the answer has a context.
fn until_context(ask: impl Fn() -> Said, has: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let said = ask();
        let object = said.object();
        if has(&object) {
            return object;
        }
        assert!(begun.elapsed() < PATIENCE, "{said:?}");
    }
}

#[test]
fn sc_ato_001_the_code_that_a_prompt_is_about_is_found() {
    let entry = Entry::new();
    let root = entry.repository();
    let context = |report: &Value| report["hookSpecificOutput"]["additionalContext"].clone();
    for prompt in [ABOUT_CODE, "修复 src/login.py 里 retry_login 的错误"] {
        let answer =
            until_context(|| entry.hook(prompt, &root), |object| context(object).is_string());
        let text = context(&answer).as_str().unwrap().to_owned();
        assert!(
            text.starts_with("<repository-context>\n") && text.contains("src/login.py"),
            "{text}"
        );
        assert!(text.ends_with("</repository-context>") && text.contains("retry_login"), "{text}");
    }
    let report = ask(&entry, &root, ABOUT_CODE);
    assert_eq!(report["client"]["name"], "codex-cli");
    assert_eq!(report["inputs"]["repo_root"], json!(root));
}

#[test]
fn sc_ato_002_the_entry_opens_no_tier_from_a_file() {
    let entry = Entry::new().with("CI_AUTO_TOOLS_MODE", "plan");
    let root = entry.repository();
    fs::create_dir(root.join("config")).unwrap();
    fs::write(root.join("config/auto-tools.yaml"), "tier_max: 2\n").unwrap();
    let report = ask(&entry, &root, ABOUT_CODE);
    assert_eq!(report["tool_plan"]["tier_max"], 1);
    assert!(limits(&report).contains("tier-2 requires CI_AUTO_TOOLS_TIER_MAX=2 (config ignored)"));
    // The person sees it, and at the next prompt its number.
    let message = |prompt: &str| entry.hook(prompt, &root).object()["systemMessage"].clone();
    let told = "[Limits] tier-2 requires CI_AUTO_TOOLS_TIER_MAX=2 (config ignored)";
    let counts = "[Auto Tools] 3 · [Results] 0 · [Limits] 1";
    assert_eq!(message(ABOUT_CODE), format!("{counts}\n{told}"));
    assert_eq!(message(&format!("{ABOUT_CODE} And where?")), counts);
}

#[test]
fn sc_ato_003_a_plan_of_the_entry_is_the_same_bytes() {
    let entry = Entry::new();
    let root = entry.repository();
    for (mode, command) in [("resume_last", "codex exec resume --last"), ("exec", "codex exec")] {
        let entry = Entry::new().with("CI_CODEX_SESSION_MODE", mode);
        let args = ["--plan", "--format", "json", "--prompt", ABOUT_CODE];
        let args = [&args[..], &["--cwd", root.to_str().unwrap()]].concat();
        let said = entry.run(&args, b"");
        assert_eq!(said.object()["tool_plan"]["planned_codex_command"], command);
        assert_eq!(said.object()["tool_results"], json!([]));
        assert_eq!(entry.run(&args, b"").out, said.out);
    }
    // A plan without an orchestrator repeats as well.
    let entry = entry.orchestrator(Path::new("/nonexistent")).with("CI_AUTO_TOOLS_DRY_RUN", "1");
    let once = || entry.run(&["--format", "json", "--prompt", ABOUT_CODE], b"").out;
    assert_eq!(once(), once());
}

#[test]
fn sc_ato_004_a_wish_of_the_prompt_is_clamped() {
    let entry = Entry::new().with("CI_AUTO_TOOLS_MODE", "plan");
    let report = ask(&entry, &entry.repository(), &format!("{ABOUT_CODE} depth=10"));
    let graph = &report["tool_plan"]["tools"][2];
    assert_eq!(graph["args"]["depth"], 2, "{graph}");
    assert!(limits(&report).contains("depth clamped to 2"), "{}", limits(&report));
}

#[test]
fn sc_ato_005_a_narrow_budget_truncates_and_says_so() {
    let entry = Entry::new().with("CI_AUTO_TOOLS_MAX_INJECTED_CHARS", "700");
    let root = entry.repository();
    let wrapper = json!({ "prompt": ABOUT_CODE, "cwd": root }).to_string();
    let is_cut = |report: &Value| limits(report).contains("budget exceeded; results truncated");
    let report = until_context(|| entry.run(&["--format", "json"], wrapper.as_bytes()), is_cut);
    let results = report["tool_results"].as_array().unwrap();
    assert!(results.iter().any(|result| result["truncated"] == true), "{report}");
    let text = report["fused_context"]["for_model"]["additional_context"].as_str().unwrap();
    assert!(text.encode_utf16().count() <= 700, "{text}");
}

#[test]
fn sc_ato_008_auto_is_silent_without_code_and_hints_at_tier_2() {
    let entry = Entry::new().with("CI_AUTO_TOOLS_MODE", "plan");
    let root = entry.repository();
    for prompt in ["thanks, that was kind of you", "今天天气怎么样？"] {
        assert_eq!(entry.hook(prompt, &root).out, "{}\n", "{prompt}");
    }
    let report = ask(&entry, &root, "show the call chain of retry_login in src/login.py");
    assert_eq!(report["tool_plan"]["tier_max"], 1);
    let hint = "tier-2 disabled by default; set CI_AUTO_TOOLS_TIER_MAX=2 to enable";
    assert!(limits(&report).contains(hint), "{}", limits(&report));
    // In Claude Code too.
    let said = entry.hook("show the call chain of retry_login in src/login.py", &root);
    let message = said.object()["systemMessage"].as_str().unwrap().to_owned();
    assert!(message.starts_with("[Auto Tools] 3 · ") && message.contains(hint), "{message}");
}

/// Whatever the orchestrator may say in fixed words is told, unless the person wants less.
#[test]
fn every_text_that_is_named_reaches_the_person() {
    use orchestration::limits as texts;
    let named = [
        texts::TIER_2_OFF,
        texts::TIER_2_BUDGET,
        texts::TIER_2_ENV_ONLY,
        texts::LEGACY,
        texts::TOOL_TIMEOUT,
        texts::TOOL_UNAVAILABLE,
        texts::BUDGET,
        texts::NO_GIT_ROOT,
        texts::FILTERED,
        texts::WRONG_FILE,
    ];
    let lines: Vec<String> = named.iter().map(|text| format!("[Limits] {text}")).collect();
    let mut said = report("");
    said["fused_context"]["for_user"]["limits_text"] = json!(lines.join("\n"));
    let script = format!("cat <<'E'\n{said}\nE");
    let message = |show: &str| {
        let entry = Entry::with_script(&script).with("CI_AUTO_TOOLS_SHOW", show);
        let said = entry.hook(ABOUT_CODE, &entry.folder.work());
        said.object()["systemMessage"].as_str().unwrap().to_owned()
    };
    let line = message("line");
    assert_eq!(line.lines().skip(1).collect::<Vec<_>>(), lines);
    let off = [texts::TIER_2_ENV_ONLY, texts::LEGACY, texts::FILTERED, texts::WRONG_FILE];
    assert_eq!(message("off"), off.map(|text| format!("[Limits] {text}")).join("\n"));
    let full = message("full");
    assert!(full.contains("[Auto Tools]") && full.ends_with(&lines.join("\n")), "{full}");
}

#[test]
fn off_in_the_file_starts_no_orchestrator() {
    let entry = Entry::with_script("touch \"$0.started\"; exit 1");
    let root = entry.repository();
    let started = entry.folder.work().join("orchestrator.sh.started");
    fs::create_dir(root.join("config")).unwrap();
    fs::write(root.join("config/auto-tools.yaml"), "auto_tools: off\n").unwrap();
    assert_eq!(entry.hook(ABOUT_CODE, &root).out, "{}\n");
    let wrapper = json!({ "prompt": ABOUT_CODE, "cwd": root }).to_string();
    assert_eq!(entry.run(&["--format", "json"], wrapper.as_bytes()).code, 0);
    assert!(!started.exists());
    fs::write(root.join("config/auto-tools.yaml"), "mode: run\n").unwrap();
    entry.hook(ABOUT_CODE, &root);
    assert!(started.exists());
}

#[test]
fn sc_ato_009_the_legacy_policy_is_marked_through_the_entry() {
    let entry = Entry::new().with("CI_AUTO_TOOLS_LEGACY", "1").with("CI_AUTO_TOOLS_MODE", "plan");
    let report = ask(&entry, &entry.repository(), ABOUT_CODE);
    assert_eq!(report["enforcement"]["source"], "legacy");
    assert!(limits(&report).contains("[Limits] legacy mode enabled; using legacy policy"));
}
