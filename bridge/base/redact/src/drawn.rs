//! Tokens of vendors that no rule names: a few short words, then a long run drawn at random, as in
//! `acme_live_...`. Not here: forms that only a vendor's rule can tell from a name or a digest.

mod words;

use crate::shape::{self, Mix};
use words::{KINDS_OF_FILES, OBJECTS, PUBLIC, RECORDS, STAGES, TELLING};

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

/// The shortest drawn part of one case behind a short word and a dash.
const PLAIN_MIN: usize = 28;

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
        prefix.tells = prefix.tells || TELLING.contains(&lower.as_str()) || is_noun(&lower);
        prefix.is_stage = prefix.is_stage || STAGES.contains(&lower.as_str());
        prefix.is_of_record = prefix.is_of_record || RECORDS.contains(&lower.as_str());
        prefix.is_of_object = prefix.is_of_object || OBJECTS.contains(&lower.as_str());
        prefix.is_joined_low = run.as_bytes()[at + length] == b'_' && word == lower && length > 1;
        at += length + 1;
    }
    at > 0 && (is_drawn(&run[at..], prefix) || is_short_word(run, at) && is_of_one_case(&run[at..]))
}

/// One word of a few letters and a dash, which names no record, file or language: `acme-`.
fn is_short_word(run: &str, at: usize) -> bool {
    let Some(word) = run[..at].strip_suffix('-') else { return false };
    let known = [RECORDS, OBJECTS, PUBLIC, KINDS_OF_FILES].iter().any(|list| list.contains(&word));
    (2..=4).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase()) && !known
}

/// Drawn from digits and the letters of one case, as long as keys are and identifiers are not.
fn is_of_one_case(tail: &str) -> bool {
    let mix = Mix::of(tail);
    let hex = tail.bytes().all(|byte| byte.is_ascii_hexdigit());
    // 40 and 64 digits are digests: of a commit, a cache, an image.
    let long = if hex { tail.len() == 32 } else { tail.len() >= PLAIN_MIN };
    long && mix.symbols == 0
        && mix.upper == 0
        && mix.digits * 6 >= tail.len()
        && mix.lower * 6 >= tail.len()
        && !shape::is_placeholder(tail)
        && shape::entropy(tail.as_bytes()) >= 3.0
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

/// A word before the drawn part: a letter, then letters and digits, all of one case, or a name of a key.
fn is_word(word: &str) -> bool {
    let mix = Mix::of(word);
    word.len() <= WORD_MAX
        && word.starts_with(|char: char| char.is_ascii_alphabetic())
        && mix.digits < 4
        && (mix.lower == 0
            || mix.upper == 0
            || mix.digits == 0 && is_noun(&word.to_ascii_lowercase()))
}

/// `apikey`, `accesstoken`
fn is_noun(word: &str) -> bool {
    ["key", "token", "secret"].iter().any(|noun| word.ends_with(noun)) && !word.starts_with("pub")
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
pub(crate) fn is_base64(tail: &str, mix: Mix) -> bool {
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
            "acme-9f86d081884c7d659a2feaa0c55ad015",
            "acme_q9ZrT4mW7xK2bN8vC5hJ3gF6",
            "acme_test_q9ZrT4mW7xK2bN8vC5hJ",
            "acmeApiKey_q9ZrT4mW7xK2bN8vC5hJ",
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
            "sess_q9ZrT4mW7xK2bN8vC5hJ3gF6",
            "sha-9f86d081884c7d659a2feaa0c55ad015",
            "pnpm-9f86d081884c7d659a2feaa0c55ad015",
            "fix-9f86d081884c7d659a2feaa0c55ad01512345678",
            "ninja-9f86d081884c7d659a2feaa0c55ad0151234abcd",
            "my_project/Src2/MainWindow/Button3Controller/TestOfAll4",
        ] {
            assert!(!is_token(name), "{name}");
        }
        let signature = format!("f_{}", "q9ZrT4mW7xK2bN8vC5hJ3gF6dS1aPyLe".repeat(40));
        assert!(!is_token(&signature));
    }
}
