//! Decides whether a prompt is about code, and about which repository: weighted signals, no model, no regular expression. A long
//! paste costs no more than a short prompt: only its head and its tail are read.
//!
//! Language is no switch: Chinese and English words stand in one table and meet the same rule. What is written like code decides
//! alone. Otherwise the repository's own words do ([`vocabulary`]), which lie in one small file beside its index, together with
//! what a lexicon says and with the shape of the prompt; where there are none, the lexicon.
//! The entries ask here before they start the orchestrator, and the orchestrator asks again: one rule, one home.
//!
//! Absent: the index, tools, settings, and what becomes of a prompt.

mod anchor;
pub mod bilingual;
mod chinese;
mod english;
mod evidence;
mod hash;
pub mod index_folder;
mod lexicon;
mod own_words;
mod question;
pub mod root;
pub mod terms;
mod token;
mod verdict;
pub mod vocabulary;
mod weights;
mod window;
pub mod words;

pub use anchor::Anchors;
pub use hash::content_hash;
pub use question::Question;
pub use vocabulary::Vocabulary;
pub use window::window;

use orchestration::report::Signal;
/// What a prompt is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Intent {
    /// Whether code context would help.
    pub subject: Subject,
    /// What the prompt wants to be done, as far as its words say.
    pub action: Action,
    /// What was seen, heaviest first.
    pub signals: Vec<Signal>,
    /// Files, symbols and error texts that the prompt names.
    pub anchors: Anchors,
    /// Why tier 2 would help; `None` when tier 1 is enough.
    pub deep: Option<Deep>,
}

/// Whether a prompt is about code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// It is.
    Code,
    /// It is not, or it does not say so.
    Other,
}

/// What is to be done with the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// To read and explain.
    Explain,
    /// To change.
    Modify,
    /// To find a fault.
    Debug,
}

/// What makes tier 2 worth its cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deep {
    /// What decided it.
    pub cause: Cause,
    /// The questions that the prompt asks in so many words.
    pub questions: Vec<Question>,
}

/// Why tier 2 is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The prompt asks for it, which is the user's consent.
    Consent,
    /// Code is to be changed or mended, and the prompt names a file, a symbol or an error.
    Anchored,
}

/// Reads a prompt by the lexicon alone.
#[must_use]
pub fn read(prompt: &str) -> Intent {
    read_with(prompt, || None)
}

/// Decides whether a prompt is about code: by what is written like code and by the repository's own words. `own_words` is
/// asked only where the first does not say so; where it is `None`, the lexicon decides.
#[must_use]
pub fn read_with(prompt: &str, own_words: impl FnOnce() -> Option<Vocabulary>) -> Intent {
    let window = window(prompt);
    let anchors = anchor::find(&window);
    let spoken = lexicon::spoken(&window);
    verdict::weigh(&window, anchors, &spoken, own_words)
}

/// What the rule sees in a prompt with the words of a repository, by name, without judging it: what its weights are
/// fitted on. `None` where something written like code decides alone.
#[must_use]
pub fn seen(prompt: &str, known: &Vocabulary) -> Option<Vec<(String, f64)>> {
    let window = window(prompt);
    let spoken = lexicon::spoken(&window);
    verdict::said(&window, &anchor::find(&window), &spoken)
        .map(|said| own_words::seen(&window, said, known))
}

#[cfg(test)]
mod tests;
