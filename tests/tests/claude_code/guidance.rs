//! What SKILL.md tells the model: every trigger, every failure, and examples that keep the contract.

use std::fs;

use codex_bridge::claude_settings::RULES;
use contract::failure::{FailureCode, FailureKind};

use crate::fixture::plugin;

fn skill() -> String {
    fs::read_to_string(plugin().join("skills/codex-advisor/SKILL.md")).unwrap()
}

/// The text with line breaks and runs of blanks as one blank.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The head between the two lines of dashes, which the model always sees in part.
fn head(skill: &str) -> &str {
    skill.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap().0
}

#[test]
fn the_skill_names_when_to_ask_and_when_not() {
    let skill = skill();
    let body = flat(skill.split_once("\n---\n").unwrap().1);
    for trigger in [
        "several modules are involved and the architecture or the boundaries between them are unclear",
        "high-risk: performance, security or data consistency",
        "choose between two or more designs",
        "the user asks for a discussion or an expert opinion",
        "Do not call it for a single-file change or an obvious bug fix",
    ] {
        assert!(body.contains(trigger), "the body does not name: {trigger}");
    }
    // The head alone decides whether the model opens the skill at all.
    for word in [
        "modules",
        "performance, security, data consistency",
        "two or more designs",
        "expert opinion",
        "Not for single-file changes or obvious bug fixes",
    ] {
        assert!(head(&skill).contains(word), "the head does not name: {word}");
    }
    // Either would make the skill itself need a permission (Claude Code 2.1.197).
    for key in ["allowed-tools", "hooks"] {
        assert!(!head(&skill).contains(key), "{key}");
    }
}

#[test]
fn the_skill_says_what_to_do_with_every_failure() {
    let skill = skill();
    let rows: Vec<&str> = skill.lines().filter(|line| line.starts_with("| ")).collect();
    for code in FailureCode::ALL {
        let word = format!("`{}`", code.as_str());
        let row = rows.iter().find(|row| row.split('|').nth(1).unwrap().contains(&word));
        assert!(row.is_some(), "nothing is said of {word}");
    }
    for (exit, kind) in [
        (2, FailureKind::InputError),
        (3, FailureKind::BridgeFailure),
        (4, FailureKind::CodexFailure),
    ] {
        let word = serde_json::to_value(kind).unwrap();
        let start = format!("| {exit} | `{}`", word.as_str().unwrap());
        assert!(rows.iter().any(|row| row.starts_with(&start)), "no row {start}");
    }
    for text in [
        "| 0 | advice",
        "| 5 | still running",
        "codex-advisor wait RUN_ID",
        "CODEX_FALLBACK",
        "exit 143",
        "timeout: 600000",
    ] {
        assert!(skill.contains(text), "the skill does not say: {text}");
    }
}

/// A failure after which the model was asked leads to no other question, whatever its words.
#[test]
fn the_skill_asks_no_more_where_the_bridge_tried_twice() {
    let skill = skill();
    let rows: Vec<&str> = skill.lines().filter(|line| line.starts_with("| `")).collect();
    for code in FailureCode::ALL {
        // Nobody was paid for what the model never read.
        let unread = [FailureCode::ContextLength, FailureCode::SessionLost];
        let is_models = code.kind() == FailureKind::CodexFailure && !unread.contains(code);
        if !is_models && *code != FailureCode::Interrupted {
            continue;
        }
        let word = format!("`{}`", code.as_str());
        let row = rows.iter().find(|row| row.split('|').nth(1).unwrap().contains(&word)).unwrap();
        assert!(!row.contains("once more"), "{row}");
    }
    let text = flat(&skill);
    for sentence in [
        "a round is tried twice at most, the bridge's own second try counted",
        "after 2 never ask again for that round, in no other words and no new session either",
    ] {
        assert!(text.contains(sentence), "the skill does not say: {sentence}");
    }
}

#[test]
fn the_skill_has_two_rounds_and_turns_advice_into_tasks_by_hand() {
    let text = flat(&skill());
    for sentence in [
        "Never ask a third round",
        "After round 2 you decide. What is still uncertain becomes a task, not another question.",
        "Never run `codex` yourself",
        "Advice does not become work by itself. You choose",
        "Read `recommendation` and `tradeoffs`",
        "`risky` becomes a task that checks it first",
        "risks parked as follow-up tasks",
        "Update the task list (TaskCreate, TaskUpdate)",
    ] {
        assert!(text.contains(sentence), "the skill does not say: {sentence}");
    }
}

#[test]
fn the_readme_names_the_rules_that_the_tests_use() {
    let readme = fs::read_to_string(plugin().join("README.md")).unwrap();
    let rules: Vec<String> = RULES.iter().map(|rule| format!("\"{rule}\"")).collect();
    assert!(readme.contains(&format!("\"allow\": [{}]", rules.join(", "))));
}
