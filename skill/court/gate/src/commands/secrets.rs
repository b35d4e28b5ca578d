//! Commands that show secrets.

use super::Walker;
use super::entry::When::{All, Always, Any, Not, Operands, Option, Test, Verbs, Word};
use super::entry::{Case, Command, Given, READS};
use super::options::{has, operands};
use super::words::words;
use crate::path::is_secret_word;
use crate::rules::{execution, secrets};
use crate::shell::Field;

pub(super) const COMMANDS: &[Command] = &[
    Command::cases(
        words!("printenv"),
        &[],
        &[&[
            Case(Any(&[Not(&Operands(1)), Test(names_secret)]), &secrets::ENVIRONMENT),
            Case(Always, READS),
        ]],
        [&["PATH"], &[], &["API_KEY", ""], &[]],
    ),
    Command::cases(
        words!("ps"),
        &[],
        &[&[Case(Test(shows_environment), &secrets::ENVIRONMENT), Case(Always, READS)]],
        [&["aux", "-ef", ""], &[], &["e", "axe"], &[]],
    ),
    Command::cases(
        words!("history fc"),
        &[],
        &[&[Case(Always, &secrets::HISTORY)]],
        [&[], &[""], &[], &[]],
    ),
    Command::cases(
        words!("gpg gpg2"),
        &[],
        &[&[Case(Word("--export-secret* --delete-* --decrypt -d"), &secrets::SHOW), OTHER]],
        [&[], &["--verify a.sig"], &["--decrypt a.gpg", "--export-secret-keys"], &[]],
    ),
    // macOS's keychain: `-w` and `-g` print the password.
    Command::cases(
        words!("security"),
        &[],
        &[
            HARMLESS,
            &[
                Case(
                    All(&[
                        Verbs(
                            "help|show-keychain-info|find-generic-password|find-internet-password|\
                             find-key|find-certificate|find-identity|get-identity-preference|\
                             dump-trust-settings|verify-cert|error|leaks|list-smartcards|\
                             requirement-evaluate|list-keychains|default-keychain|translocate-*",
                        ),
                        Not(&Option('w', "")),
                        Not(&Option('g', "")),
                    ]),
                    &execution::COMMAND,
                ),
                SHOWN,
            ],
        ],
        [
            &[],
            &["list-keychains", "find-generic-password -s x", "--help"],
            &["find-generic-password -s x -w", "dump-keychain"],
            &[],
        ],
    ),
    Command::cases(
        words!(
            "secret-tool keyring pass gopass bw lpass ansible-vault gcore procdump keychain \
             kwallet-query sops age aws-okta"
        ),
        &[],
        &[HARMLESS, &[SHOWN]],
        [&[], &["list", "--version", ""], &["show prod", "-d x"], &[]],
    ),
    Command::cases(
        words!("ssh-keygen ssh-add"),
        &[],
        &[&[
            Case(
                Any(&[
                    All(&[Word("-t"), Not(&Word("-y -p"))]),
                    Option('l', ""),
                    Option('L', ""),
                    Option('F', ""),
                ]),
                &execution::COMMAND,
            ),
            SHOWN,
        ]],
        [&[], &["-l", "-t ed25519 -f k", "-F host"], &["-y -f a", ""], &[]],
    ),
];

const OTHER: Case = Case(Always, &execution::COMMAND);
const SHOWN: Case = Case(Always, &secrets::SHOW);
const HARMLESS: &[Case] = &[Case(
    Any(&[Not(&Word("*")), Word("--version --help status ls list --encrypt -e -r lock")]),
    &execution::COMMAND,
)];

fn names_secret(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.operands.iter().any(|name| is_secret_word(&name.text))
}

/// `e` in the letters of BSD shows each process's environment.
fn shows_environment(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.words.get(1).is_some_and(|letters| {
        letters.text.contains('e') && letters.text.bytes().all(|byte| byte.is_ascii_lowercase())
    })
}

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
