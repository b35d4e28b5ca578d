//! Tokens of vendors that no rule names: a few short words, then a long run drawn at random, as in
//! `acme_live_...`. Absent: forms that only a vendor's rule can tell from a name or a digest.

use crate::shape::{self, Mix};

/// The most words before the drawn part.
const WORDS_MAX: usize = 4;

/// The longest of these words, in bytes.
const WORD_MAX: usize = 12;

/// The longest token: a longer run is data in base64, such as a signature of some kilobytes.
const RUN_MAX: usize = 400;

/// The shortest drawn part behind words that say nothing: identifiers of records are shorter.
const LENGTH_MIN: usize = 32;

/// The shortest drawn part behind words in lower case and `_` that name no record.
const VENDORS_MIN: usize = 24;

/// The shortest drawn part of letters of one case and digits behind the same.
const VENDORS_PLAIN_MIN: usize = 32;

/// The shortest drawn part of hexadecimal digits.
const HEX_MIN: usize = 32;

/// The shortest drawn part in base64, whose signs stand in paths too.
const BASE64_MIN: usize = 40;

/// The shortest drawn part with signs in it.
const SIGNED_MIN: usize = 40;

/// The shortest drawn part of letters of both cases behind a word of [`TELLING`].
const TOLD_MIN: usize = 20;

/// The shortest drawn part of one case behind a word of [`TELLING`].
const TOLD_PLAIN_MIN: usize = 24;

/// Words that stand in secret tokens and rarely in identifiers.
const TELLING: &[&str] = &[
    "access",
    "admin",
    "ak",
    "api",
    "apikey",
    "key",
    "live",
    "pat",
    "personal",
    "priv",
    "private",
    "prod",
    "production",
    "refresh",
    "rk",
    "sandbox",
    "sbox",
    "sec",
    "secret",
    "sk",
    "tkn",
    "tok",
    "token",
];

/// Words of where a key is used: they tell as much, but only before letters of both cases.
const STAGES: &[&str] =
    &["dev", "development", "sdk", "server", "service", "stage", "staging", "stg", "svc", "test"];

/// Words of what names a record, a content or a file: hexadecimal digits behind them are no secret.
const RECORDS: &[&str] = &[
    "acct",
    "app",
    "asset",
    "assistant",
    "asst",
    "avatar",
    "backup",
    "batch",
    "blob",
    "bundle",
    "cache",
    "call",
    "chatcmpl",
    "checksum",
    "cmpl",
    "common",
    "conv",
    "crash",
    "css",
    "cus",
    "data",
    "digest",
    "doc",
    "dpl",
    "dump",
    "etag",
    "event",
    "evt",
    "fc",
    "file",
    "fingerprint",
    "fn",
    "font",
    "func",
    "gen",
    "group",
    "hash",
    "icon",
    "id",
    "image",
    "img",
    "in",
    "index",
    "item",
    "job",
    "layer",
    "log",
    "logo",
    "main",
    "message",
    "msg",
    "node",
    "obj",
    "object",
    "org",
    "page",
    "photo",
    "price",
    "project",
    "ref",
    "report",
    "req",
    "request",
    "resp",
    "response",
    "rs",
    "run",
    "runtime",
    "screenshot",
    "ses",
    "session",
    "sig",
    "signature",
    "snapshot",
    "span",
    "static",
    "step",
    "style",
    "styles",
    "task",
    "test",
    "thread",
    "thumb",
    "toolu",
    "trace",
    "tree",
    "txn",
    "upload",
    "user",
    "usr",
    "uuid",
    "var",
    "vendor",
    "video",
    "view",
    "vs",
];

/// More of them: letters of both cases behind them are no secret unless they are many.
const OBJECTS: &[&str] = &[
    "account",
    "address",
    "agent",
    "atmpt",
    "card",
    "cart",
    "ch",
    "charge",
    "check",
    "client",
    "cluster",
    "comment",
    "commit",
    "conn",
    "connection",
    "container",
    "cs",
    "customer",
    "deploy",
    "deployment",
    "dev",
    "device",
    "directory",
    "disk",
    "domain",
    "dsp",
    "ecfg",
    "ep",
    "error",
    "evnt",
    "export",
    "fa",
    "feed",
    "ff",
    "field",
    "filter",
    "folder",
    "form",
    "ft",
    "grp",
    "hook",
    "icfg",
    "ig",
    "ii",
    "il",
    "import",
    "inst",
    "instance",
    "inv",
    "invitation",
    "invoice",
    "ip",
    "kms",
    "label",
    "lead",
    "lib",
    "link",
    "list",
    "loc",
    "location",
    "media",
    "mem",
    "member",
    "meta",
    "mod",
    "model",
    "msgbatch",
    "network",
    "note",
    "notif",
    "nr",
    "oauth",
    "op",
    "option",
    "order",
    "organization",
    "owner",
    "partner",
    "payment",
    "payout",
    "peer",
    "permission",
    "ph",
    "pi",
    "pipeline",
    "plan",
    "pm",
    "po",
    "policy",
    "post",
    "prj",
    "product",
    "proj",
    "promo",
    "pv",
    "pvc",
    "query",
    "queue",
    "quote",
    "re",
    "record",
    "refund",
    "region",
    "release",
    "repo",
    "res",
    "role",
    "room",
    "route",
    "row",
    "rule",
    "sched",
    "schedule",
    "sdk",
    "seg",
    "segment",
    "serv",
    "service",
    "sess",
    "seti",
    "setupintent",
    "shard",
    "share",
    "si",
    "site",
    "sku",
    "slot",
    "source",
    "space",
    "src",
    "stack",
    "stage",
    "state",
    "store",
    "stream",
    "sub",
    "subscription",
    "svc",
    "table",
    "tag",
    "team",
    "template",
    "tenant",
    "ticket",
    "tool",
    "tr",
    "transaction",
    "tx",
    "unit",
    "url",
    "version",
    "vm",
    "vol",
    "volume",
    "webhook",
    "wf",
    "workflow",
    "workspace",
    "wrkspc",
    "ws",
    "zone",
];

/// Words of what is meant to be seen: public keys, digests, content addresses, file names.
const PUBLIC: &[&str] = &[
    "bafy",
    "blake2b",
    "blake3",
    "build",
    "chunk",
    "client",
    "commit",
    "md5",
    "phc",
    "pk",
    "pub",
    "public",
    "publishable",
    "rev",
    "sha",
    "sha1",
    "sha256",
    "sha384",
    "sha512",
];

/// True for a run of letters, digits and signs that is a token by its form alone.
pub(crate) fn is_token(run: &str) -> bool {
    if run.len() > RUN_MAX || !run.starts_with(|char: char| char.is_ascii_alphabetic()) {
        return false;
    }
    let (mut at, mut prefix) = (0, Prefix::default());
    for _ in 0..WORDS_MAX {
        let Some(length) = run[at..].find(['_', '-']) else { break };
        let word = &run[at..at + length];
        if !is_word(word) {
            break;
        }
        let lower = word.to_ascii_lowercase();
        if PUBLIC.contains(&lower.as_str()) {
            return false;
        }
        prefix.tells = prefix.tells || TELLING.contains(&lower.as_str());
        prefix.is_stage = prefix.is_stage || STAGES.contains(&lower.as_str());
        prefix.is_of_record = prefix.is_of_record || RECORDS.contains(&lower.as_str());
        prefix.is_of_object = prefix.is_of_object || OBJECTS.contains(&lower.as_str());
        prefix.is_joined_low = run.as_bytes()[at + length] == b'_' && word == lower && length > 1;
        at += length + 1;
    }
    at > 0 && is_drawn(&run[at..], prefix)
}

/// What the words before the drawn part say.
#[derive(Debug, Default, Clone, Copy)]
struct Prefix {
    /// It stands in secrets.
    tells: bool,
    /// It says where a key is used.
    is_stage: bool,
    /// It stands in identifiers.
    is_of_record: bool,
    /// It stands in identifiers that are shorter than a secret.
    is_of_object: bool,
    /// The last of them is in lower case and joined by `_`, as vendors have it and names of files rarely.
    is_joined_low: bool,
}

impl Prefix {
    /// As vendors begin their tokens.
    fn is_vendors(self) -> bool {
        self.is_joined_low && !self.is_of_record
    }
}

/// A word before the drawn part: a letter, then letters and digits, all of one case.
fn is_word(word: &str) -> bool {
    let mix = Mix::of(word);
    word.len() <= WORD_MAX
        && word.starts_with(|char: char| char.is_ascii_alphabetic())
        && mix.digits < 4
        && (mix.lower == 0 || mix.upper == 0)
}

/// Drawn at random, and long enough for what the words before it say.
fn is_drawn(tail: &str, prefix: Prefix) -> bool {
    let longest = tail.split(['_', '-']).max_by_key(|piece| piece.len()).unwrap_or("");
    let mix = Mix::of(tail);
    let mixed = mix.digits > 1 && mix.upper > 2 && mix.lower > 2;
    if shape::is_wordy(longest) || shape::is_uuid(tail) || shape::is_placeholder(tail) {
        return false;
    }
    let length = longest.len();
    if tail.contains(['+', '/']) {
        return mixed && prefix.is_joined_low && is_base64(tail, mix);
    }
    if mixed {
        return is_long(tail, longest, mix, prefix) && shape::entropy(tail.as_bytes()) >= 3.8;
    }
    let drawn = mix.digits > 3 && shape::entropy(longest.as_bytes()) >= 3.0;
    let is_vendors = prefix.is_vendors() && length == tail.len();
    if longest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return drawn && length >= HEX_MIN && (prefix.tells || is_vendors);
    }
    let is_plain = is_vendors
        && !prefix.is_of_object
        && length >= VENDORS_PLAIN_MIN
        && mix.digits * 6 >= length;
    drawn && (prefix.tells && length >= TOLD_PLAIN_MIN || is_plain)
}

/// Long enough for letters of both cases with digits: in one piece, or with signs in it.
fn is_long(tail: &str, longest: &str, mix: Mix, prefix: Prefix) -> bool {
    let length = longest.len();
    let signed = tail.len() >= SIGNED_MIN && length >= 8 && mix.digits > 3 && mix.symbols < 8;
    let is_vendors =
        prefix.is_vendors() && !prefix.is_of_object && length == tail.len() && mix.digits > 2;
    let is_signed_vendors = prefix.is_vendors()
        && !prefix.is_of_object
        && tail.len() >= SIGNED_MIN
        && mix.digits > 1
        && mix.symbols < 8
        && mix.upper > 7
        && mix.lower > 7
        && shape::entropy(tail.as_bytes()) >= 4.4;
    length >= LENGTH_MIN
        || signed
        || is_signed_vendors
        || (prefix.tells || prefix.is_stage) && length >= TOLD_MIN
        || is_vendors && length >= VENDORS_MIN
}

/// Base64 of random bytes and no path: its signs are few, and no part of it is a name.
fn is_base64(tail: &str, mix: Mix) -> bool {
    let longest = tail.split(['+', '/']).max_by_key(|piece| piece.len()).unwrap_or("");
    tail.len() >= BASE64_MIN
        && mix.symbols <= 1 + tail.len() / 12
        && mix.digits > 3
        && mix.upper > 7
        && mix.lower > 7
        && longest.len() >= 8
        && !shape::is_wordy(longest)
        && shape::entropy(tail.as_bytes()) >= 4.4
}

#[cfg(test)]
mod tests {
    use super::is_token;

    #[test]
    fn words_and_a_drawn_run_are_a_token() {
        for token in [
            "acme_q9ZrT4mW7xK2bN8vC5hJ3gF6dS1aPyLe",
            "acme_live_q9ZrT4mW7xK2bN8vC5hJ",
            "acme-k3-q9Zr_T4mW7xK2bN8vC-5hJ3gF6dS1aPyLe0uYtR7",
            "acme_secret_9f86d081884c7d659a2feaa0c55ad015",
            "ACME1_q9ZrT4mW7xK2_bN8vC5hJ3gF6dS1aPyLeq9ZrT4mW7xK2bN8vC5",
            "acme_v1_9f86d081884c7d659a2feaa0c55ad015",
            "acme_q9ZrT4mW7x/2bN8vC5hJ3gF6dS1aPyLeUt+4mW7xKz8",
        ] {
            assert!(is_token(token), "{token}");
        }
    }

    #[test]
    fn identifiers_digests_and_names_are_none() {
        for name in [
            "call_q9ZrT4mW7xK2bN8vC5hJ3gF6",
            "user_q9ZrT4mW7xK2bN8vC5hJ3gF6dS1",
            "main-9f86d081884c7d659a2feaa0c55ad015",
            "sha256_9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015",
            "pk_live_q9ZrT4mW7xK2bN8vC5hJ3gF6dS1aPyLe",
            "a_test_of_names_that_go_on_and_on_and_on",
            "ThisIsALongNameOfAClassInTheWholeOfTheProject2024",
            "image_9f86d081-884c-4d65-9a2f-eaa0c55ad015",
            "msg_9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a",
            "chatcmpl-q9ZrT4mW7xK2bN8vC5hJ3gF6dS1aP",
            "index_9f86d081884c7d659a2feaa0c55ad0151234abcd",
            "dpl_q9ZrT4mW7xK2bN8vC5hJ3gF6dS1a",
            "ninja-9f86d081884c7d659a2feaa0c55ad0151234abcd",
            "my_project/Src2/MainWindow/Button3Controller/TestOfAll4",
        ] {
            assert!(!is_token(name), "{name}");
        }
        let signature = format!("f_{}", "q9ZrT4mW7xK2bN8vC5hJ3gF6dS1aPyLe".repeat(40));
        assert!(!is_token(&signature));
    }
}
