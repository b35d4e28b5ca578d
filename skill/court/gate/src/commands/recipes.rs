//! Recipes of makefiles and justfiles: which of them a goal reaches. Not here: what their variables and functions
//! give (see `make_text`), and what a recipe does when it runs (see `makefiles`).

use super::words::words;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::make_text::{Branch, Given, UNKNOWN_TEXT, assignment};
use crate::shell::UNKNOWN;

/// Words of make that begin or end a condition.
const CONDITIONS: &[&str] = &["ifeq", "ifneq", "ifdef", "ifndef", "else", "endif"];
/// Values of one variable that are followed.
const VALUES_MAX: usize = 8;
/// The longest value that is made of the one before it, in bytes.
const VALUE_MAX: usize = 16 << 10;
/// Targets that say something of others: what stands behind them is no recipe's need.
const SPECIAL: &[&str] = words!(
    ".PHONY .SUFFIXES .PRECIOUS .INTERMEDIATE .SECONDARY .NOTINTERMEDIATE .SECONDEXPANSION \
     .DELETE_ON_ERROR .IGNORE .SILENT .EXPORT_ALL_VARIABLES .NOTPARALLEL .ONESHELL .POSIX \
     .WAIT .LOW_RESOLUTION_TIME"
);

/// One rule: what it makes, what it needs first, and its lines.
#[derive(Debug, Default)]
pub(super) struct Recipe {
    pub(super) targets: Vec<String>,
    pub(super) needs: Vec<String>,
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
    /// What commands of `$(shell ...)` write, as far as it is known.
    pub(super) outputs: HashMap<String, String>,
    /// Whether a recipe is one text for a shell, and not a line at a time.
    pub(super) is_one_shell: bool,
    /// Whether functions choose between texts.
    pub(super) chooses: bool,
    /// Bytes that were filled in so far; `make_text` bounds them.
    pub(super) spent: Cell<usize>,
    /// Whether a choice is being filled in.
    pub(super) choosing: Cell<bool>,
}

impl Recipes {
    /// Reads a makefile. Both branches of a condition count.
    pub(super) fn of_make(&mut self, text: &str) {
        let joined = text.replace("\\\n", " ");
        self.chooses |= ["(if", "{if", "(or", "{or"].iter().any(|sign| joined.contains(sign));
        let mut define: Option<(String, String)> = None;
        let mut current: Vec<usize> = Vec::new();
        let mut prefix = '\t';
        for line in joined.lines() {
            if let Some((name, body)) = &mut define {
                if line.trim() == "endef" {
                    let (name, body) = (std::mem::take(name), std::mem::take(body));
                    self.evaluates(&body);
                    self.give(&name, body);
                    define = None;
                } else {
                    body.push_str(line);
                    body.push('\n');
                }
                continue;
            }
            // Without a rule before it, such a line is like any other.
            if let Some(recipe) = line.strip_prefix(prefix)
                && !current.is_empty()
            {
                current.iter().for_each(|at| self.rules[*at].lines.push(recipe.to_owned()));
                continue;
            }
            let line = without_comment(line).trim();
            let plain = line
                .trim_start_matches("export ")
                .trim_start_matches("override ")
                .trim_start_matches("private ")
                .trim_start();
            let word = line.split([' ', '\t', '(']).next().unwrap_or_default();
            if line.is_empty() {
                continue;
            }
            if CONDITIONS.contains(&word) {
                self.evaluates(line);
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
                self.evaluates(files);
                self.includes.push(files.to_owned());
                continue;
            }
            if let Some((name, value)) = assignment(plain) {
                if name == ".RECIPEPREFIX" {
                    prefix = value.chars().next().unwrap_or('\t');
                }
                self.assign(plain, name, value);
                current.clear();
                continue;
            }
            self.evaluates(line);
            current = self.header(line);
        }
        if let Some((name, body)) = define {
            self.give(&name, body);
        }
    }

    fn assign(&mut self, line: &str, name: &str, value: &str) {
        if line[name.len()..].trim_start().starts_with('!') {
            let command = format!("$(shell {value})");
            self.evaluated.push(command.clone());
            return self.give(name, command);
        }
        self.evaluates(value);
        // A value that is made of the one before it.
        let own = [format!("$({name})"), format!("${{{name}}}")];
        if own.iter().any(|own| value.contains(own.as_str())) {
            let before = self.variables.get(name).and_then(|values| values.last());
            let before = before.cloned().unwrap_or_default();
            let value = own.iter().fold(value.to_owned(), |all, own| all.replace(own, &before));
            let fits = value.len() <= VALUE_MAX;
            return self.give(name, if fits { value } else { UNKNOWN.to_string() });
        }
        if line[name.len()..].trim_start().starts_with('+') {
            return self.append(name, value);
        }
        self.give(name, value.to_owned());
    }

    /// `targets: needs ; recipe`, or a variable of a target alone.
    fn header(&mut self, line: &str) -> Vec<usize> {
        let Some(at) = outside(line, ':') else { return Vec::new() };
        let (targets, rest) = (&line[..at], line[at + 1..].trim_start_matches(':'));
        if let Some((name, value)) = assignment(rest.trim()) {
            self.give(name, value.to_owned());
            return Vec::new();
        }
        let (needs, inline) = rest.split_once(';').map_or((rest, None), |(a, b)| (a, Some(b)));
        let needs = words(needs);
        self.is_one_shell |= words(targets).iter().any(|target| target == ".ONESHELL");
        self.rules.push(Recipe {
            targets: words(targets),
            needs: needs.into_iter().filter(|word| word != "|").collect(),
            lines: inline.map(str::to_owned).into_iter().collect(),
        });
        vec![self.rules.len() - 1]
    }

    fn evaluates(&mut self, line: &str) {
        if ["shell", "eval", "file", "guile"]
            .iter()
            .any(|name| line.contains(&format!("({name}")) || line.contains(&format!("{{{name}")))
        {
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
        if values.len() < VALUES_MAX && !values.contains(&value) {
            values.push(value);
        } else if !values.contains(&value) {
            // More than are followed: it may be anything.
            values[VALUES_MAX - 1] = UNKNOWN.to_string();
        }
    }

    /// `NAME += value`: behind every value that it may have.
    fn append(&mut self, name: &str, value: &str) {
        match self.variables.get_mut(name).filter(|values| !values.is_empty()) {
            None => self.give(name, value.to_owned()),
            Some(values) => {
                for known in values.iter_mut() {
                    known.push(' ');
                    known.push_str(if known.len() <= VALUE_MAX { value } else { UNKNOWN_TEXT });
                }
            }
        }
    }

    /// The rules that goals reach; without goals, from the first rule on. A goal that no rule names may be
    /// a pattern's.
    pub(super) fn reached(&self, goals: &[String]) -> Vec<usize> {
        let mut waiting: Vec<String> = goals.to_vec();
        if waiting.is_empty() {
            let first = self.rules.iter().flat_map(|rule| &rule.targets);
            let first = first.filter(|target| !target.starts_with('.') && !target.contains('%'));
            let told = self.variables.get(".DEFAULT_GOAL").into_iter().flatten();
            waiting.extend(told.chain(first.take(1)).cloned());
        }
        let all = waiting.iter().any(|goal| goal.contains(UNKNOWN));
        let passes = self.passes();
        let made = Made::of(self, &passes);
        let mut met: HashSet<String> = HashSet::new();
        let mut taken: HashSet<usize> = HashSet::new();
        while let Some(goal) = waiting.pop() {
            for goal in words(&self.filled_each_way(&goal, &passes)) {
                if met.contains(&goal) {
                    continue;
                }
                for at in made.by(&goal) {
                    if taken.insert(at) {
                        waiting.extend(self.rules[at].needs.iter().cloned());
                    }
                }
                met.insert(goal);
            }
        }
        // A goal that nothing here makes may be made by what is included.
        let all = all || taken.is_empty() && !self.includes.is_empty();
        (0..self.rules.len()).filter(|at| all || taken.contains(at)).collect()
    }

    /// Every way in which the file is read: each value that a variable has, and both branches of a choice.
    pub(super) fn passes(&self) -> Vec<Given> {
        let most = self.variables.values().map(Vec::len).max().unwrap_or(1).max(1);
        let branches: &[Branch] =
            if self.chooses { &[Branch::Last, Branch::First] } else { &[Branch::Last] };
        let each =
            |before_last| branches.iter().map(move |branch| Given { before_last, branch: *branch });
        (0..most).flat_map(each).collect()
    }

    /// The texts that a text of the file may become, with blanks between them.
    fn filled_each_way(&self, text: &str, passes: &[Given]) -> String {
        if !text.contains('$') {
            return text.to_owned();
        }
        let ways: Vec<String> = passes.iter().map(|given| self.filled(text, *given)).collect();
        ways.join(" ")
    }
}

/// What the rules of a file make.
#[derive(Default)]
struct Made {
    named: HashMap<String, Vec<usize>>,
    /// Names that are known in part.
    unknown: Vec<(String, usize)>,
    /// Patterns: their beginning and their end.
    patterns: Vec<(String, String, usize)>,
}

impl Made {
    fn of(recipes: &Recipes, passes: &[Given]) -> Self {
        let mut made = Self::default();
        for (at, rule) in recipes.rules.iter().enumerate() {
            let targets = rule.targets.join(" ");
            for target in words(&recipes.filled_each_way(&targets, passes)) {
                if SPECIAL.contains(&target.as_str()) {
                    continue;
                }
                if let Some((before, after)) = target.split_once('%') {
                    made.patterns.push((before.to_owned(), after.to_owned(), at));
                } else if target == ".DEFAULT" {
                    made.patterns.push((String::new(), String::new(), at));
                } else if target.starts_with('.') && !target.contains('/') {
                    // `.c.o` makes what ends with the second.
                    let end = target.rfind('.').filter(|at| *at > 0).map_or("", |at| &target[at..]);
                    made.patterns.push((String::new(), end.to_owned(), at));
                    made.named.entry(target).or_default().push(at);
                } else if target.contains(UNKNOWN) {
                    made.unknown.push((target, at));
                } else {
                    made.named.entry(target).or_default().push(at);
                }
            }
        }
        made
    }

    /// The rules that may make a goal.
    fn by(&self, goal: &str) -> Vec<usize> {
        let mut rules = self.named.get(goal).cloned().unwrap_or_default();
        let known = !rules.is_empty();
        if goal.contains(UNKNOWN) {
            let names = self.named.iter().filter(|(name, _)| may_be(name, goal));
            rules.extend(names.flat_map(|(_, rules)| rules));
        }
        rules.extend(
            self.unknown.iter().filter(|(name, _)| may_be(name, goal)).map(|(_, rule)| *rule),
        );
        if !known {
            let fits = |before: &str, after: &str| {
                goal.contains(UNKNOWN) || goal.starts_with(before) && goal.ends_with(after)
            };
            let patterns = self.patterns.iter().filter(|(before, after, _)| fits(before, after));
            rules.extend(patterns.map(|(_, _, rule)| *rule));
        }
        rules
    }
}

/// Whether two names that are known in part may be the same.
fn may_be(one: &str, other: &str) -> bool {
    let begin = |text: &str| text.split(UNKNOWN).next().unwrap_or_default().len();
    let end = |text: &str| text.rsplit(UNKNOWN).next().unwrap_or_default().len();
    let (one_bytes, other_bytes) = (one.as_bytes(), other.as_bytes());
    let head = begin(one).min(begin(other));
    let tail = end(one).min(end(other));
    one_bytes[..head] == other_bytes[..head]
        && one_bytes[one_bytes.len() - tail..] == other_bytes[other_bytes.len() - tail..]
}

/// Where a sign stands that is in no bracket.
fn outside(text: &str, sign: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ if character == sign && depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// The words of a text; what stands in brackets is one.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut depth = 0_usize;
    for character in text.chars() {
        match character {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if character.is_whitespace() && depth == 0 {
            words.push(String::new());
        } else if let Some(word) = words.last_mut() {
            word.push(character);
        }
    }
    let words = words.into_iter().map(|word| word.trim_end_matches('&').to_owned());
    words.filter(|word| !word.is_empty()).collect()
}

/// A line of a makefile up to its comment.
fn without_comment(line: &str) -> &str {
    match line.find('#') {
        Some(at) if !line[..at].ends_with('\\') && !line[..at].contains("$(") => &line[..at],
        _ => line,
    }
}
