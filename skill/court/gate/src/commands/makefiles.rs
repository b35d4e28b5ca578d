//! Makefiles and justfiles that are followed: the recipes that a goal reaches, with their variables, includes
//! and what is evaluated while they are read. Not here: their form (see `recipes`).

use std::collections::HashSet;

use super::code::Evidence;
use super::make_text::{Given, Runs, runs};
use super::recipes::{Recipe, Recipes};
use super::shells::is_shell;
use crate::path::{absolute, name};
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

/// Targets of one rule that are followed.
const TARGETS_MAX: usize = 16;
/// How many included files are read.
const INCLUDES_MAX: usize = 32;

/// Which of the two forms a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Make,
    Just,
}

impl Walker<'_> {
    /// Follows what goals reach in a file of recipes.
    pub(super) fn recipes(&mut self, content: &str, form: Form, goals: &[String]) -> Step {
        let mut recipes = Recipes::default();
        for (variable, value) in [("HOME", self.context.home), ("CURDIR", &self.state.cwd)] {
            recipes.give(variable, value.to_owned());
        }
        // What the command sets counts beside what the file says.
        for (name, variable) in &self.state.variables {
            for value in variable.values.iter().take(2) {
                recipes.give(name, value.text.replace('$', "$$"));
            }
        }
        self.read_recipes(content, form, &mut recipes)?;
        self.read_includes(form, &mut recipes)?;
        for text in recipes.evaluated.clone() {
            self.evaluated(&text, form, &mut recipes)?;
        }
        // Given on the command line, these go before what the file says.
        for goal in goals {
            if let Some((name, value)) = goal.split_once('=') {
                let name = name.trim_end_matches([':', '+', '?']);
                recipes.variables.insert(name.to_owned(), vec![value.to_owned()]);
            }
        }
        let goals: Vec<String> = goals.iter().filter(|goal| !goal.contains('=')).cloned().collect();
        let shell = self.recipe_shell(&recipes)?;
        let reached = recipes.reached(&goals);
        let rules = std::mem::take(&mut recipes.rules);
        let mut met = HashSet::new();
        for given in recipes.passes() {
            for at in &reached {
                let Recipe { targets, needs, lines } = &rules[*at];
                set_automatic(&mut recipes, targets, needs);
                for line in lines.iter().filter(|_| form == Form::Make) {
                    self.evaluated(line, form, &mut recipes)?;
                }
                // A rule of several targets runs for each.
                let made = recipes.filled(&targets.join(" "), given);
                let made: Vec<&str> = made.split_whitespace().take(TARGETS_MAX).collect();
                let by_name = made.len() > 1 && lines.iter().any(|line| line.contains("$@"));
                for target in made.iter().filter(|_| by_name) {
                    recipes.variables.insert("@".to_owned(), vec![(*target).to_owned()]);
                    self.recipe(&recipes, lines, form, shell, given, &mut met)?;
                }
                if !by_name {
                    self.recipe(&recipes, lines, form, shell, given, &mut met)?;
                }
            }
        }
        Ok(())
    }

    fn read_includes(&mut self, form: Form, recipes: &mut Recipes) -> Step {
        let mut at = 0;
        while at < recipes.includes.len().min(INCLUDES_MAX) {
            let names = recipes.filled(&recipes.includes[at].clone(), Given::LAST);
            at += 1;
            for file in names.split_whitespace() {
                let path = absolute(file, &self.state.cwd);
                self.uses(&path);
                if let Some(file) = self.file(&path) {
                    let content = file.content.clone();
                    self.read_recipes(&content, form, recipes)?;
                }
            }
        }
        Ok(())
    }

    fn read_recipes(&mut self, content: &str, form: Form, recipes: &mut Recipes) -> Step {
        self.budget.steps(content.len().saturating_mul(4))?;
        match form {
            Form::Make => recipes.of_make(content),
            Form::Just => recipes.of_just(content),
        }
        Ok(())
    }

    /// `$(shell ...)`, `!=`, `$(eval ...)` run while the file is read, backticks of a justfile too.
    fn evaluated(&mut self, text: &str, form: Form, recipes: &mut Recipes) -> Step {
        if form == Form::Just {
            return self.line(text).map(drop);
        }
        let mut found = Vec::new();
        runs(text, 0, &mut found);
        for run in found {
            match run {
                Runs::Eval(lines) => {
                    let lines = recipes.filled(lines, Given::LAST);
                    self.read_recipes(&lines, form, recipes)?;
                }
                Runs::Shell(command) => {
                    for given in recipes.passes() {
                        let command = recipes.filled(command, given).trim().to_owned();
                        if recipes.outputs.contains_key(&command) {
                            continue;
                        }
                        let output = self.line(&command)?;
                        let words: Vec<&str> = output.text.split_whitespace().collect();
                        recipes.outputs.insert(command, words.join(" "));
                    }
                }
            }
        }
        Ok(())
    }

    /// What the recipes are given to; none for a shell.
    fn recipe_shell(&mut self, recipes: &Recipes) -> Step<Option<&'static str>> {
        let told = ["SHELL", "shell"].iter().find_map(|name| recipes.variables.get(*name));
        let Some(text) = told.and_then(|values| values.last()).cloned() else { return Ok(None) };
        let text = recipes.filled(&text, Given::LAST);
        let words: Vec<Field> = text
            .split([' ', ',', '[', ']', '"'])
            .filter(|w| !w.is_empty())
            .map(Field::new)
            .collect();
        let Some(first) = words.first() else { return Ok(None) };
        if is_shell(&first.text) || name(&first.text) == "env" {
            return Ok(None);
        }
        if first.text.starts_with(UNKNOWN) {
            return Ok(None);
        }
        let program = name(&first.text).to_owned();
        for (start, language) in
            [("python", "python"), ("node", "js"), ("perl", "perl"), ("ruby", "ruby")]
        {
            if program.starts_with(start) {
                return Ok(Some(language));
            }
        }
        self.run(&words, &Io { stdin: &Flow::unknown() })?;
        Ok(None)
    }

    fn recipe(
        &mut self,
        recipes: &Recipes,
        lines: &[String],
        form: Form,
        language: Option<&'static str>,
        given: Given,
        met: &mut HashSet<Vec<String>>,
    ) -> Step {
        let fill = |line: &String| match form {
            Form::Make => recipes.filled(line, given),
            Form::Just => interpolated(line, recipes, given),
        };
        let filled: Vec<String> = lines.iter().map(fill).collect();
        if let Some(language) = language {
            return self.code(language, &filled.join("\n"), Evidence::Required);
        }
        let script = filled.first().is_some_and(|line| line.trim_start().starts_with("#!"));
        if script {
            let first = filled[0].clone();
            let text = filled.join("\n");
            if first.contains("python") {
                return self.code("python", &text, Evidence::Required);
            }
            if first.contains("node") {
                return self.code("js", &text, Evidence::Required);
            }
            return self.line(&text).map(drop);
        }
        // A shell of its own for every line, unless the file asks for one shell.
        if recipes.is_one_shell {
            let lines: Vec<&str> = filled.iter().map(|line| bare(line)).collect();
            return self.line(&lines.join("\n")).map(drop);
        }
        if met.contains(&filled) {
            return Ok(());
        }
        for line in &filled {
            self.line(bare(line))?;
        }
        met.insert(filled);
        Ok(())
    }

    fn line(&mut self, line: &str) -> Step<Flow> {
        let scope = self.scope();
        let done = self.payload(line, "recipe", &Flow::unknown());
        self.restore(scope);
        done
    }
}

/// Sets the automatic variables: what a recipe calls its target, and what it needs.
fn set_automatic(recipes: &mut Recipes, targets: &[String], needs: &[String]) {
    for (sign, words) in [("@", targets), ("<", &needs[..needs.len().min(1)]), ("^", needs)] {
        recipes.variables.remove(sign);
        if !words.is_empty() && !words.iter().any(|word| word.contains('%')) {
            recipes.variables.insert(sign.to_owned(), vec![words.join(" ")]);
        }
    }
}

/// Without the signs that speak to make.
fn bare(line: &str) -> &str {
    line.trim_start().trim_start_matches(['@', '-', '+']).trim_start()
}

/// `{{name}}` of a justfile.
fn interpolated(line: &str, recipes: &Recipes, given: Given) -> String {
    let mut plain = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("{{") {
        plain.push_str(before);
        let (inner, next) = after.split_once("}}").unwrap_or((after, ""));
        match recipes.variables.get(inner.trim()).and_then(|values| given.of(values)) {
            Some(value) => plain.push_str(value),
            None => plain.push(UNKNOWN),
        }
        rest = next;
    }
    plain.push_str(rest);
    plain
}
