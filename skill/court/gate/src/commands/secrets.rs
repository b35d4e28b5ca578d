//! Commands that show secrets.

use super::entry::When::{All, Always, Any, Not, Operands, Option, Test, Verbs, Word};
use super::entry::{Case, Command, Given, READS, lists};
use super::options::{has, operands, value};
use super::tables;
use super::words::words;
use crate::path::{Zone, is_secret_word};
use crate::rules::{execution, secrets};
use crate::shell::{Field, Flow, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::cases(
        words!("printenv"),
        &[],
        &[&[
            Case(Any(&[Not(&Operands(1)), Test(names_secret)]), &secrets::ENVIRONMENT),
            Case(Always, READS),
        ]],
        [&["PATH"], &[], &["API_KEY", "DATABASE_URL", ""], &[]],
    ),
    Command::cases(
        words!("ps"),
        &[],
        &[&[Case(Test(shows_environment), &secrets::ENVIRONMENT), Case(Always, READS)]],
        [&["aux", "-ef", ""], &[], &["e", "axe"], &[]],
    ),
    Command::cases(
        words!("history"),
        &[],
        &[&[Case(Always, &secrets::HISTORY)]],
        [&[], &[""], &[], &[]],
    ),
    // It executes what the history holds, unless it lists it.
    Command::cases(
        words!("fc"),
        &[],
        &[
            &[Case(Not(&Option('l', "")), &execution::UNREADABLE_CODE)],
            &[Case(Always, &secrets::HISTORY)],
        ],
        [&[], &["-l"], &["-e - x", ""], &[]],
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
            "secret-tool keyring pass gopass lpass ansible-vault gcore procdump keychain \
             kwallet-query sops age aws-okta"
        ),
        &[],
        &[HARMLESS, &[SHOWN]],
        [&[], &["list", "--version", ""], &["show prod", "-d x"], &[]],
    ),
    // What they list is shown with it.
    Command::cases(
        words!("bw"),
        words!("--session --search --folderid --collectionid --organizationid --url"),
        &[&[
            Case(
                Any(&[
                    Not(&Word("*")),
                    Word("--version --help"),
                    Verbs("status|sync|lock|generate|encode|update"),
                    All(&[Verbs("list"), Not(&Verbs("list items"))]),
                ]),
                &execution::COMMAND,
            ),
            SHOWN,
        ]],
        [
            &[],
            &["list", "list folders", "--version", "", "sync"],
            &["get password x", "list items", "export", "show prod"],
            &[],
        ],
    ),
    Command::told(
        words!("rbw dcli pass-cli keeper bws kpcli nordpass enpasscli"),
        &[],
        &[&[
            Case(
                All(&[
                    Verbs(
                        "get|code|password|p|otp|note|read|inject|exec|run|view|show|export|clip, \
                         item|items|secret|secrets|login get|view|list|show|export",
                    ),
                    Not(&Word("--help")),
                ]),
                &secrets::SHOW,
            ),
            OTHER,
        ]],
        [&[], &["list", "sync", "status"], &["get x", "item view x", "secret list", "export"], &[]],
    ),
    Command::cases(
        words!("teller chamber"),
        &[],
        &[&[
            Case(
                Any(&[
                    Verbs("env|sh|yaml|json|show|export|read"),
                    All(&[Verbs("exec|run"), Word("env printenv")]),
                ]),
                &secrets::SHOW,
            ),
            OTHER,
        ]],
        [&[], &["version", "list prod"], &["env", "export prod", "exec prod -- env"], &[]],
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
                    All(&[Word("-R"), Operands(1), Not(&Word("-f* -y -p"))]),
                ]),
                &execution::COMMAND,
            ),
            SHOWN,
        ]],
        [&[], &["-l", "-t ed25519 -f k", "-F host", "-R host"], &["-y -f a", ""], &[]],
    ),
];

const OTHER: Case = Case(Always, &execution::COMMAND);
const SHOWN: Case = Case(Always, &secrets::SHOW);
const HARMLESS: &[Case] = &[Case(
    Any(&[Not(&Word("*")), Word("--version --help status ls list --encrypt -e -r lock")]),
    &execution::COMMAND,
)];

fn names_secret(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    // An address of a database holds the password.
    let connects = |name: &str| lists("*DATABASE_URL *_DSN *CONNECTION_STRING *_DB_URL", name);
    given.operands.iter().any(|name| is_secret_word(&name.text) || connects(&name.text))
}

/// `e` in the letters of BSD shows each process's environment.
fn shows_environment(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.words.get(1).is_some_and(|letters| {
        letters.text.contains('e') && letters.text.bytes().all(|byte| byte.is_ascii_lowercase())
    })
}

/// Whether a name tells that no secret is behind it: `lb_dns_name`.
pub(super) fn is_plain_name(name: &str) -> bool {
    const TELLING: &[&str] = words!(
        "PASS PWD SECRET TOKEN KEY CRED AUTH PRIVATE CERT PEM DSN CONN CONFIG DATABASE DB_UR SALT LICEN SIGN \
         WEBHOOK ADMIN LOGIN SENSITIVE HASH SAS"
    );
    let upper = name.to_ascii_uppercase();
    name.starts_with(|each: char| each.is_ascii_alphabetic())
        && name.bytes().all(|each| each.is_ascii_alphanumeric() || b"_-".contains(&each))
        && !TELLING.iter().any(|word| upper.contains(word))
}

/// Whether a program shows no more of a file than names, or changes it without showing it: `cut -d= -f1 .env`.
fn shows_no_value(words: &[Field]) -> bool {
    let is = |text: &str| words.iter().any(|word| word.text == text);
    match words.first().map_or("", |word| crate::path::name(&word.text)) {
        "cut" => cuts_names(words),
        "wc" => true,
        "grep" | "egrep" => {
            has(words, 'c', "count") && !has(words, 'C', "context") || has(words, 'q', "quiet")
        }
        "awk" | "gawk" | "mawk" => prints_names(words),
        "sed" | "gsed" => {
            let changes = words[1..].iter().any(|word| super::sed::is_in_place(&word.text));
            let shows = |word: &&Field| {
                word.text.contains("/w") || word.text.contains("w ") || word.text.starts_with('e')
            };
            changes && !words[1..].iter().any(|word| shows(&word))
                || NAMES.iter().any(|script| is(script)) && !words.iter().any(|word| shows(&word))
        }
        _ => false,
    }
}

/// Scripts of `sed` that leave the names of variables.
const NAMES: &[&str] = &["s/=.*//", "s/=.*$//", "s/=.*/=/", "s/=.*/=***/", "s/=.*//g"];

/// `cut -d= -f1`.
fn cuts_names(words: &[Field]) -> bool {
    let splits = words.iter().any(|word| matches!(word.text.as_str(), "-d=" | "--delimiter=="))
        || value(words, &["-d", "--delimiter"]) == Some("=");
    let names = words.iter().any(|word| matches!(word.text.as_str(), "-f1" | "--fields=1"))
        || value(words, &["-f", "--fields"]) == Some("1");
    splits && names
}

/// `awk -F= '{print $1}'`.
fn prints_names(words: &[Field]) -> bool {
    let is = |text: &str| words.iter().any(|word| word.text.replace(' ', "") == text);
    (is("-F=") || value(words, &["-F"]) == Some("=")) && is("{print$1}")
}

/// Whether a search leaves out what is telling: `grep -v -iE 'token|secret|key|pass'`.
fn leaves_secrets_out(words: &[Field], pattern: &str) -> bool {
    let upper = pattern.to_ascii_uppercase();
    has(words, 'v', "invert-match")
        && has(words, 'i', "ignore-case")
        && ["TOKEN", "SECRET", "KEY", "PASS"].iter().all(|word| upper.contains(word))
}

impl Walker<'_> {
    /// Takes back what a program was found to read of a secret, where it shows none of it.
    pub(super) fn unread(&mut self, words: &[Field], before: usize, output: &mut Flow) {
        if self.findings.len() <= before || !shows_no_value(words) {
            return;
        }
        self.take_back(before, |found| found.rule.id == secrets::READ.id);
        output.taint.secret = false;
    }

    /// Whether a token is read to sign in at a registry of images: at one of those that clouds and forges have.
    pub(crate) fn signs_in(words: &[Field]) -> bool {
        const REGISTRIES: &str = "*.amazonaws.com public.ecr.aws ghcr.io *.pkg.dev gcr.io *.gcr.io *.azurecr.io \
                                  docker.io registry.gitlab.com";
        let program = words.first().map_or("", |word| crate::path::name(&word.text));
        let is = |text: &str| words.iter().any(|word| word.text == text);
        lists("docker podman nerdctl helm crane oras buildah", program)
            && is("login")
            && is("--password-stdin")
            && words.iter().any(|word| {
                let host = word.text.trim_start_matches("https://").split('/').next();
                host.is_some_and(|host| lists(REGISTRIES, host))
            })
    }

    /// Whether a filter of JSON lets only names through, or fields by names that tell of no secret: `jq -r .url.value`.
    pub(crate) fn picks_harmless(words: &[Field]) -> bool {
        let program = words.first().map_or("", |word| crate::path::name(&word.text));
        let told = operands(words, &["--indent"]);
        let [script] = told.as_slice() else { return false };
        let shapes = words[1..].iter().filter(|word| word.is_option());
        let plain = shapes.map(|word| word.text.as_str()).all(|option| {
            lists(
                "-r -c -e -S -M -re -er -rc -cr --raw-output --compact-output --sort-keys",
                option,
            )
        });
        // A part below a field that is named, and no other field.
        let named = |path: &str| {
            let parts = path.trim().strip_prefix('.').map(|path| path.split('.'));
            parts.is_some_and(|mut parts| {
                let part = |part: &str| is_plain_name(part.trim_end_matches("[]"));
                let first = parts.next().unwrap_or_default();
                part(first) && !matches!(first, "value" | "outputs") && parts.all(part)
            })
        };
        lists("jq gojq jaq", program)
            && plain
            && (lists("keys keys[] length keys_unsorted", script.text.trim())
                || script.text.split(',').all(named))
    }

    /// Whether a filter lets only variables through whose names are harmless: `grep NODE_ENV`.
    pub(crate) fn lets_harmless_through(words: &[Field]) -> bool {
        const TELLING: &[&str] =
            &["KEY", "TOKEN", "SECRET", "PASS", "PWD", "CRED", "AUTH", "API", "AWS", "PRIVATE"];
        /// Names that say where, and nothing else.
        const PLAIN: &[&str] = &["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "PWD="];
        let program = words.first().map_or("", |word| crate::path::name(&word.text));
        let greps = matches!(program, "grep" | "egrep" | "fgrep" | "rg" | "ag");
        // It counts lines, or shows names alone.
        if greps && has(words, 'c', "count") && !has(words, 'C', "context") {
            return true;
        }
        if matches!(program, "cut" | "sed" | "awk") && shows_no_value(words) {
            return true;
        }
        let whole = operands(words, &["-A", "-B", "-C", "-m", "-F", "-v"]);
        let Some(told) = whole.first().map(|word| word.text.as_str()) else { return false };
        let pattern = match program {
            _ if greps && leaves_secrets_out(words, told) => return true,
            _ if greps && !has(words, 'v', "invert-match") => told,
            // `/^NAME=/`, with whatever is done to such lines.
            "awk" | "gawk" | "mawk" => {
                let rest = told.strip_prefix('/').and_then(|rest| rest.split_once('/'));
                let Some((pattern, action)) = rest else { return false };
                if action.contains(['/', '|', '>'])
                    || !(action.is_empty() || action.starts_with('{'))
                {
                    return false;
                }
                pattern
            }
            _ => return false,
        };
        let upper = pattern.to_ascii_uppercase();
        let plain = |each: char| each.is_ascii_alphanumeric() || "_^=|\\$-()".contains(each);
        // Each of several names is whole.
        let group = upper.strip_prefix("^(").and_then(|rest| rest.split_once(')'));
        let whole = group
            .is_some_and(|(names, rest)| !names.contains('(') && !rest.contains(['(', ')', '|']));
        upper.chars().filter(char::is_ascii_alphanumeric).count() > 1
            && upper.chars().all(plain)
            && (whole || !upper.contains(['(', ')']))
            && !TELLING.iter().any(|word| {
                PLAIN.iter().fold(upper.clone(), |text, name| text.replace(name, "")).contains(word)
            })
    }

    /// Notes arguments that are files with secrets.
    pub(super) fn secret_arguments(&mut self, name: &str, words: &[Field]) {
        let skips_pattern = tables::PATTERN_FIRST.contains(&name);
        let mut skipped = !skips_pattern;
        if skips_pattern {
            self.hunts(words);
        }
        for (index, word) in words.iter().enumerate().skip(1) {
            // What a connection is made with is not sent.
            let before = words[index - 1].text.as_str();
            let connects = ["--cacert", "--cert", "-E", "--key", "--capath", "--proxy-cacert"];
            if matches!(name, "curl" | "wget" | "http" | "https") && connects.contains(&before) {
                continue;
            }
            let signs_in =
                matches!(name, "ssh" | "scp" | "sftp" | "mosh" | "ansible" | "ansible-playbook")
                    && matches!(before, "-i" | "--private-key");
            if signs_in {
                continue;
            }
            // An expression, behind the word that says so.
            if name == "yq" && matches!(before, "eval" | "eval-all" | "e" | "ea") {
                continue;
            }
            if word.is_option() && !word.text.contains('=') {
                continue;
            }
            if !skipped {
                skipped = true;
                continue;
            }
            let text = word.text.as_str();
            let value = text.split_once('=').map_or(text, |(_, value)| value);
            let tail = text.rsplit_once([':', '@']).map_or("", |(_, tail)| tail);
            for candidate in [text, value, tail] {
                self.secret_path(candidate);
            }
        }
    }

    /// A search for what looks like a secret, outside the project.
    fn hunts(&mut self, words: &[Field]) {
        const FORMS: &[&str] = words!(
            "AKIA ASIA ghp_ gho_ github_pat_ glpat- xoxb xoxp xox[ PRIVATE aws_secret sk_live sk-ant \
             AIza npm_ dckr_pat secret_access_key"
        );
        let is_form = |word: &Field| FORMS.iter().any(|form| word.text.contains(form));
        let Some(pattern) = words[1..].iter().position(is_form) else { return };
        let far = |word: &&Field| {
            matches!(self.zone(word), Zone::Root | Zone::System | Zone::Home | Zone::InHome)
                && word.text.starts_with(['/', '~', '.'])
        };
        if let Some(place) = words[1..].iter().skip(pattern + 1).find(far) {
            let place = place.text.clone();
            self.found(&secrets::SHOW, &place);
        }
    }
}
