//! What `$name` and `${...}` give.

use super::Step;
use super::state::Value;
use super::walk::Walker;
use crate::field::UNKNOWN;
use crate::pattern::matches;
use crate::syntax::{Indirect, Operation, Parameter, Word};

impl Walker<'_> {
    /// The values of a parameter: one, or those of an array.
    pub(super) fn parameter(&mut self, parameter: &Parameter) -> Step<Vec<Value>> {
        self.budget.steps(1)?;
        let Some(name) = self.parameter_name(parameter)? else {
            return Ok(vec![Value::unknown()]);
        };
        self.evaluated_subscripts(parameter)?;
        // What a name leads to may be an element.
        let (name, element) = match name.split_once('[') {
            Some((name, rest)) => (name, rest.strip_suffix(']')),
            None => (name.as_str(), None),
        };
        let index = element.or(parameter.index.as_deref());
        let values = self.lookup(name, index);
        if let Some(chosen) = self.chosen(&parameter.operation, name, index, values.as_deref())? {
            return Ok(chosen);
        }
        let is_positional = matches!(name, "@" | "*");
        let is_list = is_positional || matches!(index, Some("@" | "*"));
        let values = match values {
            Some(values) => values,
            None if is_positional => Vec::new(),
            // An array that nothing here has set: a file that is sourced may have.
            None if is_list => vec![Value::unknown()],
            None => vec![self.state.inherited(name, self.context)],
        };
        if parameter.indirect == Indirect::Length {
            let first = || values.first().map_or(0, |value| value.text.chars().count());
            let count = if is_list { values.len() } else { first() };
            return Ok(vec![Value::new(&count.to_string())]);
        }
        if is_list && let Operation::Slice(slice) = &parameter.operation {
            let Some((from, length)) = numbers(slice) else { return Ok(vec![Value::unknown()]) };
            // Positional parameters count from one.
            let from = from.saturating_sub(usize::from(is_positional));
            return Ok(values.into_iter().skip(from).take(length).collect());
        }
        let mut changed = Vec::new();
        for value in values {
            self.budget.steps(value.text.len() / 4 + 1)?;
            changed.push(self.operate(value, &parameter.operation)?);
        }
        Ok(changed)
    }

    /// The name that counts: of `${!name}` the value; none where that is not known.
    fn parameter_name(&mut self, parameter: &Parameter) -> Step<Option<String>> {
        if parameter.indirect != Indirect::Yes {
            return Ok(Some(parameter.name.clone()));
        }
        let inner = self.lookup(&parameter.name, None).and_then(|mut values| values.pop());
        let Some(value) = inner.filter(|value| !value.text.contains(UNKNOWN)) else {
            return Ok(None);
        };
        self.element(&value.text)?;
        Ok(Some(value.text))
    }

    /// Arithmetic in a subscript and in a slice is evaluated.
    fn evaluated_subscripts(&mut self, parameter: &Parameter) -> Step {
        let slice = match &parameter.operation {
            Operation::Slice(slice) => Some(slice.as_str()),
            _ => None,
        };
        for text in [parameter.index.as_deref(), slice].into_iter().flatten() {
            if !matches!(text, "@" | "*") && !text.bytes().all(|byte| byte.is_ascii_digit()) {
                let text = self.expanded(text, "index")?.text;
                self.arithmetic(&text)?;
            }
        }
        Ok(())
    }

    /// Expands what the operation is given. Gives the result of those that choose between the values and a word.
    fn chosen(
        &mut self,
        operation: &Operation,
        name: &str,
        index: Option<&str>,
        values: Option<&[Value]>,
    ) -> Step<Option<Vec<Value>>> {
        let present = values.filter(|values| values.iter().any(|value| !value.text.is_empty()));
        Ok(match operation {
            Operation::Default(word) => {
                let default = self.text_of(word)?;
                Some(present.map_or_else(|| vec![default], <[Value]>::to_vec))
            }
            Operation::Assign(word) => {
                let default = self.text_of(word)?;
                if present.is_none() && index.is_none() {
                    self.environment(name, &default)?;
                    self.bind(name, default.clone())?;
                }
                Some(present.map_or_else(|| vec![default], <[Value]>::to_vec))
            }
            Operation::Alternative(word) => {
                let alternative = self.text_of(word)?;
                Some(vec![if present.is_some() { alternative } else { Value::default() }])
            }
            // What these are given is expanded even where the value is not known.
            Operation::Replace { pattern, with, .. } => {
                self.text_of(pattern)?;
                self.text_of(with)?;
                None
            }
            Operation::Required(word)
            | Operation::StripPrefix(word)
            | Operation::StripSuffix(word)
            | Operation::Upper(word)
            | Operation::Lower(word) => {
                self.text_of(word)?;
                None
            }
            Operation::None | Operation::Slice(_) | Operation::Transform(_) => None,
        })
    }

    /// The values of a variable that this script has set, or a positional parameter's.
    fn lookup(&mut self, name: &str, index: Option<&str>) -> Option<Vec<Value>> {
        let positional = self.state.positional.clone();
        if matches!(name, "@" | "*") {
            return Some(
                positional.map_or_else(|| vec![Value::unknown()], |values| values.to_vec()),
            );
        }
        if name == "#" {
            return positional.map(|values| vec![Value::new(&values.len().to_string())]);
        }
        if let Ok(number) = name.parse::<usize>() {
            let Some(values) = positional else { return Some(vec![Value::unknown()]) };
            return match number.checked_sub(1) {
                Some(index) => Some(vec![values.get(index).cloned().unwrap_or_default()]),
                None => Some(vec![
                    self.state
                        .variables
                        .get("0")
                        .and_then(|variable| variable.values.first().cloned())
                        .unwrap_or_else(|| Value::new("bash")),
                ]),
            };
        }
        let variable = self.state.variable(name)?;
        if let (Some(elements), Some(index)) = (&variable.elements, index) {
            return Some(match index {
                "@" | "*" => elements.clone(),
                _ => match index.parse::<usize>() {
                    Ok(index) => vec![elements.get(index).cloned().unwrap_or_default()],
                    Err(_) => vec![Value::unknown()],
                },
            });
        }
        self.widest = self.widest.max(variable.values.len());
        Some(vec![variable.values[self.choice % variable.values.len()].clone()])
    }

    fn operate(&mut self, mut value: Value, operation: &Operation) -> Step<Value> {
        // A prompt is expanded once more.
        if let Operation::Transform('P') = operation {
            let taint = value.taint;
            let expanded = self.expanded(&crate::escape::ansi(&value.text), "@P")?;
            return Ok(Value { text: expanded.text, taint: taint.and(expanded.taint) });
        }
        if value.text.contains(UNKNOWN) {
            return Ok(value);
        }
        let text = &value.text;
        value.text = match operation {
            Operation::None
            | Operation::Required(_)
            | Operation::Default(_)
            | Operation::Assign(_)
            | Operation::Alternative(_) => value.text,
            Operation::Upper(_) | Operation::Transform('U') => text.to_uppercase(),
            Operation::Lower(_) | Operation::Transform('L') => text.to_lowercase(),
            Operation::Transform('E') => crate::escape::ansi(text),
            Operation::Transform(_) => value.text,
            Operation::Slice(slice) => match numbers(slice) {
                Some((from, length)) => text.chars().skip(from).take(length).collect(),
                None => UNKNOWN.to_string(),
            },
            Operation::StripPrefix(pattern) => {
                let pattern = self.pattern_for(pattern, text)?;
                let end = ends(text).into_iter().find(|end| matches(&pattern, &text[..*end]));
                text[end.unwrap_or(0)..].to_owned()
            }
            Operation::StripSuffix(pattern) => {
                let pattern = self.pattern_for(pattern, text)?;
                let mut starts = ends(text).into_iter().rev();
                let start = starts.find(|start| matches(&pattern, &text[*start..]));
                text[..start.unwrap_or(text.len())].to_owned()
            }
            Operation::Replace { all, pattern, with } => {
                let (pattern, with) = (self.text_of(pattern)?.text, self.text_of(with)?.text);
                replaced(text, &pattern, &with, if *all { usize::MAX } else { 1 })?
            }
        };
        Ok(value)
    }

    /// The text of a pattern, if matching it with a text can be afforded.
    fn pattern_for(&mut self, pattern: &Word, text: &str) -> Step<String> {
        let pattern = self.text_of(pattern)?.text;
        self.afford(&pattern, text)?;
        Ok(pattern)
    }

    /// Pattern matching at each position costs the product of the lengths.
    fn afford(&mut self, pattern: &str, text: &str) -> Step {
        let each = pattern.len().saturating_add(1).saturating_mul(text.len() + 1);
        let all = if pattern.contains('*') { each.saturating_mul(text.len() + 1) } else { each };
        self.budget.steps(all)
    }
}

fn ends(text: &str) -> Vec<usize> {
    text.char_indices().map(|(index, _)| index).chain([text.len()]).collect()
}

/// A text with a pattern replaced so often; not known where the pattern matches more than itself.
fn replaced(text: &str, pattern: &str, with: &str, count: usize) -> Step<String> {
    if pattern.contains(['*', '?', '[', UNKNOWN]) {
        return Ok(UNKNOWN.to_string());
    }
    if pattern.is_empty() {
        return Ok(text.to_owned());
    }
    let (from, count) = match pattern.strip_prefix(['#', '%']) {
        Some(rest) => (rest, 1),
        None => (pattern, count),
    };
    if text.len() / from.len().max(1) * with.len() > crate::limits::BYTES_MAX {
        return Err(crate::limits::Limit::Bytes);
    }
    Ok(text.replacen(from, with, count))
}

/// `from` and `length` of a slice, where both are plain numbers.
fn numbers(slice: &str) -> Option<(usize, usize)> {
    let (from, length) = slice.split_once(':').unwrap_or((slice, ""));
    let from = from.trim().parse().ok()?;
    let length = length.trim();
    let length = if length.is_empty() { usize::MAX } else { length.parse().ok()? };
    Some((from, length))
}
