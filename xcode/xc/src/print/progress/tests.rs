//! The lines of a run.

use contract::xc::{
    CallLevel, CallStatus, DecidedBy, End, EndReason, PermitMode, Sandboxed, TestsRun, TokenUsage,
    Verdict, What,
};
use serde_json::json;

use super::Progress;
use crate::words::Language;

fn call(id: &str, tool: &str, input: serde_json::Value) -> What {
    What::Call { id: id.into(), tool: tool.into(), input }
}

fn permission(id: &str, verdict: Verdict, level: CallLevel, by: DecidedBy) -> What {
    What::Permission { id: id.into(), verdict, level, rule: Some("files.delete-tree".into()), by }
}

fn result(id: &str, status: CallStatus) -> What {
    What::Result { id: id.into(), status, chars: 3, truncated: false }
}

#[test]
fn a_call_is_one_line_when_it_has_ended() {
    let mut progress = Progress::new(Language::En);
    let mut line = |what| progress.line(&what);
    assert_eq!(line(What::Text { delta: "I look.\nThen I edit.".into() }), None);
    let words = line(call("1", "shell", json!({ "command": "cargo test\nls" })));
    assert_eq!(words.as_deref(), Some("  I look.\n  Then I edit."));
    assert_eq!(line(permission("1", Verdict::Allow, CallLevel::L1, DecidedBy::Trust)), None);
    let ended = line(result("1", CallStatus::Ok)).unwrap();
    assert!(ended.starts_with("  shell cargo test ...: ok, ") && ended.ends_with(" ms"), "{ended}");
    assert_eq!(line(result("1", CallStatus::Ok)), None, "an unknown call has no line");
}

#[test]
fn a_denied_call_says_why_and_what_would_let_it_run() {
    for (level, by, told) in [
        (
            CallLevel::L1,
            DecidedBy::Headless,
            "denied (L1, files.delete-tree); -t lets ordinary changes run; permissions.allow of ~/.xcode/config.json lets single ones",
        ),
        (
            CallLevel::L2,
            DecidedBy::Headless,
            "denied (L2, files.delete-tree); it needs a person's yes, and with -p there is none",
        ),
        (CallLevel::L3, DecidedBy::Rule, "denied (L3, files.delete-tree); nothing lets it run"),
    ] {
        let mut progress = Progress::new(Language::En);
        progress.line(&call("1", "edit", json!({ "filePath": "a" })));
        progress.line(&permission("1", Verdict::Deny, level, by));
        let line = progress.line(&result("1", CallStatus::Denied));
        assert_eq!(line.unwrap(), format!("  edit a: {told}"));
    }
}

#[test]
fn the_first_line_and_the_last_ones() {
    let mut progress = Progress::new(Language::En);
    let start = What::Start {
        version: "0".into(),
        model: "custom:m".into(),
        cwd: "/p".into(),
        mode: PermitMode::Ask,
        sandbox: Sandboxed::None,
        tools: Vec::new(),
    };
    let first = progress.line(&start).unwrap();
    assert_eq!(first, "xc: custom:m in /p; changes are not run (-t runs ordinary ones)");
    let evidence = |changed: &[&str], tests| What::Evidence {
        changed: changed.iter().map(|path| (*path).to_owned()).collect(),
        commands: Vec::new(),
        tests,
    };
    assert_eq!(progress.line(&evidence(&[], TestsRun::NotRun)), None);
    let line = progress.line(&evidence(&["a", "b"], TestsRun::NotRun)).unwrap();
    assert_eq!(line, "Changed: a, b; commands: 0; no tests run");
    let end = End {
        reason: EndReason::TurnLimit,
        exit: 5,
        answer: String::new(),
        usage: TokenUsage { input: 12_450, cached: 10, output: 3_200 },
        cost_usd: None,
        changed: Vec::new(),
        commands: Vec::new(),
        denied: Vec::new(),
    };
    let usage = "12,450 prompt (10 cached) + 3,200 completion = 15,650 tokens, cost n/a";
    assert_eq!(progress.end(&end), ["xc: stopped at --max-turns; what was done stays", usage]);
}

#[test]
fn a_chinese_run_is_told_in_chinese() {
    let mut progress = Progress::new(Language::Zh);
    progress.line(&call("1", "webFetch", json!({ "url": "https://a.example" })));
    progress.line(&permission("1", Verdict::Deny, CallLevel::L1, DecidedBy::Headless));
    let line = progress.line(&result("1", CallStatus::Denied)).unwrap();
    let way = "-t 执行普通的修改；~/.xcode/config.json 的 permissions.allow 允许单项";
    assert_eq!(
        line,
        format!("  webFetch https://a.example: 已拒绝 (L1, files.delete-tree)；{way}")
    );
}
