//! What arithmetic executes: bash reads the values of the variables in it as arithmetic again, and expands the
//! subscripts that it finds there. Not here: numbers; nothing is computed.

use std::collections::HashSet;

use super::Step;
use super::state::Value;
use super::walk::Walker;
use crate::limits::VALUES_MAX;
use crate::rules::execution;
use crate::syntax::{self, Fault, Part, Word};

/// Most names of variables that are remembered as evaluated.
const EVALUATED_MAX: usize = 512;

/// Variables that are integers in every shell.
const INTEGERS: &[&str] = &["RANDOM", "HISTCMD", "SECONDS", "LINENO", "SRANDOM", "OPTIND"];

/// Operators of tests that take arithmetic on both sides.
const COMPARES: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

impl Walker<'_> {
    /// Arithmetic as it stands in a script; gives its text.
    pub(super) fn arithmetic_of(&mut self, word: &Word) -> Step<Value> {
        for piece in &word.pieces {
            if let Part::Parameter(parameter) = &piece.part {
                self.is_evaluated(&parameter.name);
            }
        }
        let value = self.text_of(word)?;
        self.arithmetic(&value.text)?;
        Ok(value)
    }

    /// A text that is evaluated as arithmetic, with the values of the variables in it.
    pub(crate) fn arithmetic(&mut self, text: &str) -> Step {
        let mut waiting = vec![text.to_owned()];
        let mut seen: HashSet<String> = HashSet::new();
        while let Some(text) = waiting.pop() {
            self.budget.steps(text.len() + 1)?;
            self.subscripts(&text)?;
            for name in names(&text) {
                if seen.contains(name) {
                    continue;
                }
                seen.insert(name.to_owned());
                self.is_evaluated(name);
                if let Some(variable) = self.state.variable(name) {
                    let elements = variable.elements.iter().flatten().take(VALUES_MAX);
                    let values = variable.values.iter().chain(elements);
                    let telling = values.filter(|value| value.text.parse::<i64>().is_err());
                    waiting.extend(telling.map(|value| value.text.clone()));
                }
            }
        }
        Ok(())
    }

    /// The words of `[[ ]]` and `test` that name a variable, or are compared as numbers in `[[ ]]`.
    pub(super) fn test(&mut self, words: &[Word]) -> Step {
        let mut texts = Vec::new();
        for word in words {
            texts.push(self.text_of(word)?.text);
        }
        for (index, text) in texts.iter().enumerate() {
            if COMPARES.contains(&text.as_str()) {
                for side in [index.checked_sub(1), Some(index + 1)].into_iter().flatten() {
                    if let Some(text) = texts.get(side) {
                        self.arithmetic(text)?;
                    }
                }
            } else if matches!(text.as_str(), "-v" | "-R")
                && let Some(name) = texts.get(index + 1)
            {
                self.element(name)?;
            }
        }
        Ok(())
    }

    /// What the subscripts of a name or a value execute when it is evaluated.
    pub(crate) fn subscripts(&mut self, text: &str) -> Step {
        let expands = text.find('[').is_some_and(|at| text[at..].contains(['$', '`']));
        if expands { self.expanded(text, "subscript").map(drop) } else { Ok(()) }
    }

    /// What the subscript of a name executes: it is arithmetic, after its expansion.
    pub(crate) fn element(&mut self, name: &str) -> Step {
        let Some((_, rest)) = name.split_once('[') else { return Ok(()) };
        let index = rest.strip_suffix(']').unwrap_or(rest);
        if matches!(index, "@" | "*") {
            return Ok(());
        }
        let index = self.expanded(index, "subscript")?;
        self.arithmetic(&index.text)
    }

    /// Expands a text as if it stood between double quotes.
    pub(crate) fn expanded(&mut self, text: &str, via: &str) -> Step<Value> {
        if !text.contains(['$', '`']) {
            return Ok(Value::new(text));
        }
        self.budget.enter()?;
        self.via.push(via.to_owned());
        self.inside += 1;
        let value = match syntax::quoted(text, &mut self.budget) {
            Ok(word) => self.text_of(&word)?,
            Err(Fault::Limit(limit)) => return Err(limit),
            Err(Fault::Syntax { what, .. }) => {
                self.found(&execution::OPAQUE, text);
                self.opaque.get_or_insert_with(|| what.to_owned());
                Value::unknown()
            }
        };
        self.inside -= 1;
        self.via.pop();
        self.budget.leave();
        Ok(value)
    }

    /// Remembers that arithmetic reads a variable: what it is given later is evaluated there.
    fn is_evaluated(&mut self, name: &str) {
        if self.state.evaluated.len() < EVALUATED_MAX && !self.state.evaluated.contains(name) {
            self.state.evaluated.insert(name.to_owned());
        }
    }

    /// What is executed when a variable gets a value, by the attributes of the variable.
    pub(crate) fn assigned(&mut self, name: &str, text: &str) -> Step {
        let name = self.state.referred(name).to_owned();
        if INTEGERS.contains(&name.as_str()) || self.state.integers.contains(&name) {
            self.arithmetic(text)
        } else if self.state.evaluated.contains(&name) {
            self.subscripts(text)
        } else {
            Ok(())
        }
    }

    /// Gives a variable a value, as its attributes say.
    pub(crate) fn bind(&mut self, name: &str, value: Value) -> Step {
        self.element(name)?;
        self.assigned(name, &value.text)?;
        let name = self.state.referred(name).to_owned();
        self.state.set(&name, value);
        Ok(())
    }
}

/// The names of variables in arithmetic.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|each: char| !each.is_ascii_alphanumeric() && each != '_')
        .filter(|word| !word.is_empty() && !word.starts_with(|each: char| each.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn numbers_are_no_names() {
        let found: Vec<&str> = names("x + 0x1f * y_2[i++] - 16#ff >> 3").collect();
        assert_eq!(found, ["x", "y_2", "i", "ff"]);
    }
}
