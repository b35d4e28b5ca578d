//! Judging a value by its shape: random or written, real or placeholder.

/// The words of which placeholders, type names and labels are made. A value of nothing but such
/// words is not a secret.
const WORDS: &[&str] = &[
    "a",
    "access",
    "account",
    "admin",
    "an",
    "and",
    "any",
    "api",
    "app",
    "apikey",
    "argon",
    "array",
    "auth",
    "base",
    "bcrypt",
    "bearer",
    "bool",
    "boolean",
    "bytes",
    "change",
    "changeit",
    "changeme",
    "client",
    "code",
    "config",
    "confirm",
    "credential",
    "credentials",
    "current",
    "custom",
    "database",
    "db",
    "default",
    "demo",
    "dev",
    "dummy",
    "empty",
    "enter",
    "env",
    "environment",
    "example",
    "fake",
    "false",
    "field",
    "file",
    "foo",
    "foobar",
    "foobared",
    "bar",
    "baz",
    "for",
    "from",
    "goes",
    "here",
    "hidden",
    "id",
    "in",
    "input",
    "insert",
    "invalid",
    "is",
    "it",
    "its",
    "key",
    "keys",
    "local",
    "localhost",
    "login",
    "me",
    "missing",
    "mock",
    "my",
    "name",
    "new",
    "nil",
    "no",
    "none",
    "not",
    "null",
    "number",
    "object",
    "of",
    "old",
    "optional",
    "or",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "placeholder",
    "please",
    "private",
    "public",
    "pw",
    "pwd",
    "real",
    "redacted",
    "replace",
    "required",
    "root",
    "sample",
    "secret",
    "secrets",
    "self",
    "session",
    "set",
    "some",
    "something",
    "str",
    "string",
    "stub",
    "super",
    "test",
    "testing",
    "text",
    "the",
    "this",
    "to",
    "todo",
    "token",
    "tokens",
    "true",
    "type",
    "undefined",
    "unknown",
    "unset",
    "user",
    "username",
    "value",
    "via",
    "with",
    "word",
    "xxx",
    "you",
    "your",
    "yours",
];

/// Words that make a value a placeholder wherever they stand in it, when they stand alone.
const GIVEAWAYS: &[&str] = &[
    "changeme",
    "dummy",
    "example",
    "fake",
    "insert",
    "placeholder",
    "redacted",
    "replace",
    "your",
];

/// Shannon entropy in bits a byte.
pub(crate) fn entropy(value: &[u8]) -> f32 {
    let mut counts = [0u32; 256];
    for byte in value {
        counts[usize::from(*byte)] += 1;
    }
    let total = value.len() as f32;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = *count as f32 / total;
            -share * share.log2()
        })
        .sum()
}

/// What kinds of characters a value holds.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mix {
    pub(crate) lower: usize,
    pub(crate) upper: usize,
    pub(crate) digits: usize,
    /// ASCII punctuation.
    pub(crate) symbols: usize,
    /// ASCII whitespace.
    pub(crate) spaces: usize,
    /// Bytes outside ASCII.
    pub(crate) wide: usize,
}

impl Mix {
    pub(crate) fn of(value: &str) -> Self {
        let mut mix = Self::default();
        for byte in value.bytes() {
            match byte {
                b'a'..=b'z' => mix.lower += 1,
                b'A'..=b'Z' => mix.upper += 1,
                b'0'..=b'9' => mix.digits += 1,
                byte if byte.is_ascii_whitespace() => mix.spaces += 1,
                byte if byte.is_ascii() => mix.symbols += 1,
                _ => mix.wide += 1,
            }
        }
        mix
    }

    pub(crate) fn letters(self) -> usize {
        self.lower + self.upper
    }
}

/// True for a placeholder of a secret: `<token>`, `${TOKEN}`, `xxxx`, `your-key`.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let value = value.trim();
    let Some(first) = value.chars().next() else { return true };
    let opened = ["<", "$", "{", "%(", "[", "*", "...", "…", "@@", "#{", "(", "`", "&"]
        .iter()
        .any(|opening| value.starts_with(opening));
    if opened && !is_dollar_secret(value) && !is_starred_secret(value) {
        return true;
    }
    if value.len() > 2 && value.starts_with('%') && value.ends_with('%') {
        return true;
    }
    if value.contains("${") || value.contains("{{") || value.contains("$(") {
        return true;
    }
    value.chars().all(|char| char == first) || has_streak(value) || is_vocabulary(value)
}

/// A crypt hash or a password that begins with a dollar sign, not a variable.
fn is_dollar_secret(value: &str) -> bool {
    let Some(rest) = value.strip_prefix('$') else { return false };
    let named =
        rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let is_path = named > 0
        && rest[named..].starts_with('/')
        && !rest[..named].contains(|char: char| char.is_ascii_lowercase());
    let name = named == rest.len() || is_path;
    !rest.starts_with(['{', '(']) && !name && !rest.contains("->") && !rest.contains('[')
}

/// A password that begins with a bracket or a star but has letters and digits after it.
fn is_starred_secret(value: &str) -> bool {
    let mix = Mix::of(value);
    !value.starts_with(['<', '{', '[', '$', '%'])
        && !value.ends_with(['>', '}', ']', ')', '*'])
        && mix.digits > 0
        && mix.letters() > 0
}

/// Five or more of the same letter, star, dot or dash in a row: `xxxxx`, `....`, `*****`.
fn has_streak(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.windows(5).any(|window| {
        matches!(window[0], b'x' | b'X' | b'*' | b'.' | b'#' | b'-' | b'_')
            && window.iter().all(|byte| *byte == window[0])
    })
}

/// Nothing but words of [`WORDS`], or one word of [`GIVEAWAYS`].
fn is_vocabulary(value: &str) -> bool {
    if value.len() > 80 {
        return false;
    }
    let mut all = true;
    let mut any = false;
    for word in value.split(|char: char| !char.is_ascii_alphabetic()) {
        if word.is_empty() {
            continue;
        }
        any = true;
        let is = |list: &[&str]| list.iter().any(|known| known.eq_ignore_ascii_case(word));
        if is(GIVEAWAYS) {
            return true;
        }
        all = all && is(WORDS);
    }
    any && all && Mix::of(value).digits < 3
}

/// A UUID in its hyphenated form.
pub(crate) fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Written by a person, not drawn at random: each piece between `_ - . / :` and each hump is a word
/// or a short number. `access_token_v2` is, `a8Kd93kL` is not.
pub(crate) fn is_wordy(value: &str) -> bool {
    value.split(['_', '-', '.', '/', ':', '+', ',', '=', '|', ' ']).all(|piece| {
        let word = piece.trim_end_matches(|char: char| char.is_ascii_digit());
        let digits = piece.len() - word.len();
        if word.is_empty() { digits <= 4 } else { digits <= 3 && is_word(word) }
    })
}

/// Words and a number of three digits or more at the end, as people choose passwords: `Maple-orbit.4711`.
pub(crate) fn is_numbered_phrase(value: &str) -> bool {
    let digits = value.bytes().rev().take_while(u8::is_ascii_digit).count();
    let is_known = |word: &str| WORDS.iter().any(|known| known.eq_ignore_ascii_case(word));
    let mut words = value.split(|char: char| !char.is_ascii_alphabetic());
    digits >= 3
        && Mix::of(value).letters() >= 4
        && words.any(|word| !word.is_empty() && !is_known(word))
}

/// Letters that could be a word, or several in camel case.
fn is_word(word: &str) -> bool {
    let bytes = word.as_bytes();
    if !bytes.iter().all(u8::is_ascii_alphabetic) || bytes.len() > 40 {
        return false;
    }
    if bytes.len() <= 3 {
        return true;
    }
    let humps = 1 + (1..bytes.len()).filter(|index| starts_hump(bytes, *index)).count();
    let vowels = bytes.iter().filter(|byte| b"aeiouyAEIOUY".contains(byte)).count();
    // A word of some length has vowels; a random run of letters has few.
    bytes.len() >= humps * 3 && (bytes.len() <= 5 || vowels * 6 >= bytes.len())
}

/// A camel case hump begins at `index`: after a lower case letter, or as the last capital of many.
pub(crate) fn starts_hump(bytes: &[u8], index: usize) -> bool {
    bytes[index].is_ascii_uppercase()
        && (!bytes[index - 1].is_ascii_uppercase()
            || bytes.get(index + 1).is_some_and(u8::is_ascii_lowercase))
}

/// Drawn at random as far as one can tell: long enough, mixed, and no words.
pub(crate) fn is_random(value: &str) -> bool {
    let mix = Mix::of(value);
    if value.len() < 8 || mix.spaces > 0 || is_placeholder(value) {
        return false;
    }
    if mix.digits > 0 && mix.letters() > 0 {
        let floor = if value.len() >= 20 { 2.9 } else { 2.4 };
        return entropy(value.as_bytes()) >= floor && !is_wordy(value);
    }
    // Letters alone or digits alone: only a long run with no word in it.
    mix.digits == 0 && value.len() >= 20 && entropy(value.as_bytes()) >= 3.5 && !is_wordy(value)
}

/// The shape check of a token that a vendor's prefix has already named: drops `ghp_xxxxxxxx`,
/// `AKIAIOSFODNN7EXAMPLE` and runs of one or two characters.
pub(crate) fn is_named_token(token: &str) -> bool {
    let tail = &token.as_bytes()[token.len().min(4)..];
    !has_streak(token) && !token.contains("EXAMPLE") && (tail.len() < 12 || entropy(tail) >= 2.2)
}
