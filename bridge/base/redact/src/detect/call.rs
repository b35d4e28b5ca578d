//! A bare key as an argument of what makes a client: `new Vendor("...")`, `Client("...")`, `vendor.init('...')`.
//! Not here: calls that take a user and a password, and calls whose key stands at a known place.

use std::ops::Range;

use super::position::next_argument;
use super::text::{Span, line_end, skip_blanks};
use super::value;
use crate::drawn;
use crate::shape::{self, Mix};

/// Where an argument in quotes opens the list.
pub(super) const OPENINGS: &[&str] = &["(\"", "('"];

/// How many arguments are looked at.
const ARGUMENTS_MAX: usize = 3;

/// How far a call is read, in bytes.
const CALL_MAX: usize = 512;

/// The longest name of what is called, in bytes.
const NAME_MAX: usize = 64;

/// The shortest key of letters of both cases, and of one case.
const MIXED_MIN: usize = 22;
const PLAIN_MIN: usize = 28;

/// The longest key, in bytes: longer text is data.
const KEY_MAX: usize = 200;

/// How names end of what makes a client or takes its key.
const CLIENTS: &[&str] = &[
    "accesskey",
    "api",
    "apikey",
    "auth",
    "authenticate",
    "bearer",
    "client",
    "configure",
    "connect",
    "credential",
    "credentials",
    "init",
    "initialize",
    "login",
    "sdk",
    "settoken",
    "usetoken",
    "withtoken",
];

/// How names end of what takes an identifier, a digest or a text.
const OTHERS: &[&str] = &[
    "address",
    "alphabet",
    "asset",
    "blob",
    "block",
    "branch",
    "borrowed",
    "buffer",
    "bytes",
    "case",
    "char",
    "checksum",
    "class",
    "color",
    "commit",
    "contains",
    "contract",
    "data",
    "date",
    "decimal",
    "digest",
    "equal",
    "equals",
    "err",
    "error",
    "etag",
    "event",
    "exception",
    "file",
    "fingerprint",
    "fixture",
    "float",
    "guid",
    "hash",
    "hex",
    "id",
    "ident",
    "image",
    "int",
    "integer",
    "item",
    "key",
    "label",
    "like",
    "link",
    "literal",
    "match",
    "matches",
    "md5",
    "message",
    "module",
    "mutation",
    "name",
    "node",
    "nonce",
    "number",
    "object",
    "oid",
    "ok",
    "order",
    "page",
    "path",
    "pattern",
    "point",
    "query",
    "record",
    "ref",
    "reference",
    "regex",
    "regexp",
    "request",
    "response",
    "rev",
    "revision",
    "row",
    "salt",
    "scalar",
    "seed",
    "selector",
    "sha",
    "sha1",
    "sha256",
    "sha512",
    "signature",
    "some",
    "source",
    "str",
    "string",
    "tag",
    "text",
    "time",
    "title",
    "transaction",
    "tree",
    "tx",
    "uid",
    "uri",
    "url",
    "user",
    "uuid",
    "value",
    "values",
    "var",
    "variable",
    "version",
    "word",
];

/// Vendors whose keys are UUIDs.
const OF_UUIDS: &[&str] = &[
    "buttondown",
    "coinmarketcap",
    "exa",
    "gladia",
    "helius",
    "heroku",
    "leonardo",
    "linkup",
    "postmark",
    "raindrop",
    "sambanova",
    "shortcut",
    "snyk",
    "urlscan",
    "vapi",
];

/// Names of what makes the thing before them: `Client.new(`, `vendor.New(`.
const MAKING: &[&str] = &["builder", "create", "new"];

/// Calls that take a key and whose names do not say so.
const OF_PLAIN: &[&str] =
    &["algoliasearch", "deepgram", "rest", "finnhub", "mailgun", "pusher", "stripe", "typesense"];

/// What is called, as its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Callee {
    /// Takes a key: `Client(`, `init(`.
    Client,
    /// Makes something: `new Vendor(`, `Vendor(`.
    Maker,
    /// The same of a vendor of [`OF_UUIDS`].
    MakerOfUuids,
}

/// The keys among the first arguments of a call.
pub(super) fn read(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let Some(callee) = Callee::before(text, at.start) else { return };
    let end = line_end(text, at.start, CALL_MAX);
    let mut from = at.start + 1;
    for _ in 0..ARGUMENTS_MAX {
        if let Some(value) = value::quoted(text, skip_blanks(text, from))
            && callee.takes(&text[value.range.clone()])
        {
            found.push(Span { range: value.range, kind: "api-key", named: false });
        }
        let Some(comma) = next_argument(text, from, end) else { return };
        from = comma + 1;
    }
}

impl Callee {
    /// What stands before the bracket at `at`.
    fn before(text: &str, at: usize) -> Option<Self> {
        let bytes = &text.as_bytes()[..at];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = bytes.iter().rev().take(NAME_MAX).take_while(|byte| is_part(byte)).count();
        let (lead, name) = (&bytes[..at - length], &text[at - length..at]);
        if name.is_empty() {
            // `require('vendor')('key')`
            let from = text.ceil_char_boundary(at.saturating_sub(NAME_MAX));
            let required = bytes.ends_with(b"')") || bytes.ends_with(b"\")");
            return (required && text[from..at].contains("require(")).then_some(Self::Client);
        }
        let maker = |name: &str| {
            let kind = if OF_UUIDS.contains(&name) { Self::MakerOfUuids } else { Self::Maker };
            (!OTHERS.iter().any(|end| name.ends_with(end))).then_some(kind)
        };
        let lower = name.to_ascii_lowercase();
        let owner = segment(text, lead.len()).to_ascii_lowercase();
        if MAKING.contains(&&*lower) && !owner.is_empty() {
            let is_client = CLIENTS.iter().any(|end| owner.ends_with(end));
            return if is_client { Some(Self::Client) } else { maker(&owner) };
        }
        if CLIENTS.iter().any(|end| lower.ends_with(end)) || OF_PLAIN.contains(&&*lower) {
            return Some(Self::Client);
        }
        let made = lead.ends_with(b"new ");
        let short = name.len() <= 5 && (made || lead.ends_with(b"= "));
        let is_type = name.starts_with(|char: char| char.is_ascii_uppercase())
            && (short || name.bytes().any(|byte| byte.is_ascii_lowercase()));
        // `butter.Butter(`, but not `hex.DecodeString(`.
        let is_module = owner.len() > 2 && lower.starts_with(&owner);
        let stands = made || !lead.ends_with(b".") || is_module;
        if is_type && stands && !lead.ends_with(b":") { maker(&lower) } else { None }
    }

    /// True for a key as vendors draw them.
    fn takes(self, value: &str) -> bool {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'=');
        // An account of a chain: shorter than its key.
        if value.starts_with("0x") && value.len() == 42 {
            return false;
        }
        if self == Self::Client && value.len() <= KEY_MAX && value.contains(['+', '/']) {
            let value = value.trim_end_matches('=');
            return drawn::is_base64(value, Mix::of(value));
        }
        if value.len() < MIXED_MIN || value.len() > KEY_MAX || !value.bytes().all(is_part) {
            return false;
        }
        if shape::is_uuid(value) {
            return self != Self::Maker;
        }
        let mix = Mix::of(value);
        let is_alphabet =
            value.contains("01234567") || value.to_ascii_lowercase().contains("abcdefgh");
        if is_alphabet || shape::is_wordy(value) || shape::is_placeholder(value) || mix.symbols > 3
        {
            return false;
        }
        if mix.lower > 0 && mix.upper > 0 {
            self.takes_mixed(value, mix)
        } else {
            is_plain(value, mix)
        }
    }

    /// Letters of both cases with digits.
    fn takes_mixed(self, value: &str, mix: Mix) -> bool {
        // `TrustAllX509TrustManager` is made of words too.
        let without_digits = value.replace(|char: char| char.is_ascii_digit(), "_");
        let digits = if self == Self::Client && value.len() >= PLAIN_MIN { 1 } else { 3 };
        mix.digits >= digits
            && mix.lower > 2
            && mix.upper > 2
            && !shape::is_wordy(&without_digits)
            && shape::entropy(value.as_bytes()) >= 3.8
    }
}

/// Digits and letters of one case; `TLS_CHACHA20_POLY1305_SHA256` is a name.
fn is_plain(value: &str, mix: Mix) -> bool {
    let is_name = mix.lower == 0 && mix.symbols > 0;
    !is_name
        && value.len() >= PLAIN_MIN
        && mix.digits * 6 >= value.len()
        && mix.letters() * 6 >= value.len()
        && shape::entropy(value.as_bytes()) >= 3.0
}

/// The word before the dot or the colons at the end of `text[..end]`; empty where none stands there.
fn segment(text: &str, end: usize) -> &str {
    let Some(owner) = text[..end].strip_suffix('.').or_else(|| text[..end].strip_suffix("::"))
    else {
        return "";
    };
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = owner.bytes().rev().take(NAME_MAX).take_while(is_part).count();
    &owner[owner.len() - length..]
}

#[cfg(test)]
mod tests {
    use super::{OPENINGS, read};

    const KEY: &str = "q9ZrT4mW7xK2bN8vC5hJ3gF6dS1aPyLe";
    const HEX: &str = "9f86d081884c7d659a2feaa0c55ad015";
    const UUID: &str = "6d0f2f4a-8b1c-4e57-9a3d-1f2e3d4c5b6a";

    fn found(text: &str) -> Vec<String> {
        let mut spans = Vec::new();
        for opening in OPENINGS {
            for (at, _) in text.match_indices(opening) {
                read(text, at..at + opening.len(), &mut spans);
            }
        }
        spans.into_iter().map(|span| text[span.range].to_owned()).collect()
    }

    #[test]
    fn what_makes_a_client_is_given_its_key() {
        for (call, key) in [
            (format!("new Vendor('{KEY}')"), KEY),
            (format!("vendor.Vendor(\"{HEX}\")"), HEX),
            (format!("Vendor(\"{HEX}\", timeout=3)"), HEX),
            (format!("client = VendorClient('eu', \"{KEY}\")"), KEY),
            (format!("require('vendor')('{KEY}')"), KEY),
            (format!("vendor.init(\"{UUID}\")"), UUID),
            (format!("Vendor::Client.new('{UUID}')"), UUID),
            (format!("vendor.New(\"{HEX}\")"), HEX),
            (format!("new Helius(\"{UUID}\")"), UUID),
        ] {
            assert_eq!(found(&call), [key], "{call}");
        }
    }

    #[test]
    fn what_makes_a_record_is_given_its_identifier() {
        for call in [
            format!("new Uuid(\"{UUID}\")"),
            format!("new Order(\"{UUID}\")"),
            format!("find_by_id('{HEX}')"),
            format!("hex.DecodeString(\"{HEX}\")"),
            format!("ObjectId(\"{HEX}\")"),
            format!("GitCommit('{HEX}')"),
            format!("new Blob('{HEX}')"),
            format!("new Wallet('0x{HEX}01234567')"),
            format!("ObjectId.new('{HEX}')"),
            format!("Order.create('{UUID}')"),
            format!("Error::NotFound(\"{HEX}\")"),
            "init(\"TLS_CHACHA20_POLY1305_SHA256\", 0x1303)".to_owned(),
            "@Suppress(\"TrustAllX509TrustManager\")".to_owned(),
            "new Page('https://example.com/a1/b2/c3/d4/e5/f6')".to_owned(),
        ] {
            assert_eq!(found(&call), [] as [String; 0], "{call}");
        }
    }
}
