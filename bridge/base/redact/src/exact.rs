//! Exact values: secrets the process itself holds, in every form in which they may surface.

use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

use crate::detect::Span;

/// What an exact value is called in its marker.
pub(crate) const KIND: &str = "known-secret";

/// The shortest value and the shortest form that is looked for, in bytes.
const LEAST: usize = 6;

/// An automaton over all forms of all values. It has no `Debug`: it holds secrets.
pub(crate) struct ExactValues {
    automaton: AhoCorasick,
    /// The forms that go over several lines.
    lined: Vec<String>,
}

impl ExactValues {
    /// None if no value is long enough.
    pub(crate) fn new(secrets: &[String]) -> Option<Self> {
        let mut forms = BTreeSet::new();
        for secret in secrets.iter().filter(|secret| secret.len() >= LEAST) {
            forms.extend(forms_of(secret));
        }
        if forms.is_empty() {
            return None;
        }
        let lined = forms.iter().filter(|form| form.contains('\n')).cloned().collect();
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(forms)
            .expect("a few short values fit in an automaton");
        Some(Self { automaton, lined })
    }

    /// Where the lines at the end of `text` begin that could be the first ones of a form.
    pub(crate) fn begun(&self, text: &str) -> Option<usize> {
        let lines = |form: &str| {
            let mut ends = form.match_indices('\n').map(|(at, _)| at + 1);
            ends.rfind(|end| *end < form.len() && text.ends_with(&form[..*end]))
        };
        let longest = self.lined.iter().filter_map(|form| lines(form)).max()?;
        Some(text.len() - longest)
    }

    /// Adds every occurrence that lies in no marker. A form ends on a character boundary because
    /// it is itself whole text.
    pub(crate) fn scan(&self, text: &str, markers: &[Range<usize>], found: &mut Vec<Span>) {
        let inside = |range: &Range<usize>| {
            let next = markers.partition_point(|marker| marker.end < range.end);
            markers.get(next).is_some_and(|marker| marker.start <= range.start)
        };
        for hit in self.automaton.find_iter(text) {
            if !inside(&hit.range()) {
                found.push(Span { range: hit.range(), kind: KIND, named: true });
            }
        }
    }
}

fn forms_of(secret: &str) -> Vec<String> {
    let json = json_escaped(secret);
    let mut forms = vec![
        secret.to_owned(),
        json_escaped(&json),
        json.replace('/', "\\/"),
        ascii_json_escaped(secret),
        json,
        percent(secret, "%20", |byte| format!("%{byte:02X}")),
        percent(secret, "%20", |byte| format!("%{byte:02x}")),
        percent(secret, "+", |byte| format!("%{byte:02X}")),
        html_escaped(secret),
        secret.bytes().map(|byte| format!("{byte:02x}")).collect(),
        secret.bytes().map(|byte| format!("{byte:02X}")).collect(),
    ];
    for offset in 0..3 {
        let standard = base64_core(secret, offset);
        forms.push(standard.replace('+', "-").replace('/', "_"));
        forms.push(percent(&standard, "%20", |byte| format!("%{byte:02X}")));
        forms.push(standard);
    }
    forms.push(STANDARD.encode(secret));
    forms.push(URL_SAFE.encode(secret));
    forms.retain(|form| form.len() >= LEAST);
    forms
}

/// The base64 characters that depend on the secret alone when it begins at `offset` modulo three
/// in a longer text, as in `user:secret` of a Basic header.
fn base64_core(secret: &str, offset: usize) -> String {
    let mut padded = vec![0u8; offset];
    padded.extend_from_slice(secret.as_bytes());
    let encoded = STANDARD.encode(&padded);
    // The first characters mix with the bytes before the secret, the last with those after it.
    let from = (offset * 8).div_ceil(6);
    let to = padded.len() * 8 / 6;
    encoded[from..to.max(from)].to_owned()
}

fn json_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        match char {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            char if char.is_control() => escaped.push_str(&format!("\\u{:04x}", u32::from(char))),
            char => escaped.push(char),
        }
    }
    escaped
}

/// As [`json_escaped`], with everything outside ASCII and `& < >` as `\uXXXX`.
fn ascii_json_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for char in json_escaped(text).chars() {
        if char.is_ascii() && !matches!(char, '&' | '<' | '>') {
            escaped.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            escaped.push_str(&format!("\\u{unit:04x}"));
        }
    }
    escaped
}

fn percent(text: &str, space: &str, escape: impl Fn(u8) -> String) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for byte in text.bytes() {
        match byte {
            b' ' => escaped.push_str(space),
            b'-' | b'_' | b'.' | b'~' => escaped.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => escaped.push(char::from(byte)),
            byte => escaped.push_str(&escape(byte)),
        }
    }
    escaped
}

fn html_escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}
