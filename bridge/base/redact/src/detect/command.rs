//! Passwords on command lines and in SQL: `curl -u user:...`, `mysql -p...`, `IDENTIFIED BY '...'`.

use std::ops::Range;

use super::text::{Span, byte, goes_on, line_end, skip_blanks};
use super::{header, value};
use crate::{drawn, shape};

/// Programs and phrases after which a password stands.
pub(super) const KEYWORDS: &[&str] = &[
    "curl",
    "docker login",
    "podman login",
    "az login",
    "registry login",
    "oc login",
    "sshpass",
    "mysql",
    "mariadb",
    "redis-cli",
    "ldapsearch",
    "ldapmodify",
    "ldapadd",
    "smbclient",
    "pass:",
    "identified by",
    "identified with",
    "rclone obscure",
    "encrypt_string",
    "mosquitto_pub",
    "mosquitto_sub",
    "\nuser ",
    "-b '",
    "-b \"",
    "wget",
    "--token",
    "--key",
    " -key ",
    " -k ",
    " -t ",
    " auth ",
    " login ",
    "authtoken ",
    "savekey ",
    "codecov",
    "--pat ",
    "-u ",
    "mongo -",
    "mongorestore",
    "mongoexport",
    "mongoimport",
    "smbmap",
    "crackmapexec",
    "evil-winrm",
    "rabbitmqctl add_user",
    "rabbitmqctl change_password",
    "zip -",
    "7z ",
    "openssl enc",
    "mongosh",
    "mongodump",
    "sqlcmd",
    "mc alias set",
    "net use",
    "net user",
    "htpasswd -",
    "convertto-securestring",
    "lftp",
    "xfreerdp",
    "ipmitool",
    "snmpwalk",
    "snmpget",
    "cqlsh",
    "signtool",
    "ssh-keygen",
    "secret set",
    "userpwd",
    "http -a ",
    "http --auth ",
    "xh -a ",
    "xh --auth ",
    "isakmp key",
    "radius-server key",
    "snmp-server community",
    "tacacs-server key",
];

/// How much of a command line is read, in bytes.
const LINE_MAX: usize = 512;

/// How often one option is read on a line.
const OPTIONS_MAX: usize = 4;

/// Where an option's password stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// In the option's own word: `-pSECRET`.
    Attached,
    /// In the next word: `-p SECRET`.
    Next,
    Either,
    /// After the colon of the next word: `-u user:SECRET`.
    AfterColon,
    /// After the comma of the next word: `-u user,SECRET`.
    AfterComma,
    /// After the percent sign of the next word: `-U user%SECRET`.
    AfterPercent,
}

/// Names of programs, and the options behind them that take a password.
type Programs = (&'static [&'static str], &'static [(&'static str, Position)]);

/// The programs whose passwords stand in options alone.
const OPTIONS: &[Programs] = &[
    (
        &["curl", "wget"],
        &[
            ("-u", Position::AfterColon),
            ("--user", Position::AfterColon),
            ("-U", Position::AfterColon),
            ("--proxy-user", Position::AfterColon),
        ],
    ),
    (&["sshpass"], &[("-p", Position::Either)]),
    (&["mysql", "mariadb", "7z "], &[("-p", Position::Attached)]),
    (&["redis-cli"], &[("-a", Position::Next)]),
    (&["ldapsearch", "ldapmodify", "ldapadd"], &[("-w", Position::Next)]),
    (&["openssl enc"], &[("-k", Position::Next)]),
    (&["smbclient"], &[("-U", Position::AfterPercent)]),
    (&["lftp"], &[("-u", Position::AfterComma)]),
    (&["xfreerdp"], &[("/p:", Position::Attached)]),
    (&["signtool"], &[("/p", Position::Next)]),
    (&["ipmitool", "mosquitto_pub", "mosquitto_sub"], &[("-P", Position::Next)]),
    (&["snmpwalk", "snmpget"], &[("-A", Position::Next), ("-X", Position::Next)]),
    (&["ssh-keygen"], &[("-N", Position::Next)]),
    (&["secret set"], &[("--body", Position::Next)]),
];

/// Reads the rest of the command line after a keyword.
pub(super) fn read(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let keyword = text[at.clone()].to_ascii_lowercase();
    if let Some((_, known)) = OPTIONS.iter().find(|(names, _)| names.contains(&&*keyword)) {
        for (option, position) in *known {
            options(text, at.end, option, *position, found);
        }
        return;
    }
    match keyword.as_str() {
        "zip -" | "sqlcmd" => options(text, at.start, "-P", Position::Next, found),
        "mc alias set" => {
            nth(text, at.end, 3, found);
            nth(text, at.end, 4, found);
        }
        "codecov" => {
            let before = found.len();
            options(text, at.end, "-t", Position::Next, found);
            let rest = found.split_off(before);
            found.extend(rest.into_iter().filter(|it| shape::is_random(&text[it.range.clone()])));
        }
        "net user" | "net use" => {
            nth(text, at.end, 2, found);
            nth(text, at.end, 3, found);
        }
        "rabbitmqctl add_user" | "rabbitmqctl change_password" => nth(text, at.end, 1, found),
        "-u " => key_as_user(text, at.end, found),
        "rclone obscure" | "encrypt_string" => nth(text, at.end, 0, found),
        "identified with" => identified_with(text, at.end, found),
        "\nuser " => transfer(text, &at, found),
        "htpasswd -" => {
            // With `n` it prints; else the file's name is before the user.
            let flags = text[at.end..].split(' ').next().unwrap_or("");
            nth(text, at.end, if flags.contains('n') { 2 } else { 3 }, found);
        }
        "convertto-securestring" => nth(text, at.end, 0, found),
        "isakmp key" | "radius-server key" | "snmp-server community" | "tacacs-server key" => {
            nth(text, at.end, 0, found);
        }
        "http -a " | "http --auth " | "xh -a " | "xh --auth " => {
            push(text, at.end, line_end(text, at.end, LINE_MAX), Position::AfterColon, found);
        }
        "userpwd" => user_and_password(text, at.end, found),
        "pass:" => openssl(text, at, found),
        "identified by" => identified(text, at.end, found),
        "-b '" | "-b \"" => header::read_pairs(text, at.end, found),
        "--token" => token(text, at.end, found),
        "--key" | " -key " | " -k " | " -t " | " auth " | " login " | "authtoken " | "savekey "
        | "--pat " => {
            key(text, &at, found);
        }
        _ => options(text, at.end, "-p", Position::Next, found),
    }
}

/// The values of every `option` on the rest of the line.
fn options(text: &str, from: usize, option: &str, position: Position, found: &mut Vec<Span>) {
    let end = line_end(text, from, LINE_MAX);
    let mut at = from;
    for _ in 0..OPTIONS_MAX {
        let Some(offset) = text[at..end].find(option) else { return };
        let start = at + offset;
        at = start + option.len();
        let before = byte(text, start - 1);
        let listed = matches!(before, b'"' | b'\'');
        if !before.is_ascii_whitespace() && !listed {
            continue;
        }
        let next = byte(text, at);
        if listed && next == before && byte(text, at + 1) == b',' {
            let word = skip_blanks(text, at + 2);
            if position != Position::Attached && word < end {
                push(text, word, end, position, found);
            }
            continue;
        }
        let separate = next.is_ascii_whitespace() || next == b'=';
        let word = match position {
            Position::Attached if separate => continue,
            Position::Attached => at,
            Position::Either if !separate => at,
            _ if !separate => continue,
            _ => skip_blanks(text, at + 1),
        };
        if word < end {
            push(text, word, end, position, found);
        }
    }
}

fn push(text: &str, at: usize, end: usize, position: Position, found: &mut Vec<Span>) {
    let mut range = value::quoted(text, at).map_or_else(
        || {
            let word = text[at..end].find(|char: char| {
                char.is_whitespace() || matches!(char, '"' | '\'' | '\\' | '|' | ';' | '`')
            });
            at..word.map_or(end, |length| at + length)
        },
        |value| value.range,
    );
    let split = match position {
        Position::AfterColon => Some(':'),
        Position::AfterComma => Some(','),
        Position::AfterPercent => Some('%'),
        _ => None,
    };
    if let Some(split) = split {
        let Some(offset) = text[range.clone()].find(split) else { return };
        let (user, secret) =
            (range.start..range.start + offset, range.start + offset + 1..range.end);
        // `-u KEY:`, `-u KEY:x`
        if position == Position::AfterColon && matches!(&text[secret.clone()], "" | "x" | "X") {
            if user.len() >= 16 && shape::is_random(&text[user.clone()]) {
                found.push(Span { range: user, kind: "api-key", named: false });
            }
            return;
        }
        range = secret;
    }
    let word = &text[range.clone()];
    let numbered = word.bytes().all(|byte| byte.is_ascii_digit()) && word.len() < 6;
    if word.len() >= 4 && !word.starts_with(['-', '$']) && !numbered && !shape::is_placeholder(word)
    {
        found.push(Span { range, kind: "password", named: false });
    }
}

/// The word behind `skip` others, where it looks like a password.
fn nth(text: &str, from: usize, skip: usize, found: &mut Vec<Span>) {
    let end = line_end(text, from, LINE_MAX);
    let mut at = from;
    for index in 0..=skip {
        at = skip_blanks(text, at).min(end);
        let length = text[at..end].find(char::is_whitespace).unwrap_or(end - at);
        let word = text[at..at + length].trim_matches(['"', '\'']);
        if index == skip
            && word.bytes().any(|byte| byte.is_ascii_digit())
            && !word.contains(['/', '\\'])
        {
            push(text, at, end, Position::Next, found);
        }
        at += length;
    }
}

/// `-passin pass:SECRET`
fn openssl(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let before = text[..at.start].trim_end_matches([' ', '\'', '"']);
    if ["-passin", "-passout", "-pass", "-k"].iter().any(|option| before.ends_with(option)) {
        push(text, at.end, line_end(text, at.end, LINE_MAX), Position::Next, found);
    }
}

/// `CURLOPT_USERPWD, "user:SECRET"`
fn user_and_password(text: &str, at: usize, found: &mut Vec<Span>) {
    let start = skip_blanks(text, at);
    if byte(text, start) == b',' {
        let end = line_end(text, start, LINE_MAX);
        push(text, skip_blanks(text, start + 1), end, Position::AfterColon, found);
    }
}

/// SQL: `IDENTIFIED BY 'SECRET'`, `IDENTIFIED BY PASSWORD 'HASH'`.
fn identified(text: &str, at: usize, found: &mut Vec<Span>) {
    let mut start = skip_blanks(text, at);
    if goes_on(text, start, "password ") {
        start = skip_blanks(text, start + "password ".len());
    }
    if matches!(byte(text, start), b'\'' | b'"') {
        push(text, start, line_end(text, start, LINE_MAX), Position::Next, found);
    }
}

/// `-u KEY:`: a key in the place of the user, without a password.
fn key_as_user(text: &str, at: usize, found: &mut Vec<Span>) {
    let start = value::skip_quote(text, skip_blanks(text, at));
    let part = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'+' | b'/' | b'=')
    };
    let length =
        text.as_bytes()[start..].iter().take(LINE_MAX).take_while(|byte| part(byte)).count();
    let end = start + length;
    let ends = |at: usize| matches!(byte(text, at), 0 | b' ' | b'\n' | b'"' | b'\'' | b'\\');
    let alone = byte(text, end) == b':'
        && (ends(end + 1) || matches!(byte(text, end + 1), b'x' | b'X') && ends(end + 2));
    if alone && length >= 16 && shape::is_random(&text[start..end]) {
        found.push(Span { range: start..end, kind: "api-key", named: false });
    }
}

/// SQL: `IDENTIFIED WITH plugin BY 'SECRET'`
fn identified_with(text: &str, at: usize, found: &mut Vec<Span>) {
    let end = line_end(text, at, 64);
    let lower = text[at..end].to_ascii_lowercase();
    if let Some(by) = lower.find(" by ") {
        identified(text, at + by + " by ".len(), found);
    }
}

/// `user NAME SECRET` among the lines that are handed to a client of FTP.
fn transfer(text: &str, at: &Range<usize>, found: &mut Vec<Span>) {
    let from = text.ceil_char_boundary(at.start.saturating_sub(LINE_MAX));
    if text[from..at.start].contains("ftp") {
        nth(text, at.end, 1, found);
    }
}

/// `--token ID.SECRET`: kubeadm's short tokens, which no shape tells.
fn token(text: &str, at: usize, found: &mut Vec<Span>) {
    let start = skip_blanks(text, at + usize::from(byte(text, at) == b'='));
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let length =
        text.as_bytes()[start..].iter().take(LINE_MAX).take_while(|byte| part(byte)).count();
    let word = &text[start..start + length];
    if start > at && length >= 12 && shape::is_random(word) {
        found.push(Span { range: start..start + length, kind: "token", named: false });
    }
}

/// `--key KEY`, `-k KEY`, `-t KEY`: where it can be nothing else.
fn key(text: &str, at: &Range<usize>, found: &mut Vec<Span>) {
    let blank = text[at.clone()].ends_with(' ') || matches!(byte(text, at.end), b' ' | b'=');
    let start = value::skip_quote(
        text,
        skip_blanks(text, at.end + usize::from(byte(text, at.end) == b'=')),
    );
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.+/=".contains(byte);
    let length =
        text.as_bytes()[start..].iter().take(LINE_MAX).take_while(|byte| part(byte)).count();
    let word = &text[start..start + length];
    let alone =
        matches!(byte(text, start + length), 0 | b' ' | b'\n' | b'"' | b'\'' | b'\\' | b'`');
    let from = text.ceil_char_boundary(at.start.saturating_sub(LINE_MAX));
    let line = text[from..at.start].rsplit('\n').next().unwrap_or("");
    let is_key = match word.bytes().any(|byte| b"+/=".contains(&byte)) {
        true => is_base64(word),
        false => is_drawn(word, &text[at.clone()], line),
    };
    if blank && alone && length >= 20 && is_key {
        found.push(Span { range: start..start + length, kind: "api-key", named: false });
    }
}

/// Drawn so plainly that it is the option's key and no name, identifier or fingerprint.
fn is_drawn(word: &str, option: &str, line: &str) -> bool {
    let mix = shape::Mix::of(word);
    let hex = word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let dense = mix.digits * 6 >= word.len() && mix.digits > 3 && shape::is_random(word);
    // An identifier of what git or docker keeps is hexadecimal too; a tenant is a UUID.
    let is_kept = option == " -t "
        && (line.contains("git ") || line.contains("docker") || shape::is_uuid(word));
    if mix.lower > 0 && mix.upper > 0 {
        mix.digits > 2 && mix.lower > 2 && mix.upper > 2 && !shape::is_wordy(word)
    } else if mix.upper > 0 {
        // A fingerprint of GPG is hexadecimal in capitals.
        dense && word.len() >= 30 && !hex && mix.symbols == 0
    } else {
        let shortest = if hex || mix.symbols > 0 { 32 } else { 24 };
        dense && word.len() >= shortest && !is_kept
    }
}

/// Base64 of random bytes.
fn is_base64(word: &str) -> bool {
    let word = word.trim_end_matches('=');
    drawn::is_base64(word, shape::Mix::of(word))
}
