//! Commands that show secrets.

use super::Walker;
use super::entry::Command;
use super::options::{has, has_word, operands};
use super::words::words;
use crate::path::is_secret_word;
use crate::rules::{execution, secrets};
use crate::shell::{Field, Flow, Io, Step, Taint, UNKNOWN};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(words!("printenv"), printenv, [&["PATH"], &[], &["API_KEY"], &[]]),
    Command::code(words!("ps"), ps, [&["aux"], &[], &["e"], &[]]),
    Command::code(words!("history fc"), history, [&[], &[""], &[], &[]]),
    Command::code(words!("gpg gpg2"), gpg, [&[], &["--verify a.sig"], &["--decrypt a.gpg"], &[]]),
    Command::code(
        words!(
            "security secret-tool keyring pass gopass bw lpass ansible-vault gcore procdump \
             keychain kwallet-query sops age aws-okta"
        ),
        vault,
        [&[], &["list"], &["show prod"], &[]],
    ),
    Command::code(words!("ssh-keygen ssh-add"), keys, [&[], &["-l"], &["-y -f a"], &[]]),
];

/// Whether a filter lets only variables through whose names are harmless: `grep NODE_ENV`.
pub(crate) fn lets_harmless_through(words: &[Field]) -> bool {
    const TELLING: &[&str] =
        &["KEY", "TOKEN", "SECRET", "PASS", "PWD", "CRED", "AUTH", "API", "AWS", "PRIVATE"];
    let program = words.first().map_or("", |word| crate::path::name(&word.text));
    if !matches!(program, "grep" | "egrep" | "fgrep" | "rg" | "ag")
        || has(words, 'v', "invert-match")
    {
        return false;
    }
    let Some(pattern) = operands(words, &["-A", "-B", "-C", "-m"]).first().map(|word| &word.text)
    else {
        return false;
    };
    let upper = pattern.to_ascii_uppercase();
    upper.chars().filter(char::is_ascii_alphanumeric).count() > 1
        && upper.chars().all(|each| each.is_ascii_alphanumeric() || "_^=|\\$-".contains(each))
        && !TELLING.iter().any(|word| upper.contains(word))
}

fn secret() -> Flow {
    Flow { text: UNKNOWN.to_string(), taint: Taint { secret: true, ..Taint::default() } }
}

fn printenv(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let names = operands(words, &[]);
    if names.is_empty() || names.iter().any(|name| is_secret_word(&name.text)) {
        walker.found(&secrets::ENVIRONMENT, "printenv");
        return Ok(secret());
    }
    Ok(Flow::unknown())
}

/// `e` in the letters of BSD shows each process's environment.
fn ps(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let letters = words.get(1).map_or("", |word| word.text.as_str());
    let shows = letters.contains('e')
        && !letters.starts_with('-')
        && letters.bytes().all(|byte| byte.is_ascii_lowercase());
    if shows {
        walker.found(&secrets::ENVIRONMENT, "ps e");
        return Ok(secret());
    }
    Ok(Flow::unknown())
}

fn history(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    walker.found(&secrets::HISTORY, &words[0].text.clone());
    Ok(secret())
}

fn gpg(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let shows = words.iter().any(|word| {
        word.text.starts_with("--export-secret")
            || word.text.starts_with("--delete-")
            || word.text == "--decrypt"
            || word.text == "-d"
    });
    walker.found(if shows { &secrets::SHOW } else { &execution::COMMAND }, "gpg");
    Ok(if shows { secret() } else { Flow::unknown() })
}

fn vault(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let harmless = has_word(
        words,
        &["--version", "--help", "status", "ls", "list", "--encrypt", "-e", "-r", "lock"],
    ) || words.len() == 1
        || words[0].text.ends_with("security") && keychain_reads(words);
    walker
        .found(if harmless { &execution::COMMAND } else { &secrets::SHOW }, &words[0].text.clone());
    Ok(if harmless { Flow::unknown() } else { secret() })
}

/// macOS's keychain: what shows no password. `-w` and `-g` print it.
fn keychain_reads(words: &[Field]) -> bool {
    let verb = words.get(1).map_or("", |word| word.text.as_str());
    let shows = has(words, 'w', "") || has(words, 'g', "");
    let reads = words!(
        "help show-keychain-info find-generic-password find-internet-password find-key \
         find-certificate find-identity get-identity-preference dump-trust-settings \
         verify-cert error leaks list-smartcards requirement-evaluate list-keychains \
         default-keychain"
    );
    (reads.contains(&verb) || verb.starts_with("translocate-")) && !shows
}

fn keys(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let makes = words.iter().any(|word| word.text == "-t")
        && !words.iter().any(|word| matches!(word.text.as_str(), "-y" | "-p"));
    let harmless = makes || has(words, 'l', "") || has(words, 'L', "") || has(words, 'F', "");
    walker
        .found(if harmless { &execution::COMMAND } else { &secrets::SHOW }, &words[0].text.clone());
    Ok(Flow::unknown())
}
