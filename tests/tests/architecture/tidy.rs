//! The form of source files: the rules of STYLE.md that a program can check.

use crate::tree::{File, code, files, has_word, sources};

/// Most lines of a source file, tests not counted.
const LINES_MAX: usize = 500;

/// Names that say nothing about what a file holds.
const GRAB_BAGS: &[&str] = &["util", "utils", "common", "helper", "helpers", "misc", "shared"];

/// A text that only some places may have in their code.
struct Rule {
    text: &'static str,
    /// Path prefixes of the places.
    allowed: &'static [&'static str],
    reason: &'static str,
}

/// They speak to cargo, on standard output, and are part of no program.
const BUILD_SCRIPTS: &[&str] = &["bridge/base/grammars/build.rs"];

/// Applies to everything but tests.
const RULES: &[Rule] = &[
    Rule { text: ".unwrap()", allowed: &[], reason: "unwrap is for tests" },
    Rule {
        text: "println!(",
        allowed: BUILD_SCRIPTS,
        reason: "it panics on a dead pipe: use writeln!",
    },
    Rule { text: "print!(", allowed: &[], reason: "it panics on a dead pipe: use write!" },
    Rule { text: "todo!(", allowed: &[], reason: "finish it" },
    Rule {
        text: "process::Command",
        allowed: &["bridge/base/supervise/", "bridge/base/grammars/build.rs"],
        reason: "only supervise starts processes",
    },
    Rule {
        text: "tokio::process",
        allowed: &["bridge/base/supervise/"],
        reason: "only supervise starts processes",
    },
    Rule {
        text: "env::var",
        allowed: &[
            "bridge/base/host/src/environment.rs",
            "bridge/base/supervise/",
            "bridge/base/grammars/build.rs",
        ],
        reason: "the environment is read once, in `host`",
    },
];

/// Texts that no test may have: a test that is skipped or that any panic satisfies proves nothing.
const NOT_IN_TESTS: &[&str] = &["#[ignore", "#[should_panic"];

/// Words that promise work instead of doing it.
const PROMISES: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME")];

/// Each plugin is installed on its own and can read nothing of the others, so each has a copy.
#[test]
fn the_plugins_find_programs_in_the_same_way() {
    let files = files();
    let text = |plugin: &str| {
        let path = format!("skill/{plugin}/plugin/lib/installed.sh");
        &files.iter().find(|file| file.path == path).unwrap().text
    };
    for plugin in ["court", "context"] {
        assert_eq!(text(plugin), text("advisor"), "{plugin}");
    }
}

#[test]
fn every_source_says_what_it_is_for() {
    for source in sources() {
        assert!(source.text.starts_with("//! "), "{}: begin with `//! `", source.path);
    }
}

#[test]
fn no_source_is_too_long() {
    for source in sources().iter().filter(|source| !source.is_test()) {
        let lines = source.without_tests().lines().count();
        assert!(lines <= LINES_MAX, "{} has {lines} lines; split it by idea", source.path);
    }
}

#[test]
fn no_name_is_a_grab_bag() {
    for source in sources() {
        let path = source.path.trim_end_matches(".rs");
        let bag = path.split('/').find(|part| GRAB_BAGS.contains(part));
        assert!(bag.is_none(), "{}: name it for what it holds", source.path);
    }
}

#[test]
fn the_code_keeps_to_the_rules() {
    let mut broken = Vec::new();
    for source in sources().iter().filter(|source| !source.is_test()) {
        for rule in RULES {
            if rule.allowed.iter().any(|prefix| source.path.starts_with(prefix)) {
                continue;
            }
            let lines = code(source.without_tests()).filter(|(_, line)| line.contains(rule.text));
            broken.extend(lines.map(|(number, _)| fault(source, number, rule.text, rule.reason)));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// `redact::sanitize` cleans, masks and cuts, in this order. Who calls a part of it alone can get the
/// order wrong: a zero-width character hides a secret, and a cut leaves half of one.
#[test]
fn text_leaves_through_one_door() {
    // The filter has each line of a masked text before it, a person sees the whole of a call, and what a terminal paints
    // was masked where it came from.
    let allowed = [
        "bridge/base/redact/",
        "bridge/base/fence/",
        "skill/court/court/src/review/shown.rs",
        "xcode/xc/src/terminal/door.rs",
    ];
    let mut broken = Vec::new();
    for source in sources().iter().filter(|source| !source.is_test()) {
        if allowed.iter().any(|prefix| source.path.starts_with(prefix)) {
            continue;
        }
        for (number, line) in code(source.without_tests()) {
            let is_named = line.trim_start().starts_with("use redact::") && has_word(line, "clean");
            let is_part = is_named || line.contains("redact::clean") || line.contains(".redact(");
            broken.extend(is_part.then(|| fault(source, number, line.trim(), "use sanitize()")));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn no_test_is_skipped_or_satisfied_by_any_panic() {
    let mut broken = Vec::new();
    for source in sources() {
        for text in NOT_IN_TESTS {
            let lines = code(&source.text).filter(|(_, line)| line.trim_start().starts_with(text));
            broken.extend(lines.map(|(number, _)| fault(&source, number, text, "see STYLE.md")));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn nothing_is_promised_for_later() {
    let mut broken = Vec::new();
    // Commands that developers type search for such words.
    let is_data =
        |path: &str| path.starts_with("tests/fixtures/") || path.contains("/corpus/rounds/");
    for file in files().iter().filter(|file| !is_data(&file.path)) {
        for (index, line) in file.text.lines().enumerate() {
            let promise = PROMISES.iter().find(|word| has_word(line, word));
            broken.extend(promise.map(|word| fault(file, index + 1, word, "do it, or leave it")));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn no_path_of_one_machine_is_named() {
    // In two parts, so that this file does not name them itself.
    let paths = [concat!("/wo", "rk/"), concat!("..", "/shared")];
    let mut broken = Vec::new();
    for file in files() {
        for (index, line) in file.text.lines().enumerate() {
            let found = paths.iter().find(|path| line.contains(*path));
            broken
                .extend(found.map(|path| fault(&file, index + 1, path, "it exists nowhere else")));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

fn fault(file: &File, line: usize, text: &str, reason: &str) -> String {
    format!("{}:{line}: `{text}`: {reason}", file.path)
}
