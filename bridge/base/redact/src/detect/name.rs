//! What a name such as `DB_PASSWORD`, `clientSecret` or `密码` says about the value beside it.

use std::ops::Range;

use super::{adjective, glued};
use crate::shape;

/// How much evidence a value must bring of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A password: chosen by a person, so nearly any value counts.
    Password,
    /// A secret, token or key: drawn at random, so it must look so.
    Secret,
    /// A name that ends in "key" and says no more: long and random.
    WeakKey,
    /// Base64 of `user:password`.
    BasicAuth,
    /// A list of words.
    Mnemonic,
}

/// A name in the text and what it stands for.
#[derive(Debug, Clone)]
pub(super) struct Name {
    pub(super) range: Range<usize>,
    pub(super) class: Class,
    pub(super) kind: &'static str,
    /// Begins with a dash, as a command's option.
    pub(super) option: bool,
    /// All letters in upper case, as an environment variable.
    pub(super) upper: bool,
    /// Written in another script; such text has no word boundaries.
    pub(super) wide: bool,
    /// Names several: `passwords`, `api_keys`.
    pub(super) plural: bool,
    /// A "key" behind a word that may be a vendor's: only a value that is plainly drawn counts.
    pub(super) spoken: bool,
}

const NAME_MAX: usize = 64;

const PASSWORDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "passwort",
    "kennwort",
    "contrasena",
    "psswd",
    "wachtwoord",
    "salasana",
    "adgangskode",
    "motdepasse",
    "lozinka",
    "zugangscode",
];
const PASSWORDS_EXACT: &[&str] = &[
    "pwd",
    "pass",
    "pw",
    "psw",
    "pswd",
    "dbpass",
    "userpass",
    "dbpwd",
    "passin",
    "storepass",
    "keypass",
    "requirepass",
    "masterauth",
    "bindpw",
    "rootpw",
    "senha",
    "heslo",
    "parola",
    "clave",
    "mdp",
    "haslo",
    "sifre",
    "jelszo",
    "passe",
    "kodeord",
];

/// Names that take their value behind a blank, at the start of a line.
const DIRECTIVES: &[&str] = &["requirepass", "masterauth", "bindpw", "rootpw", "secret"];
const SECRETS: &[&str] = &[
    "secret",
    "token",
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "accountkey",
    "authkey",
    "licensekey",
    "presharedkey",
    "encryptionkey",
    "signingkey",
];
const SECRETS_EXACT: &[&str] =
    &["credential", "credentials", "cred", "creds", "psk", "pat", "skey", "wif"];

/// Words that stand after the noun without changing its sense.
const TRAILERS: &[&str] = &[
    "value",
    "val",
    "text",
    "plain",
    "plaintext",
    "cleartext",
    "prod",
    "production",
    "dev",
    "staging",
    "live",
    "new",
    "old",
    "current",
    "confirm",
    "confirmation",
    "again",
    "base",
    "hex",
    "str",
    "string",
    "data",
    "raw",
    "primary",
    "secondary",
    "private",
    "b",
];

/// Kinds by a vendor's word in the name.
const VENDORS: &[(&str, &str)] = &[
    ("aws", "aws-secret-key"),
    ("azure", "azure-key"),
    ("alibaba", "alibaba-secret-key"),
    ("aliyun", "alibaba-secret-key"),
    ("tencent", "tencent-secret-key"),
    ("tencentcloud", "tencent-secret-key"),
    ("cloudflare", "cloudflare-token"),
    ("cf", "cloudflare-token"),
    ("datadog", "datadog-key"),
    ("dd", "datadog-key"),
    ("heroku", "heroku-key"),
    ("okta", "okta-token"),
    ("pagerduty", "pagerduty-key"),
    ("paypal", "paypal-secret"),
    ("twilio", "twilio-auth-token"),
];

/// Keywords outside ASCII, with their class and kind.
const WIDE: &[(&str, Class, &str)] = &[
    ("密码", Class::Password, "password"),
    ("密碼", Class::Password, "password"),
    ("口令", Class::Password, "password"),
    ("パスワード", Class::Password, "password"),
    ("비밀번호", Class::Password, "password"),
    ("пароль", Class::Password, "password"),
    ("비번", Class::Password, "password"),
    ("contraseña", Class::Password, "password"),
    ("hasło", Class::Password, "password"),
    ("lösenord", Class::Password, "password"),
    ("jelszó", Class::Password, "password"),
    ("şifre", Class::Password, "password"),
    ("parolă", Class::Password, "password"),
    ("mật khẩu", Class::Password, "password"),
    ("รหัสผ่าน", Class::Password, "password"),
    ("كلمة المرور", Class::Password, "password"),
    ("كلمة السر", Class::Password, "password"),
    ("סיסמה", Class::Password, "password"),
    ("κωδικός", Class::Password, "password"),
    ("पासवर्ड", Class::Password, "password"),
    ("暗証番号", Class::Password, "password"),
    ("密语", Class::Password, "password"),
    ("凭证", Class::Secret, "credential"),
    ("トークン", Class::Secret, "token"),
    ("토큰", Class::Secret, "token"),
    ("токен", Class::Secret, "token"),
    ("密钥", Class::Secret, "secret"),
    ("密鑰", Class::Secret, "secret"),
    ("秘钥", Class::Secret, "secret"),
    ("密匙", Class::Secret, "secret"),
    ("私钥", Class::Secret, "private-key"),
    ("令牌", Class::Secret, "token"),
    ("授权码", Class::Secret, "secret"),
    ("訪問碼", Class::Secret, "secret"),
];

impl Name {
    /// The whole name around a keyword at `at`, if it names a secret.
    pub(super) fn around(text: &str, at: &Range<usize>) -> Option<Self> {
        if !text[at.clone()].is_ascii() {
            return Self::wide(text, at);
        }
        if goes_with(text, at, "mot de passe") {
            return Some(Self::new(at.clone(), Class::Password, "password"));
        }
        let bytes = text.as_bytes();
        let is_part =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let before = bytes[..at.start].iter().rev().take(NAME_MAX).take_while(|byte| is_part(byte));
        let mut start = at.start - before.count();
        let after = bytes[at.end..].iter().take(NAME_MAX).take_while(|byte| is_part(byte));
        let mut end = at.end + after.count();
        let dashes = bytes[start..at.start].iter().take_while(|byte| **byte == b'-').count();
        start += dashes;
        // `-Dapi.key=x`, `-Papi.key=x`: a property.
        if dashes == 1
            && matches!(bytes[start], b'D' | b'P')
            && start < at.start
            && text[start..at.start].contains('.') | text[at.start..end].contains('.')
        {
            start += 1;
        }
        if dashes == 0
            && start > 0
            && bytes[start - 1] == b'\\'
            && matches!(bytes[start], b'n' | b'r' | b't')
        {
            start = (start + 1).min(at.start);
        }
        while end > at.end && matches!(bytes[end - 1], b'.' | b'-') {
            end -= 1;
        }
        let adjective = adjective::before(text, start, end);
        start = adjective.unwrap_or(start);
        let name = text[start..end].replace(' ', "_");
        let asked = start > 0
            && matches!(bytes[start - 1], b'?' | b'&')
            && matches!(&*name, "key" | "auth");
        let is_line = &*name == "key"
            && bytes.get(end) == Some(&b'=')
            && matches!(start.checked_sub(1).map(|it| bytes[it]), None | Some(b'\n'));
        let one = if asked {
            Some((Class::Secret, "api-key"))
        } else if is_line {
            Some((Class::WeakKey, "api-key"))
        } else {
            classify(&name)
        };
        let (class, kind) = one.or_else(|| classify(name.strip_suffix(['s', 'S'])?))?;
        let mut name = Self::new(start..end, class, kind);
        name.plural = one.is_none();
        name.spoken = (adjective.is_some() || is_line) && class == Class::WeakKey;
        name.option = dashes > 0;
        name.upper = !text[start..end].bytes().any(|byte| byte.is_ascii_lowercase());
        Some(name)
    }

    /// A line such as `requirepass VALUE`.
    pub(super) fn is_directive(&self, text: &str) -> bool {
        let name = &text[self.range.clone()];
        DIRECTIVES.iter().any(|word| word.eq_ignore_ascii_case(name))
    }

    /// Written in a script that puts no blanks between words: Thai, Chinese, Japanese, Korean.
    pub(super) fn is_spaceless(&self, text: &str) -> bool {
        text[self.range.clone()].starts_with(|char: char| char >= '\u{e00}')
    }

    fn wide(text: &str, at: &Range<usize>) -> Option<Self> {
        let keyword = text[at.clone()].to_lowercase();
        let (_, class, kind) = WIDE.iter().find(|(word, ..)| *word == keyword)?;
        let mut name = Self::new(at.clone(), *class, kind);
        name.wide = true;
        Some(name)
    }

    fn new(range: Range<usize>, class: Class, kind: &'static str) -> Self {
        Self {
            range,
            class,
            kind,
            option: false,
            upper: false,
            wide: false,
            plural: false,
            spoken: false,
        }
    }
}

/// A word with digits in the place of letters, as it is meant: `p4ssw0rd`.
fn meant(word: &str) -> String {
    let letter = |char| match char {
        '0' => 'o',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        char => char,
    };
    word.chars().map(letter).collect()
}

fn goes_with(text: &str, at: &Range<usize>, phrase: &str) -> bool {
    text[at.clone()].eq_ignore_ascii_case(phrase)
}

pub(super) fn classify(name: &str) -> Option<(Class, &'static str)> {
    let words = words(name);
    let mut core = words.as_slice();
    while let [rest @ .., last] = core
        && !rest.is_empty()
        && (TRAILERS.contains(&last.as_str()) || is_number(last))
    {
        core = rest;
    }
    let (last, before) = core.split_last()?;
    let last = last.trim_end_matches(|char: char| char.is_ascii_digit());
    let previous = before.last().map_or("", String::as_str);
    if last == "auth" && before.is_empty() {
        return Some((Class::BasicAuth, "basic-auth"));
    }
    if last == "mnemonic"
        || (last == "phrase" && matches!(previous, "seed" | "recovery" | "secret"))
    {
        return Some((Class::Mnemonic, "mnemonic"));
    }
    let is_password = |word: &str| PASSWORDS.iter().any(|noun| word.ends_with(noun));
    let code = last == "code"
        && matches!(previous, "access" | "door" | "entry" | "gate" | "pin" | "unlock");
    let wireless = last == "key" && matches!(previous, "wifi" | "wlan" | "wpa" | "wep");
    let known = PASSWORDS_EXACT.contains(&last) || glued::is_password(last) || code || wireless;
    if is_password(last) || known || is_password(&meant(last)) {
        return Some((Class::Password, "password"));
    }
    let registry = previous == "registry" && last == "token";
    if adjective::HARMLESS.contains(&previous) && !registry {
        return None;
    }
    let class = class_of_secret(last, previous)?;
    if last == "key" && core.iter().any(|word| matches!(word.as_str(), "public" | "publishable")) {
        return None;
    }
    Some((class, kind_of(last, previous, core)))
}

fn class_of_secret(last: &str, previous: &str) -> Option<Class> {
    if SECRETS.iter().any(|noun| last.ends_with(noun)) || SECRETS_EXACT.contains(&last) {
        return Some(Class::Secret);
    }
    if last == "key" || last == "sk" {
        return match previous {
            "" => None,
            previous if adjective::KEY_ADJECTIVES.contains(&previous) => Some(Class::Secret),
            _ => Some(Class::WeakKey),
        };
    }
    (last.len() > 5 && last.ends_with("key")).then_some(Class::WeakKey)
}

/// `2`, `v3`
fn is_number(word: &str) -> bool {
    word.trim_start_matches('v').bytes().all(|byte| byte.is_ascii_digit())
}

fn kind_of(last: &str, previous: &str, words: &[String]) -> &'static str {
    let vendor = VENDORS.iter().find(|(vendor, _)| words.iter().any(|word| word == vendor));
    if let Some((_, kind)) = vendor {
        return kind;
    }
    match (last, previous) {
        (last, _) if last.ends_with("token") => "token",
        (last, _) if last.ends_with("secret") => "secret",
        (last, _) if last.ends_with("apikey") => "api-key",
        ("key", "private") | ("privatekey", _) => "private-key",
        ("key", "encryption" | "encrypt" | "aes" | "crypto" | "master" | "decryption") => {
            "encryption-key"
        }
        ("accountkey", _) | ("key", "account") => "azure-key",
        ("key", "secret") | ("secretkey", _) => "secret",
        (last, _) if last.starts_with("cred") => "credential",
        _ => "api-key",
    }
}

/// The words of a name in lower case: split at `_ - .` and at camel case humps.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    for piece in name.split(['_', '-', '.']).filter(|piece| !piece.is_empty()) {
        let bytes = piece.as_bytes();
        let mut start = 0;
        for index in 1..bytes.len() {
            if shape::starts_hump(bytes, index) {
                words.push(piece[start..index].to_ascii_lowercase());
                start = index;
            }
        }
        words.push(piece[start..].to_ascii_lowercase());
    }
    words
}
