//! Secrets that are told by their position: the second argument of a sign-in, a column of an `INSERT`, the
//! word after an account's name.

use std::ops::Range;

use super::judge::{self, Join};
use super::name::{self, Class};
use super::said;
use super::text::{Span, byte, goes_on, skip_blanks};
use super::value::{self, Reach, Value};

/// Calls that take a user and a password.
pub(super) const CALLS: &[&str] = &[
    "login(",
    "log_in(",
    "signin(",
    "sign_in(",
    "authenticate(",
    "credential(",
    "credentials(",
    "passwordauthentication(",
    "basicauth(",
    "basic_auth(",
    "auth=(",
    ".auth(",
    "wifi.begin(",
];
/// Calls whose third argument is the password.
pub(super) const THIRD: &[&str] = &[
    "plainauth(",
    "getconnection(",
    "new pdo(",
    "new mysqli(",
    "mysqli_connect(",
    "url.create(",
    "sequel.connect(",
];
/// Calls that take a host, perhaps a port, then a user and a password.
pub(super) const CONNECTS: &[&str] = &[".connect("];
/// Calls whose first argument is a key.
pub(super) const FIRST: &[&str] = &[
    "hmac.new(",
    "secretkeyspec(",
    "fernet(",
    "aes.new(",
    "cookieparser(",
    "newcookiestore([]byte(",
];
/// Calls whose first or second argument is a key where it is long and drawn.
pub(super) const CLIENTS: &[&str] = &["client(", "openai("];
/// Calls whose second argument is a key.
pub(super) const SECOND: &[&str] = &[
    "jwt.sign(",
    "jwt.encode(",
    "jwt.verify(",
    "jwt.decode(",
    "createhmac(",
    "hmac.hexdigest(",
    "hmac.digest(",
    "aes.encrypt(",
    "aes.decrypt(",
];
/// A statement that names columns and then gives values.
pub(super) const INSERT: &[&str] = &["insert into"];
/// What announces an account and its password.
pub(super) const ACCOUNTS: &[&str] = &[
    "credentials",
    "creds",
    "login",
    "log in",
    "logged in",
    "sign in",
    "zugangsdaten",
    "identifiants",
    "credenciales",
    "user/pass",
    "username/password",
];

/// How far a statement is read, in bytes.
const STATEMENT_MAX: usize = 1024;

/// The most columns that are read.
const COLUMNS_MAX: usize = 32;

/// `login("bob", "secret")`: the second argument, where both are texts.
pub(super) fn read_call(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let Some(user) = value::quoted(text, skip_blanks(text, at.end)) else { return };
    let comma = skip_blanks(text, user.after(text));
    if byte(text, comma) != b',' {
        return;
    }
    let second = value::quoted(text, skip_blanks(text, comma + 1));
    // `auth=("key", "")`
    if second.is_some_and(|second| matches!(&text[second.range], "" | "x" | "X")) {
        push(text, Class::WeakKey, Join::Code, user, "api-key", found);
        return;
    }
    read_argument(text, comma + 1, found);
}

/// `getConnection(url, "bob", "secret")`: the third argument, where the second is a text.
pub(super) fn read_third(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let end = super::text::line_end(text, at.end, STATEMENT_MAX);
    let Some(comma) = text[at.end..end].find(',') else { return };
    let start = at.end + comma;
    read_call(text, start..start + 1, found);
}

/// `connect(host, "bob", "secret")`, `connect(host, 22, "bob", "secret")`
pub(super) fn read_connect(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let end = super::text::line_end(text, at.end, STATEMENT_MAX);
    let mut from = at.end;
    for _ in 0..2 {
        let Some(comma) = next_argument(text, from, end) else { return };
        let before = found.len();
        read_call(text, comma..comma + 1, found);
        if found.len() > before {
            return;
        }
        from = comma + 1;
    }
}

/// `hmac.new(b"key", ...)`
pub(super) fn read_first(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    key(text, at.end, Class::Secret, found);
}

/// `Client("account", "key")`
pub(super) fn read_client(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    key(text, at.end, Class::WeakKey, found);
    let end = super::text::line_end(text, at.end, STATEMENT_MAX);
    if let Some(comma) = next_argument(text, at.end, end) {
        key(text, comma + 1, Class::WeakKey, found);
    }
}

/// `jwt.sign(claims, "key")`
pub(super) fn read_second(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let end = super::text::line_end(text, at.end, STATEMENT_MAX);
    if let Some(comma) = next_argument(text, at.end, end) {
        key(text, comma + 1, Class::Secret, found);
    }
}

/// A text as a key of a call.
fn key(text: &str, at: usize, class: Class, found: &mut Vec<Span>) {
    let mut at = skip_blanks(text, at);
    if matches!(byte(text, at), b'b' | b'r') && matches!(byte(text, at + 1), b'"' | b'\'') {
        at += 1;
    }
    if let Some(value) = value::quoted(text, at)
        && (class == Class::Secret || !text[value.range.clone()].contains(['.', ':', '-', '/']))
    {
        push(text, class, Join::Code, value, "secret", found);
    }
}

/// The comma that ends the argument at `at`; one in brackets or quotes ends none.
pub(super) fn next_argument(text: &str, at: usize, end: usize) -> Option<usize> {
    let (mut depth, mut quote) = (0u32, None);
    for (offset, byte) in text.as_bytes()[at..end].iter().enumerate() {
        match (byte, quote) {
            (b'"' | b'\'', None) => quote = Some(byte),
            (byte, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => {}
            (b'(' | b'[' | b'{', None) => depth += 1,
            (b')' | b']' | b'}', None) => depth = depth.checked_sub(1)?,
            (b',', None) if depth == 0 => return Some(at + offset),
            _ => {}
        }
    }
    None
}

/// A text as an argument that begins at `at`, also `Some("...")`.
fn read_argument(text: &str, at: usize, found: &mut Vec<Span>) {
    let at = skip_blanks(text, at);
    let at = if goes_on(text, at, "some(") { at + "some(".len() } else { at };
    let Some(secret) = value::quoted(text, at) else { return };
    push(text, Class::Password, Join::Code, secret, "password", found);
}

/// `INSERT INTO users (name, password) VALUES ('bob', 'secret')`: the values of columns that are named
/// for a secret, of the first row.
pub(super) fn read_insert(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let end = text.floor_char_boundary(at.end + STATEMENT_MAX);
    let rest = &text[at.end..end];
    let Some((table, columns)) = rest.split_once('(') else { return };
    let Some((columns, values)) = columns.split_once(')') else { return };
    let values_at = end - values.len();
    let word = skip_blanks(text, values_at);
    if table.len() > 128 || !goes_on(text, word, "values") {
        return;
    }
    let mut at = skip_blanks(text, word + "values".len());
    if byte(text, at) != b'(' {
        return;
    }
    at += 1;
    for column in columns.split(',').take(COLUMNS_MAX) {
        at = skip_blanks(text, at);
        let item =
            value::quoted(text, at).unwrap_or_else(|| value::bare(text, at, Reach::Delimiter));
        let next = skip_blanks(text, item.after(text));
        let name = column.trim().trim_matches(['"', '`', '[', ']']);
        if let Some((class, kind)) = name::classify(name)
            && item.quoted
        {
            push(text, class, Join::Code, item, kind, found);
        }
        if byte(text, next) != b',' {
            return;
        }
        at = next + 1;
    }
}

/// "credentials: bob / secret", "log in with bob / secret".
pub(super) fn read_account(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let mut user = skip_blanks(text, at.end);
    for joint in [": ", "= ", "are ", "is ", "with ", "as ", "using "] {
        if goes_on(text, user, joint) {
            user = skip_blanks(text, user + joint.len());
        }
    }
    if user == at.end {
        return;
    }
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"._@+-`".contains(byte);
    let length = text.as_bytes()[user..].iter().take(64).take_while(|byte| part(byte)).count();
    let slash = skip_blanks(text, user + length);
    if length > 0
        && let Some(joint) =
            [" with ", " and ", " using "].iter().find(|it| goes_on(text, user + length, it))
    {
        let start = skip_blanks(text, user + length + joint.len());
        let secret = value::quoted(text, start)
            .unwrap_or_else(|| value::bare(text, start, Reach::Delimiter));
        if said::is_plain(text, &secret) && !text[secret.range.clone()].contains('/') {
            push(text, Class::Password, Join::Prose, secret, "password", found);
        }
        return;
    }
    if length == 0 || byte(text, slash) != b'/' {
        return;
    }
    let pair = text[at].contains('/');
    let start = skip_blanks(text, slash + 1);
    // Without blanks it may be a path.
    if !pair && (slash == user + length || start == slash + 1) {
        return;
    }
    let secret =
        value::quoted(text, start).unwrap_or_else(|| value::bare(text, start, Reach::Delimiter));
    if said::is_plain(text, &secret) && !text[secret.range.clone()].contains('/') {
        push(text, Class::Password, Join::Prose, secret, "password", found);
    }
}

fn push(
    text: &str,
    class: Class,
    join: Join,
    value: Value,
    kind: &'static str,
    found: &mut Vec<Span>,
) {
    if judge::is_secret(class, join, &text[value.range.clone()], value.quoted) {
        found.push(Span { range: value.range, kind, named: false });
    }
}
