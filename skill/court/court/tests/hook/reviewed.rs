//! CRT-8: when the end of a turn is blocked for a review, and the cost of reviews.

use serde_json::json;

use crate::fixture::Fixture;

/// A turn that wrote a file, or only looked.
fn record(fixture: &Fixture, tool: &str) {
    let input = json!({"file_path": fixture.file("a.txt"), "content": ""});
    let call = json!({"type": "tool_use", "id": "t1", "name": tool, "input": input});
    let end = json!({"type": "tool_result", "tool_use_id": "t1", "content": "done"});
    let lines = [
        json!({"type": "user", "message": {"content": "go"}}),
        json!({"type": "assistant", "message": {"id": "m", "content": [call]}}),
        json!({"type": "user", "message": {"content": [end]}}),
    ];
    fixture.write("transcript.jsonl", &lines.map(|line| format!("{line}\n")).concat());
}

/// Whether the end of a turn is held.
fn is_held(fixture: &Fixture, tool: &str, prompt: &str) -> bool {
    record(fixture, tool);
    let stop =
        json!({"stop_hook_active": false, "prompt_id": prompt, "last_assistant_message": "done"});
    fixture.hook(&fixture.call("Stop", stop))["decision"] == "block"
}

/// Whether the ends of a turn that wrote and of one that looked are held, with these variables.
fn held(variables: &[(&'static str, &str)], user: &str) -> (bool, bool) {
    let mut fixture = Fixture::new();
    let own = variables.iter().map(|(name, value)| (*name, (*value).to_owned()));
    fixture.variables.extend(own);
    if !user.is_empty() {
        fixture.write("../home/.config/codex-bridge/court.toml", user);
    }
    let held = (is_held(&fixture, "Write", "p1"), is_held(&fixture, "Read", "p2"));
    let packets = fixture.file(".claude/historian/packets/fact_2.json");
    assert!(packets.exists(), "the facts are gathered all the same");
    held
}

#[test]
fn the_review_at_the_end_of_a_turn_has_a_switch() {
    assert_eq!(held(&[], ""), (true, false));
    assert_eq!(held(&[("COURT_REVIEW", "off")], ""), (false, false));
    assert_eq!(held(&[("COURT_REVIEW", "always")], ""), (true, true));
    assert_eq!(held(&[], "[court]\nreview = \"off\"\n"), (false, false));
    assert_eq!(held(&[("CLAUDE_CODE_ENTRYPOINT", "cli")], ""), (true, false));
}

#[test]
fn a_program_that_reads_the_result_gets_its_own_unless_it_asks() {
    let print = ("CLAUDE_CODE_ENTRYPOINT", "sdk-cli");
    assert_eq!(held(&[print], ""), (false, false));
    assert_eq!(held(&[print, ("COURT_REVIEW", "always")], ""), (false, false));
    assert_eq!(held(&[print, ("COURT_PRINT_REVIEW", "changes")], ""), (true, false));
    assert_eq!(held(&[print], "[court]\nprint_review = \"always\"\n"), (true, true));
}

#[test]
fn a_project_can_ask_for_a_review_and_never_spare_one() {
    let mut fixture = Fixture::new();
    fixture.variables.push(("CLAUDE_CODE_ENTRYPOINT", "sdk-cli".to_owned()));
    // It says that nobody sits at the client, and switches the review off.
    let settings = json!({"env": {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}});
    fixture.write(".claude/settings.json", &settings.to_string());
    fixture.write(".court/court.toml", "[court]\nreview = \"off\"\nprint_review = \"always\"\n");
    assert!(is_held(&fixture, "Write", "p1"));
    assert!(!is_held(&fixture, "Read", "p2"));
    fixture.write(".court/court.toml", "[court]\nreview = \"always\"\n");
    assert!(is_held(&fixture, "Read", "p3"));
}

#[test]
fn status_says_what_reviews_cost() {
    let fixture = Fixture::new();
    assert!(is_held(&fixture, "Write", "p1"));
    let review = |fixture: &Fixture| fixture.json(&["status"])["review"].clone();
    let none = json!({"input": 0, "cachedInput": 0, "output": 0});
    assert_eq!((&review(&fixture)["asked"], &review(&fixture)["tokens"]), (&json!(1), &none));
    // One with a record, one without, and a sub-agent that is no historian.
    let line = |id: &str, output: u64| {
        json!({"type": "assistant", "message": {"id": id, "content": [{"type": "text", "text": "x"}],
            "usage": {"input_tokens": 5, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 100,
                "output_tokens": output}}})
    };
    // Two lines of one message have one usage; a gateway leaves numbers out.
    let lines = [
        line("m1", 7),
        line("m1", 7),
        line("m2", 3),
        json!({"type": "assistant", "message":
        {"id": "m3", "content": [], "usage": {"output_tokens": 1, "cache_read_input_tokens": null}}}),
    ];
    let lines = lines.map(|line| format!("{line}\n")).concat();
    fixture.write("transcript/subagents/agent-agent-h1.jsonl", &lines);
    for (id, kind) in [("h1", "court:historian"), ("h2", "court:historian"), ("w1", "worker")] {
        let mut call = fixture.after_agent(id, "VERDICT: pass");
        call["tool_input"]["subagent_type"] = json!(kind);
        call["tool_response"]["totalToolUseCount"] = json!(0);
        fixture.hook(&call);
    }
    let told = review(&fixture);
    let tokens = json!({"input": 230, "cachedInput": 200, "output": 11});
    assert_eq!(
        (&told["sub_agents"], &told["without_record"], &told["tokens"]),
        (&json!(2), &json!(1), &tokens),
        "{told:#}"
    );
    let text = String::from_utf8(fixture.run(&["status"]).stdout).unwrap();
    let expected = "changes (claude -p: off); asked 1 times; 2 historians: 230 tokens in (200 cached), 11 out; 1 without a record";
    assert!(text.contains(expected), "{text}");
}
