//! The single place through which text reaches the terminal: it removes control sequences. Not here: making hidden
//! characters visible, for which the code that shows a command or a name calls `redact::visible`.

use std::borrow::Cow;

/// A part of one line: no control characters but tabs, no invisible ones; a line end becomes a space.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    match redact::clean(text) {
        clean if !clean.contains('\n') => clean,
        clean => Cow::Owned(clean.replace('\n', " ")),
    }
}
