//! The setting for how a user is notified when an answer or a question waits.

use std::fmt;

use crate::terminal::Notify;

impl Notify {
    /// The values of the setting.
    pub(super) const WORDS: [(&'static str, Self); 3] =
        [("bell", Self::Bell), ("message", Self::Message), ("off", Self::Off)];
}

impl fmt::Display for Notify {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = Self::WORDS.iter().find(|(_, notify)| notify == self);
        formatter.write_str(word.map_or("", |(word, _)| word))
    }
}
