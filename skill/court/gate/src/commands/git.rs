//! git: its own options, its subcommands, and the commands that it can be made to execute.

use super::entry::Command;
use super::git_options::executing_options;
use super::git_settings::executes;
use super::git_verbs::{checkout, creates, is_dry, is_forced, is_soon, loosened, outside, push};
use super::options::{has, has_word, operands};
use super::words::words;
use crate::judgement::{Extent, Source};
use crate::rules::{network, repository as rules, secrets};
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

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

/// Subcommands that lose commits or change refs directly.
const LOSE: &[&str] =
    words!("filter-branch filter-repo prune update-ref replace prune-packed obliterate");

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
    for word in &words[1..] {
        if let Some((_, path)) =
            word.text.split_once(':').filter(|_| verb == "show" || verb == "cat-file")
        {
            walker.secret_path(path);
        }
    }
    let shows = matches!(verb.as_str(), "show" | "diff" | "blame" | "grep" | "archive")
        || (verb == "log" && has(words, 'p', "patch"));
    for word in words[1..].iter().filter(|word| shows && !word.is_option()) {
        walker.secret_path(&word.text);
    }
    let rest = operands(
        words,
        words!(
            "-m -F -C -c -b -o -n --message --file --author --date --onto -X -s --depth \
             --branch --conflict --pathspec-from-file --unified --inter-hunk-context -U"
        ),
    );
    let first = rest.first().map(|word| word.text.as_str()).unwrap_or_default();
    let what = format!("git {verb}");
    let rule = match verb.as_str() {
        _ if READ.contains(&verb.as_str()) => None,
        "push" | "prune" | "filter-repo" if is_dry(words) => None,
        "push" => push(walker, words),
        "reset"
            if has(words, ' ', "hard")
                || has_word(words, &["--h", "--merge"])
                || has(words, ' ', "merge") =>
        {
            Some(&rules::GIT_DISCARD)
        }
        "checkout" => checkout(words, &rest),
        "switch"
            if is_forced(words)
                || has(words, ' ', "force-create")
                || has(words, ' ', "discard-changes")
                || creates(words) == Some('C') =>
        {
            Some(&rules::GIT_DISCARD)
        }
        "restore" => {
            let staged = has(words, 'S', "staged") && !has(words, 'W', "worktree");
            Some(if staged { &rules::GIT } else { &rules::GIT_DISCARD })
        }
        "clean" if has(words, 'n', "dry-run") => None,
        "clean" if has(words, 'f', "force") => Some(&rules::GIT_DISCARD),
        "branch" => {
            let force = has(words, 'D', "")
                || has(words, 'M', "")
                || has(words, 'C', "")
                || has(words, 'f', "force");
            let changes = !rest.is_empty()
                && !has_word(
                    words,
                    words!(
                        "-a -r -v -vv --list -l --contains --merged --no-merged \
                         --show-current --points-at --sort"
                    ),
                );
            if force {
                Some(&rules::GIT_LOSE)
            } else if changes {
                Some(&rules::GIT)
            } else {
                None
            }
        }
        "stash" => match first {
            "drop" | "clear" => Some(&rules::GIT_LOSE),
            "list" | "show" => None,
            "" | "push" | "save" if has(words, 'a', "all") => Some(&rules::GIT_SWEEP),
            _ => Some(&rules::GIT),
        },
        "reflog" => {
            let soon =
                words.iter().any(|word| word.text.starts_with("--ex") && is_soon(&word.text));
            if is_dry(words) || first == "expire" && !soon {
                Some(&rules::GIT)
            } else if matches!(first, "expire" | "delete") {
                Some(&rules::GIT_LOSE)
            } else {
                None
            }
        }
        "gc" if words.iter().any(|word| word.text.starts_with("--p") && is_soon(&word.text)) => {
            Some(&rules::GIT_LOSE)
        }
        "symbolic-ref" if rest.len() < 2 => None,
        "symbolic-ref" => Some(&rules::GIT_LOSE),
        "apply" | "am" if has_word(words, &["--unsafe-paths"]) => {
            Some(&crate::rules::files::WRITE_OUTSIDE)
        }
        "replace" if has_word(words, &["-l", "--list"]) => None,
        "lfs" if is_dry(words) || rest.get(1).is_some_and(|word| word.text == "info") => None,
        "lfs" if matches!(first, "prune" | "migrate" | "dedup" | "uninstall") => {
            Some(&rules::GIT_LOSE)
        }
        "tag" => {
            if has(words, 'd', "delete") || has(words, 'f', "force") {
                Some(&rules::GIT_LOSE)
            } else if rest.is_empty() || has(words, 'l', "list") {
                None
            } else {
                Some(&rules::GIT)
            }
        }
        "rm" if has(words, 'f', "force")
            && (has(words, 'r', "")
                || rest
                    .iter()
                    .any(|word| word.glob || matches!(word.text.as_str(), "." | "*"))) =>
        {
            Some(&rules::GIT_DISCARD)
        }
        "init" | "worktree" | "clone" if outside(walker, &verb, first, &rest) => {
            Some(&crate::rules::files::WRITE_OUTSIDE)
        }
        "worktree" => match first {
            "list" => None,
            "remove" if has(words, 'f', "force") => Some(&rules::GIT_LOSE),
            _ => Some(&rules::GIT),
        },
        "remote" => match first {
            "" | "show" | "get-url" => None,
            "set-url" | "remove" | "rm" => Some(&rules::GIT_SETTINGS),
            "add" => {
                if let Some(name) = rest.get(1) {
                    walker.state.remotes.push(name.text.clone());
                }
                if rest.iter().any(|word| word.text.starts_with("ext::")) {
                    Some(&rules::GIT_EXECUTES)
                } else {
                    Some(&rules::GIT)
                }
            }
            _ => Some(&rules::GIT),
        },
        "clone" => {
            let number = |word: &&&Field| word.text.bytes().all(|byte| byte.is_ascii_digit());
            let rest: Vec<&Field> = rest.iter().filter(|word| !number(word)).copied().collect();
            let named =
                |word: &Field| crate::path::name(word.text.trim_end_matches(".git")).to_owned();
            let told = rest.get(1).map(|word| word.text.clone());
            if let Some(folder) = told.or_else(|| rest.first().map(|word| named(word))) {
                let path = crate::path::absolute(&folder, &walker.state.cwd);
                walker.target(&path, Extent::Tree, Source::Network);
                walker.state.fetched.push(path);
            }
            Some(&rules::GIT)
        }
        "config" => config(walker, words, &rest, io)?,
        "submodule" => return submodule(walker, words, &rest, io),
        "bisect" => return bisect(walker, words, io),
        "notes" | "bundle" | "lfs"
            if matches!(first, "list" | "show" | "verify" | "ls-files" | "env" | "status") =>
        {
            None
        }
        "credential" => Some(&secrets::SHOW),
        "daemon" | "http-backend" | "instaweb" => Some(&network::LISTEN),
        "send-email" | "imap-send" => Some(&network::SEND),
        "fast-import" => Some(&rules::GIT_LOSE),
        "checkout-index" | "read-tree"
            if has(words, 'f', "force") || has(words, 'u', "") || has(words, ' ', "reset") =>
        {
            Some(&rules::GIT_DISCARD)
        }
        _ if LOSE.contains(&verb.as_str()) || verb.contains(UNKNOWN) => Some(&rules::GIT_LOSE),
        "rebase" | "merge" | "cherry-pick" | "am"
            if has(words, ' ', "abort") || has(words, ' ', "quit") =>
        {
            Some(&rules::GIT)
        }
        _ => Some(&rules::GIT),
    };
    if let ("bundle", "create", Some(file)) = (verb.as_str(), first, rest.get(1)) {
        walker.write(file);
    }
    if let Some(rule) = rule {
        walker.found(rule, &what);
        let moves =
            matches!(verb.as_str(), "stash" | "mv") || rule.level >= crate::level::Level::L2;
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
