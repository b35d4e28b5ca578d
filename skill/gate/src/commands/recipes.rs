//! Recipes of makefiles and justfiles: which of them a goal reaches, and what they say with their variables
//! filled in. Absent: what a recipe does when it runs (see `makefiles`).

use std::collections::{HashMap, HashSet};

use crate::shell::UNKNOWN;

/// Words of make that begin or end a condition.
const CONDITIONS: &[&str] = &["ifeq", "ifneq", "ifdef", "ifndef", "else", "endif"];
/// How deep variables stand in one another.
const DEPTH_MAX: usize = 12;
/// The longest text that variables make, in bytes.
const TEXT_MAX: usize = 16 << 10;

/// One rule: what it makes, what it needs first, and its lines.
#[derive(Debug, Default)]
pub(super) struct Recipe {
    pub(super) targets: Vec<String>,
    needs: Vec<String>,
    pub(super) lines: Vec<String>,
}

/// A file of recipes as it was read.
#[derive(Debug, Default)]
pub(super) struct Recipes {
    pub(super) rules: Vec<Recipe>,
    /// Every value that a variable is given, in order.
    pub(super) variables: HashMap<String, Vec<String>>,
    /// Other files that belong to it.
    pub(super) includes: Vec<String>,
    /// Texts that are evaluated while the file is read.
    pub(super) evaluated: Vec<String>,
}

/// Which value of a variable counts where a file gives it several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    First,
    Last,
}

impl Recipes {
    /// Reads a makefile. Both branches of a condition count.
    pub(super) fn of_make(&mut self, text: &str) {
        let joined = text.replace("\\\n", " ");
        let mut define: Option<(String, String)> = None;
        let mut current: Vec<usize> = Vec::new();
        let mut prefix = '\t';
        for line in joined.lines() {
            if let Some((name, body)) = &mut define {
                if line.trim() == "endef" {
                    let (name, body) = (std::mem::take(name), std::mem::take(body));
                    self.give(&name, body);
                    define = None;
                } else {
                    body.push_str(line);
                    body.push('\n');
                }
                continue;
            }
            if let Some(recipe) = line.strip_prefix(prefix) {
                self.evaluates(recipe);
                current.iter().for_each(|at| self.rules[*at].lines.push(recipe.to_owned()));
                continue;
            }
            let line = without_comment(line).trim();
            let plain = line
                .trim_start_matches("export ")
                .trim_start_matches("override ")
                .trim_start_matches("private ")
                .trim_start();
            let word = line.split_whitespace().next().unwrap_or_default();
            if line.is_empty() || CONDITIONS.contains(&word) {
                continue;
            }
            if let Some(name) = plain.strip_prefix("define ") {
                let name = name.trim_end_matches(['=', ':', '?', '+', ' ']).trim().to_owned();
                define = Some((name, String::new()));
                continue;
            }
            let include = ["include ", "-include ", "sinclude "]
                .iter()
                .find_map(|word| plain.strip_prefix(word));
            if let Some(files) = include {
                self.includes.extend(files.split_whitespace().map(str::to_owned));
                continue;
            }
            self.evaluates(line);
            if let Some((name, value)) = assignment(plain) {
                if name == ".RECIPEPREFIX" {
                    prefix = value.chars().next().unwrap_or('\t');
                }
                self.give(name, value.to_owned());
                continue;
            }
            current = self.header(line);
        }
        if let Some((name, body)) = define {
            self.give(&name, body);
        }
    }

    /// `targets: needs ; recipe`, or a variable of a target alone.
    fn header(&mut self, line: &str) -> Vec<usize> {
        let Some((targets, rest)) = line.split_once(':') else { return Vec::new() };
        let rest = rest.trim_start_matches(':');
        if let Some((name, value)) = assignment(rest.trim()) {
            self.give(name, value.to_owned());
            return Vec::new();
        }
        let (needs, inline) = rest.split_once(';').map_or((rest, None), |(a, b)| (a, Some(b)));
        let words = |text: &str| -> Vec<String> {
            text.split_whitespace()
                .filter(|word| *word != "|" && *word != "&")
                .map(|word| word.trim_end_matches('&').to_owned())
                .collect()
        };
        self.rules.push(Recipe {
            targets: words(targets),
            needs: words(needs),
            lines: inline.map(str::to_owned).into_iter().collect(),
        });
        vec![self.rules.len() - 1]
    }

    fn evaluates(&mut self, line: &str) {
        let is_assigned =
            assignment(line).is_some_and(|(name, _)| line[name.len()..].contains("!="));
        if is_assigned && let Some((_, value)) = line.split_once("!=") {
            self.evaluated.push(value.to_owned());
        }
        if line.contains("$(shell ") || line.contains("${shell ") || line.contains("$(eval ") {
            self.evaluated.push(line.to_owned());
        }
    }

    /// Reads a justfile.
    pub(super) fn of_just(&mut self, text: &str) {
        let joined = text.replace("\\\n", " ");
        let mut inside = false;
        for line in joined.lines() {
            if line.starts_with([' ', '\t']) {
                if let Some(rule) = self.rules.last_mut().filter(|_| inside) {
                    rule.lines.push(line.trim().to_owned());
                }
                continue;
            }
            if line.trim().is_empty() || line.starts_with(['#', '[']) {
                continue;
            }
            inside = false;
            let plain = line.trim_start_matches("export ");
            if let Some((name, value)) = plain.split_once(":=") {
                let value = value.trim();
                let backticks = value.split('`').skip(1).step_by(2);
                self.evaluated.extend(backticks.map(str::to_owned));
                let name = name.trim().trim_start_matches("set ").trim();
                self.give(name, value.trim_matches(['"', '\'', '`']).to_owned());
            } else if let Some(files) =
                plain.strip_prefix("import ").or_else(|| plain.strip_prefix("import? "))
            {
                self.includes.push(files.trim().trim_matches(['"', '\'']).to_owned());
            } else if let Some((head, needs)) = plain.split_once(':') {
                let name = head.split_whitespace().next().unwrap_or_default();
                let needs = needs.replace(['(', ')'], " ");
                self.rules.push(Recipe {
                    targets: vec![name.trim_start_matches('@').to_owned()],
                    needs: needs.split_whitespace().map(str::to_owned).collect(),
                    lines: Vec::new(),
                });
                inside = true;
            }
        }
    }

    pub(super) fn give(&mut self, name: &str, value: String) {
        let values = self.variables.entry(name.to_owned()).or_default();
        if values.len() < 8 && !values.contains(&value) {
            values.push(value);
        }
    }

    /// The rules that goals reach; without goals, from the first rule on. A goal that no rule names may be
    /// any pattern's.
    pub(super) fn reached(&self, goals: &[String]) -> Vec<&Recipe> {
        let mut waiting: Vec<String> = goals.to_vec();
        if waiting.is_empty() {
            let first = self.rules.iter().flat_map(|rule| &rule.targets);
            let first = first.filter(|target| !target.starts_with('.') && !target.contains('%'));
            let told = self.variables.get(".DEFAULT_GOAL").into_iter().flatten();
            waiting.extend(told.chain(first.take(1)).cloned());
        }
        let all = waiting.iter().any(|goal| goal.contains(UNKNOWN));
        let mut met: HashSet<String> = HashSet::new();
        let mut taken: HashSet<usize> = HashSet::new();
        while let Some(goal) = waiting.pop() {
            let goal = self.filled(&goal, Given::Last);
            for goal in goal.split_whitespace() {
                if !met.insert(goal.to_owned()) {
                    continue;
                }
                let names = |rule: &Recipe| {
                    rule.targets.iter().any(|target| {
                        target == goal
                            || target.contains('$')
                                && self
                                    .filled(target, Given::Last)
                                    .split_whitespace()
                                    .any(|word| word == goal || word.contains(UNKNOWN))
                    })
                };
                let any = goal.contains(UNKNOWN) || !self.rules.iter().any(names);
                for (at, rule) in self.rules.iter().enumerate() {
                    let pattern = any
                        && rule.targets.iter().any(|target| {
                            target.contains('%') || target == ".DEFAULT" || target.starts_with('.')
                        });
                    if (names(rule) || pattern) && taken.insert(at) {
                        waiting.extend(rule.needs.iter().cloned());
                    }
                }
            }
        }
        // A goal that nothing here makes may be made by what is included.
        let all = all || taken.is_empty() && !self.includes.is_empty();
        let each = self.rules.iter().enumerate();
        each.filter(|(at, _)| all || taken.contains(at)).map(|(_, rule)| rule).collect()
    }

    /// Whether a variable has several values, so that the first counts too.
    pub(super) fn is_ambiguous(&self) -> bool {
        self.variables.values().any(|values| values.len() > 1)
    }

    /// A text of a makefile as the shell gets it: `$(VAR)` filled in, `$$` one sign, the rest unknown.
    pub(super) fn filled(&self, text: &str, given: Given) -> String {
        self.fill(text, given, 0)
    }

    fn fill(&self, text: &str, given: Given, depth: usize) -> String {
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            plain.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            if plain.len() > TEXT_MAX {
                plain.push(UNKNOWN);
                return plain;
            }
            if let Some(after) = rest.strip_prefix('$') {
                plain.push('$');
                rest = after;
            } else if rest.starts_with(['(', '{']) {
                let (inner, after) = enclosed(rest);
                // `$(PYTHON)` that the file does not set is a program that is named so.
                if begins_command(&plain) && is_program(inner) && self.raw(inner, given).is_none() {
                    plain.push_str(&inner.to_ascii_lowercase());
                } else {
                    plain.push_str(&self.reference(inner, given, depth));
                }
                rest = after;
            } else if let Some(letter) = rest.chars().next() {
                let name = letter.to_string();
                plain.push_str(&self.value(&name, given, depth));
                rest = &rest[letter.len_utf8()..];
            }
        }
        plain.push_str(rest);
        plain
    }

    /// What stands in `$(...)`: a variable, or a function.
    fn reference(&self, inner: &str, given: Given, depth: usize) -> String {
        if let Some((function, arguments)) = inner.split_once([' ', '\t']) {
            return match function {
                "call" => {
                    let mut arguments = arguments.split(',');
                    let name = arguments.next().unwrap_or_default().trim();
                    let mut body = self.raw(name, given).unwrap_or(UNKNOWN_TEXT).to_owned();
                    for (index, argument) in arguments.enumerate() {
                        body = body.replace(&format!("$({})", index + 1), argument.trim());
                        body = body.replace(&format!("${}", index + 1), argument.trim());
                    }
                    self.deeper(&body, given, depth)
                }
                "if" | "or" | "and" | "strip" | "firstword" | "lastword" | "sort" => {
                    self.deeper(&arguments.replace(',', " "), given, depth)
                }
                "info" | "warning" => String::new(),
                _ => UNKNOWN.to_string(),
            };
        }
        let name = inner.split(':').next().unwrap_or_default();
        if name.len() != inner.len() {
            return UNKNOWN.to_string();
        }
        self.value(name, given, depth)
    }

    fn value(&self, name: &str, given: Given, depth: usize) -> String {
        match self.raw(name, given) {
            Some(text) => self.deeper(text, given, depth),
            None => UNKNOWN.to_string(),
        }
    }

    fn deeper(&self, text: &str, given: Given, depth: usize) -> String {
        if depth >= DEPTH_MAX { UNKNOWN.to_string() } else { self.fill(text, given, depth + 1) }
    }

    fn raw(&self, name: &str, given: Given) -> Option<&str> {
        let values = self.variables.get(name);
        let value = match given {
            Given::First => values.and_then(|values| values.first()),
            Given::Last => values.and_then(|values| values.last()),
        };
        let usual = match name {
            "RM" => Some("rm -f"),
            "MAKE" => Some("make"),
            "CC" => Some("cc"),
            "SHELL" => Some("/bin/sh"),
            _ => None,
        };
        value.map(String::as_str).or(usual)
    }
}

/// Whether a command begins behind this text.
fn begins_command(text: &str) -> bool {
    let text = text.trim_end();
    text.is_empty() || text.ends_with([';', '&', '|', '(', '@', '-', '+'])
}

/// Whether a variable is named as programs are.
fn is_program(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase())
}

const UNKNOWN_TEXT: &str = "\u{e000}";

/// `NAME = value` with all its signs; none for a rule.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (head, value) = line.split_once('=')?;
    let name = head.trim_end_matches([':', '?', '+', '!']).trim_end();
    let is_name = !name.is_empty() && !name.contains([':', ' ', '\t', ';', '|', '"', '\'']);
    is_name.then(|| (name, value.trim_start()))
}

/// The inner text of a bracket, and what follows it.
fn enclosed(text: &str) -> (&str, &str) {
    let (open, close) = if text.starts_with('(') { ('(', ')') } else { ('{', '}') };
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        if character == open {
            depth += 1;
        } else if character == close {
            depth -= 1;
            if depth == 0 {
                return (&text[1..at], &text[at + 1..]);
            }
        }
    }
    (&text[1..], "")
}

/// A line of a makefile up to its comment.
fn without_comment(line: &str) -> &str {
    match line.find('#') {
        Some(at) if !line[..at].ends_with('\\') && !line[..at].contains("$(") => &line[..at],
        _ => line,
    }
}
