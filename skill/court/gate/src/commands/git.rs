//! git: its own options, its subcommands, and the commands that it can be made to execute.

use super::entry::{Command, lists};
use super::git_options::executing_options;
use super::git_settings::executes;
use super::git_verbs::{LOSE, is_dry, loosened, push, verb_rule};
use super::options::{has, has_word, operands};
use super::words::words;
use crate::judgement::{Extent, Source};
use crate::level::Level;
use crate::rules::repository as rules;
use crate::shell::{Field, Flow, Io, Step, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(words!("git"), git, [&["status"], &[], &["push --force"], &[]]),
    Command::code(words!("git-status git-log"), dashed, [&["--force"], &[], &[], &[]]),
    Command::code(words!("git-reset"), dashed, [&[], &["--force"], &[], &[]]),
    Command::code(
        words!("git-push git-clean git-filter-repo git-filter-branch"),
        dashed,
        [&[], &[], &["--force"], &[]],
    ),
];

/// `git-filter-repo` is `git filter-repo`.
pub(super) fn is_dashed(name: &str) -> bool {
    name.strip_prefix("git-").is_some_and(|verb| LOSE.contains(&verb) || READ.contains(&verb))
}

/// Only read, whatever their options; the options that execute are looked at before.
const READ: &[&str] = words!(
    "status log diff show blame annotate rev-parse ls-files ls-tree ls-remote describe grep \
     shortlog cat-file name-rev rev-list merge-base for-each-ref count-objects check-ignore \
     check-attr check-ref-format var version help whatchanged diff-tree diff-index diff-files \
     show-ref show-branch range-diff cherry fsck verify-commit verify-tag get-tar-commit-id \
     --version --help --exec-path --html-path merge-tree patch-id column stripspace mailinfo"
);

/// Options with which a patch is looked at and not applied.
const ONLY_SHOWN: &[&str] = words!("--check --stat --numstat --summary --abort --quit");

/// Options that take the next word.
const VALUED: &[&str] = words!(
    "-m -F -C -c -b -o -n --message --file --author --date --onto -X -s --depth --branch \
     --conflict --pathspec-from-file --unified --inter-hunk-context -U --source"
);

fn dashed(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let mut words = words.to_vec();
    words[0].text = crate::path::name(&words[0].text).trim_start_matches("git-").to_owned();
    subcommand(walker, &words, io)
}

fn git(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let mut at = 1;
    let cwd = walker.state.cwd.clone();
    while let Some(word) = words.get(at) {
        let next = words.get(at + 1).map(|word| word.text.clone()).unwrap_or_default();
        match word.text.as_str() {
            "-C" => walker.state.cwd = crate::path::absolute(&next, &walker.state.cwd),
            "-c" => {
                let (key, value) = next.split_once('=').unwrap_or((&next, "true"));
                setting(walker, key, value, words, io)?;
            }
            "--config-env" => walker.found(&rules::GIT_EXECUTES, "--config-env"),
            "--git-dir" | "--work-tree" | "--namespace" | "--super-prefix" => {}
            text if text.starts_with("--exec-path=") => walker.found(&rules::GIT_EXECUTES, text),
            text if text.starts_with("--config-env=") => walker.found(&rules::GIT_EXECUTES, text),
            text if text.starts_with('-')
                && !matches!(text, "--version" | "--help" | "--exec-path" | "--html-path") =>
            {
                at += 1;
                continue;
            }
            _ => break,
        }
        at += 2;
    }
    let settings: Vec<String> = words[..at.min(words.len())]
        .windows(2)
        .filter(|pair| pair[0].text == "-c")
        .map(|pair| pair[1].text.to_ascii_lowercase())
        .collect();
    let words = &words[at.min(words.len())..];
    if let Some(rule) = words.first().and_then(|verb| loosened(&verb.text, words, &settings)) {
        walker.found(rule, &format!("git {}", words[0].text));
    }
    let output = subcommand(walker, words, io);
    walker.state.cwd = cwd;
    output
}

/// A setting that executes: git aliases and programs.
pub(super) fn setting(
    walker: &mut Walker<'_>,
    key: &str,
    value: &str,
    words: &[Field],
    io: &Io<'_>,
) -> Step {
    if key.to_ascii_lowercase().starts_with("alias.") {
        return alias(walker, value, io);
    }
    let _ = words;
    if executes(key, value) {
        walker.found(&rules::GIT_EXECUTES, &format!("{key}={value}"));
    }
    Ok(())
}

fn alias(walker: &mut Walker<'_>, value: &str, io: &Io<'_>) -> Step {
    let text = match value.strip_prefix('!') {
        Some(shell) => shell.to_owned(),
        None => format!("git {value}"),
    };
    walker.payload(&text, "git alias", io.stdin)?;
    Ok(())
}

fn subcommand(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let Some(verb) = words.first().map(|word| word.text.clone()) else {
        return Ok(Flow::unknown());
    };
    // `--help` opens the manual, whatever else is said.
    let asks =
        has_word(words, &["--help"]) && words.iter().position(|word| word.text == "--").is_none();
    if asks && words.len() > 1 {
        return Ok(Flow::unknown());
    }
    executing_options(walker, words, io)?;
    walker.hooks(&verb, "git")?;
    shows_secrets(walker, &verb, words);
    adds_secrets(walker, &verb, words);
    let rest = operands(words, VALUED);
    let first = rest.first().map(|word| word.text.as_str()).unwrap_or_default();
    let rule = match (verb.as_str(), first) {
        ("submodule", _) => return submodule(walker, words, &rest, io),
        ("bisect", _) => return bisect(walker, words, io),
        ("config", _) => config(walker, words, &rest, io)?,
        ("push", _) if !is_dry(words) => push(walker, words),
        _ if READ.contains(&verb.as_str()) => None,
        _ => Some(verb_rule(walker, words, &rest)),
    };
    brings(walker, words, &rest, io);
    if let Some(rule) = rule.filter(|rule| rule.level > Level::L0) {
        walker.found(rule, &format!("git {verb}"));
        let moves = matches!(verb.as_str(), "stash" | "mv") || rule.level >= Level::L2;
        for word in rest.iter().filter(|_| moves && verb != "push") {
            if walker.holds_records(word) {
                walker.found(&crate::rules::files::WRITE_COURT, &word.text);
            }
        }
    }
    if verb == "rev-parse" && words.iter().any(|word| word.text == "--show-toplevel") {
        return Ok(Flow::new(walker.context.project));
    }
    Ok(Flow::unknown())
}

/// What a subcommand brings into the work, or notes for what follows.
fn brings(walker: &mut Walker<'_>, words: &[Field], rest: &[&Field], io: &Io<'_>) {
    let text = |at: usize| rest.get(at).map_or("", |word| word.text.as_str());
    match (words[0].text.as_str(), text(0), rest.get(1)) {
        ("clone", ..) => clones(walker, rest),
        ("remote", "add", Some(name)) => walker.state.remotes.push(name.text.clone()),
        ("bundle", "create", Some(file)) => walker.write(file),
        ("apply" | "am", ..) if !has_word(words, ONLY_SHOWN) => walker.patches(rest, io),
        _ => {}
    }
}

/// Files that a subcommand shows: those of a commit, and operands where it prints what is in them.
fn shows_secrets(walker: &mut Walker<'_>, verb: &str, words: &[Field]) {
    for word in words[1..].iter().filter(|_| matches!(verb, "show" | "cat-file")) {
        if let Some((_, path)) = word.text.split_once(':') {
            walker.secret_path(path);
        }
    }
    let shows = matches!(verb, "show" | "diff" | "blame" | "grep" | "archive")
        || (verb == "log" && has(words, 'p', "patch"));
    for word in words[1..].iter().filter(|word| shows && !word.is_option()) {
        walker.secret_path(&word.text);
    }
}

/// Files with a secret that go into the history, and with it to all who fetch it: by force, or by names that nothing
/// else has.
fn adds_secrets(walker: &mut Walker<'_>, verb: &str, words: &[Field]) {
    if !matches!(verb, "add" | "stage") || has(words, 'n', "dry-run") {
        return;
    }
    let forced = has(words, 'f', "force");
    for word in words[1..].iter().filter(|word| !word.is_option()) {
        let file = crate::path::name(&word.text);
        let telling = file.starts_with(".env") && file != ".envrc"
            || lists("id_rsa id_dsa id_ecdsa id_ed25519 .netrc .pgpass .git-credentials", file);
        if (forced || telling) && walker.holds_secret(&word.text) {
            walker.found(&rules::GIT_SECRET, &word.text);
        }
    }
}

/// The folder that a clone makes comes from a network.
fn clones(walker: &mut Walker<'_>, rest: &[&Field]) {
    let is_number = |word: &Field| word.text.bytes().all(|byte| byte.is_ascii_digit());
    let mut told = rest.iter().filter(|word| !is_number(word));
    let Some(address) = told.next() else { return };
    let named = crate::path::name(address.text.trim_end_matches(".git"));
    let folder = told.next().map_or(named, |folder| &folder.text);
    let path = crate::path::absolute(folder, &walker.state.cwd);
    walker.target(&path, Extent::Tree, Source::Network);
    walker.state.fetched.push(path);
}

fn config(
    walker: &mut Walker<'_>,
    words: &[Field],
    rest: &[&Field],
    io: &Io<'_>,
) -> Step<Option<&'static crate::rules::Rule>> {
    let reads = has_word(
        words,
        words!(
            "--get --get-all --list -l --get-regexp --show-origin get list --name-only \
             --get-urlmatch"
        ),
    );
    let file = ["-f", "--file"].iter().find_map(|option| super::options::value(words, &[option]));
    let file = file.map(Field::new);
    if let Some(file) = &file {
        walker.write(file);
    }
    // Its name is no key.
    let named = |word: &&Field| file.as_ref().is_none_or(|file| word.text != file.text);
    let rest: Vec<&Field> = rest.iter().copied().filter(|word| named(word)).collect();
    let offset = usize::from(rest.first().is_some_and(|word| word.text == "set"));
    let key = rest.get(offset).map(|word| word.text.clone()).unwrap_or_default();
    if reads || rest.len() < 2 + offset {
        let unsets =
            has_word(words, &["--unset", "--unset-all", "--remove-section", "-e", "--edit"]);
        return Ok(unsets.then_some(&rules::GIT));
    }
    let value = rest[1 + offset].text.clone();
    if key.to_ascii_lowercase().starts_with("alias.") {
        alias(walker, &value, io)?;
        return Ok(Some(&rules::GIT));
    }
    Ok(Some(if executes(&key, &value) { &rules::GIT_SETTINGS } else { &rules::GIT }))
}

fn submodule(walker: &mut Walker<'_>, words: &[Field], rest: &[&Field], io: &Io<'_>) -> Step<Flow> {
    let verb = rest.first().map(|word| word.text.clone()).unwrap_or_default();
    if verb == "foreach" {
        let at = words.iter().position(|word| word.text == "foreach").unwrap_or(0) + 1;
        let texts: Vec<&str> = words[at..]
            .iter()
            .filter(|word| !matches!(word.text.as_str(), "--recursive" | "--quiet" | "-q"))
            .map(|word| word.text.as_str())
            .collect();
        let text = texts.join(" ");
        walker.payload(&text, "git submodule foreach", io.stdin)?;
    } else if verb == "deinit" {
        walker.found(&rules::GIT_DISCARD, "git submodule deinit");
    } else if !matches!(verb.as_str(), "" | "status" | "summary") {
        walker.found(&rules::GIT, "git submodule");
    }
    Ok(Flow::unknown())
}

fn bisect(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    if words.get(1).is_some_and(|word| word.text == "run") {
        walker.via.push("git bisect run".to_owned());
        walker.run(words.get(2..).unwrap_or_default(), io)?;
        walker.via.pop();
    }
    if !words.get(1).is_some_and(|word| matches!(word.text.as_str(), "log" | "view" | "visualize"))
    {
        walker.found(&rules::GIT, "git bisect");
    }
    Ok(Flow::unknown())
}
