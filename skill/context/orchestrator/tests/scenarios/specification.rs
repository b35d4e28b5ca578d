//! SC-ATO-001 to SC-ATO-009, as far as they concern the orchestrator: 006 and 007 are the entry's.

use std::sync::atomic::Ordering;

use orchestration::exit::Exit;
use orchestration::report::{ErrorCode, Status};

use crate::stub::{Orchestrator, Stub, context, finding, limits, result};

#[test]
fn sc_ato_001_the_report_has_its_fields() {
    let orchestrator = Orchestrator::new("", &[]);
    let (report, exit) = orchestrator.ask("why does run() in src/a.rs return nothing?");
    assert_eq!(exit, Exit::Done);
    let value = serde_json::to_value(&report).unwrap();
    for field in [
        "schema_version",
        "run_id",
        "created_at",
        "client",
        "inputs",
        "tool_plan",
        "tool_results",
        "fused_context",
        "degraded",
        "enforcement",
    ] {
        assert!(value.get(field).is_some(), "{field}");
    }
    assert_eq!(value["schema_version"], "1.0");
    assert_eq!(value["inputs"]["repo_root"], orchestrator.root().display().to_string());
    assert!(report.run_id.starts_with("20260921-141320-"), "{}", report.run_id);
    let tools: Vec<&str> = report.tool_results.iter().map(|result| result.tool.as_str()).collect();
    assert_eq!(tools, ["ci_index_status", "ci_search", "ci_graph_rag"]);
    assert!(context(&report).starts_with("<repository-context>\n"));
    assert!(context(&report).ends_with("</repository-context>"));
    // One place that several tools name stands there once.
    assert_eq!(context(&report).matches("- src/a.rs:3-9 `run`: fits the prompt\n").count(), 1);
    assert!(context(&report).contains("  | fn run() {}"));
    assert!(context(&report).contains("Sources: ci_index_status (stub 1, 2026-09-21T14:13:20"));
    assert_eq!(limits(&report), "");
    // The same question in the same place keeps its tail.
    let tail = |id: &str| id.rsplit_once('-').unwrap().1.to_owned();
    let again = orchestrator.ask("why does run() in src/a.rs return nothing?").0;
    assert_eq!(tail(&again.run_id), tail(&report.run_id));
}

#[test]
fn sc_ato_002_tier_2_from_the_file_stays_off() {
    for mode in ["plan", "run"] {
        let orchestrator = Orchestrator::new("tier_max: 2\n", &[("CI_AUTO_TOOLS_MODE", mode)]);
        let (report, _) = orchestrator.ask("fix KeyError in src/a.rs");
        assert_eq!(report.tool_plan.tier_max, 1);
        assert!(
            limits(&report)
                .contains("[Limits] tier-2 requires CI_AUTO_TOOLS_TIER_MAX=2 (config ignored)")
        );
        assert!(report.tool_plan.tools.iter().all(|tool| tool.tier < 2));
    }
}

#[test]
fn sc_ato_003_a_plan_runs_nothing_and_names_the_codex_command() {
    for (mode, command) in [("resume_last", "codex exec resume --last"), ("exec", "codex exec")] {
        let pairs = [("CI_AUTO_TOOLS_MODE", "plan"), ("CI_CODEX_SESSION_MODE", mode)];
        let orchestrator = Orchestrator::new("", &pairs);
        let (report, exit) = orchestrator.ask("explain the call chain of run()");
        assert_eq!(exit, Exit::Done);
        assert_eq!(report.tool_plan.planned_codex_command, command);
        assert_eq!(orchestrator.stub.calls.load(Ordering::SeqCst), 0);
        assert_eq!(
            (report.tool_results.len(), report.created_at.as_str()),
            (0, "1970-01-01T00:00:00Z")
        );
        assert!(report.run_id.starts_with("plan-"));
        assert!(context(&report).contains("planned, not run: ci_index_status"));
        let bytes = |report| serde_json::to_string(report).unwrap();
        assert_eq!(bytes(&orchestrator.ask("explain the call chain of run()").0), bytes(&report));
        assert_ne!(orchestrator.ask("explain the call chain of go()").0.run_id, report.run_id);
    }
}

#[test]
fn sc_ato_003_plans_are_the_same_on_every_machine() {
    for (name, prompt, tier) in [
        ("english", "refactor parse_args in src/cli.rs to return an error", "2"),
        ("chinese", "修复登录错误", "1"),
        ("chat", "good morning", "1"),
    ] {
        let pairs = [
            ("CI_AUTO_TOOLS_DRY_RUN", "1"),
            ("CI_AUTO_TOOLS_REPO_ROOT", "/"),
            ("CI_AUTO_TOOLS_TIER_MAX", tier),
        ];
        let (report, _) = Orchestrator::new("", &pairs).ask(prompt);
        let text = serde_json::to_string_pretty(&report).unwrap() + "\n";
        let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
        expect_test::expect_file![path].assert_eq(&text);
    }
}

#[test]
fn sc_ato_004_arguments_out_of_bounds_are_clamped_and_said() {
    let file = "tools:\n  ci_graph_rag: { depth: 10, top_k: 50 }\n  ci_search: { limit: 99 }\n";
    let (report, _) = Orchestrator::new(file, &[]).ask("修复登录错误");
    let args = |tool: &str| {
        let planned = report.tool_plan.tools.iter().find(|planned| planned.tool == tool).unwrap();
        planned.args.clone()
    };
    assert_eq!(
        (&args("ci_graph_rag")["depth"], &args("ci_graph_rag")["top_k"]),
        (&2.into(), &10.into())
    );
    assert_eq!(args("ci_search")["limit"], 10);
    for said in ["depth clamped to 2", "top_k clamped to 10", "limit clamped to 10"] {
        assert!(limits(&report).contains(said), "{}", limits(&report));
    }
    // A prompt may wish, within the same bounds.
    let (report, _) =
        Orchestrator::new("", &[]).ask("explain TokenBucket with ci_graph_rag depth=10");
    assert!(limits(&report).contains("[Limits] depth clamped to 2"));
}

#[test]
fn sc_ato_004_what_is_not_on_the_list_does_not_run() {
    let file = "tools:\n  ci_write_file: { path: x }\n  ci_vuln_scan:\n";
    let orchestrator = Orchestrator::new(file, &[]);
    let (report, exit) = orchestrator.ask("fix the login bug");
    assert_eq!(exit, Exit::Done);
    for tool in ["ci_write_file", "ci_vuln_scan"] {
        let refused = result(&report, tool);
        assert_eq!(refused.status, Status::Skipped);
        assert_eq!(refused.error.as_ref().unwrap().code, Some(ErrorCode::ToolUnavailable));
        assert!(limits(&report).contains(&format!("[Limits] tool unavailable; skipped: {tool}")));
    }
    assert_eq!(orchestrator.stub.calls.load(Ordering::SeqCst), 3);
}

#[test]
fn sc_ato_004_paths_outside_and_secrets_never_pass() {
    let pairs = [("CI_AUTO_TOOLS_TIER_MAX", "2")];
    let mut secret = finding("src/a.rs", "run", "token ghp_0123456789abcdefghijABCDEFGHIJ012345");
    secret.snippet = Some("Authorization: Bearer abcdefghijklmnop0123456789ABCDEF".to_owned());
    let found = vec![secret, finding(".env", "KEY", "x"), finding("../../etc/passwd", "root", "x")];
    let orchestrator = Orchestrator::new("", &pairs).with(Stub::answering(found));
    let (report, _) = orchestrator.ask("fix the bug in ../../etc/passwd and show its impact");
    assert!(limits(&report).contains("path refused: it leads out of the repository"));
    let text = serde_json::to_string(&report).unwrap();
    for secret in ["ghp_0123456789", "abcdefghijklmnop0123456789ABCDEF"] {
        assert!(!text.contains(secret), "{text}");
    }
    assert!(!context(&report).contains(".env") && !context(&report).contains("passwd"));
    let redactions = &result(&report, "ci_search").redactions;
    assert!(redactions.iter().map(|redaction| redaction.count).sum::<u64>() >= 2, "{redactions:?}");
}

#[test]
fn sc_ato_005_what_does_not_fit_is_cut_and_said() {
    for room in ["10", "600", "900"] {
        let pairs = [("CI_AUTO_TOOLS_MAX_INJECTED_CHARS", room)];
        let long = "很".repeat(230);
        let found = (0..6).map(|index| finding(&format!("src/{index}.rs"), "run", &long)).collect();
        let (report, exit) =
            Orchestrator::new("", &pairs).with(Stub::answering(found)).ask("fix the login bug");
        assert_eq!(exit, Exit::Done);
        assert!(context(&report).encode_utf16().count() <= room.parse().unwrap());
        assert!(limits(&report).contains("[Limits] budget exceeded; results truncated"));
        assert!(result(&report, "ci_search").truncated);
        assert!(report.degraded.is_degraded);
        let whole =
            context(&report).is_empty() || context(&report).ends_with("</repository-context>");
        assert!(whole, "{}", context(&report));
    }
}

#[test]
fn sc_ato_008_auto_keeps_to_its_bounds() {
    let orchestrator = Orchestrator::new("", &[]);
    let (chat, exit) = orchestrator.ask("tell me a joke");
    assert_eq!((exit, context(&chat), chat.tool_plan.tools.len()), (Exit::Done, "", 0));
    assert_eq!((limits(&chat), chat.degraded.is_degraded), ("", false));
    assert_eq!(orchestrator.stub.calls.load(Ordering::SeqCst), 0);

    let (code, _) = orchestrator.ask("add pagination to the orders endpoint");
    assert!(code.fused_context.for_user.tool_plan_text.starts_with("[Auto Tools]"));
    assert_eq!(limits(&code), "");

    let (deep, _) = orchestrator.ask("what is the impact of changing the signature of run()");
    assert_eq!(deep.tool_plan.tier_max, 1);
    assert!(deep.tool_plan.tools.iter().all(|tool| tool.tier < 2));
    let said = "[Limits] tier-2 disabled by default; set CI_AUTO_TOOLS_TIER_MAX=2 to enable";
    assert_eq!(limits(&deep), said);
}

#[test]
fn sc_ato_008_tier_2_runs_when_it_is_allowed_and_wanted() {
    let pairs = [("CI_AUTO_TOOLS_TIER_MAX", "2")];
    for (prompt, tools) in [
        ("what is the impact of changing the signature of run()", "ci_impact"),
        ("分析一下 parse_row 的调用链", "ci_call_chain"),
        ("fix KeyError: 'x' in src/a.rs", "ci_bug_locate"),
        ("which functions are the most complex in this crate", "ci_complexity"),
        ("最近改动最频繁的热点文件有哪些", "ci_hotspot"),
        ("允许深度分析：为什么 parse_row 会泄漏连接", "ci_call_chain ci_bug_locate"),
        ("add pagination to the orders endpoint", ""),
    ] {
        let (report, _) = Orchestrator::new("", &pairs).ask(prompt);
        let deep = report.tool_plan.tools.iter().filter(|tool| tool.tier == 2);
        let deep: Vec<&str> = deep.map(|tool| tool.tool.as_str()).collect();
        for tool in tools.split_whitespace() {
            assert!(deep.contains(&tool), "{prompt}: {deep:?}");
        }
        assert_eq!(deep.is_empty(), tools.is_empty(), "{prompt}: {deep:?}");
        assert_eq!(report.tool_plan.budget.wall_ms, if deep.is_empty() { 5_000 } else { 10_000 });
    }
}

#[test]
fn sc_ato_009_the_legacy_policy_is_marked() {
    let (report, _) =
        Orchestrator::new("", &[("CI_AUTO_TOOLS_LEGACY", "1")]).ask("fix the login bug");
    assert_eq!(report.enforcement.source, "legacy");
    assert_eq!(limits(&report), "[Limits] legacy mode enabled; using legacy policy");
    let (report, _) = Orchestrator::new("", &[]).ask("fix the login bug");
    assert_eq!(report.enforcement.source, "orchestrator");
}

/// One search, and nothing that came with tiers, wishes and servers.
#[test]
fn the_legacy_policy_is_one_search() {
    let pairs = [("CI_AUTO_TOOLS_LEGACY", "1"), ("CI_AUTO_TOOLS_TIER_MAX", "2")];
    let file = "tools: { ci_search: { limit: 3 }, ci_none: }\n\
                servers: { a: { command: [x], tools: { docs: { when: code } } } }\n";
    let orchestrator = Orchestrator::new(file, &pairs);
    let (report, exit) = orchestrator.ask("fix KeyError in src/a.rs, show its impact, limit=5");
    assert_eq!(exit, Exit::Done);
    let [planned] = &report.tool_plan.tools[..] else { panic!("{:?}", report.tool_plan) };
    assert_eq!((planned.tool.as_str(), &planned.args["limit"]), ("ci_search", &10.into()));
    assert_eq!((report.tool_results.len(), report.tool_plan.budget.wall_ms), (1, 5_000));
    assert!(context(&report).contains("src/a.rs"));
    let (chat, _) = orchestrator.ask("good morning");
    assert_eq!((context(&chat), chat.tool_plan.tools.len()), ("", 0));
}

/// Tier 2 because of a place that is named needs time for it; a wish in so many words is heard.
#[test]
fn sc_ato_008_tier_2_needs_a_budget_that_allows_it() {
    let anchored = "fix KeyError: 'x' in run() of src/a.rs";
    for (wall_ms, at_once, prompt, planned, left_out) in [
        ("5000", "3", anchored, "ci_bug_locate ci_call_chain", ""),
        ("1", "3", anchored, "", "ci_bug_locate ci_call_chain"),
        ("3000", "3", anchored, "ci_call_chain", "ci_bug_locate"),
        ("5000", "1", anchored, "ci_bug_locate", "ci_call_chain"),
        ("1", "3", "what is the impact of changing run()", "ci_impact", ""),
    ] {
        let pairs = [
            ("CI_AUTO_TOOLS_MODE", "plan"),
            ("CI_AUTO_TOOLS_TIER_MAX", "2"),
            ("CI_AUTO_TOOLS_BUDGET_WALL_MS", wall_ms),
            ("CI_AUTO_TOOLS_MAX_CONCURRENCY", at_once),
        ];
        let (report, _) = Orchestrator::new("", &pairs).ask(prompt);
        let deep = report.tool_plan.tools.iter().filter(|tool| tool.tier == 2);
        let deep: Vec<&str> = deep.map(|tool| tool.tool.as_str()).collect();
        assert_eq!(deep.join(" "), planned, "{wall_ms} {at_once}");
        let said = limits(&report).lines().filter_map(|line| {
            line.strip_prefix("[Limits] tier-2 left out; the budget does not allow it: ")
        });
        let said: Vec<&str> = said.filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(said.join(" "), left_out, "{wall_ms} {at_once}: {}", limits(&report));
    }
}

/// A server's tool of its own runs where the prompt asks for it, and only there.
#[test]
fn a_tool_of_its_own_is_planned_where_the_prompt_asks_for_it() {
    let file = "servers:\n  a:\n    command: [x]\n    tools:\n      docs: { tool: find, when: [handbook] }\n      \
                deep: { when: code, tier: 2 }\n      odd: 7\n";
    let names = |prompt: &str, tier| {
        let pairs = [("CI_AUTO_TOOLS_MODE", "plan"), ("CI_AUTO_TOOLS_TIER_MAX", tier)];
        let (report, exit) = Orchestrator::new(file, &pairs).ask(prompt);
        assert_eq!(exit, Exit::Done);
        assert!(limits(&report).contains("[Limits] tool unavailable; skipped: odd ("));
        let own = report.tool_plan.tools.iter().filter(|tool| !tool.tool.starts_with("ci_"));
        own.map(|tool| tool.tool.clone()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names("fix the login bug", "1"), "");
    assert_eq!(names("fix the login bug as the Handbook says", "1"), "docs");
    assert_eq!(names("fix the login bug as the Handbook says", "2"), "deep docs");
    assert_eq!(names("what does the handbook say about holidays", "2"), "", "not about code");
}

#[test]
fn off_is_off_and_on_is_on() {
    let orchestrator = Orchestrator::new("mode: [broken", &[("CI_AUTO_TOOLS", "off")]);
    let (report, exit) = orchestrator.ask("fix the login bug");
    assert_eq!((exit, context(&report), report.degraded.is_degraded), (Exit::Done, "", false));
    let (report, _) = Orchestrator::new("", &[("CI_AUTO_TOOLS", "on")]).ask("good morning");
    assert!(context(&report).contains("src/a.rs"));
}
