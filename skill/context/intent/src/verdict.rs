//! Derives the decision from the signals: the subject of the prompt, the requested action, and whether tier 2 would help.
//! All weights of the lexicon are in one table.

use crate::vocabulary::Vocabulary;
use orchestration::report::{Signal, SignalKind};

use crate::anchor::Anchors;
use crate::evidence::{CODE, Said};
use crate::lexicon::{Sense, Spoken};
use crate::own_words;
use crate::question::Question;
use crate::{Action, Cause, Deep, Intent, Subject};

/// Maximum deduction by everyday words: the software of a shop or a clinic uses them too.
const EVERYDAY_MAX: f64 = 1.3;
/// Maximum weight of all words with one sense: ten vague words are still vague.
const SENSE_MAX: f64 = 1.2;
/// The most signals that are reported.
const SIGNALS_MAX: usize = 24;
/// Maximum length of a short prompt in words (for Chinese, twice as many characters), which may refer to code by
/// "it" alone.
const TERSE_WORDS: usize = 6;

/// The weight of one word with a sense.
const fn weight(sense: Sense) -> f64 {
    match sense {
        Sense::Software | Sense::Rework => 1.0,
        Sense::Term => 0.6,
        Sense::Explicit => 0.8,
        Sense::Vague => 0.25,
        Sense::Modify => 0.4,
        Sense::Debug => 0.45,
        Sense::Ask => 0.2,
        Sense::History => 0.4,
        Sense::Deep(_) => 0.5,
        Sense::Consent => 0.6,
        Sense::Everyday => -0.7,
        Sense::Nothing => 0.0,
    }
}

/// Decides about a prompt.
pub(crate) fn weigh(
    window: &str,
    anchors: Anchors,
    spoken: &[Spoken],
    own_words: impl FnOnce() -> Option<Vocabulary>,
) -> Intent {
    let mut signals = structure(&anchors);
    let shape: f64 = signals.iter().map(|signal| signal.weight).sum();
    let has = |wanted: fn(&Sense) -> bool| spoken.iter().any(|spoken| wanted(&spoken.sense));
    let modify = has(|sense| matches!(sense, Sense::Modify | Sense::Rework));
    let debug = has(|sense| matches!(sense, Sense::Debug));
    let words = words(spoken);
    let is_pointed = is_pointed(window, spoken);
    if is_pointed {
        signals.push(signal(SignalKind::Implicit, "it", CODE));
    }
    signals.extend(spoken.iter().filter_map(spoken_signal));
    let allows = has(|sense| matches!(sense, Sense::Deep(_) | Sense::Consent));
    let is_enough = shape + words + if is_pointed { CODE } else { 0.0 } >= CODE;
    let is_certain = shape >= CODE || (is_enough && allows);
    let subject = if is_certain {
        Subject::Code
    } else if let Some(known) = own_words() {
        match own_words::weigh(window, Said { spoken, words, shape, is_pointed }, &known) {
            Some(own) => {
                signals.extend(
                    own.iter().map(|(word, weight)| signal(SignalKind::Code, word, *weight)),
                );
                Subject::Code
            }
            None => Subject::Other,
        }
    } else if is_enough {
        Subject::Code
    } else {
        Subject::Other
    };
    let action = match (debug, modify) {
        (true, _) => Action::Debug,
        (false, true) => Action::Modify,
        (false, false) => Action::Explain,
    };
    let deep = (subject == Subject::Code).then(|| deep(action, &anchors, spoken)).flatten();
    Intent { subject, action, signals: ordered(signals), anchors, deep }
}

/// The weight of the words: each sense up to its maximum, minus everyday words.
fn words(spoken: &[Spoken]) -> f64 {
    let mut sums: Vec<(Sense, f64)> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for spoken in spoken {
        if seen.contains(&spoken.text.as_str()) {
            continue;
        }
        seen.push(&spoken.text);
        let group = match spoken.sense {
            Sense::Deep(_) => Sense::Consent,
            sense => sense,
        };
        match sums.iter_mut().find(|(sense, _)| *sense == group) {
            Some((_, sum)) => *sum += weight(spoken.sense),
            None => sums.push((group, weight(spoken.sense))),
        }
    }
    sums.iter()
        .map(|(sense, sum)| match sense {
            Sense::Everyday => sum.max(-EVERYDAY_MAX),
            Sense::Software => sum.min(2.0 * SENSE_MAX),
            Sense::Vague | Sense::Modify | Sense::Debug | Sense::Ask => sum.min(SENSE_MAX / 2.0),
            _ => sum.min(SENSE_MAX),
        })
        .sum::<f64>()
        .max(0.0)
}

/// The weight of the prompt's form. Words do not reduce it.
fn structure(anchors: &Anchors) -> Vec<Signal> {
    let code = |text: &String, weight| signal(SignalKind::Code, text, weight);
    let mut signals: Vec<Signal> = Vec::new();
    signals.extend(anchors.errors.iter().map(|text| code(text, 1.0)));
    signals.extend(anchors.paths.iter().map(|text| code(text, 1.0)));
    signals.extend(anchors.symbols.iter().map(|text| code(text, 1.0)));
    signals.extend(anchors.flags.iter().map(|text| code(text, 0.8)));
    signals.extend(anchors.names.iter().map(|text| code(text, 0.8)));
    if anchors.quotes > 0 {
        signals.push(signal(SignalKind::Code, "`", 0.8));
    }
    signals
}

/// The lexicon's result for the rule with the repository's own words; `None` if the form decides alone.
pub(crate) fn said<'s>(window: &str, anchors: &Anchors, spoken: &'s [Spoken]) -> Option<Said<'s>> {
    let shape = structure(anchors).iter().map(|signal| signal.weight).sum();
    let is_pointed = is_pointed(window, spoken);
    (shape < CODE).then(|| Said { spoken, words: words(spoken), shape, is_pointed })
}

fn spoken_signal(spoken: &Spoken) -> Option<Signal> {
    let kind = match spoken.sense {
        Sense::Software | Sense::Rework | Sense::Term => SignalKind::Code,
        Sense::Explicit | Sense::Deep(_) | Sense::Consent => SignalKind::Explicit,
        Sense::History => SignalKind::Historical,
        Sense::Modify | Sense::Debug | Sense::Ask | Sense::Vague | Sense::Everyday => {
            SignalKind::Implicit
        }
        Sense::Nothing => return None,
    };
    Some(signal(kind, &spoken.text, weight(spoken.sense)))
}

fn signal(kind: SignalKind, text: &str, weight: f64) -> Signal {
    let matched = text.chars().take(80).collect();
    Signal { kind, matched, weight }
}

/// Heaviest first, without repeats, bounded.
fn ordered(mut signals: Vec<Signal>) -> Vec<Signal> {
    signals.sort_by(|a, b| {
        b.weight.abs().total_cmp(&a.weight.abs()).then_with(|| a.matched.cmp(&b.matched))
    });
    signals.dedup_by(|a, b| a.matched == b.matched && a.kind == b.kind);
    signals.truncate(SIGNALS_MAX);
    signals
}

/// Tier 2: explicitly requested, or a change at a named place.
fn deep(action: Action, anchors: &Anchors, spoken: &[Spoken]) -> Option<Deep> {
    let mut questions: Vec<Question> = spoken
        .iter()
        .filter_map(|spoken| match spoken.sense {
            Sense::Deep(question) => Some(question),
            _ => None,
        })
        .collect();
    questions.sort_unstable();
    questions.dedup();
    let consent = spoken.iter().any(|spoken| spoken.sense == Sense::Consent);
    let places = [&anchors.paths, &anchors.symbols, &anchors.names, &anchors.errors];
    let anchored = action != Action::Explain && places.iter().any(|list| !list.is_empty());
    if consent || !questions.is_empty() {
        Some(Deep { cause: Cause::Consent, questions })
    } else {
        anchored.then_some(Deep { cause: Cause::Anchored, questions })
    }
}

/// Whether a short prompt asks to change or fix the current code.
fn is_pointed(window: &str, spoken: &[Spoken]) -> bool {
    let is_wish =
        |spoken: &Spoken| matches!(spoken.sense, Sense::Modify | Sense::Rework | Sense::Debug);
    spoken.iter().any(is_wish) && is_terse(window) && points(window)
}

fn is_terse(window: &str) -> bool {
    let chinese = window.chars().filter(|&char| crate::token::is_chinese(char)).count();
    window.split_whitespace().count() <= TERSE_WORDS && chinese <= 2 * TERSE_WORDS
}

/// Whether a short prompt refers to the current code: "it", "this", or a bare Chinese imperative.
fn points(window: &str) -> bool {
    let lower = window.trim().trim_end_matches(['.', '!', '?', '。', '！', '？']).to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let english =
        words.iter().skip(1).any(|word| matches!(*word, "it" | "this" | "that" | "these" | "them"));
    let bare = ["一下", "下吧", "好它", "这个", "它", "一下吧", "了吧"];
    english || words.len() == 1 && bare.iter().any(|end| lower.ends_with(end))
}
