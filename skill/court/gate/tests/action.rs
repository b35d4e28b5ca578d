//! The typed entry: an action is worth what the call of a tool is worth that asks for it, and a host's own folders
//! are protected by what the host says.

use std::fs;
use std::path::Path;

use gate::{Action, Context, Effect, Judgement, Level, NoDisk, Policy, ToolCall, Written};
use gate::{judge, judge_action};
use serde_json::{Value, json};

fn context(disk: &dyn gate::Disk) -> Context<'_> {
    Context {
        cwd: "/home/dev/app",
        project: "/home/dev/app",
        home: "/home/dev",
        scratch: &[],
        protected: &[],
        disk,
    }
}

fn called(name: &str, input: &Value, disk: &dyn gate::Disk) -> Judgement {
    judge(&ToolCall { name, input }, &context(disk), Policy::Graded)
}

#[test]
fn every_command_of_the_corpora_is_judged_alike_through_both_entries() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let files = [corpus.clone(), corpus.join("rounds")]
        .into_iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    let mut commands = 0;
    for file in files {
        for line in fs::read_to_string(file).unwrap().lines() {
            let entry: Value = serde_json::from_str(line).unwrap();
            let wrote: Vec<Written> = entry["wrote"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|file| Written {
                    path: format!("/home/dev/app/{}", file["path"].as_str().unwrap()),
                    content: file["content"].as_str().map(str::to_owned),
                })
                .collect();
            let command = entry["command"].as_str().unwrap().to_owned();
            let call = called("Bash", &json!({ "command": command }), &wrote);
            let action = judge_action(&Action::Shell { command }, &context(&wrote));
            assert_eq!(call, action, "{}", entry["id"]);
            commands += 1;
        }
    }
    assert!(commands > 4_000, "{commands}");
}

#[test]
fn every_tool_is_judged_as_its_action() {
    let other = |name, effect| Action::Other { name, effect, command: None };
    let unknown = Action::Other {
        name: "some_tool",
        effect: Effect::Unknown,
        command: Some("rm -rf ~".to_owned()),
    };
    let cases = [
        ("Read", json!({"file_path": "a.rs"}), Action::Read { path: "a.rs" }, Level::L0),
        (
            "Grep",
            json!({"path": "~/.ssh/id_rsa"}),
            Action::Read { path: "~/.ssh/id_rsa" },
            Level::L2,
        ),
        ("Write", json!({"file_path": "a.rs"}), Action::Write { path: "a.rs" }, Level::L1),
        (
            "NotebookEdit",
            json!({"notebook_path": ".git/config"}),
            Action::Write { path: ".git/config" },
            Level::L2,
        ),
        (
            "Edit",
            json!({"file_path": ".court/manifest.json"}),
            Action::Write { path: ".court/manifest.json" },
            Level::L3,
        ),
        (
            "WebFetch",
            json!({"url": "https://docs.rs"}),
            Action::Fetch { url: "https://docs.rs" },
            Level::L1,
        ),
        (
            "WebFetch",
            json!({"url": "http://10.0.0.1/x"}),
            Action::Fetch { url: "http://10.0.0.1/x" },
            Level::L2,
        ),
        ("WebSearch", json!({"query": "rust"}), Action::Search { query: "rust" }, Level::L1),
        (
            "Agent",
            json!({"subagent_type": "reviewer"}),
            Action::Delegate { agent: "reviewer" },
            Level::L1,
        ),
        ("mcp__db__drop_table", json!({}), Action::Mcp { name: "mcp__db__drop_table" }, Level::L2),
        ("Glob", json!({"pattern": "*"}), other("Glob", Effect::Nothing), Level::L0),
        ("Skill", json!({"skill": "review"}), other("review", Effect::Skill), Level::L1),
        ("SendMessage", json!({}), other("SendMessage", Effect::Message), Level::L1),
        ("Workflow", json!({}), other("Workflow", Effect::Workflow), Level::L2),
        ("CronCreate", json!({}), other("CronCreate", Effect::Schedule), Level::L2),
        ("KillShell", json!({}), other("KillShell", Effect::Process), Level::L1),
        ("SomethingNew", json!({}), other("SomethingNew", Effect::Unknown), Level::L1),
        ("some_tool", json!({"command": "rm -rf ~"}), unknown, Level::L3),
        ("Bash", json!({"command": "ls"}), Action::Shell { command: "ls".to_owned() }, Level::L0),
    ];
    for (name, input, action, level) in cases {
        let judgement = judge_action(&action, &context(&NoDisk));
        assert_eq!(called(name, &input, &NoDisk), judgement, "{name} {input}");
        assert_eq!(judgement.level, level, "{action:?}");
    }
}

/// A host keeps its settings where the gate has no name for them.
#[test]
fn a_hosts_own_folders_are_protected_by_what_it_says() {
    let own = ["/home/dev/app/.x-code".to_owned(), "/home/dev/.xcode".to_owned()];
    let context = Context { protected: &own, ..context(&NoDisk) };
    let level = |action: Action<'_>| judge_action(&action, &context).level;
    let shell = |command: &str| level(Action::Shell { command: command.to_owned() });
    for path in [".x-code/mcp.json", "~/.xcode/settings.json", "src/../.x-code/agents/a.md"] {
        assert_eq!(level(Action::Write { path }), Level::L2, "{path}");
        assert_eq!(shell(&format!("echo x > {path}")), Level::L2, "{path}");
        assert_eq!(shell(&format!("rm {path}")), Level::L2, "{path}");
        assert_eq!(level(Action::Read { path }), Level::L0, "{path}");
        assert_eq!(shell(&format!("cat {path}")), Level::L0, "{path}");
    }
    assert_eq!(shell("mv .x-code /tmp/x"), Level::L2);
    assert_eq!(level(Action::Write { path: "src/x-code.rs" }), Level::L1);
}
