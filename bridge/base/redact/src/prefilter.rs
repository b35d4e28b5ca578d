//! The one scan over the whole text, for every keyword of every rule and reader at once. What it needs is
//! made in the fraction of a millisecond: most processes look at a few kilobytes and end.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex_automata::nfa::thompson::backtrack::BoundedBacktracker;
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

use crate::detect::{self, Reader, Span};
use crate::keywords::{Hit, Keywords};
use crate::rules::{self, Check, Rule};
use crate::shape;

/// How far past its start a token is matched, in bytes. A longer token is followed to its end by
/// [`extend`]. The bound keeps hostile text linear.
const WINDOW: usize = 768;

/// Built at the first redaction and shared by every redactor of the process.
static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(Catalogue::build);

/// Every kind that a redaction of this process can name, apart from exact values.
pub(crate) fn is_kind(kind: &str) -> bool {
    CATALOGUE.rules.iter().any(|rule| rule.rule.kind == kind) || detect::KINDS.contains(&kind)
}

/// Finds every candidate in `text`; a hit that lies inside one of `markers` is passed over.
pub(crate) fn scan(text: &str, markers: &[Range<usize>], found: &mut Vec<Span>) {
    CATALOGUE.scan(text, markers, found);
}

/// Where a token begins at the end of `text` that a line's end may have cut: behind a keyword of a
/// format stand nothing but parts of a token, over at most [`WRAPPED_LINES`] lines.
pub(crate) fn wrapped(text: &str) -> Option<usize> {
    CATALOGUE.wrapped(text)
}

/// All keywords, for the test of the search.
#[cfg(test)]
pub(crate) fn keywords() -> &'static Keywords {
    &CATALOGUE.keywords
}

struct Catalogue {
    keywords: Keywords,
    /// Where the owners of each keyword begin in `owners`; one more at the end.
    first_owners: Vec<usize>,
    /// By keyword.
    owners: Vec<Owner>,
    rules: Vec<Compiled>,
}

#[derive(Clone, Copy)]
enum Owner {
    Rule(usize),
    Reader(Reader),
}

struct Compiled {
    rule: &'static Rule,
    /// Set by the first text that holds one of the rule's keywords. A backtracker is made in a tenth of
    /// the time that an engine with automata takes, and searches no more than [`WINDOW`].
    pattern: OnceLock<BoundedBacktracker>,
}

impl Catalogue {
    fn build() -> Self {
        let rules: Vec<Compiled> =
            rules::all().map(|rule| Compiled { rule, pattern: OnceLock::new() }).collect();
        let mut owned: Vec<(&'static str, Owner)> = Vec::with_capacity(rules.len() * 2);
        for (index, compiled) in rules.iter().enumerate() {
            owned.extend(compiled.rule.keywords.iter().map(|each| (*each, Owner::Rule(index))));
        }
        for (keywords, reader) in detect::READERS {
            owned.extend(keywords.iter().map(|each| (*each, Owner::Reader(*reader))));
        }
        // Owners of one keyword stay in their order.
        owned.sort_by_key(|(keyword, _)| *keyword);
        let (mut keywords, mut first_owners) = (Vec::new(), Vec::new());
        for (index, (keyword, _)) in owned.iter().enumerate() {
            if keywords.last() != Some(keyword) {
                keywords.push(*keyword);
                first_owners.push(index);
            }
        }
        first_owners.push(owned.len());
        Self {
            keywords: Keywords::of(keywords),
            first_owners,
            owners: owned.into_iter().map(|(_, owner)| owner).collect(),
            rules,
        }
    }

    fn owners(&self, keyword: usize) -> &[Owner] {
        &self.owners[self.first_owners[keyword]..self.first_owners[keyword + 1]]
    }

    fn wrapped(&self, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut end = bytes.len() - usize::from(bytes.ends_with(b"\n"));
        for _ in 0..WRAPPED_LINES {
            let run = bytes[..end].iter().rev().take(WINDOW);
            let from = end - run.take_while(|byte| is_token_part(**byte)).count();
            let begun = from.max(end.saturating_sub(WRAPPED_FIRST_MAX));
            let is_token = |hit: &&Hit| {
                let is_rule = |owner: &Owner| matches!(owner, Owner::Rule(_));
                hit.end - hit.start >= GLUED_MIN && self.owners(hit.keyword).iter().any(is_rule)
            };
            if let Some(hit) = self.keywords.hits(&text[begun..end]).iter().filter(is_token).min() {
                return Some(begun + hit.start);
            }
            let blanks = bytes[..from].iter().rev().take(16);
            let line = from - blanks.take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            if line == 0 || bytes[line - 1] != b'\n' {
                return None;
            }
            end = line - 1;
        }
        None
    }

    fn scan(&self, text: &str, markers: &[Range<usize>], found: &mut Vec<Span>) {
        self.judge(text, markers, &self.keywords.hits(text), found);
    }

    fn judge(&self, text: &str, markers: &[Range<usize>], hits: &[Hit], found: &mut Vec<Span>) {
        // Where each rule last matched: its own keyword inside that match says nothing new.
        let mut matched = vec![0usize; self.rules.len()];
        let mut next_marker = 0;
        for hit in hits {
            while markers.get(next_marker).is_some_and(|marker| marker.end < hit.end) {
                next_marker += 1;
            }
            if markers.get(next_marker).is_some_and(|marker| marker.start <= hit.start) {
                continue;
            }
            for owner in self.owners(hit.keyword) {
                match owner {
                    Owner::Reader(read) => read(text, hit.start..hit.end, found),
                    Owner::Rule(index) => {
                        if hit.start < matched[*index] {
                            continue;
                        }
                        if let Some(span) = self.rules[*index].apply(text, hit) {
                            matched[*index] = span.range.end;
                            found.push(span);
                        }
                    }
                }
            }
        }
    }
}

impl Compiled {
    /// Tries the rule at a keyword: as the text stands, then over the line's end.
    fn apply(&self, text: &str, hit: &Hit) -> Option<Span> {
        let here = self.apply_here(text, hit);
        if here.is_some() || self.rule.before > 0 || hit.end - hit.start < GLUED_MIN {
            return here;
        }
        let wrapped = Wrapped::at(text, hit.start)?;
        let glued = Hit { start: 0, end: hit.end - hit.start, keyword: hit.keyword };
        let span = self.apply_here(&wrapped.text, &glued)?;
        let range = hit.start + wrapped.original(span.range.start)
            ..hit.start + wrapped.original(span.range.end);
        (starts_token(text, hit.start) && span.range.end > wrapped.first)
            .then_some(Span { range, ..span })
    }

    fn apply_here(&self, text: &str, hit: &Hit) -> Option<Span> {
        let (rule, keyword) = (self.rule, hit.start);
        if rule.least > 4 && !runs_on(text, keyword, rule.least) {
            return None;
        }
        if !runs_before(text, keyword, rule.lead) {
            return None;
        }
        let from = floor(text, keyword.saturating_sub(rule.before));
        let may_be_glued = may_be_glued(&text[keyword..hit.end]);
        if rule.before == 0 && !may_be_glued && !starts_token(text, keyword) {
            return None;
        }
        let window = &text[from..floor(text, keyword + WINDOW)];
        let (whole, secret) = self.matched(window)?;
        let start = from + whole.start;
        let stands_alone = rule.before == 0 && may_be_glued || starts_token(text, start);
        if start > keyword || from + whole.end <= keyword || !stands_alone {
            return None;
        }
        // Judged before its end is looked for: what fails must not cost the rest of the text.
        if !self.passes(&window[secret.clone()]) {
            return None;
        }
        let mut end = from + secret.end;
        if secret.end == window.len() {
            end = extend(text, end);
        } else if text.as_bytes().get(end).is_some_and(u8::is_ascii_alphanumeric) {
            return None;
        }
        let range = from + secret.start..end;
        self.passes(&text[range.clone()]).then(|| Span {
            range: range.start..over_the_line(text, &range),
            kind: rule.kind,
            named: true,
        })
    }

    fn pattern(&self) -> &BoundedBacktracker {
        self.pattern.get_or_init(|| {
            BoundedBacktracker::builder()
                .syntax(syntax::Config::new().unicode(false))
                .build(self.rule.pattern)
                .expect("every pattern is compiled by a test")
        })
    }

    /// The first match in a window and its secret: the first group, or all of it.
    fn matched(&self, window: &str) -> Option<(Range<usize>, Range<usize>)> {
        let pattern = self.pattern();
        let is_at_start = if self.rule.before == 0 { Anchored::Yes } else { Anchored::No };
        let input = Input::new(window).anchored(is_at_start);
        let mut slots = [None; 4];
        let tried = pattern.try_search_slots(&mut pattern.create_cache(), &input, &mut slots);
        tried.expect("a test sees that a window is never too long")?;
        let range = |slots: &[Option<NonMaxUsize>]| Some(slots[0]?.get()..slots[1]?.get());
        let whole = range(&slots[..2])?;
        let secret = range(&slots[2..]).unwrap_or_else(|| whole.clone());
        Some((whole, secret))
    }

    fn passes(&self, token: &str) -> bool {
        match self.rule.check {
            Check::Pattern => true,
            Check::Drawn => shape::is_named_token(token),
            Check::Mixed => {
                let mix = shape::Mix::of(token);
                mix.digits > 0
                    && mix.lower > 1
                    && mix.upper > 1
                    && (mix.digits > 1 || !shape::is_wordy(token))
                    && shape::is_named_token(token)
            }
        }
    }
}

/// So long a keyword with a sign in it is telling behind a letter or a digit too.
const GLUED_MIN: usize = 4;

/// The keyword tells a token wherever it stands.
fn may_be_glued(keyword: &str) -> bool {
    let sign = keyword.bytes().any(|byte| !byte.is_ascii_alphanumeric());
    keyword.len() >= GLUED_MIN && (sign || matches!(keyword, "AKIA" | "ASIA" | "AIza"))
}

/// The most lines that a token is read over.
const WRAPPED_LINES: usize = 4;

/// A line of this many token characters may have been broken by a width.
pub(crate) const WRAPPED_LINE_MIN: usize = 48;

/// The longest first line of a wrapped token, in bytes.
const WRAPPED_FIRST_MAX: usize = 160;

/// A token's text with the line breaks in it taken out.
struct Wrapped {
    text: String,
    /// How much of it stands on the first line.
    first: usize,
    /// Where each line begins, here and in the original.
    lines: Vec<(usize, usize)>,
}

impl Wrapped {
    /// The token characters from `at` on, over at most [`WRAPPED_LINES`] lines.
    fn at(text: &str, at: usize) -> Option<Self> {
        let window = &text.as_bytes()[at..text.len().min(at + WINDOW)];
        let first = window.iter().take(WRAPPED_FIRST_MAX);
        let first = first.take_while(|byte| is_token_part(**byte)).count();
        next_line(window, first)?;
        let mut wrapped = Self { text: String::new(), first: 0, lines: Vec::new() };
        let mut from = 0;
        for _ in 0..WRAPPED_LINES {
            let run = window[from..].iter().take_while(|byte| is_token_part(**byte)).count();
            if run == 0 {
                break;
            }
            wrapped.lines.push((wrapped.text.len(), from));
            wrapped.text.push_str(&text[at + from..at + from + run]);
            let Some(next) = next_line(window, from + run) else { break };
            // A soft line break of mail: the sign is no part of the token.
            if wrapped.text.ends_with('=') {
                wrapped.text.pop();
            }
            if wrapped.first == 0 {
                wrapped.first = wrapped.text.len();
            }
            from = next;
        }
        (wrapped.lines.len() > 1).then_some(wrapped)
    }

    fn original(&self, at: usize) -> usize {
        let line = self.lines.partition_point(|(start, _)| *start < at).saturating_sub(1);
        let (start, from) = self.lines[line];
        from + at - start
    }
}

/// Behind the line break at `at` and the blanks after it.
fn next_line(bytes: &[u8], at: usize) -> Option<usize> {
    (bytes.get(at) == Some(&b'\n')).then_some(())?;
    let blanks = bytes[at + 1..].iter().take(16);
    Some(at + 1 + blanks.take_while(|byte| matches!(byte, b' ' | b'\t')).count())
}

fn is_token_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.+/=~".contains(&byte)
}

/// The end of a long token, with the next line where that is nothing but its drawn rest.
fn over_the_line(text: &str, range: &Range<usize>) -> usize {
    let bytes = text.as_bytes();
    let end = range.end;
    let Some(next) = next_line(bytes, end).filter(|_| range.len() >= WRAPPED_LINE_MIN) else {
        return end;
    };
    let run = bytes[next..].iter().take(WINDOW).take_while(|byte| is_token_part(**byte)).count();
    let alone =
        bytes.get(next + run).is_none_or(|byte| matches!(byte, b'\n' | b' ' | b'"' | b'\''));
    let rest = &text[next..next + run];
    if run >= 12 && alone && shape::is_random(rest) { next + run } else { end }
}

/// True if the `lead` bytes before `at` could all belong to one token.
fn runs_before(text: &str, at: usize, lead: usize) -> bool {
    let run = at.checked_sub(lead).and_then(|from| text.as_bytes().get(from..at));
    run.is_some_and(|run| {
        run.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/_-".contains(byte))
    })
}

/// True if `least` bytes from `at` on could all belong to one token.
fn runs_on(text: &str, at: usize, least: usize) -> bool {
    text.as_bytes().get(at..at + least).is_some_and(|run| {
        run.iter().all(|byte| {
            byte.is_ascii_graphic()
                && !matches!(
                    byte,
                    b'"' | b'\''
                        | b'`'
                        | b'('
                        | b')'
                        | b'<'
                        | b'>'
                        | b'{'
                        | b'}'
                        | b'|'
                        | b','
                        | b';'
                )
        })
    })
}

/// A token may begin at `at`: what stands before it is no part of a word, or is the end of an
/// escape such as `\n`, `%3D` or a colour code.
fn starts_token(text: &str, at: usize) -> bool {
    if !text.as_bytes().get(at).is_some_and(u8::is_ascii_alphanumeric) {
        return true;
    }
    let bytes = &text.as_bytes()[..at];
    let Some(last) = bytes.last() else { return true };
    if !last.is_ascii_alphanumeric() {
        return true;
    }
    let before = &bytes[..bytes.len() - 1];
    match last {
        b'n' | b'r' | b't' if before.ends_with(b"\\") => true,
        b'm' if before.iter().rev().take(12).any(|byte| *byte == b'[') => before
            .iter()
            .rev()
            .find(|byte| !byte.is_ascii_digit() && **byte != b';')
            .is_some_and(|byte| *byte == b'['),
        last if last.is_ascii_hexdigit() => {
            let escaped = |length: usize, opening: &[u8]| {
                bytes.len() >= length && {
                    let tail = &bytes[bytes.len() - length..];
                    tail.starts_with(opening)
                        && tail[opening.len()..].iter().all(u8::is_ascii_hexdigit)
                }
            };
            escaped(3, b"%") || escaped(6, b"\\u") || escaped(4, b"\\x")
        }
        _ => false,
    }
}

/// The end of the run of token characters that goes on at `end`.
fn extend(text: &str, end: usize) -> usize {
    end + text.as_bytes()[end..].iter().take_while(|byte| is_token_part(**byte)).count()
}

/// The greatest character boundary at or below `at`.
pub(crate) fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

#[cfg(test)]
mod tests {
    //! The table itself: every pattern compiles, every keyword can match.

    use regex_automata::PatternID;

    use super::*;

    #[test]
    fn every_pattern_compiles() {
        for compiled in &CATALOGUE.rules {
            let (rule, pattern) = (compiled.rule, compiled.pattern());
            assert!(
                pattern.get_nfa().group_info().group_len(PatternID::ZERO) <= 2,
                "{}",
                rule.pattern
            );
            // A window may begin within a character, which is taken whole.
            assert!(pattern.max_haystack_len() >= rule.before + WINDOW + 3, "{}", rule.pattern);
        }
    }

    #[test]
    fn keywords_are_lower_case_and_kinds_are_short() {
        for compiled in &CATALOGUE.rules {
            for keyword in compiled.rule.keywords {
                assert_eq!(*keyword, keyword.to_ascii_lowercase());
            }
            assert!(compiled.rule.kind.len() < 40);
            let plain =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            assert!(compiled.rule.kind.bytes().all(plain));
        }
    }

    #[test]
    fn there_are_more_than_sixty_kinds() {
        let mut kinds: Vec<_> = CATALOGUE.rules.iter().map(|rule| rule.rule.kind).collect();
        kinds.extend(detect::KINDS);
        kinds.sort_unstable();
        kinds.dedup();
        assert!(kinds.len() >= 60, "{}", kinds.len());
    }

    #[test]
    fn a_token_may_begin_after_an_escape() {
        assert!(starts_token("\\nghp", 2));
        assert!(starts_token("%3Dghp", 3));
        assert!(starts_token("\\u001b[0mghp", 9));
        assert!(!starts_token("highp", 2));
    }
}
