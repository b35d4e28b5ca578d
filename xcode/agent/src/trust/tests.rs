//! What a folder contains for xc, what was agreed to, and when the user is asked again.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::{Part, Standing, Trust, made_here};
use crate::tests::home::Home;

impl Home {
    fn look(&self, root: &str) -> Trust {
        Trust::look(&self.places(root))
    }

    /// What waits, as `part: files`.
    fn waiting(&self, root: &str) -> Vec<String> {
        let trust = self.look(root);
        let line = |one: &super::Brought| {
            let changed = if one.standing == Standing::Changed { " (changed)" } else { "" };
            format!("{}: {}{changed}", one.part.word(), one.files.join(" "))
        };
        trust.waiting().map(line).collect()
    }
}

#[test]
fn what_a_folder_brings_waits_for_a_yes_that_is_kept() {
    let home = Home::new();
    assert!(home.look("app").is_foreign() && home.waiting("app").is_empty());
    home.with("app/.x-code/knowledge.md", "k");
    home.with("app/.x-code/local/preferences.md", "p");
    home.with("app/.x-code/rules/a.md", "a");
    home.with("app/.x-code/memory/auto.md", "m");
    home.with("app/.x-code/config.json", "{}");
    home.with("app/.x-code/mcp.json", "{}");
    home.with("app/.x-code/agents/x.md", "x");
    home.with("app/.x-code/skills/s/SKILL.md", "s");
    home.with("app/.x-code/sessions/latest.json", "{}");
    home.with("app/.claude/historian/cal.json", "{}");
    assert_eq!(
        home.waiting("app"),
        [
            "knowledge: .x-code/knowledge.md .x-code/local/preferences.md",
            "rules: .x-code/rules/a.md",
            "memory: .x-code/memory/auto.md",
            "settings: .x-code/config.json",
            "MCP servers: .x-code/mcp.json",
            "agents: .x-code/agents/x.md",
            "skills: .x-code/skills/s/SKILL.md",
            "ledger: .claude/historian/cal.json",
        ]
    );
    let mut trust = home.look("app");
    assert!(!trust.allows(Part::Knowledge));
    trust.agree().unwrap();
    assert!(trust.allows(Part::Knowledge) && !trust.is_foreign());
    assert!(home.waiting("app").is_empty() && !home.look("app").is_foreign());
    let file = home.at(".xcode/trust.json");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!home.at("app/.x-code/trust.json").exists());
}

#[test]
fn what_can_start_programs_is_asked_for_again_when_it_changes() {
    let home = Home::new();
    home.with("app/.x-code/knowledge.md", "k");
    home.with("app/.x-code/mcp.json", "{}");
    home.with("app/.x-code/skills/s/run.sh", "s");
    home.look("app").agree().unwrap();
    home.with("app/.x-code/knowledge.md", "other");
    assert!(home.waiting("app").is_empty(), "text moves with the project");
    home.with("app/.x-code/mcp.json", "{\"mcpServers\":{}}");
    assert_eq!(home.waiting("app"), ["MCP servers: .x-code/mcp.json (changed)"]);
    home.with("app/.x-code/skills/s/more.sh", "");
    assert_eq!(home.waiting("app").len(), 2);
    // A part that was not there has a question of its own.
    home.with("app/.x-code/rules/new.md", "n");
    assert_eq!(home.waiting("app")[0], "rules: .x-code/rules/new.md");
    home.look("app").agree().unwrap();
    assert!(home.waiting("app").is_empty());
    // What is too much to be read is asked for each time.
    home.with("app/.x-code/mcp.json", &" ".repeat(2 << 20));
    home.look("app").agree().unwrap();
    assert_eq!(home.waiting("app").len(), 1);
}

#[test]
fn a_yes_reaches_below_but_not_from_the_home_folder() {
    let home = Home::new();
    home.with("app/x/AGENTS.md", "a");
    home.with("app/x/.x-code/mcp.json", "{}");
    home.with("other/CLAUDE.md", "c");
    home.with("AGENTS.md", "a");
    home.look("app").agree().unwrap();
    assert!(!home.look("app").is_foreign(), "also where there was nothing");
    home.with("app/AGENTS.md", "a");
    home.look("app").agree().unwrap();
    assert_eq!(home.waiting("app/x"), ["MCP servers: .x-code/mcp.json"]);
    home.look("").agree().unwrap();
    assert!(home.waiting("").is_empty());
    assert_eq!(home.waiting("other"), ["knowledge: CLAUDE.md"]);
    assert!(home.look("other").is_foreign());
}

#[test]
fn what_was_refused_stays_out_and_is_asked_about_when_it_changes() {
    let home = Home::new();
    home.with("app/AGENTS.md", "a");
    home.with("app/.x-code/mcp.json", "{}");
    let unanswered = |home: &Home| {
        home.look("app").unanswered().map(|one| one.part.word()).collect::<Vec<_>>().join(" ")
    };
    home.look("app").refuse().unwrap();
    let trust = home.look("app");
    assert_eq!(unanswered(&home), "");
    assert!(!trust.allows(Part::Knowledge) && !trust.allows(Part::Servers) && trust.is_foreign());
    assert_eq!(home.waiting("app").len(), 2, "it is said all the same");
    home.with("app/.x-code/mcp.json", "{\"mcpServers\":{}}");
    assert_eq!(unanswered(&home), "MCP servers");
    home.with("app/.x-code/rules/a.md", "a");
    assert_eq!(unanswered(&home), "rules MCP servers");
    // The other word later.
    home.look("app").agree().unwrap();
    assert!(home.waiting("app").is_empty());
    home.with("app/.x-code/mcp.json", "[]");
    home.look("app").refuse().unwrap();
    let trust = home.look("app");
    assert!(trust.allows(Part::Knowledge) && !trust.allows(Part::Servers));
    assert_eq!(unanswered(&home), "");
}

#[test]
fn the_nearest_guide_of_the_repository_is_named() {
    let home = Home::new();
    home.with("AGENTS.md", "above the repository");
    home.with("app/CLAUDE.md", "c");
    fs::create_dir_all(home.at("app/a/b")).unwrap();
    let named = |root: &str| home.places(root).guide();
    assert_eq!(named("app/a/b"), Some(home.at("app/CLAUDE.md")));
    home.with("app/AGENTS.md", "a");
    assert_eq!(named("app/a/b"), Some(home.at("app/AGENTS.md")));
    home.with("app/a/AGENTS.md", "a");
    assert_eq!(named("app/a/b"), Some(home.at("app/a/AGENTS.md")));
    home.with("app/a/b/.x-code/knowledge.md", "k");
    assert_eq!(named("app/a/b"), None);
}

#[test]
fn answers_that_cannot_be_read_count_as_none_and_stay() {
    let home = Home::new();
    home.with("app/AGENTS.md", "a");
    for text in ["", "[]", "{\"schema\":\"xc-trust/9\",\"folders\":{}}"] {
        home.look("app").agree().unwrap();
        let file = home.at(".xcode/trust.json");
        fs::write(&file, text).unwrap();
        assert_eq!(home.waiting("app").len(), 1);
        home.look("app").agree().unwrap_err();
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        fs::remove_file(&file).unwrap();
    }
    // A link in the place of the answers is not followed.
    home.with("theirs.json", "{\"schema\":\"xc-trust/1\",\"folders\":{}}");
    symlink(home.at("theirs.json"), home.at(".xcode/trust.json")).unwrap();
    home.look("app").agree().unwrap_err();
}

#[test]
fn what_the_user_made_here_needs_no_question_and_a_run_may_do_without() {
    let home = Home::new();
    made_here(&home.places("app"), Part::Memory).unwrap();
    assert!(home.look("app").is_foreign(), "nobody was asked about the folder");
    home.with("app/.x-code/memory/auto.md", "m");
    home.with("app/AGENTS.md", "a");
    assert_eq!(home.waiting("app"), ["knowledge: AGENTS.md"]);
    let mut trust = home.look("app");
    trust.assume();
    assert!(trust.allows(Part::Knowledge) && trust.waiting().next().is_none());
    assert_eq!(home.waiting("app"), ["knowledge: AGENTS.md"], "for one run");
}
