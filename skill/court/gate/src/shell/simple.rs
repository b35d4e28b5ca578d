//! Simple commands: assignments, words, redirections, and then the command itself.

use super::Step;
use super::state::{Value, Variable};
use super::walk::{Flow, Io, Walker};
use crate::field::Field;
use crate::syntax::{Assigned, Assignment, Part, Piece, Quoted, Redirect, Simple, Word};

/// How often one command is followed at most, once for each value that its variables may have.
const PASSES_MAX: usize = crate::limits::VALUES_MAX;

impl Walker<'_> {
    pub(super) fn simple(
        &mut self,
        simple: &Simple,
        redirects: &[Redirect],
        stdin: &Flow,
    ) -> Step<Flow> {
        let mut output = Flow::default();
        let mut passes = 0;
        self.each_value(|walker| {
            passes += 1;
            output = walker.pass(simple, redirects, stdin)?;
            Ok(())
        })?;
        if passes > 1 {
            output = Flow { text: super::UNKNOWN.to_string(), taint: output.taint };
        }
        Ok(output)
    }

    /// Follows something once for each value that the variables in it may have.
    pub(super) fn each_value(&mut self, mut follow: impl FnMut(&mut Self) -> Step) -> Step {
        let outer = (self.choice, self.widest);
        (self.choice, self.widest) = (0, 1);
        follow(self)?;
        let passes = self.widest.min(PASSES_MAX);
        for choice in 1..passes {
            self.choice = choice;
            follow(self)?;
        }
        (self.choice, self.widest) = outer;
        Ok(())
    }

    fn pass(&mut self, simple: &Simple, redirects: &[Redirect], stdin: &Flow) -> Step<Flow> {
        let outer = std::mem::replace(&mut self.input, stdin.clone());
        let found = self.findings.len();
        let words = self.words(&simple.words)?;
        self.input = outer;
        let redirected = self.redirects(redirects, stdin)?;
        let declares = words.first().is_some_and(|word| is_declarer(&word.text));
        if words.is_empty() || declares {
            if declares {
                self.keeps_to_itself(&words, &simple.assignments);
                self.counts_in_integers(&words, &simple.assignments);
            }
            for assignment in &simple.assignments {
                self.assign(assignment)?;
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
        let before = if declares { Vec::new() } else { self.lent(simple, &words[0].text)? };
        let output = self.run(&words, &Io { stdin: &input })?;
        if self.findings.len() > found {
            self.signs_in_at_home(found, &words);
        }
        for (name, variable) in before {
            match variable {
                Some(variable) => self.state.variables.insert(name, variable),
                None => self.state.variables.remove(&name),
            };
        }
        self.finish_redirects(redirected, output, &words[0].text)
    }

    /// The words of a command. What `declare` and its kin assign is not split.
    fn words(&mut self, words: &[Word]) -> Step<Vec<Field>> {
        let Some((first, rest)) = words.split_first() else { return Ok(Vec::new()) };
        let mut fields = self.expand(first)?;
        let declares = matches!(&fields[..], [command] if is_declarer(&command.text));
        for word in rest {
            if declares && assigns(word) {
                let Value { text, taint } = self.text_of(word)?;
                fields.push(Field { text, taint, glob: false });
            } else {
                fields.extend(self.expand(word)?);
            }
        }
        Ok(fields)
    }

    /// Variables that are set for one command alone; gives what they were before.
    fn lent(&mut self, simple: &Simple, command: &str) -> Step<Vec<(String, Option<Variable>)>> {
        let mut before = Vec::new();
        for Assignment { name, value, .. } in &simple.assignments {
            if let Assigned::Scalar(word) = value {
                let value = self.text_of(word)?;
                self.environment(name, &value)?;
                self.at_home(name, &value, command);
                self.assigned(name, &value.text)?;
                let variable = Variable { values: vec![value], elements: None };
                before.push((name.clone(), self.state.variables.insert(name.clone(), variable)));
            }
        }
        Ok(before)
    }

    /// `declare -i`: what these are given is arithmetic from here on.
    fn counts_in_integers(&mut self, words: &[Field], assignments: &[Assignment]) {
        if words[1..].iter().any(|word| word.is_option() && word.text.contains('i')) {
            let names = assignments.iter().map(|assignment| assignment.name.clone());
            self.state.integers.extend(names);
        }
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
                let name = self.state.referred(&assignment.name).to_owned();
                self.environment(&name, &value)?;
                self.bind(&assignment.name, value)?;
            }
            Assigned::Element { index, value } => {
                let index = self.expanded(index, "index")?;
                self.arithmetic(&index.text)?;
                let value = self.text_of(value)?;
                self.assigned(&assignment.name, &value.text)?;
                if assignment.name == "BASH_ALIASES" {
                    self.state.aliases.insert(index.text, value.text.clone());
                }
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
                for Field { text, taint, .. } in fields {
                    // `[index]=value`
                    let keyed = text.strip_prefix('[').and_then(|rest| rest.split_once("]="));
                    if let Some((index, _)) = keyed {
                        self.arithmetic(index)?;
                    }
                    let text = keyed.map_or(text.as_str(), |(_, value)| value).to_owned();
                    self.assigned(&assignment.name, &text)?;
                    elements.push(Value { text, taint });
                }
                self.state.set_array(&assignment.name, elements);
            }
        }
        Ok(())
    }
}

/// Whether a word begins with `name=`.
fn assigns(word: &Word) -> bool {
    let Some(Piece { part: Part::Text(text), quoted: Quoted::No }) = word.pieces.first() else {
        return false;
    };
    let is_name = |name: &str| {
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && name.starts_with(|first: char| !first.is_ascii_digit())
    };
    text.split_once('=').is_some_and(|(name, _)| is_name(name.trim_end_matches('+')))
}

pub(crate) fn is_declarer(name: &str) -> bool {
    matches!(name, "declare" | "typeset" | "export" | "local" | "readonly")
}
