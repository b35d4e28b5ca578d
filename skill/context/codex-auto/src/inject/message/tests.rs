//! The user's message about each kind of report, and how often it is shown.

use std::fs;
use std::path::Path;

use orchestration::report::Client;
use serde_json::{Value, json};

use super::*;
use crate::report::Report;

const RUN: &str =
    include_str!("../../../../../../schemas/examples/valid/orchestrator-report-run.json");

/// A report of a run with these lines of `[Limits]`.
fn report(limits: &str) -> Report {
    let mut report: Value = serde_json::from_str(RUN).unwrap();
    report["fused_context"]["for_user"]["limits_text"] = json!(limits);
    Report::of(report)
}

fn told(limits: &str, show: Show, last: &ShownLines) -> String {
    compose(&Enriched { report: report(limits), exit: Exit::Done }, show, last)
}

const LIMITS: &str = "[Limits] tier-2 disabled by default; set CI_AUTO_TOOLS_TIER_MAX=2 to enable\n\
    [Limits] tool timeout; degraded to plan-only: ci_search (no answer within 2000 ms)\n\
    [Limits] tool unavailable; skipped: ci_graph_rag (boom)\n\
    [Limits] budget exceeded; results truncated\n\
    [Limits] ci_search: 3 places in private files withheld\n\
    [Limits] possible injected instructions were masked in tool output (ci_search)";

#[test]
fn each_word_shows_what_it_promises() {
    let none = ShownLines::default();
    let off = "[Limits] possible injected instructions were masked in tool output (ci_search)";
    assert_eq!(told(LIMITS, Show::Off, &none), off);
    let line = told(LIMITS, Show::Line, &none);
    let (head, rest) = line.split_once('\n').unwrap();
    assert_eq!(head, shown::counts(report(LIMITS).as_value()));
    assert!(head.ends_with(" · [Limits] 6"), "{head}");
    let named: Vec<&str> = LIMITS.lines().filter(|line| !line.contains("3 places")).collect();
    assert_eq!(rest, named.join("\n"));
    assert_eq!(told("", Show::Line, &none), shown::counts(report("").as_value()));
    let full = told(LIMITS, Show::Full, &none);
    assert!(full.starts_with("[Auto Tools] ") && full.contains("\n[Results] "), "{full}");
    assert!(full.ends_with(LIMITS), "{full}");
}

#[test]
fn what_was_told_in_the_last_turn_is_a_number() {
    let last = ShownLines::of(LIMITS.lines());
    let more = format!("{LIMITS}\n[Limits] no-git-root: using the working directory as the root");
    let line = told(&more, Show::Line, &last);
    assert!(line.contains(" · [Limits] 7\n[Limits] no-git-root: "), "{line}");
    assert_eq!(line.lines().count(), 2, "{line}");
    assert_eq!(told(LIMITS, Show::Off, &last), "");
    // Who wants everything gets everything.
    assert!(told(LIMITS, Show::Full, &last).ends_with(LIMITS));
}

#[test]
fn a_failure_is_told_in_words_and_then_by_its_number() {
    let question = question(Path::new("/"), None);
    let none = Report::empty(&question, std::time::Duration::ZERO, crate::report::Stamp::Plan);
    let failed = none.because(limits::UNAVAILABLE, "it is gone");
    let words = "[Limits] orchestrator unavailable: it is gone";
    let last = ShownLines::of(words.lines());
    let enriched = Enriched { report: failed, exit: Exit::Unavailable };
    for show in [Show::Off, Show::Line, Show::Full] {
        assert_eq!(compose(&enriched, show, &ShownLines::default()), words, "{show:?}");
    }
    let number = "[Auto Tools] 0 · [Results] 0 · [Limits] 1";
    assert_eq!(compose(&enriched, Show::Line, &last), number);
    assert_eq!(compose(&enriched, Show::Off, &last), "");
    assert_eq!(once(&enriched), words);
}

#[test]
fn what_an_orchestrator_says_is_masked_and_harmless() {
    let key = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let limits = format!(
        "[Limits] tool unavailable; skipped: x ({key})\n[Limits] tool timeout \u{1b}]0;\u{7}\u{202e}"
    );
    for show in [Show::Line, Show::Full] {
        let told = told(&limits, show, &ShownLines::default());
        assert!(!told.contains(key) && told.contains("[REDACTED:"), "{told}");
        assert!(!told.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{told:?}");
    }
    let flood = "[Limits] tool timeout; degraded\n".repeat(10_000);
    assert!(told(&flood, Show::Full, &ShownLines::default()).chars().count() < MESSAGE_MAX + 100);
}

fn question(cwd: &Path, session_id: Option<&str>) -> Question {
    Question {
        prompt: "fix it".to_owned(),
        client: Client::claude_code(session_id.map(str::to_owned)),
        cwd: cwd.to_owned(),
        context_max: None,
    }
}

#[test]
fn each_session_is_remembered_by_itself() {
    let home = tempfile::tempdir().unwrap();
    let environment: Environment = [("HOME", home.path())].into_iter().collect();
    let tell = |session_id, limits: &str| {
        let mut enriched = Enriched { report: report(limits), exit: Exit::Done };
        tell(&mut enriched, &question(home.path(), session_id), &environment).lines().count()
    };
    let slow = "[Limits] tool timeout; degraded to plan-only: ci_search (no answer within 9 ms)";
    assert_eq!((tell(Some("a"), slow), tell(Some("a"), slow), tell(Some("a"), slow)), (2, 1, 1));
    assert_eq!(tell(Some("b"), slow), 2, "another session");
    assert_eq!((tell(Some("a"), ""), tell(Some("a"), slow)), (1, 2), "it was not so in between");
    // What cannot be remembered is told.
    assert_eq!((tell(None, slow), tell(None, slow)), (2, 2));
    assert_eq!((tell(Some("../x"), slow), tell(Some("../x"), slow)), (2, 2));
    let kept = home.path().join(".cache/codex-bridge/prompts/told-a");
    assert!(!fs::read_to_string(kept).unwrap().contains("ci_search"), "hashes alone");
}
