//! Every example of every entry, every case by an example, and every entry by both.

use std::collections::HashSet;

use serde_json::json;

use super::super::entry::{Case, Command, Does, Given, case};
use super::super::options::operands;
use super::super::tables;
use super::{ROOMS, command};
use crate::context::{Context, NoDisk};
use crate::shell::{Field, Walker};
use crate::{Policy, ToolCall};

const CONTEXT: Context<'static> = Context {
    cwd: "/home/dev/app",
    project: "/home/dev/app",
    home: "/home/dev",
    scratch: &[],
    protected: &[],
    disk: &NoDisk,
};

fn entries() -> impl Iterator<Item = &'static Command> {
    ROOMS.iter().copied().flatten()
}

/// The examples of an entry with their levels, for one of its names.
fn examples(command: &Command, name: &str) -> Vec<(usize, String)> {
    let text = |example: &&str| match example.contains("{}") {
        true => example.replace("{}", name),
        false => format!("{name} {example}"),
    };
    let levels = command.examples.iter().enumerate();
    levels.flat_map(|(level, all)| all.iter().map(move |each| (level, text(each)))).collect()
}

#[test]
fn every_example_has_its_level() {
    let mut wrong = Vec::new();
    let mut names = 0;
    for entry in entries() {
        assert!(entry.examples.iter().any(|all| !all.is_empty()), "{:?}", entry.names);
        for name in entry.names {
            names += 1;
            for (level, text) in examples(entry, name) {
                let input = json!({ "command": text });
                let call = ToolCall { name: "Bash", input: &input };
                let judgement = crate::judge(&call, &CONTEXT, Policy::Graded);
                if judgement.level as usize != level {
                    let rules: Vec<_> = judgement.findings.iter().map(|f| f.rule.id).collect();
                    wrong.push(format!("L{level}, {text}: {} {rules:?}", judgement.level));
                }
            }
        }
    }
    assert!(names > 850, "{names}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A case that no example reaches may be wrong, or never hold.
#[test]
fn every_case_is_shown_by_an_example() {
    let mut shown: HashSet<String> = HashSet::new();
    let said = |case: &Case| format!("{case:?}");
    for entry in entries() {
        let Does::Cases { valued, cases } = entry.does else { continue };
        for (_, text) in examples(entry, entry.names[0]) {
            let words: Vec<Field> = text.split_whitespace().map(Field::new).collect();
            let given = Given { words: &words, operands: operands(&words, valued) };
            shown.extend(
                case(&Walker::new(&CONTEXT, |name| command(name).is_some()), &given, cases)
                    .map(said),
            );
        }
    }
    let mut hidden = Vec::new();
    for entry in entries() {
        let Does::Cases { cases, .. } = entry.does else { continue };
        for (index, case) in cases.iter().copied().flatten().enumerate() {
            if !shown.contains(&said(case)) {
                hidden.push(format!("{:?}: case {index}, {}", entry.names, case.1.id));
            }
        }
    }
    assert!(hidden.is_empty(), "{}", hidden.join("\n"));
}

/// A name of the table is found there, and stands in no list of what has no entry.
#[test]
fn every_name_is_found_once() {
    for entry in entries() {
        for name in entry.names {
            assert!(command(name).is_some_and(|found| std::ptr::eq(found, entry)), "{name}");
            assert!(!tables::READ_ONLY.contains(name), "{name}");
        }
    }
    assert!(command("").is_none() && command("no-such-program").is_none());
    for (name, same) in
        [("mkfs.ext4", "mkfs"), ("git-blame", "git-push"), ("python3.12", "python3")]
    {
        let (one, other) = (command(name), command(same));
        assert!(std::ptr::eq(one.expect(name), other.expect(same)), "{name}");
    }
}
