//! The redactor: candidates from every source, overlaps resolved, markers put in their place.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::detect::Span;
use crate::exact::ExactValues;
use crate::fold::Folded;
use crate::{decode, exact, marker, prefilter};

/// How often a text is read again before what is found takes its surroundings along. A marker that
/// has taken a secret's place can uncover a neighbour; more than a few such steps happen only in
/// text made for it.
const EXACT_PASSES: u32 = 16;

/// The end of a beginning of a text is not trusted, in bytes: a secret may be split there.
/// Longer than any secret that is looked for.
pub(crate) const SPLIT: usize = 40 << 10;

/// Replaces secrets in text by `[REDACTED:kind]`.
///
/// Making one costs nothing; the search for keywords is made at the first redaction of the process
/// and each pattern at the first text that needs it. Cloning shares the exact values.
#[derive(Clone, Default)]
pub struct Redactor {
    exact: Option<Arc<ExactValues>>,
}

/// A text without its secrets, and what was taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'t> {
    /// The text; borrowed if nothing was found.
    pub text: Cow<'t, str>,
    /// How many secrets of each kind were replaced.
    pub counts: BTreeMap<&'static str, u32>,
}

impl Redactor {
    /// A redactor that knows the vendors' formats and the usual ways to write a secret down.
    pub fn new() -> Self {
        Self::default()
    }

    /// A redactor that also replaces these exact values, wherever they stand and whatever their
    /// shape: plain, escaped for JSON (once or twice), URL or HTML, in base64 at any offset, in
    /// hex. Values shorter than six bytes are ignored: they would tear ordinary words apart.
    pub fn with_values(secrets: Vec<String>) -> Self {
        Self { exact: ExactValues::new(&secrets).map(Arc::new) }
    }

    /// Replaces every secret in `text`.
    ///
    /// The result is stable: redacting it again changes nothing, because this ends only when
    /// nothing more is found. A text in which each marker uncovers one more secret loses twice as
    /// much around each with every further pass, so the passes grow with the logarithm of the
    /// length of `text`, and each is linear in it.
    pub fn redact<'t>(&self, text: &'t str) -> Redacted<'t> {
        let (masks, counts) = self.masks(text);
        let text = match masks.as_slice() {
            [] => Cow::Borrowed(text),
            masks => Cow::Owned(replace(text, masks)),
        };
        Redacted { text, counts }
    }

    /// What is replaced in `text`, in order and without overlap, and how many secrets of each kind
    /// were found on the way.
    pub(crate) fn masks(&self, text: &str) -> (Vec<Span>, BTreeMap<&'static str, u32>) {
        let mut counts = BTreeMap::new();
        let mut masks = Vec::new();
        let mut masked = Cow::Borrowed(text);
        for pass in 0u32.. {
            let mut spans = self.find(&masked);
            if spans.is_empty() {
                break;
            }
            if let Some(step) = pass.checked_sub(EXACT_PASSES) {
                let around = 32usize.saturating_mul(1 << step.min(31));
                spans = self.spread(&masked, spans, around);
            }
            for span in &spans {
                *counts.entry(span.kind).or_insert(0) += 1;
            }
            masks = unmasked(masks, spans);
            masked = Cow::Owned(replace(text, &masks));
        }
        (masks, counts)
    }

    /// The spans with the bytes `around` each of them.
    fn spread(&self, text: &str, mut spans: Vec<Span>, around: usize) -> Vec<Span> {
        let markers = self.markers(text);
        for Span { range, .. } in &mut spans {
            range.start = text.floor_char_boundary(range.start.saturating_sub(around));
            range.end = text.ceil_char_boundary(range.end.saturating_add(around));
            widen(range, &markers);
        }
        merge(spans)
    }

    /// The secrets in `text`: in order, without overlap, none of them a marker.
    fn find(&self, text: &str) -> Vec<Span> {
        let markers = self.markers(text);
        let mut found = Vec::new();
        if let Some(exact) = &self.exact {
            exact.scan(text, &markers, &mut found);
        }
        prefilter::scan(text, &markers, &mut found);
        decode::scan(text, &mut found);
        if let Some(folded) = Folded::of(text) {
            self.find_folded(&folded, &mut found);
        }
        found.retain(|span| is_new(text, &markers, span));
        for span in &mut found {
            widen(&mut span.range, &markers);
        }
        merge(found)
    }

    /// What shows itself once escapes are decoded and pieces joined.
    fn find_folded(&self, folded: &Folded, found: &mut Vec<Span>) {
        let markers = self.markers(&folded.text);
        let mut more = Vec::new();
        if let Some(exact) = &self.exact {
            exact.scan(&folded.text, &markers, &mut more);
        }
        prefilter::scan(&folded.text, &markers, &mut more);
        decode::scan(&folded.text, &mut more);
        more.retain(|span| is_new(&folded.text, &markers, span));
        found.extend(
            more.into_iter().map(|span| Span { range: folded.original(&span.range), ..span }),
        );
    }

    /// Where the lines at the end of `text` begin that could be the first ones of an exact value.
    pub(crate) fn begun(&self, text: &str) -> Option<usize> {
        self.exact.as_ref()?.begun(text)
    }

    fn markers(&self, text: &str) -> Vec<Range<usize>> {
        marker::find(text, |kind| kind == exact::KIND || prefilter::is_kind(kind))
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Redactor").finish_non_exhaustive()
    }
}

/// Something is left to replace in the span. An exact value counts whatever it is made of: that it
/// lies in no marker is known where it is found.
fn is_new(text: &str, markers: &[Range<usize>], span: &Span) -> bool {
    span.kind == exact::KIND || !marker::covers(text, markers, &span.range)
}

/// Takes in whole every marker that `range` cuts, so that no half of one is left.
fn widen(range: &mut Range<usize>, markers: &[Range<usize>]) {
    let first = markers.partition_point(|marker| marker.end <= range.start);
    for marker in &markers[first..] {
        if marker.start >= range.end {
            break;
        }
        range.start = range.start.min(marker.start);
        range.end = range.end.max(marker.end);
    }
}

/// Joins what overlaps, so that no end of a longer secret is left standing. The longest part names
/// the whole; of equal parts a vendor's format goes before a guess from a name.
fn merge(mut found: Vec<Span>) -> Vec<Span> {
    found.sort_by_key(|span| (span.range.start, span.range.end));
    let mut merged: Vec<(Span, usize)> = Vec::with_capacity(found.len());
    for span in found {
        let length = span.range.len();
        match merged.last_mut() {
            Some((last, longest)) if span.range.start < last.range.end => {
                last.range.end = last.range.end.max(span.range.end);
                if (length, span.named) > (*longest, last.named) {
                    (last.kind, last.named, *longest) = (span.kind, span.named, length);
                }
            }
            _ => merged.push((span, length)),
        }
    }
    merged.into_iter().map(|(span, _)| span).collect()
}

/// Translates `spans` of a masked text into spans of the text that it was made of, where `masks`
/// were replaced. A span cuts no marker; those in it are part of it.
fn unmasked(masks: Vec<Span>, spans: Vec<Span>) -> Vec<Span> {
    let mut merged = Vec::with_capacity(masks.len() + spans.len());
    let mut masks = masks.into_iter().peekable();
    // How many bytes the masks so far took out of the text, and how many their markers brought.
    let (mut taken, mut brought) = (0, 0);
    for Span { range, kind, named } in spans {
        while let Some(mask) = masks.next_if(|it| it.range.start + brought < range.start + taken) {
            taken += mask.range.len();
            brought += marker::length(mask.kind);
            merged.push(mask);
        }
        let start = range.start + taken - brought;
        while let Some(mask) = masks.next_if(|it| it.range.start + brought < range.end + taken) {
            taken += mask.range.len();
            brought += marker::length(mask.kind);
        }
        merged.push(Span { range: start..range.end + taken - brought, kind, named });
    }
    merged.extend(masks);
    merged
}

/// The text with a marker in the place of each of `spans`.
pub(crate) fn replace(text: &str, spans: &[Span]) -> String {
    let mut output = String::with_capacity(text.len());
    let mut from = 0;
    for span in spans {
        output.push_str(&text[from..span.range.start]);
        marker::write(span.kind, &mut output);
        from = span.range.end;
    }
    output.push_str(&text[from..]);
    output
}
