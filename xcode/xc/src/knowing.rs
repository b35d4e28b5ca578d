//! What a session knows from its beginning: facts are brought up to date, and what the user agreed to is loaded.
//! Absent: the question whether to agree.

use agent::Places;
use agent::knowledge::{self, Knowledge, Sources};
use agent::trust::{Brought, Trust};
use contract::xc::SessionSummary;
use jiff::Zoned;
use redact::Redactor;

use crate::config::Config;
use crate::words;

/// Files of a part that are named in the question; the others are counted.
const FILES_SHOWN: usize = 5;

/// Brings the facts up to date, and loads what is known. It reads some files, and waits for nothing.
pub(crate) fn known(
    config: &Config,
    (places, trust): (&Places, &Trust),
    previous: Option<&SessionSummary>,
    redactor: &Redactor,
) -> Knowledge {
    let days = config.memory_evict_days.value;
    let today = Zoned::now().date();
    let refreshed = knowledge::refresh(places, trust, days, config.language.value.into(), today);
    let scanned = &refreshed.facts;
    let mut known = knowledge::load(Sources { places, trust, scanned, previous, redactor });
    known.notes.extend(refreshed.notes);
    known
}

/// The parts of a folder with their files, in one line.
fn parts<'t>(brought: impl Iterator<Item = &'t Brought>) -> String {
    let part = |one: &Brought| format!("{} ({})", one.part.word(), one.files.join(", "));
    brought.map(part).collect::<Vec<_>>().join("; ")
}

/// What of the folder waits for a yes.
pub(crate) fn waiting(trust: &Trust, words: words::Language) -> String {
    let waiting = parts(trust.waiting());
    match waiting.is_empty() {
        true => words.say(&words::TRUST_NOTHING).to_owned(),
        false => words.fill(&words::TRUST_WAITING, &[("parts", &waiting)]),
    }
}

/// What of the folder the user has not said a word to, a line for each part; nothing where all was answered.
pub(crate) fn unanswered(trust: &Trust) -> Vec<String> {
    let line = |one: &Brought| {
        let mut files = one.files.iter().take(FILES_SHOWN).cloned().collect::<Vec<_>>().join(", ");
        if one.files.len() > FILES_SHOWN {
            files.push_str(&format!(", +{}", one.files.len() - FILES_SHOWN));
        }
        format!("{}: {files}", one.part.word())
    };
    trust.unanswered().map(line).collect()
}

/// The user says no to what waits. Returns why that cannot be kept.
pub(crate) fn refused(trust: &Trust) -> Option<String> {
    trust.refuse().err().map(|error| format!("~/.xcode/trust.json: {error}"))
}

/// The user says yes to all that the folder brings. Returns what that was.
pub(crate) fn agreed(mut trust: Trust, words: words::Language) -> String {
    let agreed = parts(trust.brought().iter());
    match trust.agree() {
        Ok(()) if agreed.is_empty() => words.say(&words::TRUST_NOTHING).to_owned(),
        Ok(()) => words.fill(&words::TRUST_AGREED, &[("parts", &agreed)]),
        Err(error) => format!("~/.xcode/trust.json: {error}"),
    }
}

/// What of the folder is not loaded, where something is not: to a user at a terminal in these words, else for who
/// reads standard error.
pub(crate) fn left_out(trust: &Trust, words: Option<words::Language>) -> Option<String> {
    let parts = parts(trust.waiting());
    (!parts.is_empty()).then(|| match words {
        Some(words) => words.fill(&words::TRUST_WAITING, &[("parts", &parts)]),
        None => format!(
            "this folder was not agreed to, so of what it brings this is not loaded: {parts}. -t agrees to it for one run"
        ),
    })
}
