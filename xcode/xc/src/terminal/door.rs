//! The one door of text to the terminal: what it would act on is taken out. Absent: what a reader should see of hidden
//! characters, which who shows a command or a name writes out with `redact::visible`.

use std::borrow::Cow;

/// A part of one line: no control characters but tabs, no invisible ones; a line end becomes a space.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    match redact::clean(text) {
        clean if !clean.contains('\n') => clean,
        clean => Cow::Owned(clean.replace('\n', " ")),
    }
}
