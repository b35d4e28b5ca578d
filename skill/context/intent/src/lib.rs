//! Decides whether a prompt is about code, and about which repository: weighted signals, no model, no regular expression. A long
//! paste costs no more than a short prompt: only its head and its tail are read.
//!
//! Chinese and English words are in one table and follow the same rules. A word written like code decides
//! alone. Otherwise the repository's own words ([`vocabulary`]), which are in a small file beside its index, decide,
//! together with the lexicon and the form of the prompt; if there is no such file, the lexicon decides.
//! The entries use this crate before they start the orchestrator, and so does the orchestrator, so the rule is the same.
//!
//! Not here: the index, tools, settings, and what happens with a prompt.

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
    /// What the prompt wants done, as far as its words tell.
    pub action: Action,
    /// The signals found, by descending weight.
    pub signals: Vec<Signal>,
    /// Files, symbols and error texts that the prompt names.
    pub anchors: Anchors,
    /// Why tier 2 would help; `None` if tier 1 is enough.
    pub deep: Option<Deep>,
}

/// Whether a prompt is about code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// It is.
    Code,
    /// It is not, or it is unclear.
    Other,
}

/// The requested action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// To read and explain.
    Explain,
    /// To change.
    Modify,
    /// To find a fault.
    Debug,
}

/// Why tier 2 is worth its cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deep {
    /// The reason.
    pub cause: Cause,
    /// The questions that the prompt explicitly asks.
    pub questions: Vec<Question>,
}

/// The reason for tier 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The prompt asks for it, which is the user's consent.
    Consent,
    /// Code is to be changed or fixed, and the prompt names a file, a symbol or an error.
    Anchored,
}

/// Analyses a prompt by the lexicon alone.
#[must_use]
pub fn read(prompt: &str) -> Intent {
    read_with(prompt, || None)
}

/// Decides whether a prompt is about code: by words written like code and by the repository's own words. `own_words` is
/// called only if the former do not decide; if it returns `None`, the lexicon decides.
#[must_use]
pub fn read_with(prompt: &str, own_words: impl FnOnce() -> Option<Vocabulary>) -> Intent {
    let window = window(prompt);
    let anchors = anchor::find(&window);
    let spoken = lexicon::spoken(&window);
    verdict::weigh(&window, anchors, &spoken, own_words)
}

/// The features of a prompt with the words of a repository, by name, without a decision: the input for fitting the
/// weights. `None` if a word written like code decides alone.
#[must_use]
pub fn seen(prompt: &str, known: &Vocabulary) -> Option<Vec<(String, f64)>> {
    let window = window(prompt);
    let spoken = lexicon::spoken(&window);
    verdict::said(&window, &anchor::find(&window), &spoken)
        .map(|said| own_words::seen(&window, said, known))
}

#[cfg(test)]
mod tests;
