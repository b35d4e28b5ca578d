//! Every example of every entry, every case by an example, and every entry by both.

use std::collections::HashSet;

use serde_json::json;

use super::super::acts::Act;
use super::super::entry::{Command, Does, Given, Said};
use super::super::{interpreters, wrappers};
use super::{ROOMS, command};
use crate::context::tests::CONTEXT;
use crate::shell::{Field, Flow, Walker};
use crate::{Policy, ToolCall};

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

/// What a command's words say, and what the words of a verb of it say.
fn parts(said: Said) -> Vec<(String, String)> {
    let cases = said.cases.iter().copied().flatten();
    let cases = cases.map(|case| (format!("{case:?}"), case.1.id.to_owned()));
    let acts = said.also.iter().flat_map(|also| match also.1 {
        Act::Verb(_, said) => parts(*said),
        _ => vec![(format!("{also:?}"), format!("{:?}", also.1))],
    });
    cases.chain(acts).collect()
}

/// Those parts that the words of an example reach.
fn reached(said: Said, words: &[Field], input: &Flow, shown: &mut HashSet<String>) {
    let walker = Walker::new(&CONTEXT, |name| command(name).is_some());
    let given = Given::new(words, said.valued, input);
    shown.extend(said.case(&walker, &given).map(|case| format!("{case:?}")));
    for also in said.also.iter().filter(|also| also.0.holds(&walker, &given)) {
        match &also.1 {
            Act::Verb(at, said) => reached(**said, given.tail(*at), input, shown),
            act if act.pick().is_some_and(|pick| pick.of(&given).is_empty()) => {}
            _ => drop(shown.insert(format!("{also:?}"))),
        }
    }
}

/// A case that no example reaches may be wrong, or never hold.
#[test]
fn every_case_is_shown_by_an_example() {
    let mut shown: HashSet<String> = HashSet::new();
    let said = |entry: &Command| match entry.does {
        Does::Said(said) => Some(said),
        _ => None,
    };
    for entry in entries() {
        let Some(said) = said(entry) else { continue };
        for (_, text) in examples(entry, entry.names[0]) {
            // What is read from a file here is a secret, and what is piped is from a network.
            let (piped, text) = text.rsplit_once(" | ").unwrap_or(("", &text));
            let (text, file) = text.split_once(" < ").unwrap_or((text, ""));
            let (text, input) = text.split_once(" <<< ").unwrap_or((text, ""));
            let words = text.split_whitespace().map(|word| Field::new(word.trim_matches('\'')));
            let mut input = Flow::new(input);
            input.taint.secret = !file.is_empty();
            input.taint.network = !piped.is_empty();
            reached(said, &words.collect::<Vec<_>>(), &input, &mut shown);
        }
    }
    let mut hidden = Vec::new();
    for entry in entries() {
        let missing = said(entry).map(parts).unwrap_or_default().into_iter();
        let missing = missing.filter(|(part, _)| !shown.contains(part));
        hidden.extend(missing.map(|(_, what)| format!("{:?}: {what}", entry.names)));
    }
    assert!(hidden.is_empty(), "{}", hidden.join("\n"));
}

/// Most entries that need code, beside wrappers and interpreters, which have tables of their own. It may only shrink.
const CODE_MAX: usize = 66;

#[test]
fn what_needs_code_only_shrinks() {
    let own = [wrappers::WRAPPED, interpreters::COMMANDS].map(|room| room[0].names);
    let rooms = ROOMS.iter().filter(|room| !own.contains(&room[0].names));
    let (code, told): (Vec<_>, Vec<_>) =
        rooms.flat_map(|room| room.iter()).partition(|entry| matches!(entry.does, Does::Code(_)));
    let names = |entries: &[&Command]| entries.iter().map(|each| each.names.len()).sum::<usize>();
    let counted = format!(
        "{} entries with {} names are data, {} with {} names are code",
        told.len(),
        names(&told),
        code.len(),
        names(&code)
    );
    eprintln!("{counted}");
    assert!(code.len() <= CODE_MAX, "{counted}");
}

/// A name of the table is found there.
#[test]
fn every_name_is_found_once() {
    for entry in entries() {
        for name in entry.names {
            assert!(command(name).is_some_and(|found| std::ptr::eq(found, entry)), "{name}");
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
