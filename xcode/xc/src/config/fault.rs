//! A fault in the configuration. Not here: values of keys, which are never printed.

use std::fmt;

/// One fault of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The file or the variable.
    pub(crate) place: String,
    /// The setting within it, such as `providers.openai.baseURL`; empty for the whole.
    pub(crate) key: String,
    /// What is wrong.
    pub(crate) what: String,
    /// The known name that is most similar to an unknown one.
    pub(crate) nearest: Option<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, key, what, nearest } = self;
        write!(formatter, "{place}: ")?;
        if !key.is_empty() {
            write!(formatter, "{key}: ")?;
        }
        formatter.write_str(what)?;
        match nearest {
            Some(nearest) => write!(formatter, "; did you mean `{nearest}`?"),
            None => Ok(()),
        }
    }
}

/// The known name that is similar enough to `name` to be suggested.
pub(crate) fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<String> {
    /// The lowest similarity for a suggestion (0 to 1, found by trial).
    const LIKE: f64 = 0.75;
    let likeness = |known: &str| strsim::jaro_winkler(&name.to_lowercase(), &known.to_lowercase());
    known
        .into_iter()
        .map(|known| (likeness(known), known))
        .filter(|(likeness, _)| *likeness >= LIKE)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, known)| known.to_owned())
}
