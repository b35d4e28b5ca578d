//! The control plane: precedence, faults, and what a file may not do.

use std::fs;
use std::path::Path;

use orchestration::limits;
use orchestration::settings::{FILE, Mode, Switch};

use super::{Control, Fault, Policy, Precedence, SessionMode, resolve};
use crate::environment::Environment;
use crate::limits::Limits;

fn with(
    file: Option<&str>,
    pairs: &[(&'static str, &'static str)],
) -> (Result<Control, Vec<Fault>>, Limits) {
    let folder = tempfile::tempdir().unwrap();
    if let Some(text) = file {
        write(folder.path(), FILE, text);
    }
    let mut limits = Limits::default();
    let environment = Environment::from_iter(pairs.iter().copied());
    (resolve(&environment, folder.path(), &mut limits), limits)
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn the_defaults_are_the_documented_ones() {
    let (control, limits) = with(None, &[]);
    let control = control.unwrap();
    assert_eq!((control.switch, control.mode, control.tier_max), (Switch::Auto, Mode::Run, 1));
    let budget = control.budget;
    assert_eq!(
        (budget.wall_ms, budget.max_concurrency, budget.max_injected_chars),
        (5_000, 3, 12_000)
    );
    assert_eq!((control.policy, control.session), (Policy::Orchestrator, SessionMode::Exec));
    assert_eq!(limits.text(), "");
}

/// A client's own bound goes before a wider one of the user's, and never widens a narrower one.
#[test]
fn the_narrower_bound_of_client_and_user_counts() {
    let bound = |file, asked| {
        let (control, _) = with(file, &[]);
        control.unwrap().within(asked).budget.max_injected_chars
    };
    assert_eq!(bound(None, None), 12_000);
    assert_eq!(bound(None, Some(9_200)), 9_200);
    assert_eq!(bound(Some("budget:\n  max_injected_chars: 4000\n"), Some(9_200)), 4_000);
}

#[test]
fn the_environment_goes_before_the_file_and_the_file_before_the_default() {
    let file = "auto_tools: off\nmode: plan\nbudget:\n  wall_ms: 999\n  max_concurrency: 2\n";
    let (control, limits) = with(Some(file), &[]);
    let control = control.unwrap();
    assert_eq!((control.switch, control.mode), (Switch::Off, Mode::Plan));
    assert_eq!((control.budget.wall_ms, control.budget.max_concurrency), (999, 2));
    assert_eq!(limits.text(), "");
    let (control, _) = with(
        Some(file),
        &[
            ("CI_AUTO_TOOLS", "on"),
            ("CI_AUTO_TOOLS_MODE", "run"),
            ("CI_AUTO_TOOLS_BUDGET_WALL_MS", "9000"),
        ],
    );
    let control = control.unwrap();
    assert_eq!(
        (control.switch, control.mode, control.budget.wall_ms),
        (Switch::On, Mode::Run, 9_000)
    );
    assert_eq!(control.budget.max_concurrency, 2);
}

/// For each key what a repository asks for, and what holds.
#[test]
fn a_repository_can_only_ask_for_less_with_each_key() {
    let default = with(None, &[]).0.unwrap();
    let same = |control: &Control| *control == default;
    type Holds<'h> = &'h dyn Fn(&Control) -> bool;
    let rows: &[(&str, &str, Holds<'_>)] = &[
        ("auto_tools", "auto_tools: on", &same),
        ("auto_tools", "auto_tools: off", &|control| control.switch == Switch::Off),
        ("mode", "mode: run", &same),
        ("mode", "mode: plan", &|control| control.mode == Mode::Plan),
        ("tier_max", "tier_max: 2", &same),
        ("dry_run", "dry_run: false", &same),
        ("dry_run", "dry_run: true", &|control| control.mode == Mode::Plan),
        ("legacy", "legacy: true", &|control| {
            Control { policy: Policy::Orchestrator, ..control.clone() } == default
        }),
        ("session_mode", "session_mode: resume_last", &same),
        // How much is shown is the entry's to heed: it shows less where the file asks for less.
        ("show", "show: off # run", &same),
        ("repo_root", "repo_root: sub", &|control| control.repo_root.is_some()),
        (
            "budget",
            "budget: { wall_ms: 60000, max_concurrency: 16, max_injected_chars: 100000 }",
            &same,
        ),
        ("wall_ms", "wall_ms: 5001", &same),
        ("wall_ms", "budget: { wall_ms: 7 }", &|control| control.budget.wall_ms == 7),
        ("max_concurrency", "max_concurrency: 4", &same),
        ("max_concurrency", "max_concurrency: 1", &|control| control.budget.max_concurrency == 1),
        ("max_injected_chars", "max_injected_chars: 12001", &same),
        ("max_injected_chars", "max_injected_chars: 9", &|control| {
            control.budget.max_injected_chars == 9
        }),
        // Arguments are clamped where they are used, servers need the user's consent.
        ("tools", "tools: { ci_graph_rag: { depth: 99 } }", &|control| control.wishes.len() == 1),
        ("servers", "servers: { a: { command: [x] } }", &|control| control.servers.len() == 1),
    ];
    for key in super::file::KEYS {
        assert!(rows.iter().any(|row| row.0 == *key), "{key} has no row");
    }
    for (key, file, holds) in rows {
        let (control, limits) = with(Some(file), &[]);
        let control = control.unwrap();
        assert!(holds(&control), "{file}: {control:?}");
        let asks_for_more = limits.text().contains("asks for more") || *key == "tier_max";
        let is_default_or_less = !same(&control) || file.contains("run") || file.contains("false");
        assert_ne!(asks_for_more, is_default_or_less, "{file}: {}", limits.text());
    }
}

#[test]
fn a_file_behind_a_link_is_not_read() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(elsewhere.path().join("auto-tools.yaml"), "tiger-secret: 1\n").unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("config")).unwrap();
    let mut limits = Limits::default();
    let faults = resolve(&Environment::default(), folder.path(), &mut limits).unwrap_err();
    let said = format!("{faults:?}{}", limits.text());
    assert!(said.contains("symbolic link") && !said.contains("tiger"), "{said}");
}

#[test]
fn a_dry_run_is_a_plan() {
    for (pairs, file, mode) in [
        (&[("CI_AUTO_TOOLS_DRY_RUN", "1")][..], "", Mode::Plan),
        (&[("CI_AUTO_TOOLS_DRY_RUN", "1"), ("CI_AUTO_TOOLS_MODE", "run")], "", Mode::Plan),
        (&[("CI_AUTO_TOOLS_DRY_RUN", "0")], "dry_run: true", Mode::Run),
        (&[("CI_AUTO_TOOLS_MODE", "run")], "dry_run: true", Mode::Run),
        (&[], "dry_run: true", Mode::Plan),
    ] {
        assert_eq!(with(Some(file), pairs).0.unwrap().mode, mode, "{pairs:?} {file}");
    }
}

#[test]
fn sc_ato_002_tier_2_in_the_file_is_ignored_and_said() {
    for file in [
        "tier_max: 2",
        "tierMax: 2",
        "max_tier: 3",
        "tier-max: \"2\"",
        "tier_2: true",
        "enable_tier2: true",
        "budget:\n  tier_max: 2",
        "tools:\n  tier_max: 2",
        "CI_AUTO_TOOLS_TIER_MAX: 2",
    ] {
        let (control, limits) = with(Some(file), &[]);
        assert_eq!(control.unwrap().tier_max, 1, "{file}");
        assert!(limits.says(limits::TIER_2_ENV_ONLY), "{file}");
        let (control, limits) = with(Some(file), &[("CI_AUTO_TOOLS_TIER_MAX", "2")]);
        assert_eq!(control.unwrap().tier_max, 2, "{file}");
        assert_eq!(limits.text(), "", "{file}");
    }
    let (control, limits) = with(Some("tier_max: 1"), &[]);
    assert_eq!((control.unwrap().tier_max, limits.text()), (1, String::new()));
}

#[test]
fn every_fault_is_reported_with_its_place() {
    let file = "mode: maybe\nbudget:\n  wall_ms: soon\n  max_concurrency: 0\n";
    let (faults, _) =
        with(Some(file), &[("CI_AUTO_TOOLS", "sometimes"), ("CI_AUTO_TOOLS_TIER_MAX", "7")]);
    let places: Vec<String> = faults.unwrap_err().into_iter().map(|fault| fault.place).collect();
    assert_eq!(
        places,
        [
            "config/auto-tools.yaml: mode",
            "config/auto-tools.yaml: budget.wall_ms",
            "config/auto-tools.yaml: budget.max_concurrency",
            "CI_AUTO_TOOLS_TIER_MAX",
            "CI_AUTO_TOOLS",
        ]
    );
}

#[test]
fn a_broken_file_is_a_fault() {
    for file in ["mode: [", "- a\n- b", "a: 1\n a: 2", "mode: plan\nmode: run", "just words"] {
        assert!(with(Some(file), &[]).0.is_err(), "{file}");
    }
    assert!(with(Some("# nothing\n"), &[]).0.is_ok());
    let bomb = (0..20).fold(String::from("a0: &a0 [x]\n"), |text, level| {
        format!("{text}a{next}: &a{next} [*a{level}, *a{level}]\n", next = level + 1)
    });
    // Whatever the parser makes of it, it comes back.
    let _ = with(Some(&bomb), &[]).0;
}

#[test]
fn an_unknown_key_is_said_and_does_no_harm() {
    let (control, limits) = with(Some("wall_mss: 3\nfrobnicate: 1\n"), &[]);
    assert!(control.is_ok());
    assert_eq!(
        limits.text(),
        "[Limits] config/auto-tools.yaml: wall_mss is unknown and has no effect; did you mean `wall_ms`?\n\
         [Limits] config/auto-tools.yaml: frobnicate is unknown and has no effect"
    );
}

#[test]
fn settings_in_the_wrong_file_have_no_effect() {
    for (text, hint) in [
        ("auto_tools:\n  mode: plan\n", true),
        ("tier_max: 2\n", true),
        ("truth_root: specs\nai_tools:\n  - claude\n", false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), ".devbooks/config.yaml", text);
        let mut limits = Limits::default();
        let control = resolve(&Environment::default(), folder.path(), &mut limits).unwrap();
        assert_eq!(control.tier_max, 1);
        assert_eq!(control.mode, Mode::Run);
        assert_eq!(limits.says(limits::WRONG_FILE), hint, "{text}");
    }
}

#[test]
fn servers_are_read_and_every_fault_in_them_is_named() {
    let file = "servers:\n  graph:\n    command: [codegraph, serve]\n    env: { A: b }\n    use: instead\n    tools:\n      \
                ci_search: find\n      ci_impact: { tool: hit, arguments: { what: '{symbol}' } }\n  plain: { command: [/bin/x] }\n";
    let servers = with(Some(file), &[]).0.unwrap().servers;
    assert_eq!(servers.len(), 2);
    let (graph, plain) = (&servers[0], &servers[1]);
    assert_eq!((graph.name.as_str(), graph.place), ("graph", Precedence::Instead));
    assert_eq!(graph.command, ["codegraph", "serve"]);
    assert_eq!(graph.tool("ci_search").unwrap().tool, "find");
    assert!(graph.tool("ci_impact").unwrap().arguments.is_some());
    assert_eq!(graph.tool("ci_graph_rag"), None);
    assert_eq!(plain.tool("ci_graph_rag").unwrap().tool, "ci_graph_rag");
    assert_ne!(graph.fingerprint, plain.fingerprint);

    let file = "servers:\n  a: 5\n  b: { command: [], use: never, wait: 1 }\n  c: { command: [./here], env: { A: 1 } }\n  \
                d: { command: [x], tools: { ci_write: y, ci_search: 7 } }\n";
    let faults = with(Some(file), &[]).0.unwrap_err();
    let places: Vec<&str> = faults.iter().map(|fault| fault.place.as_str()).collect();
    let at = |key: &str| format!("{FILE}: servers.{key}");
    let expected = [
        at("a"),
        at("b.wait"),
        at("b.command"),
        at("b.use"),
        at("c.command"),
        at("c.env"),
        at("d.tools.ci_search"),
    ];
    assert_eq!(places, expected);
    assert_eq!(with(Some("servers: [x]\n"), &[]).0.unwrap_err().len(), 1);
}

#[test]
fn a_tool_that_cannot_be_used_costs_itself_alone_and_that_is_said() {
    let file = "servers:\n  a:\n    command: [x]\n    tools:\n      ci_write: y\n      docs: find\n      \
                ci_search: find\n      wiki: { tool: find, when: [wiki], arguments: { q: '{query}' } }\n  \
                b: { command: [x], tools: { ci_none: y } }\n";
    let (control, limits) = with(Some(file), &[]);
    let servers = control.unwrap().servers;
    assert_eq!(
        limits.text(),
        "[Limits] tool unavailable; skipped: ci_write (config/auto-tools.yaml: servers.a.tools: it is not on the allow-list)\n\
         [Limits] tool unavailable; skipped: docs (config/auto-tools.yaml: servers.a.tools: it is not on the allow-list, and has no `when` as a tool of its own)\n\
         [Limits] tool unavailable; skipped: ci_none (config/auto-tools.yaml: servers.b.tools: it is not on the allow-list)"
    );
    let (a, b) = (&servers[0], &servers[1]);
    assert_eq!(a.tool("ci_search").unwrap().tool, "find");
    assert_eq!(a.tool("wiki").unwrap().tool, "find");
    assert_eq!((a.tool("docs"), a.tool("ci_write")), (None, None));
    // A server whose only tool cannot be used has no tool, rather than all of ours.
    assert_eq!(b.tool("ci_search"), None);
}
