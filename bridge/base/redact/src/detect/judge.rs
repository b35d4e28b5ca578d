//! Whether a value beside a secret's name is a secret, or a placeholder, a type, an expression.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};

use super::name::Class;
use crate::shape::{self, Mix};

/// The longest password, in bytes; longer text beside such a name is no password.
const PASSWORD_MAX: usize = 256;

/// How a name and its value are joined: what one may expect of the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    /// `NAME=value` at the start of a line, a command's option, a field of a connection string:
    /// bare values are data.
    Setting,
    /// `name = value` or `name: value` in code: a bare value may be an expression.
    Code,
    /// `name: "value"` in a map: a quoted value may be a label.
    Map,
    /// Words: "the password is value".
    Prose,
    /// Words of a script without spaces, where Latin letters stand out: "密码是 value".
    Told,
}

/// True if `value` is a secret of `class`.
pub(super) fn is_secret(class: Class, join: Join, value: &str, quoted: bool) -> bool {
    if value.len() < 4
        || value.len() > 4096
        || value.contains("://")
        || value.starts_with("arn:")
        || is_number(value)
    {
        return false;
    }
    match class {
        Class::Password => is_password(join, value, quoted),
        Class::Secret => is_drawn(join, value, quoted),
        Class::WeakKey => {
            (value.len() >= 20 || join == Join::Setting && is_short_key(value))
                && is_drawn(join, value, quoted)
                && !shape::is_uuid(value)
        }
        Class::BasicAuth => is_basic(value),
        Class::Mnemonic => is_mnemonic(value),
    }
}

/// `RECORD_KEY=UUID` in an environment: what is set there is a key and no record's name.
pub(super) fn is_setting_of_uuid(class: Class, join: Join, value: &str) -> bool {
    join == Join::Setting && is_key_of_uuid(class, value)
}

/// Sixteen characters or more of both cases with digits.
fn is_short_key(value: &str) -> bool {
    let mix = Mix::of(value);
    value.len() >= 16 && mix.symbols == 0 && mix.digits > 1 && mix.lower > 2 && mix.upper > 2
}

/// A run of letters and digits that nobody writes.
pub(super) fn is_plainly_drawn(value: &str) -> bool {
    let mix = Mix::of(value);
    let part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    // `linux-build-DIGEST` names a cache.
    let signs = if mix.upper > 2 { 3 } else { 0 };
    value.bytes().all(part) && mix.digits > 2 && mix.letters() > 2 && mix.symbols <= signs
}

/// `X-Vendor-Key: UUID`
pub(super) fn is_key_of_uuid(class: Class, value: &str) -> bool {
    class == Class::WeakKey && shape::is_uuid(value)
}

/// Base64 of `user:password`.
pub(super) fn is_basic(value: &str) -> bool {
    let trimmed = value.trim_end_matches('=');
    let decoded = STANDARD.decode(value).or_else(|_| STANDARD_NO_PAD.decode(trimmed));
    value.len() >= 8
        && decoded.is_ok_and(|bytes| {
            bytes.contains(&b':') && bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | 0x80..))
        })
}

fn is_mnemonic(value: &str) -> bool {
    let words = value.split(' ').filter(|word| !word.is_empty());
    let count = words.clone().count();
    (12..=24).contains(&count)
        && words.clone().all(|word| word.len() >= 3 && word.len() <= 8)
        && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b' ')
}

fn is_password(join: Join, value: &str, quoted: bool) -> bool {
    if value.len() > PASSWORD_MAX || shape::is_placeholder(value) || is_template(value) {
        return false;
    }
    let mix = Mix::of(value);
    if mix.spaces > 0 {
        return join == Join::Setting
            && quoted
            && value.split(' ').all(|group| (4..=6).contains(&group.len()));
    }
    if mix.wide > 0 && mix.digits == 0 {
        return false;
    }
    if !quoted && is_expression(join, value) {
        return false;
    }
    if mix.letters() == 0 {
        return mix.digits >= 6 || (quoted || join == Join::Setting) && mix.digits >= 4;
    }
    if mix.digits == 0 {
        is_password_of_letters(join, value, quoted, &mix)
    } else {
        is_password_with_digits(join, value, quoted)
    }
}

fn is_password_of_letters(join: Join, value: &str, quoted: bool, mix: &Mix) -> bool {
    let written = mix.symbols == 0 || shape::is_wordy(value);
    match (written, join) {
        (true, Join::Setting) => !is_constant(join, value) && value.len() >= 6 && !is_path(value),
        (true, Join::Code) => quoted && mix.symbols == 0 && value.len() >= 6 && !is_label(value),
        (true, Join::Told) => {
            value.len() >= 8 && value.bytes().all(|byte| byte.is_ascii_lowercase())
        }
        (true, Join::Map | Join::Prose) => false,
        (false, _) => mix.letters() >= 4 && !is_path(value) && !is_call(value),
    }
}

fn is_password_with_digits(join: Join, value: &str, quoted: bool) -> bool {
    let wordy = shape::is_wordy(value) && !shape::is_numbered_phrase(value);
    let named = wordy && value.contains(['_', '-', '.', '/', '|', ':']);
    match (quoted, join) {
        (_, Join::Setting) => !is_path(value),
        (true, _) => !named && !is_path(value),
        (false, Join::Prose | Join::Told) => value.len() >= 5 && !named,
        (false, _) => value.len() >= 6 && !wordy && !is_path(value),
    }
}

fn is_drawn(join: Join, value: &str, quoted: bool) -> bool {
    if value.len() < 8 || is_path(value) || is_template(value) {
        return false;
    }
    if !quoted && is_expression(join, value) {
        return false;
    }
    if !quoted && join == Join::Code && value.len() < 12 {
        return false;
    }
    let mix = Mix::of(value);
    if mix.letters() == 0 {
        return mix.symbols == 0 && mix.digits >= 16 && !shape::is_placeholder(value);
    }
    // A person's choice, with capitals and a long number, which names of things rarely have.
    let chosen = (quoted || join == Join::Setting)
        && shape::is_numbered_phrase(value)
        && (mix.digits >= 4 && mix.upper > 0 && mix.lower > 0
            || value.contains(['!', '#', '^', '~', '?'])
            || mix.digits >= 4 && value.contains('_') && value.contains('-'))
        && !shape::is_placeholder(value);
    chosen || shape::is_random(value)
}

/// A path or a file name, not a value.
fn is_path(value: &str) -> bool {
    let rooted = ["/", "./", "../", "~/"].iter().any(|root| value.starts_with(root));
    let drive = value.as_bytes().get(1..3) == Some(br":\");
    let deep = (rooted || value.contains("/*") || value.contains("/../"))
        && value.rfind('/').is_some_and(|last| last > 0)
        && value.split('/').all(|part| part.len() < 24);
    deep || drive || value.contains("::") && !value.bytes().any(|byte| byte.is_ascii_digit())
}

/// A text with holes, or a pattern: `%s`, `{name}`, `[a-z]+`, `\d`.
pub(super) fn is_template(value: &str) -> bool {
    has_verb(value)
        || ["{}", "[a-z", "[A-Z", "[0-9", "\\d", "\\w", "\\S", ".*", ".+"]
            .iter()
            .any(|hole| value.contains(hole))
        || value.split_once('{').and_then(|(_, rest)| rest.split_once('}')).is_some_and(
            |(hole, _)| {
                hole.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
            },
        )
}

/// `%s` or `%d` with no letter or digit after it.
fn has_verb(value: &str) -> bool {
    value.as_bytes().windows(2).enumerate().any(|(index, pair)| {
        matches!(pair, b"%s" | b"%d" | b"%v" | b"%r")
            && !value.as_bytes().get(index + 2).is_some_and(u8::is_ascii_alphanumeric)
    })
}

/// A bare value that code would compute: a call, a path of names, a reference, a constant.
fn is_expression(join: Join, value: &str) -> bool {
    value.contains(['(', '[', '{']) && !is_made_of_signs(join, value)
        || value.contains("::")
        || value.contains("->")
        || value.contains("=>")
        || value.starts_with('*') && (value.contains('.') || Mix::of(value).symbols == 1)
        || value.starts_with(['&', '!', '@', '$', '=', '|', '\\'])
        || is_constant(join, value)
        || is_member(value)
}

/// A value in a line of settings with many signs, of which a bracket is one.
fn is_made_of_signs(join: Join, value: &str) -> bool {
    let mix = Mix::of(value);
    join == Join::Setting
        && !value.ends_with([')', ']', '}'])
        && !value.contains("$(")
        && value.len() >= 24
        && mix.symbols >= 4
        && mix.digits > 1
}

/// `DEFAULT_PASSWORD_2`; in a line of settings only if it is made of words.
fn is_constant(join: Join, value: &str) -> bool {
    let part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    value.contains('_')
        && value.bytes().all(part)
        && (join != Join::Setting || shape::is_wordy(value))
}

/// A number, version or object identifier: `0x030`, `3i32`, `1.2.840.113549`.
fn is_number(value: &str) -> bool {
    let hex = value.strip_prefix("0x").is_some_and(|digits| {
        digits.len() <= 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'_')
    });
    let typed =
        value.trim_end_matches("32").trim_end_matches("64").trim_end_matches(['i', 'u', 'f']);
    let counted = typed.len() < value.len() && typed.bytes().all(|byte| byte.is_ascii_digit());
    let dotted = value.contains('.')
        && value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b':'));
    hex || dotted || counted && value.ends_with(['2', '4']) && value.contains(['i', 'u', 'f'])
}

/// `self.password2`, `config.db.token`
fn is_member(value: &str) -> bool {
    value.contains('.')
        && value.split('.').all(|part| {
            part.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                && shape::is_wordy(part)
        })
}

fn is_call(value: &str) -> bool {
    value.contains('(') && value.ends_with([')', '(', ';'])
}

/// `Password`, `Contraseña`: a word with a capital, as on a form.
fn is_label(value: &str) -> bool {
    value.bytes().next().is_some_and(|byte| byte.is_ascii_uppercase())
        && value.bytes().skip(1).all(|byte| byte.is_ascii_lowercase())
}
