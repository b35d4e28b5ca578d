//! `xc init` over real folders.

use std::fs;
use std::os::unix::fs::symlink;

use jiff::civil::Date;

use super::super::language::Language;
use super::{Fate, init};
use crate::places::Places;
use crate::trust::Trust;

fn today() -> Date {
    "2026-11-23".parse().unwrap()
}

/// XC-146, XC-147, XC-167: filled in, in both languages.
#[test]
fn a_project_is_filled_in() {
    for (language, name) in [(Language::En, "english"), (Language::Zh, "chinese")] {
        let (home, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let at = |path: &str| root.path().join(path);
        for folder in ["src", "tests", "dist", ".git", "a b"] {
            fs::create_dir(at(folder)).unwrap();
        }
        fs::write(at("pnpm-lock.yaml"), "").unwrap();
        let package = r#"{ "type": "module", "scripts": { "build": "x", "test": "vitest run" },
            "devDependencies": { "typescript": "^5.7.2", "vitest": "^4.0.0", "prettier": "3.0.0" } }"#;
        fs::write(at("package.json"), package).unwrap();
        let places = Places::new(home.path(), root.path());
        let done = init(&places, language, today()).unwrap();
        assert!(done.files.iter().all(|made| made.fate == Fate::Made), "{:?}", done.files);
        let read = |path: &str| fs::read_to_string(at(path)).unwrap();
        insta::assert_snapshot!(
            name,
            format!("{}\n=====\n{}", read(".x-code/knowledge.md"), read(".x-code/memory/auto.md"))
        );
        assert_eq!(read(".x-code/.gitignore"), "sessions/\nlocal/\n");
        assert!(at(".x-code/rules").is_dir() && at(".x-code/local").is_dir());
        let command = done.found.iter().find(|found| found.value == "pnpm vitest run").unwrap();
        assert!(command.is_command);
        // What the user made needs no agreement; what is brought later does.
        assert_eq!(Trust::look(&places).waiting().count(), 0);
        fs::write(at(".x-code/rules/a.md"), "a").unwrap();
        assert_eq!(Trust::look(&places).waiting().count(), 1);
    }
}

#[test]
fn what_is_there_stays_and_what_would_be_new_is_told() {
    let (home, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let at = |path: &str| root.path().join(path);
    fs::create_dir_all(at(".x-code/memory")).unwrap();
    let (knowledge, memory) = (
        "# Mine\n\n## Tech Stack\n- Language: Rust\n",
        "### tech-stack\n- [2026-01-01] 语言: Go\nmine\n",
    );
    fs::write(at(".x-code/knowledge.md"), knowledge).unwrap();
    fs::write(at(".x-code/memory/auto.md"), memory).unwrap();
    fs::write(at("Cargo.toml"), "[package]\nname = \"x\"\n").unwrap();
    let places = Places::new(home.path(), root.path());
    let done = init(&places, Language::En, today()).unwrap();
    assert_eq!(fs::read_to_string(at(".x-code/knowledge.md")).unwrap(), knowledge);
    assert_eq!(fs::read_to_string(at(".x-code/memory/auto.md")).unwrap(), memory);
    let Fate::Kept(lines) = &done.files[0].fate else { panic!("{done:?}") };
    assert!(lines.contains(&"- Package manager: cargo".to_owned()), "{lines:?}");
    assert!(!lines.contains(&"- Language: Rust".to_owned()), "{lines:?}");
    let Fate::Kept(lines) = &done.files[1].fate else { panic!("{done:?}") };
    assert!(lines.contains(&"- [2026-11-23] 语言: Rust".to_owned()), "{lines:?}");
    assert!(
        !Trust::look(&places).waiting().next().unwrap().files.is_empty(),
        "they were not made here"
    );
    // Once more changes nothing.
    let again = init(&places, Language::Zh, today()).unwrap();
    assert!(again.files.iter().all(|made| made.fate != Fate::Made), "{again:?}");
}

#[test]
fn a_link_in_the_place_of_our_folder_is_not_followed() {
    let (home, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let elsewhere = tempfile::tempdir().unwrap();
    symlink(elsewhere.path(), root.path().join(".x-code")).unwrap();
    init(&Places::new(home.path(), root.path()), Language::En, today()).unwrap_err();
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}
