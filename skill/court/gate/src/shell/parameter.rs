//! What `$name` and `${...}` give.

use super::Step;
use super::state::Value;
use super::walk::Walker;
use crate::field::UNKNOWN;
use crate::pattern::matches;
use crate::syntax::{Indirect, Operation, Parameter};

impl Walker<'_> {
    /// The values of a parameter: one, or those of an array.
    pub(super) fn parameter(&mut self, parameter: &Parameter) -> Step<Vec<Value>> {
        self.budget.steps(1)?;
        let name = match parameter.indirect {
            Indirect::Yes => {
                let inner = self.lookup(&parameter.name, None);
                match inner.and_then(|mut values| values.pop()) {
                    Some(value) if !value.text.contains(UNKNOWN) => {
                        self.element(&value.text)?;
                        value.text
                    }
                    _ => return Ok(vec![Value::unknown()]),
                }
            }
            _ => parameter.name.clone(),
        };
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
        // What a name leads to may be an element.
        let (name, element) = match name.split_once('[') {
            Some((name, rest)) => (name.to_owned(), rest.strip_suffix(']').map(str::to_owned)),
            None => (name, None),
        };
        let index = element.as_deref().or(parameter.index.as_deref());
        let values = self.lookup(&name, index);
        let present =
            values.as_ref().is_some_and(|values| values.iter().any(|value| !value.text.is_empty()));
        match &parameter.operation {
            Operation::Default(word) => {
                let default = self.text_of(word)?;
                return Ok(if present { values.unwrap_or_default() } else { vec![default] });
            }
            Operation::Assign(word) => {
                let default = self.text_of(word)?;
                if present {
                    return Ok(values.unwrap_or_default());
                }
                if index.is_none() {
                    self.environment(&name, &default)?;
                    self.bind(&name, default.clone())?;
                }
                return Ok(vec![default]);
            }
            Operation::Required(word) => {
                // The message is expanded when there is no value.
                self.text_of(word)?;
            }
            // What these are given is expanded even where the value is not known.
            Operation::Replace { pattern, with, .. } => {
                self.text_of(pattern)?;
                self.text_of(with)?;
            }
            Operation::StripPrefix(word)
            | Operation::StripSuffix(word)
            | Operation::Upper(word)
            | Operation::Lower(word) => {
                self.text_of(word)?;
            }
            Operation::Alternative(word) => {
                let alternative = self.text_of(word)?;
                return Ok(vec![if present { alternative } else { Value::default() }]);
            }
            _ => {}
        }
        let is_list = matches!(name.as_str(), "@" | "*") || matches!(index, Some("@" | "*"));
        let values = match values {
            Some(values) => values,
            None if matches!(name.as_str(), "@" | "*") => Vec::new(),
            // An array that nothing here has set: a file that is sourced may have.
            None if is_list => vec![Value::unknown()],
            None => vec![self.state.inherited(&name, self.context)],
        };
        if parameter.indirect == Indirect::Length {
            let count = if is_list {
                values.len()
            } else {
                values.first().map_or(0, |value| value.text.chars().count())
            };
            return Ok(vec![Value::new(&count.to_string())]);
        }
        if is_list && let Operation::Slice(slice) = &parameter.operation {
            let numbers = numbers(slice);
            return Ok(match numbers {
                Some((from, length)) => {
                    // Positional parameters count from one.
                    let from = if matches!(name.as_str(), "@" | "*") {
                        from.saturating_sub(1)
                    } else {
                        from
                    };
                    values.into_iter().skip(from).take(length).collect()
                }
                None => vec![Value::unknown()],
            });
        }
        let mut changed = Vec::new();
        for value in values {
            self.budget.steps(value.text.len() / 4 + 1)?;
            changed.push(self.operate(value, &parameter.operation)?);
        }
        Ok(changed)
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
        match operation {
            Operation::None
            | Operation::Required(_)
            | Operation::Default(_)
            | Operation::Assign(_)
            | Operation::Alternative(_) => {}
            Operation::Upper(_) => value.text = value.text.to_uppercase(),
            Operation::Lower(_) => value.text = value.text.to_lowercase(),
            Operation::Transform('E') => value.text = crate::escape::ansi(&value.text),
            Operation::Transform('U') => value.text = value.text.to_uppercase(),
            Operation::Transform('L') => value.text = value.text.to_lowercase(),
            Operation::Transform(_) => {}
            Operation::Slice(slice) => match numbers(slice) {
                Some((from, length)) => {
                    value.text = value.text.chars().skip(from).take(length).collect()
                }
                None => value.text = UNKNOWN.to_string(),
            },
            Operation::StripPrefix(pattern) => {
                let pattern = self.text_of(pattern)?.text;
                let ends: Vec<usize> = ends(&value.text);
                self.afford(&pattern, &value.text)?;
                if let Some(end) =
                    ends.into_iter().find(|end| matches(&pattern, &value.text[..*end]))
                {
                    value.text.drain(..end);
                }
            }
            Operation::StripSuffix(pattern) => {
                let pattern = self.text_of(pattern)?.text;
                self.afford(&pattern, &value.text)?;
                let ends: Vec<usize> = ends(&value.text);
                if let Some(start) =
                    ends.into_iter().rev().find(|start| matches(&pattern, &value.text[*start..]))
                {
                    value.text.truncate(start);
                }
            }
            Operation::Replace { all, pattern, with } => {
                let (pattern, with) = (self.text_of(pattern)?.text, self.text_of(with)?.text);
                if pattern.contains(['*', '?', '[', UNKNOWN]) {
                    value.text = UNKNOWN.to_string();
                } else if !pattern.is_empty() {
                    let (from, count) = match pattern.strip_prefix(['#', '%']) {
                        Some(rest) => (rest, 1),
                        None => (pattern.as_str(), if *all { usize::MAX } else { 1 }),
                    };
                    if value.text.len() / from.len().max(1) * with.len() > crate::limits::BYTES_MAX
                    {
                        return Err(crate::limits::Limit::Bytes);
                    }
                    value.text = value.text.replacen(from, &with, count);
                }
            }
        }
        Ok(value)
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

/// `from` and `length` of a slice, where both are plain numbers.
fn numbers(slice: &str) -> Option<(usize, usize)> {
    let (from, length) = slice.split_once(':').unwrap_or((slice, ""));
    let from = from.trim().parse().ok()?;
    let length = length.trim();
    let length = if length.is_empty() { usize::MAX } else { length.parse().ok()? };
    Some((from, length))
}
