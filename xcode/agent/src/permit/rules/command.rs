//! The first words of a command, in a rule.

use gate::Seen;

use super::fault::Fault;

/// Characters that a shell interprets.
const SIGNS: &str = ";&|<>()$`\"'\\{}[]*?~#!";

/// The words that a command begins with; empty for every command.
#[derive(Debug, Clone)]
pub(super) struct Words(Vec<String>);

impl Words {
    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
        if text == "*" {
            return Ok(Self(Vec::new()));
        }
        if let Some(sign) = text.chars().find(|each| SIGNS.contains(*each) || each.is_control()) {
            return Err(Fault::Sign(sign));
        }
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let program = words.first().ok_or(Fault::Empty)?;
        if program.starts_with('-') || program.contains('=') {
            return Err(Fault::Program);
        }
        Ok(Self(words))
    }

    pub(super) fn is_any(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a command begins with exactly these words.
    pub(super) fn begins(&self, words: &[String]) -> bool {
        words.starts_with(&self.0)
    }

    /// Whether a command may be one that begins with these words.
    pub(super) fn may_begin(&self, words: &[String]) -> bool {
        let Some((program, rest)) = self.0.split_first() else { return true };
        let Some((name, given)) = words.split_first() else { return false };
        let name = name.rsplit('/').next().unwrap_or(name);
        let program = program.rsplit('/').next().unwrap_or(program);
        may_be(name, program) && follow(given, rest)
    }
}

/// Whether the words follow, preceded only by options and possible values of these.
fn follow(given: &[String], rest: &[String]) -> bool {
    let is_here = |at: usize| {
        let given = &given[at..];
        given.len() >= rest.len() && rest.iter().zip(given).all(|(word, given)| may_be(given, word))
    };
    let mut may_stand = vec![false; given.len() + 2];
    may_stand[0] = true;
    for at in 0..=given.len() {
        if !may_stand[at] {
            continue;
        }
        if is_here(at) {
            return true;
        }
        match given.get(at) {
            // It may expand to any number of words.
            Some(word) if word.contains(Seen::UNKNOWN) => return true,
            Some(word) if word.starts_with('-') => {
                (may_stand[at + 1], may_stand[at + 2]) = (true, true);
            }
            _ => {}
        }
    }
    false
}

fn may_be(given: &str, word: &str) -> bool {
    given == word || given.contains(Seen::UNKNOWN)
}
