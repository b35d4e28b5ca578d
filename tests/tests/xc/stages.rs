//! XC-9: the stages of docs/XCODE.md in the order of the specification, each with checks that can be repeated. What a
//! check of `xc` promises is that it ends well; the others have to be there.

use std::fs;
use std::path::Path;

use mock_model::Reply;

use crate::fixture::{Place, files};

/// The stages, in the order in which they were to be delivered.
const STAGES: [&str; 5] = [
    "workspace",
    "command line, configuration, providers",
    "loop, streaming, compaction, usage, errors",
    "core tools, permissions, truncation, turn limit, search",
    "web, ask-user, knowledge, init, rules, sessions, plan mode, slash commands, print mode, Ctrl+C",
];

/// The rows of the table: the stage, empty where it goes on, and the check.
fn rows(text: &str) -> Vec<(&str, &str)> {
    let section = text.split("\n## ").find(|section| section.starts_with("Stages, ")).unwrap();
    let rows = section.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        (cells[0], cells[1].trim_matches('`'))
    })
    .collect()
}

/// Whether `make` has a target of this name.
fn is_target(top: &Path, name: &str) -> bool {
    let makefile = fs::read_to_string(top.join("Makefile")).unwrap();
    makefile.lines().any(|line| line.split(':').next() == Some(name))
}

/// Whether `cargo test` with these words runs something: there are tests in what it names, behind the last word if it
/// narrows that down to a module.
fn is_test(top: &Path, words: &[&str]) -> bool {
    let ["--package", package, target @ ..] = words else { return false };
    let wing = if *package == "tests" { top.to_owned() } else { top.join("xcode") };
    let (sources, module) = match target {
        ["--lib", module] => (wing.join(package).join("src"), Some(module)),
        ["--test", name, module @ ..] => {
            (wing.join(package).join("tests").join(name), module.first())
        }
        _ => return false,
    };
    let is_in_module = |file: &Path| {
        let below = file.strip_prefix(&sources).unwrap().with_extension("");
        module.is_none_or(|module| below.components().any(|part| part.as_os_str() == *module))
    };
    let mut named = files(&sources);
    named.retain(|file| is_in_module(file));
    named.extend(module.is_none().then(|| sources.with_extension("rs")));
    let has_tests = |text: String| ["test]\n", "::test("].iter().any(|mark| text.contains(mark));
    named.iter().any(|file| fs::read_to_string(file).is_ok_and(has_tests))
}

#[tokio::test]
async fn each_stage_ends_with_a_check_that_can_be_repeated() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = fs::read_to_string(top.join("docs/XCODE.md")).unwrap();
    let rows = rows(&text);
    let stages: Vec<&str> = rows.iter().map(|row| row.0).filter(|it| !it.is_empty()).collect();
    assert_eq!(stages, STAGES);
    for (_, check) in rows {
        let words: Vec<&str> = check.split(' ').collect();
        match words[..] {
            ["make", target] => assert!(is_target(top, target), "{check}"),
            ["cargo", "test", ref test @ ..] => assert!(is_test(top, test), "{check}"),
            ["xc", ref words @ ..] => {
                let place = Place::new(Reply::Text("hello".into())).await;
                let said = place.run(words).await;
                assert_eq!(said.code, Some(0), "{check}: {}", said.err);
                assert!(!said.out.is_empty(), "{check}");
            }
            _ => panic!("{check} is no check that is known here"),
        }
    }
}

#[test]
fn a_check_that_is_not_there_is_seen() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    assert!(is_target(top, "lint") && !is_target(top, "lin"));
    for (there, gone) in [
        (["--package", "llm", "--test", "providers"], ["--package", "llm", "--test", "provider"]),
        (["--package", "agent", "--lib", "web"], ["--package", "agent", "--lib", "wed"]),
        (["--package", "tests", "--test", "xc_shell"], ["--package", "test", "--test", "xc_shell"]),
    ] {
        assert!(is_test(top, &there), "{there:?}");
        assert!(!is_test(top, &gone), "{gone:?}");
    }
}
