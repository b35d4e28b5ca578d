//! Parses single settings; each error names the accepted values.

use orchestration::settings::{self, Mode, Show, Switch};

use super::{Fault, SessionMode};
use crate::environment::Environment;

/// The environment, and a list of its faults.
pub(super) struct Variables<'v> {
    pub(super) environment: &'v Environment,
    pub(super) faults: &'v mut Vec<Fault>,
}

impl Variables<'_> {
    /// A variable, parsed by `read` if it is set.
    pub(super) fn get<T>(
        &mut self,
        name: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let value = self.environment.get(name)?.to_string_lossy();
        read(value.trim()).map_err(|message| self.faults.push(fault(name, message))).ok()
    }
}

pub(super) fn fault(place: &str, message: String) -> Fault {
    Fault { place: place.to_owned(), message }
}

pub(super) fn switch(text: &str) -> Result<Switch, String> {
    Switch::read(text).ok_or_else(|| expected(text, Switch::WORDS))
}

pub(super) fn mode(text: &str) -> Result<Mode, String> {
    Mode::read(text).ok_or_else(|| expected(text, Mode::WORDS))
}

pub(super) fn session(text: &str) -> Result<SessionMode, String> {
    match text.to_ascii_lowercase().as_str() {
        "exec" => Ok(SessionMode::Exec),
        "resume_last" => Ok(SessionMode::ResumeLast),
        _ => Err(expected(text, "exec or resume_last")),
    }
}

pub(super) fn show(text: &str) -> Result<(), String> {
    Show::read(text).map(drop).ok_or_else(|| expected(text, Show::WORDS))
}

pub(super) fn flag(text: &str) -> Result<bool, String> {
    settings::flag(text).ok_or_else(|| expected(text, "0 or 1"))
}

pub(super) fn number(text: &str, min: u64, max: u64) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| expected(text, &format!("a whole number from {min} to {max}")))
}

fn expected(found: &str, expected: &str) -> String {
    let found: String = found.chars().take(40).collect();
    format!("expected {expected}, found {found:?}")
}
