//! Loads a session's knowledge when it begins: updates the facts, and loads what the user agreed to.
//! Not here: asking for that agreement.

use agent::Places;
use agent::knowledge::{self, Knowledge, Sources};
use agent::trust::{Brought, Trust};
use contract::xc::SessionSummary;
use jiff::Zoned;
use redact::Redactor;

use crate::config::Config;
use crate::words;

/// How many files of a part the question names; the others are counted.
const FILES_SHOWN: usize = 5;

/// Updates the facts, and loads the knowledge. It reads some files, and blocks on nothing else.
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

/// The folder's parts with their files, in one line.
fn parts<'t>(brought: impl Iterator<Item = &'t Brought>) -> String {
    let part = |one: &Brought| format!("{} ({})", one.part.word(), one.files.join(", "));
    brought.map(part).collect::<Vec<_>>().join("; ")
}

/// The parts of the folder that need the user's agreement.
pub(crate) fn waiting(trust: &Trust, words: words::Language) -> String {
    let waiting = parts(trust.waiting());
    match waiting.is_empty() {
        true => words.say(&words::TRUST_NOTHING).to_owned(),
        false => words.fill(&words::TRUST_WAITING, &[("parts", &waiting)]),
    }
}

/// The parts of the folder that the user has not decided on, one per line; empty when there are none.
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

/// Records that the user declines what is pending. Returns an error message if that cannot be stored.
pub(crate) fn refused(trust: &Trust) -> Option<String> {
    trust.refuse().err().map(|error| format!("~/.xcode/trust.json: {error}"))
}

/// Records that the user agrees to everything in the folder. Returns a message that lists it.
pub(crate) fn agreed(mut trust: Trust, words: words::Language) -> String {
    let agreed = parts(trust.brought().iter());
    match trust.agree() {
        Ok(()) if agreed.is_empty() => words.say(&words::TRUST_NOTHING).to_owned(),
        Ok(()) => words.fill(&words::TRUST_AGREED, &[("parts", &agreed)]),
        Err(error) => format!("~/.xcode/trust.json: {error}"),
    }
}

/// A message about what was not loaded from the folder, if anything: in these words to a user at a terminal, else for
/// a reader of standard error.
pub(crate) fn left_out(trust: &Trust, words: Option<words::Language>) -> Option<String> {
    let parts = parts(trust.waiting());
    (!parts.is_empty()).then(|| match words {
        Some(words) => words.fill(&words::TRUST_WAITING, &[("parts", &parts)]),
        None => format!(
            "this folder was not agreed to, so of what it brings this is not loaded: {parts}. -t agrees to it for one run"
        ),
    })
}
