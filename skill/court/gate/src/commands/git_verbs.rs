//! Those of git's subcommands whose options decide: `push`, `checkout` and `switch`, and when what is not reachable
//! is dropped.

use super::options::{has, has_word, operands};
use crate::rules::{network, repository as rules};
use crate::shell::{Field, Walker};

/// Whether a repository is made where no work of this project is: among the user's or the system's files.
pub(super) fn outside(walker: &Walker<'_>, verb: &str, first: &str, rest: &[&Field]) -> bool {
    use crate::path::Place;
    let target = match verb {
        "init" => rest.first(),
        _ => None,
    };
    let told = |place: Place| matches!(place, Place::System | Place::Wiring | Place::Root);
    let hidden = |word: &Field| {
        crate::path::name(&word.text).starts_with('.') && walker.place(word) == Place::InHome
    };
    !first.is_empty() && target.is_some_and(|word| told(walker.place(word)) || hidden(word))
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

pub(super) fn push(
    walker: &mut Walker<'_>,
    words: &[Field],
) -> Option<&'static crate::rules::Rule> {
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
pub(super) fn creates(words: &[Field]) -> Option<char> {
    words[1..].iter().take_while(|word| word.text != "--").find_map(|word| {
        let letters = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
        letters
            .chars()
            .take_while(|each| "qfbBcCt".contains(*each))
            .find(|each| "bBcC".contains(*each))
    })
}

/// Whether `-f` is given: as a letter before the one that a branch's name follows.
pub(super) fn is_forced(words: &[Field]) -> bool {
    has(words, ' ', "force")
        || words[1..].iter().take_while(|word| word.text != "--").any(|word| {
            word.text.strip_prefix('-').is_some_and(|letters| {
                letters.chars().take_while(|each| "qft".contains(*each)).any(|each| each == 'f')
            })
        })
}

pub(super) fn checkout(words: &[Field], rest: &[&Field]) -> Option<&'static crate::rules::Rule> {
    let created = creates(words);
    let makes = created.is_some()
        || has(words, 't', "track")
        || has(words, ' ', "orphan")
        || has(words, ' ', "detach");
    let separator = words.iter().position(|word| word.text == "--");
    let paths = separator.is_some_and(|at| words.len() > at + 1);
    let discards = paths
        || is_forced(words)
        || created == Some('B')
        || has(words, ' ', "pathspec-from-file")
        || has(words, ' ', "theirs")
        || has(words, ' ', "ours")
        || rest.iter().any(|word| matches!(word.text.as_str(), "." | "*" | "./" | ":/"))
        || (rest.len() > 1 && !makes);
    Some(if discards { &rules::GIT_DISCARD } else { &rules::GIT })
}

/// Whether `--prune=now` or the like drops what is still young.
pub(super) fn is_soon(option: &str) -> bool {
    let Some((_, time)) = option.split_once('=') else { return false };
    !["week", "month", "year", "day", "never"].iter().any(|unit| time.contains(unit))
        || time.contains("yesterday")
        || time.contains("today")
}

/// What a setting for this one call makes of a harmless form.
pub(super) fn loosened(
    verb: &str,
    words: &[Field],
    settings: &[String],
) -> Option<&'static crate::rules::Rule> {
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
