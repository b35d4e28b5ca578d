//! Every public item of a crate is used: rustc checks private items only. Uses in tests do not count, except for items
//! that exist for tests.

use std::collections::BTreeMap;

use crate::tree::{code, files, sources};

/// What is public for tests: the path that it stands in, and its name; all names where that is empty.
const FOR_TESTS: &[(&str, &str)] = &[
    // The tests script the model that they ask.
    ("bridge/advisor/mock-model/", ""),
    // What the published schema says is held against it.
    ("bridge/advisor/contract/src/limits.rs", "CLARIFYING_QUESTIONS_MAX"),
    // The examples of the token formats are the tests of those who mask.
    ("bridge/base/redact/src/rules.rs", "formats"),
    // Our own definitions are held against the authors'.
    ("bridge/base/grammars/src/lib.rs", "_TAGS"),
    // The weaker ways, tried where the machine has the stronger ones.
    ("bridge/base/supervise/src/guard.rs", "with_isolation"),
    ("bridge/base/supervise/src/guard.rs", "with_confinement"),
    ("bridge/base/supervise/src/guard.rs", "with_landlock"),
];

/// The keywords before the name of an item.
const KINDS: &[&str] = &["fn", "struct", "enum", "trait", "type", "static"];

/// Names and keywords in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.split(move |letter| !is_name(letter)).filter(|word| !word.is_empty())
}

/// The item that a line makes public.
fn public(line: &str) -> Option<&str> {
    let mut words = words(line.trim_start().strip_prefix("pub")?)
        .skip_while(|word| ["crate", "super", "self", "in", "async", "unsafe"].contains(word));
    match words.next()? {
        "const" => match words.next()? {
            "fn" | "unsafe" => words.next(),
            name => Some(name),
        },
        kind if KINDS.contains(&kind) => words.next(),
        _ => None,
    }
}

/// The code without what it only passes on.
fn without_exports(code: &str) -> String {
    let mut parts = code.split("pub use ").flat_map(|part| part.split("pub(crate) use "));
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept += part.split_once(';').map_or("", |(_, after)| after);
    }
    kept
}

/// The public items of these files that no other place of their code names.
fn unused(files: &[(&str, &str)]) -> Vec<String> {
    let (mut named, mut items): (BTreeMap<String, usize>, Vec<_>) = Default::default();
    for (path, text) in files {
        let lines: Vec<&str> = code(text).map(|(_, line)| line).collect();
        for word in words(&without_exports(&lines.join("\n"))) {
            match named.get_mut(word) {
                Some(times) => *times += 1,
                None => drop(named.insert(word.to_owned(), 1)),
            }
        }
        items.extend(lines.into_iter().filter_map(public).map(|name| (*path, name)));
    }
    items.retain(|(_, name)| named.get(*name).is_none_or(|times| *times < 2));
    items.into_iter().map(|(path, name)| format!("{path}: {name}")).collect()
}

#[test]
fn what_is_public_has_a_user() {
    let mut sources = sources();
    // A template names what it shows.
    let is_template = |path: &str| path.contains("/templates/") && path.ends_with(".html");
    sources.extend(files().into_iter().filter(|file| is_template(&file.path)));
    let files: Vec<_> = sources
        .iter()
        .filter(|source| !source.is_test())
        .map(|source| (&*source.path, source.without_tests()))
        .collect();
    let is_listed = |item: &String| {
        let listed = |(path, name): &(&str, &str)| item.starts_with(path) && item.ends_with(name);
        FOR_TESTS.iter().any(listed)
    };
    let (listed, others): (Vec<_>, Vec<_>) = unused(&files).into_iter().partition(is_listed);
    assert!(others.is_empty(), "remove it, or say why it is there:\n{}", others.join("\n"));
    for (path, name) in FOR_TESTS {
        let stands = listed.iter().any(|item| item.starts_with(path) && item.ends_with(name));
        assert!(stands, "{path} {name} is listed, and has a user or is gone");
    }
}

#[test]
fn an_item_that_is_only_passed_on_has_no_user() {
    let files = [
        (
            "a.rs",
            "pub use b::{\n    gone,\n    Kept,\n};\npub(crate) const fn passed() {}\n// lost",
        ),
        ("b.rs", "pub fn gone() -> Kept {}\npub struct Kept {\n    pub field: u8,\n}\n"),
        ("c.rs", "pub const LOST: u8 = 1;\npub(in crate::c) static KEPT: u8 = 2;\nf(KEPT);"),
    ];
    assert_eq!(unused(&files), ["a.rs: passed", "b.rs: gone", "c.rs: LOST"]);
}
