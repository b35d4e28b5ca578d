//! What git's subcommands do by their words, as a table, and the tests that only code can say. Not here: what they
//! execute (see `git_options`), and those that only read (see `git`).

use super::entry::When::{All, Always, Any, Not, Operand, Operands, Option as Flag, Test, Word};
use super::entry::{Case, Given, READS, When, case, lists};
use super::options::{has, has_word, operands};
use super::words::words;
use crate::path::Zone;
use crate::rules::{Rule, execution, files as file_rules, network, repository as rules, secrets};
use crate::shell::{Field, Flow, UNKNOWN, Walker};

/// What applies to a subcommand, by its words; nothing of it holds for ordinary work.
type Cases = &'static [&'static [Case]];

/// Subcommands that lose commits or change refs directly.
pub(super) const LOSE: &[&str] =
    words!("filter-branch filter-repo prune update-ref replace prune-packed obliterate");

const DRY: Case = Case(Test(|_, given| is_dry(given.words)), READS);
const FORCED: When = Test(|_, given| is_forced(given.words));
const NO_OPERAND: When = Not(&Operands(1));
/// The input is read.
const NO_FILE: When = Any(&[NO_OPERAND, Word("-")]);

const VERBS: &[(&str, Cases)] = &[
    ("push prune filter-repo", &[&[DRY]]),
    ("filter-repo", &[&[Case(Word("--analyze"), &rules::GIT)]]),
    (
        "reset",
        &[&[Case(
            Any(&[Flag(' ', "hard"), Flag(' ', "merge"), Word("--h --merge")]),
            &rules::GIT_DISCARD,
        )]],
    ),
    ("checkout", &[&[Case(Test(discards), &rules::GIT_DISCARD)]]),
    (
        "switch",
        &[&[Case(
            Any(&[
                FORCED,
                Flag(' ', "force-create"),
                Flag(' ', "discard-changes"),
                Test(|_, given| creates(given.words) == Some('C')),
            ]),
            &rules::GIT_DISCARD,
        )]],
    ),
    (
        "restore",
        &[&[
            Case(All(&[Flag('S', "staged"), Not(&Flag('W', "worktree"))]), &rules::GIT),
            Case(Test(|walker, given| made_again(walker, given.operands.as_slice())), &rules::GIT),
            Case(
                All(&[
                    Flag('s', "source"),
                    Test(|walker, given| names_files(walker, &given.operands)),
                ]),
                &rules::GIT,
            ),
            Case(Always, &rules::GIT_DISCARD),
        ]],
    ),
    (
        "clean",
        &[&[
            Case(Flag('n', "dry-run"), READS),
            Case(All(&[Flag('f', "force"), Test(cleans_outputs)]), &rules::GIT),
            Case(Flag('f', "force"), &rules::GIT_DISCARD),
        ]],
    ),
    (
        "branch",
        &[&[
            Case(
                Any(&[Flag('D', ""), Flag('M', ""), Flag('C', ""), Flag('f', "force")]),
                &rules::GIT_LOSE,
            ),
            Case(
                Any(&[
                    NO_OPERAND,
                    Word(
                        "-a -r -v -vv --list -l --contains --merged --no-merged --show-current \
                         --points-at --sort",
                    ),
                ]),
                READS,
            ),
        ]],
    ),
    (
        "stash",
        &[&[
            Case(Operand(1, "drop clear"), &rules::GIT_LOSE),
            Case(Operand(1, "list show"), READS),
            Case(
                All(&[Any(&[NO_OPERAND, Operand(1, "push save")]), Flag('a', "all")]),
                &rules::GIT_SWEEP,
            ),
        ]],
    ),
    (
        "reflog",
        &[&[
            Case(Test(|_, given| is_dry(given.words)), &rules::GIT),
            Case(
                All(&[Operand(1, "expire"), Not(&Test(|_, given| drops_soon(given, "--ex")))]),
                &rules::GIT,
            ),
            Case(Operand(1, "expire delete"), &rules::GIT_LOSE),
            Case(Always, READS),
        ]],
    ),
    ("gc", &[&[Case(Test(|_, given| drops_soon(given, "--p")), &rules::GIT_LOSE)]]),
    ("symbolic-ref", &[&[Case(Operands(2), &rules::GIT_LOSE), Case(Always, READS)]]),
    (
        "apply",
        &[&[
            Case(Word("--unsafe-paths"), &file_rules::WRITE_OUTSIDE),
            // What differs now is taken back, as `git diff | git apply -R` does; a patch in a file can be applied again.
            Case(
                All(&[
                    Flag('R', "reverse"),
                    NO_FILE,
                    Not(&Word("--cached --check --stat --numstat --summary")),
                ]),
                &rules::GIT_DISCARD,
            ),
        ]],
    ),
    ("am", &[&[Case(Word("--unsafe-paths"), &file_rules::WRITE_OUTSIDE)]]),
    ("replace", &[&[Case(Word("-l --list"), READS)]]),
    (
        "lfs",
        &[&[
            DRY,
            Case(
                Test(|_, given| given.operands.get(1).is_some_and(|word| word.text == "info")),
                READS,
            ),
            Case(Operand(1, "prune migrate dedup uninstall"), &rules::GIT_LOSE),
        ]],
    ),
    ("lfs notes bundle", &[&[Case(Operand(1, "list show verify ls-files env status"), READS)]]),
    (
        "tag",
        &[&[
            Case(Any(&[Flag('d', "delete"), Flag('f', "force")]), &rules::GIT_LOSE),
            Case(Any(&[NO_OPERAND, Flag('l', "list")]), READS),
        ]],
    ),
    (
        "rm",
        &[&[Case(
            All(&[Flag('f', "force"), Any(&[Flag('r', ""), Test(names_many)])]),
            &rules::GIT_DISCARD,
        )]],
    ),
    ("init", &[&[Case(Test(outside), &file_rules::WRITE_OUTSIDE)]]),
    (
        "worktree",
        &[&[
            Case(Operand(1, "list"), READS),
            Case(All(&[Operand(1, "remove"), Flag('f', "force")]), &rules::GIT_LOSE),
        ]],
    ),
    (
        "remote",
        &[&[
            Case(Any(&[NO_OPERAND, Operand(1, "show get-url")]), READS),
            Case(Operand(1, "set-url remove rm"), &rules::GIT_SETTINGS),
            Case(
                All(&[Operand(1, "add"), Test(|_, given| begins(given, "ext::"))]),
                &rules::GIT_EXECUTES,
            ),
        ]],
    ),
    ("credential", &[&[Case(Always, &secrets::SHOW)]]),
    // Changes of what guards or drives the work are no longer seen.
    (
        "update-index",
        &[&[Case(
            All(&[Word("--assume-unchanged --skip-worktree"), Test(names_wiring)]),
            &rules::GIT_SWEEP,
        )]],
    ),
    ("daemon http-backend instaweb", &[&[Case(Always, &network::LISTEN)]]),
    ("send-email imap-send", &[&[Case(Always, &network::SEND)]]),
    ("fast-import", &[&[Case(Always, &rules::GIT_LOSE)]]),
    (
        "checkout-index read-tree",
        &[&[Case(
            Any(&[Flag('f', "force"), Flag('u', ""), Flag(' ', "reset")]),
            &rules::GIT_DISCARD,
        )]],
    ),
];

/// What a subcommand does that does not only read: by the table, else it loses commits or is ordinary work.
pub(super) fn verb_rule(walker: &Walker<'_>, words: &[Field], rest: &[&Field]) -> &'static Rule {
    let verb = words[0].text.as_str();
    let input = Flow::unknown();
    let given = Given { words, operands: rest.to_vec(), input: &input };
    let entries = VERBS.iter().filter(|(verbs, _)| lists(verbs, verb));
    let rule = entries.filter_map(|(_, cases)| case(walker, &given, cases)).next();
    match rule {
        Some(Case(_, rule)) => rule,
        None if LOSE.contains(&verb) || verb.contains(UNKNOWN) => &rules::GIT_LOSE,
        None => &rules::GIT,
    }
}

fn begins(given: &Given<'_>, start: &str) -> bool {
    given.operands.iter().any(|word| word.text.starts_with(start))
}

/// Whether an option that begins so drops what is still young.
fn drops_soon(given: &Given<'_>, option: &str) -> bool {
    given.words.iter().any(|word| word.text.starts_with(option) && is_soon(&word.text))
}

fn names_wiring(walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.operands.iter().any(|word| walker.zone(word) == Zone::Persistence)
}

fn names_many(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.operands.iter().any(|word| word.glob || matches!(word.text.as_str(), "." | "*"))
}

/// Whether a repository is made where no work of this project is: among the user's or the system's files.
fn outside(walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.operands.first().is_some_and(|word| match walker.zone(word) {
        Zone::System | Zone::Persistence | Zone::Root => true,
        Zone::InHome => crate::path::name(&word.text).starts_with('.'),
        _ => false,
    })
}

/// Whether git only says what it would do: the last word on it counts.
pub(super) fn is_dry(words: &[Field]) -> bool {
    words[1..]
        .iter()
        .take_while(|word| word.text != "--")
        .filter(|word| matches!(word.text.as_str(), "--dry-run" | "-n" | "--no-dry-run"))
        .last()
        .is_some_and(|word| word.text != "--no-dry-run")
}

pub(super) fn push(walker: &mut Walker<'_>, words: &[Field]) -> Option<&'static Rule> {
    let rest = operands(words, &["-o", "--push-option", "--repo", "--receive-pack", "--exec"]);
    let refs = rest.iter().any(|word| word.text.starts_with(['+', ':']));
    let forced = words[1..]
        .iter()
        .any(|word| word.text.starts_with("--force") && word.text != "--force-if-includes")
        || has(words, 'f', "")
        || has(words, 'd', "delete")
        || has_word(words, &["--mirror", "--prune"]);
    // With a lease nothing that was not seen is overwritten; on the branches of all it still counts.
    let leased = words[1..].iter().any(|word| word.text.starts_with("--force-with-lease"));
    let hard = words[1..].iter().any(|word| matches!(word.text.as_str(), "--force" | "--mirror"))
        || has(words, 'f', "")
        || has(words, 'd', "delete");
    let shared = rest.iter().skip(1).any(|word| {
        let branch = word.text.rsplit(':').next().unwrap_or_default();
        matches!(branch, "main" | "master" | "trunk" | "develop" | "production" | "release")
    });
    let forced = forced && (!leased || hard || shared);
    if refs || forced {
        return Some(&rules::GIT_REWRITE_REMOTE);
    }
    // What is checked before a push is not checked, on the branch of all.
    if shared && has_word(words, &["--no-verify"]) {
        return Some(&execution::GUARD_OFF);
    }
    let elsewhere = rest.first().is_some_and(|remote| {
        remote.text.contains("://")
            || remote.text.contains('@')
            || walker.state.remotes.contains(&remote.text)
    });
    if elsewhere {
        walker.found(&network::SEND, &rest[0].text);
    }
    Some(&rules::GIT)
}

/// The letter with which `checkout` and `switch` make a branch: the name may be attached to it, so that no letter
/// after it counts.
fn creates(words: &[Field]) -> Option<char> {
    words[1..].iter().take_while(|word| word.text != "--").find_map(|word| {
        let letters = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
        letters
            .chars()
            .take_while(|each| "qfbBcCt".contains(*each))
            .find(|each| "bBcC".contains(*each))
    })
}

/// Whether `-f` is given: as a letter before the one that a branch's name follows.
fn is_forced(words: &[Field]) -> bool {
    has(words, ' ', "force")
        || words[1..].iter().take_while(|word| word.text != "--").any(|word| {
            word.text.strip_prefix('-').is_some_and(|letters| {
                letters.chars().take_while(|each| "qft".contains(*each)).any(|each| each == 'f')
            })
        })
}

/// How many files may be named one by one.
const FILES_MAX: usize = 4;

/// Files that a package manager writes anew.
const LOCKS: &str = "Cargo.lock package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lockb bun.lock \
                     go.sum poetry.lock uv.lock pdm.lock Pipfile.lock Gemfile.lock composer.lock flake.lock mix.lock \
                     pubspec.lock Podfile.lock deno.lock packages.lock.json";

/// Whether some files of the project are named one by one, by names that are no folder's.
fn names_files(walker: &Walker<'_>, files: &[&Field]) -> bool {
    let is_file = |file: &&Field| {
        let own = matches!(walker.zone(file), Zone::InProject | Zone::Scratch);
        let name = crate::path::name(&file.text);
        let ending = !name.starts_with('.') && !crate::path::extension(name).is_empty();
        let pattern = file.glob || file.text.contains(['*', '?', '[', ':']);
        own && file.is_known() && !pattern && ending
    };
    !files.is_empty() && files.len() <= FILES_MAX && files.iter().all(is_file)
}

/// Whether all that is named is made by tools: lock files, and what a build puts out.
fn made_again(walker: &Walker<'_>, files: &[&Field]) -> bool {
    let is_made = |file: &&Field| {
        let lock = lists(LOCKS, crate::path::name(&file.text));
        file.is_known() && !file.glob && (lock || walker.zone(file) == Zone::Scratch)
    };
    !files.is_empty() && files.iter().all(is_made)
}

/// Only what a build puts out is cleaned away.
fn cleans_outputs(walker: &Walker<'_>, given: &Given<'_>) -> bool {
    made_again(walker, &operands(given.words, &["-e", "--exclude"]))
}

/// `--ours src/a.rs`: one side of a conflict, of files that are named.
fn takes_side(walker: &Walker<'_>, given: &Given<'_>) -> bool {
    (has(given.words, ' ', "ours") || has(given.words, ' ', "theirs"))
        && names_files(walker, &given.operands)
}

/// `HEAD -- src/a.rs`: a commit is named, and the files that are taken from it.
fn takes_files(walker: &Walker<'_>, words: &[Field]) -> bool {
    let Some(at) = words.iter().position(|word| word.text == "--") else { return false };
    let named: Vec<&Field> = words[at + 1..].iter().collect();
    let plain = words[1..at].iter().all(|word| !word.is_option());
    plain && (at == 2 && names_files(walker, &named) || made_again(walker, &named))
}

/// Whether `checkout` throws work away: it is told a path, or to go on over changes.
fn discards(walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let Given { words, operands: rest, .. } = given;
    let created = creates(words);
    if created.is_none()
        && !is_forced(words)
        && (takes_files(walker, words) || takes_side(walker, given))
    {
        return false;
    }
    let makes = created.is_some()
        || has(words, 't', "track")
        || has(words, ' ', "orphan")
        || has(words, ' ', "detach");
    let separator = words.iter().position(|word| word.text == "--");
    separator.is_some_and(|at| words.len() > at + 1)
        || is_forced(words)
        || created == Some('B')
        || has(words, ' ', "pathspec-from-file")
        || has(words, ' ', "theirs")
        || has(words, ' ', "ours")
        || rest.iter().any(|word| matches!(word.text.as_str(), "." | "*" | "./" | ":/"))
        || (rest.len() > 1 && !makes)
}

/// Whether `--prune=now` or the like drops what is still young.
fn is_soon(option: &str) -> bool {
    let Some((_, time)) = option.split_once('=') else { return false };
    !["week", "month", "year", "day", "never"].iter().any(|unit| time.contains(unit))
        || time.contains("yesterday")
        || time.contains("today")
}

/// What a setting for this one call makes of a harmless form.
pub(super) fn loosened(verb: &str, words: &[Field], settings: &[String]) -> Option<&'static Rule> {
    let is_off = |text: &String| {
        text.strip_prefix("clean.requireforce=")
            .is_some_and(|value| matches!(value, "false" | "no" | "off" | "0" | ""))
    };
    let drops = |text: &String| text.starts_with("gc.") && text.contains("expire") && is_soon(text);
    match verb {
        "clean" if settings.iter().any(is_off) && !has(words, 'n', "dry-run") => {
            Some(&rules::GIT_DISCARD)
        }
        "gc" if settings.iter().any(drops) => Some(&rules::GIT_LOSE),
        _ => None,
    }
}
