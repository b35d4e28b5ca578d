//! A second parser as a check: every command whose name stands plainly in the tree that tree-sitter-bash makes
//! is one that the gate reached. What tree-sitter reads in another way than bash is named here by kind.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::ops::Range;

use gate::{Judgement, Outcome};
use inputs::Random;
use shell::judge;
use tree_sitter::{Node, Parser};

mod inputs;
mod shell;

/// How many generated commands are compared.
const GENERATED: usize = 20_000;

/// The names of commands that a tree shows, where they stand as they would run.
fn names(root: Node<'_>, text: &str) -> Vec<Range<usize>> {
    let mut names = Vec::new();
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        if node.kind() == "command"
            && let Some(name) = node.child_by_field_name("name")
        {
            let range = name.byte_range();
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./:+-".contains(&byte);
            if !range.is_empty() && text[range.clone()].bytes().all(plain) {
                names.push(range);
            }
        }
        let mut cursor = node.walk();
        waiting.extend(node.children(&mut cursor));
    }
    names
}

/// Why a name that the tree shows is not a command that runs, as bash reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// `time`, `coproc`, `!` and the like are words of the grammar.
    Keyword,
    /// An alias or a function of the command stands for another command.
    Replaced,
    /// The gate keeps at most 256 commands.
    Many,
    /// In a here-document, or behind what ends one for bash.
    HereDocument,
    /// The word goes on: tree-sitter ends it at a continued line, a backtick, `<(` or a second `$`.
    GoesOn,
    /// Behind `--option=value`, `1A=b` or `*A=b` in the place of a command, which tree-sitter takes for an assignment.
    BehindOption,
    /// In an extended pattern, `name?(..)`: bash reads a word, or refuses it.
    Pattern,
    /// In `${$(...)}`, which bash refuses as a bad substitution.
    BadSubstitution,
    /// Behind an escaped blank, which tree-sitter takes for nothing.
    EscapedBlank,
}

fn explained(range: &Range<usize>, command: &str, judgement: &Judgement) -> Option<Kind> {
    const KEYWORDS: &[&str] = &[
        "time", "coproc", "function", "select", "then", "do", "done", "fi", "esac", "else", "elif",
        "in", "if", "while", "until", "for", "case",
    ];
    let (before, after) = (&command[..range.start], &command[range.end..]);
    let unquoted: String = before.split('\'').step_by(2).collect();
    let simple = unquoted.rsplit([';', '|', '&', '\n', '(']).next().unwrap_or_default();
    // Its value may hold a command: `--author="$(git config user.name)"`.
    let first = unquoted.rsplit([';', '|', '&', '\n']).next().unwrap_or_default();
    let first = first.split_whitespace().next().unwrap_or_default();
    let in_pattern = |opened: &&str| {
        before.strip_suffix(*opened).is_some_and(|word| word.ends_with(char::is_alphanumeric))
    };
    let no_name = |each: char| each.is_ascii_digit() || "-*?[".contains(each);
    let is_option = |word: &str| word.starts_with(no_name) && word.contains('=');
    if KEYWORDS.contains(&&command[range.clone()]) {
        Some(Kind::Keyword)
    } else if ["\\\n", "\\\r\n", "`", "<(", ">("].iter().any(|next| after.starts_with(next))
        || before.ends_with('$')
        || before.ends_with("\\\n") && before.len() > 2
    {
        Some(Kind::GoesOn)
    } else if simple.split_whitespace().any(is_option) || is_option(first) {
        Some(Kind::BehindOption)
    } else if ["?(", "*(", "+(", "@("].iter().any(in_pattern) {
        Some(Kind::Pattern)
    } else if before.ends_with("${$(") {
        Some(Kind::BadSubstitution)
    } else if before.ends_with("\\ ") || before.ends_with("\\\t") {
        Some(Kind::EscapedBlank)
    } else if judgement.commands.len() >= 256 {
        Some(Kind::Many)
    } else if command.contains("alias ") {
        Some(Kind::Replaced)
    } else if command.contains("<<") && !command.contains("<<<") {
        Some(Kind::HereDocument)
    } else {
        None
    }
}

/// The names that only the tree shows, and how many were compared.
fn compared(parser: &mut Parser, command: &str) -> Option<Vec<(String, Option<Kind>)>> {
    let tree = parser.parse(command, None).unwrap();
    if tree.root_node().has_error() {
        return None;
    }
    let judgement = judge(command, &gate::NoDisk);
    if judgement.outcome != Outcome::Judged {
        return None;
    }
    let reached = |name: &str| {
        judgement.commands.iter().any(|seen| seen.words.first().is_some_and(|word| word == name))
    };
    let missing = names(tree.root_node(), command)
        .into_iter()
        .filter(|range| !reached(&command[range.clone()]));
    Some(
        missing
            .map(|range| {
                let kind = explained(&range, command, &judgement);
                (command[range].to_owned(), kind)
            })
            .collect(),
    )
}

fn parser() -> Parser {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).unwrap();
    parser
}

fn check(commands: impl Iterator<Item = String>, least: usize) {
    let mut parser = parser();
    let (mut all, mut same) = (0, 0);
    let mut kinds: BTreeMap<Kind, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for command in commands {
        all += 1;
        let Some(missing) = compared(&mut parser, &command) else { continue };
        same += 1;
        for (name, kind) in missing {
            match kind {
                Some(kind) => *kinds.entry(kind).or_default() += 1,
                None => faults.push(format!("{name} in {command:?}")),
            }
        }
    }
    eprintln!("{same} of {all} are understood by both; explained: {kinds:?}");
    for fault in faults.iter().take(40) {
        eprintln!("  only in the tree: {fault}");
    }
    assert!(faults.is_empty(), "{} commands are only in the tree", faults.len());
    assert!(same >= least, "too few were compared: {same} of {all}");
}

#[test]
fn every_command_that_tree_sitter_sees_is_reached() {
    check(inputs::corpus().unwrap().into_iter(), 4_000);
}

#[test]
fn so_is_every_one_in_generated_texts() {
    let commands = inputs::corpus().unwrap();
    let mut random = Random::new(0x5851_f42d_4c95_7f2d);
    check((0..GENERATED).map(|_| inputs::generated(&mut random, &commands)), GENERATED / 10);
}
