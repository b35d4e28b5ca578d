//! Simple commands: assignments, words, redirections, and then the command itself.

use super::Step;
use super::field::Field;
use super::state::{Value, Variable};
use super::walk::{Flow, Io, Walker};
use crate::syntax::{Assigned, Assignment, Redirect, Simple};

/// How often one command is followed at most, once for each value that its variables may have.
const PASSES_MAX: usize = crate::limits::VALUES_MAX;

impl Walker<'_> {
    pub(super) fn simple(
        &mut self,
        simple: &Simple,
        redirects: &[Redirect],
        stdin: &Flow,
    ) -> Step<Flow> {
        let outer = (self.choice, self.widest);
        (self.choice, self.widest) = (0, 1);
        let mut output = self.pass(simple, redirects, stdin)?;
        let passes = self.widest.min(PASSES_MAX);
        for choice in 1..passes {
            self.choice = choice;
            output = self.pass(simple, redirects, stdin)?;
        }
        if passes > 1 {
            output = Flow { text: super::UNKNOWN.to_string(), taint: output.taint };
        }
        (self.choice, self.widest) = outer;
        Ok(output)
    }

    fn pass(&mut self, simple: &Simple, redirects: &[Redirect], stdin: &Flow) -> Step<Flow> {
        let outer = std::mem::replace(&mut self.input, stdin.clone());
        let words = self.expand_all(&simple.words)?;
        self.input = outer;
        let redirected = self.redirects(redirects, stdin)?;
        let declares = words.first().is_some_and(|word| is_declarer(&word.text));
        if words.is_empty() || declares {
            if declares {
                self.keeps_to_itself(&words, &simple.assignments);
            }
            for assignment in &simple.assignments {
                self.assign(assignment)?;
            }
        } else {
            for assignment in &simple.assignments {
                if let Assigned::Scalar(word) = &assignment.value {
                    let value = self.text_of(word)?;
                    self.environment(&assignment.name, &value)?;
                    self.at_home(&assignment.name, &value, &words[0].text);
                }
            }
        }
        if words.is_empty() {
            // `$(< file)` gives the file.
            let copied = redirected.stdin.clone();
            let reads = simple.assignments.is_empty() && !redirects.is_empty();
            let output = if reads && copied != *stdin { copied } else { Flow::default() };
            return self.finish_redirects(redirected, output, "");
        }
        let input = redirected.stdin.clone();
        let output = self.run(&words, &Io { stdin: &input })?;
        self.finish_redirects(redirected, output, &words[0].text)
    }

    /// `local` and its kin: the names are the function's own from here on.
    fn keeps_to_itself(&mut self, words: &[Field], assignments: &[Assignment]) {
        let own = matches!(words[0].text.as_str(), "local" | "declare" | "typeset")
            && !words.iter().any(|word| word.is_option() && word.text.contains('g'));
        if let Some(names) = self.locals.last_mut().filter(|_| own) {
            names.extend(assignments.iter().map(|assignment| assignment.name.clone()));
            let plain = words[1..].iter().filter(|word| !word.is_option());
            names.extend(
                plain.map(|word| word.text.split('=').next().unwrap_or_default().to_owned()),
            );
        }
    }

    fn assign(&mut self, assignment: &Assignment) -> Step {
        match &assignment.value {
            Assigned::Scalar(word) => {
                let mut value = self.text_of(word)?;
                if assignment.append
                    && let Some(old) = self.state.variables.get(&assignment.name)
                {
                    let old = old.values[self.choice % old.values.len()].clone();
                    value =
                        Value { text: old.text + &value.text, taint: old.taint.and(value.taint) };
                }
                self.environment(&assignment.name, &value)?;
                self.state.set(&assignment.name, value);
            }
            Assigned::Element(word) => {
                let value = self.text_of(word)?;
                let variable = self.state.variables.entry(assignment.name.clone());
                let variable = variable.or_insert_with(|| Variable {
                    values: vec![value.clone()],
                    elements: Some(Vec::new()),
                });
                variable.elements.get_or_insert_default().push(value);
            }
            Assigned::Array(words) => {
                let fields = self.expand_all(words)?;
                let mut elements = Vec::new();
                if assignment.append
                    && let Some(old) = self.state.variables.get(&assignment.name)
                {
                    elements = old.elements.clone().unwrap_or_else(|| old.values.clone());
                }
                elements.extend(
                    fields.into_iter().map(|Field { text, taint, .. }| Value { text, taint }),
                );
                self.state.set_array(&assignment.name, elements);
            }
        }
        Ok(())
    }
}

pub(crate) fn is_declarer(name: &str) -> bool {
    matches!(name, "declare" | "typeset" | "export" | "local" | "readonly")
}
