//! Version control other than git, by the verbs that lose work.

use super::options::{has, has_word, operands};
use super::{Handler, Walker};
use crate::rules::repository as rules;
use crate::shell::{Field, Flow, Io, Step};

pub(super) fn handler(name: &str) -> Option<Handler> {
    match name {
        "hg" | "svn" | "p4" | "jj" | "fossil" | "bzr" | "brz" | "cvs" | "sl" | "pijul"
        | "darcs" | "svnadmin" | "repo" | "gt" => Some(versions),
        _ => None,
    }
}

const READ: &[&str] = &[
    "status",
    "st",
    "log",
    "diff",
    "info",
    "annotate",
    "blame",
    "cat",
    "show",
    "list",
    "ls",
    "id",
    "identify",
    "summary",
    "heads",
    "branches",
    "tags",
    "help",
    "version",
    "--version",
    "timeline",
    "files",
    "opened",
    "describe",
    "changes",
    "evolog",
    "grep",
    "manifest",
    "paths",
    "root",
];
/// Verbs that throw away what is not committed.
const DISCARDS: &[&str] = &["revert", "purge", "clean", "restore", "cleanup", "undo", "rollback"];
/// Verbs that lose what is committed, or change it for others.
const LOSES: &[&str] = &[
    "strip",
    "prune",
    "abandon",
    "delete",
    "rm",
    "remove",
    "del",
    "obliterate",
    "histedit",
    "uncommit",
    "rollback",
    "hide",
    "kill",
    "unrecord",
    "dump",
    "setrevprop",
    "propdel",
    "debugstrip",
    "bundle",
    "forget",
];

fn versions(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let program = crate::path::name(&words[0].text).to_owned();
    let valued = ["-R", "--cwd", "-m", "-r", "--config", "-c", "-u", "-F", "--message"];
    for (index, word) in words.iter().enumerate() {
        let setting = word.text.strip_prefix("--config=").map(str::to_owned).or_else(|| {
            (word.text == "--config")
                .then(|| words.get(index + 1).map(|next| next.text.clone()))
                .flatten()
        });
        let Some(setting) = setting else { continue };
        if let Some((_, text)) = setting.split_once('=') {
            let text = text.trim_start_matches('!').to_owned();
            walker.found(&rules::GIT_EXECUTES, &setting);
            walker.payload(&text, &program, io.stdin)?;
        }
    }
    let rest = operands(words, &valued);
    let verb = rest.first().map(|word| word.text.as_str()).unwrap_or_default();
    let what = format!("{program} {verb}");
    let force = has(words, 'f', "force") || has_word(words, &["--clean", "--discard"]);
    let noun = rest.get(1).map(|word| word.text.as_str()).unwrap_or_default();
    let remote = rest.iter().any(|word| word.text.contains("://"));
    let rule = if DISCARDS.contains(&verb)
        || (matches!(verb, "update" | "up" | "checkout" | "co" | "goto")
            && (force || has(words, 'C', "clean")))
        || (program == "jj" && matches!((verb, noun), ("op" | "operation", "restore" | "abandon")))
    {
        &rules::GIT_DISCARD
    } else if (verb == "push" && force) || (verb == "delete" && remote) {
        &rules::GIT_REWRITE_REMOTE
    } else if LOSES.contains(&verb) || (verb == "bookmark" && matches!(noun, "delete" | "forget")) {
        &rules::GIT_LOSE
    } else if READ.contains(&verb) || verb.is_empty() {
        return Ok(Flow::unknown());
    } else {
        &rules::GIT
    };
    walker.found(rule, &what);
    Ok(Flow::unknown())
}
