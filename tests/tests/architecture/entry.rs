//! SC-ATO-007: the only place where tools run is the orchestrator. The entries and the hooks name no tool and
//! start no tool's script; the table of edges keeps them from linking one.

use crate::tree::files;

/// Where the entries are: the crate, and the plugins' hooks.
const ENTRIES: [&str; 3] =
    ["skill/context/codex-auto/", "skill/context/plugin/hooks/", "skill/plugin/hooks/"];

/// What in a text would run a tool past the orchestrator: the name of one, the engine's own command, or a
/// script of tools.
fn bypasses(text: &str) -> Vec<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || "_-./".contains(letter);
    let words = text.split(|letter: char| !is_part(letter));
    let is_tool = |word: &&str| {
        let name = word.rsplit('/').next().unwrap_or_default();
        name.starts_with(concat!("ci", "_")) || name == "ci" || name.starts_with("code-intel")
    };
    let is_script = |word: &&str| word.contains("scripts/") && word.ends_with(".sh");
    words.filter(|word| is_tool(word) || is_script(word)).map(str::to_owned).collect()
}

#[test]
fn sc_ato_007_the_entries_run_no_tool() {
    let mut seen = 0;
    for file in files() {
        if !ENTRIES.iter().any(|entry| file.path.starts_with(entry)) {
            continue;
        }
        seen += 1;
        let mut found = bypasses(&file.text);
        // The one place that knows how tools are called: to refuse it.
        if file.path == "skill/context/codex-auto/src/inject/args.rs" {
            found.retain(|word| word != "ci");
        }
        // What a person reads is quoted in tests of the output.
        if file.is_test() {
            found.retain(|word| !word.starts_with(concat!("ci", "_")));
        }
        assert!(found.is_empty(), "{}: {found:?}: only the orchestrator runs tools", file.path);
    }
    assert!(seen > 15, "the scan looks at {seen} files");
}

#[test]
fn the_scan_finds_what_it_looks_for() {
    let tool = concat!("ci", "_search");
    assert_eq!(bypasses(&format!("exec {tool} --limit 3")), [tool]);
    assert_eq!(bypasses("exec ./scripts/call-chain.sh x"), ["./scripts/call-chain.sh"]);
    assert_eq!(bypasses("\"$bin/ci\" search"), ["bin/ci"]);
    assert_eq!(bypasses("find_program(\"code-intel\")"), ["code-intel"]);
    assert_eq!(bypasses("CI_AUTO_TOOLS, context-inject, precise"), Vec::<String>::new());
}

/// Each of the old names leads to the new one, and to nothing else.
#[test]
fn sc_ato_007_the_old_name_of_the_hook_only_forwards() {
    let files = files();
    let forwards = |path: &str, to: &str| {
        let shim = &files.iter().find(|file| file.path == path).unwrap().text;
        let code: Vec<&str> = shim.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(code, [format!("exec \"${{0%/*}}/{to}\" \"$@\"")], "{path}");
    };
    let new_name = "context-inject-global.sh";
    for plugin in ["plugin", "context/plugin"] {
        forwards(&format!("skill/{plugin}/hooks/augment-context-global.sh"), new_name);
    }
    // Where the documents have the hook.
    let moved = "../../context/plugin/hooks/context-inject-global.sh";
    forwards("skill/plugin/hooks/context-inject-global.sh", moved);
}
