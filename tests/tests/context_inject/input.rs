//! The input, the prompts for which the orchestrator is started, and how much of them it gets.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::fixture::{ABOUT_CODE, Entry, call, report};

/// A stand-in that keeps each request it gets in a file of its own.
fn recorder(context: &str) -> Entry {
    let script = format!(
        "dir=$(dirname \"$0\")/asked\nmkdir -p \"$dir\"\ncat >\"$dir/$$\"\ncat <<'E'\n{}\nE",
        report(context)
    );
    Entry::with_script(&script)
}

/// The requests that a recorder got.
fn asked(entry: &Entry) -> Vec<Value> {
    let files = fs::read_dir(entry.folder.work().join("asked")).into_iter().flatten().flatten();
    files.map(|file| serde_json::from_slice(&fs::read(file.path()).unwrap()).unwrap()).collect()
}

fn fixture(name: &str) -> Vec<u8> {
    let top: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
    fs::read(top.join("bridge/base/claude-hooks/tests/fixtures/hooks").join(name)).unwrap()
}

#[test]
fn a_hooks_call_a_wrappers_object_and_a_prompt_are_asked_about() {
    let entry = recorder(&fence::block("src/a.rs"));
    let cwd = entry.folder.work();
    let said = entry.hook(ABOUT_CODE, &cwd);
    let hook = json!({
        "systemMessage": "[Auto Tools] 1 · [Results] 1 · [Limits] 0",
        "hookSpecificOutput": {
            "hookEventName": "UserPromptSubmit",
            "additionalContext": fence::block("src/a.rs"),
        },
    });
    assert_eq!((said.code, said.object()), (0, hook));
    let wrapper = json!({ "prompt": ABOUT_CODE, "cwd": "/src/shop", "session_id": "t1" });
    let said = entry.run(&["--format", "json"], wrapper.to_string().as_bytes());
    assert_eq!((said.code, &said.object()["schema_version"]), (0, &json!("1.0")));
    // JSON without a form that is asked for is taken for a hook's.
    let said = entry.run(&[], json!({ "prompt": ABOUT_CODE }).to_string().as_bytes());
    assert!(said.object()["hookSpecificOutput"]["additionalContext"].is_string(), "{said:?}");
    let said = entry.run(&["--format", "text", "--cwd", "/src"], ABOUT_CODE.as_bytes());
    assert_eq!(said.out, format!("{}\n", fence::block("src/a.rs")));
    let said = entry.run(&["--format", "prompt", "--prompt", ABOUT_CODE], b"");
    let whole = format!("{}\n\n{ABOUT_CODE}\n", fence::block("src/a.rs"));
    assert_eq!(said.out, whole);

    let mut requests = asked(&entry);
    requests.sort_by_key(|request| request["cwd"].to_string());
    let codex = json!({ "name": "codex-cli", "event": "cli" });
    let session = json!({ "name": "codex-cli", "event": "cli", "session_id": "t1" });
    let claude = json!("claude-code");
    for request in &requests {
        assert_eq!(request["prompt"], ABOUT_CODE);
        let expected = match request["cwd"].as_str().unwrap() {
            "/src/shop" => &session,
            _ if request["client"]["name"] == claude => {
                assert_eq!(request["max_injected_chars"], 8_900);
                assert_eq!(request["client"]["event"], "UserPromptSubmit");
                continue;
            }
            _ => &codex,
        };
        assert_eq!(&request["client"], expected);
    }
    assert_eq!(requests.len(), 5);
}

/// The client's own news, commands, other events, nothing at all: no orchestrator starts for them.
#[test]
fn what_no_person_typed_is_skipped() {
    let entry = recorder("never");
    let cwd = entry.folder.work();
    for name in [
        "UserPromptSubmit.task_notification.json",
        "UserPromptSubmit.slash_command.json",
        "SessionStart.startup.json",
        "Stop.json",
        "PreToolUse.Bash.json",
    ] {
        let said = entry.run(&[], &fixture(name));
        assert_eq!((said.code, said.out.as_str()), (0, "{}\n"), "{name}");
    }
    for prompt in
        ["", "  \n", "/compact", "<task-notification>\n<task-id>b1</task-id> fix src/a.rs"]
    {
        assert_eq!(entry.hook(prompt, &cwd).out, "{}\n", "{prompt}");
    }
    let off = entry.with("CI_AUTO_TOOLS", "off");
    assert_eq!(off.hook(ABOUT_CODE, &cwd).out, "{}\n");
    assert_eq!(asked(&off), Vec::<Value>::new());
    // The same call with a person's words does start it.
    let on = off.with("CI_AUTO_TOOLS", "auto");
    on.hook(ABOUT_CODE, &cwd);
    assert_eq!(asked(&on).len(), 1);
}

/// The hook may be registered by the plugin, the user and a project at once.
#[test]
fn a_prompt_is_answered_once_however_often_the_hook_runs() {
    let entry = recorder(&fence::block("src/a.rs"));
    let cwd = entry.folder.work();
    let mut prompt = call(ABOUT_CODE, &cwd);
    for id in ["p1", "p2"] {
        prompt["prompt_id"] = json!(id);
        let outs: Vec<String> =
            (0..3).map(|_| entry.run(&[], prompt.to_string().as_bytes()).out).collect();
        assert!(outs[0].contains("src/a.rs"), "{outs:?}");
        assert_eq!(outs[1..], ["{}\n", "{}\n"]);
    }
    assert_eq!(asked(&entry).len(), 2);
}

#[test]
fn of_a_huge_paste_the_orchestrator_gets_both_ends() {
    let entry = recorder("");
    let paste = format!(
        "{}\n{}\n{ABOUT_CODE}",
        "Look at this:",
        "log line 修复 \u{1f600}\n".repeat(12_000)
    );
    assert!(paste.len() > 200_000);
    let said = entry.hook(&paste, &entry.folder.work());
    assert_eq!(
        said.object(),
        json!({ "systemMessage": "[Auto Tools] 1 · [Results] 1 · [Limits] 0" })
    );
    let [request] = asked(&entry).try_into().unwrap();
    let prompt = request["prompt"].as_str().unwrap();
    assert!(prompt.len() <= 8 * 1024, "{}", prompt.len());
    assert!(prompt.starts_with("Look at this:") && prompt.ends_with(ABOUT_CODE));
}

#[test]
fn what_cannot_be_read_lets_the_prompt_through_and_says_why() {
    let entry = recorder("never");
    for (input, text) in [
        (&b"{\"prompt\": \"fix"[..], "the input is no JSON object"),
        (b"{\"hook_event_name\": \"UserPromptSubmit\"}", "has no `prompt`"),
        (b"{}", "the input has no `prompt`"),
        (b"\xff\xfe", "no UTF-8"),
        (br#"{"prompt": "\ud800"}"#, "the input is no JSON object"),
    ] {
        let said = entry.run(&[], input);
        assert_eq!(said.code, 30, "{said:?}");
        let message = said.object()["systemMessage"].as_str().unwrap().to_owned();
        assert!(message.starts_with("[Limits] ") && message.contains(text), "{message}");
    }
    assert_eq!(asked(&entry), Vec::<Value>::new());
}

/// Exit code 2 would have Claude Code drop the prompt.
#[test]
fn a_wrong_command_line_is_20_and_a_tool_is_refused() {
    let entry = recorder("never");
    let bypass = "[Limits] tool invocation must go through orchestrator";
    let search = concat!("ci", "_search");
    for (args, text) in [
        (&["--promt", "x"][..], "[Limits] command line: unexpected argument '--promt' found"),
        (&["--format", "yaml"], "[Limits] command line: invalid value 'yaml'"),
        (&["--tool", search], bypass),
        (&[search, "--query", "x"], bypass),
    ] {
        let said = entry.run(args, b"");
        assert_eq!(said.code, 20, "{said:?}");
        let object = said.object();
        let limits = object["fused_context"]["for_user"]["limits_text"].as_str().unwrap();
        assert!(limits.starts_with(text), "{args:?}: {limits}");
    }
    let said = entry.run(&[], format!("{{\"prompt\":\"x\",\"tool\":\"{search}\"}}").as_bytes());
    assert_eq!(said.object()["fused_context"]["for_user"]["limits_text"], bypass);
    assert_eq!(asked(&entry), Vec::<Value>::new());
}

#[test]
fn help_and_completions_are_printed() {
    let entry = Entry::new();
    let help = entry.run(&["--help"], b"");
    assert!(help.code == 0 && help.out.contains("CI_AUTO_TOOLS_ORCHESTRATOR_PATH"), "{help:?}");
    for shell in ["bash", "zsh", "fish"] {
        let script = entry.run(&["completions", shell], b"");
        assert!(script.code == 0 && script.out.contains("context-inject"), "{script:?}");
    }
    assert!(entry.run(&["--version"], b"").out.starts_with("context-inject "));
}
