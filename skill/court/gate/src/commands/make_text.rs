//! The texts of a makefile as the shell gets them: variables filled in, and the functions of make that only work
//! with text. Not here: `$(shell ...)` and `$(eval ...)`, which `makefiles` follows.

use super::recipes::Recipes;
use crate::path::name;
use crate::shell::UNKNOWN;

/// How deep variables stand in one another.
const DEPTH_MAX: usize = 12;
/// The longest text that variables make, in bytes.
const TEXT_MAX: usize = 16 << 10;
/// How much is filled in for one file, in bytes.
const SPENT_MAX: usize = 2 << 20;
/// Values that a loop of make goes through.
const LOOPS_MAX: usize = 16;

/// Which value of a variable counts where a file gives it several, and which branch of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Given {
    /// Counted from the last one; a variable with fewer values has its first.
    pub(super) before_last: usize,
    pub(super) branch: Branch,
}

/// A branch of a choice: `$(if ..)`, `$(or ..)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Branch {
    First,
    Last,
}

impl Given {
    /// What the file says last.
    pub(super) const LAST: Self = Self { before_last: 0, branch: Branch::Last };

    /// The value that counts.
    pub(super) fn of(self, values: &[String]) -> Option<&String> {
        values.get(values.len().saturating_sub(1).saturating_sub(self.before_last))
    }
}

/// A call of make that runs something.
pub(super) enum Runs<'t> {
    Shell(&'t str),
    Eval(&'t str),
}

impl Recipes {
    /// A text of a makefile as the shell gets it: `$(VAR)` filled in, `$$` one sign, the rest unknown.
    pub(super) fn filled(&self, text: &str, given: Given) -> String {
        self.fill(text, given, 0)
    }

    fn fill(&self, text: &str, given: Given, depth: usize) -> String {
        let spent = self.spent.get() + text.len() + 16;
        self.spent.set(spent);
        if spent > SPENT_MAX {
            return UNKNOWN.to_string();
        }
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            plain.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            if plain.len() > TEXT_MAX || self.spent.get() > SPENT_MAX {
                plain.push(UNKNOWN);
                return plain;
            }
            if let Some(after) = rest.strip_prefix('$') {
                plain.push('$');
                rest = after;
            } else if rest.starts_with(['(', '{']) {
                let (inner, after) = enclosed(rest);
                // `$(PYTHON)` that the file does not set is a program that is named so.
                let unset = is_variable(inner) && self.raw(inner, given).is_none();
                if begins_command(&plain) && is_program(inner) && unset {
                    plain.push_str(&inner.to_ascii_lowercase());
                } else {
                    plain.push_str(&self.reference(inner, given, depth));
                }
                rest = after;
            } else if let Some(letter) = rest.chars().next() {
                plain.push_str(&self.value(&rest[..letter.len_utf8()], given, depth));
                rest = &rest[letter.len_utf8()..];
            }
        }
        plain.push_str(rest);
        plain
    }

    /// What stands in `$(...)`: a variable, or a function.
    fn reference(&self, inner: &str, given: Given, depth: usize) -> String {
        if let Some((function, text)) = inner.split_once([' ', '\t'])
            && !function.contains(['$', ':'])
        {
            return self.function(function, text.trim_start(), given, depth);
        }
        let (name, change) = inner.split_once(':').unwrap_or((inner, ""));
        let name = self.deeper(name, given, depth);
        if name.contains(UNKNOWN) {
            return name;
        }
        // `$(@D)` and `$(@F)`: the folder and the name of an automatic variable.
        if let Some(part) = name.strip_prefix(['@', '<', '*']).filter(|part| !part.is_empty()) {
            let whole = self.value(&name[..1], given, depth);
            return each(&whole, |word| match part {
                "D" => folder(word).trim_end_matches('/').to_owned(),
                "F" => crate::path::name(word).to_owned(),
                _ => UNKNOWN.to_string(),
            });
        }
        let value = self.value(&name, given, depth);
        match change.split_once('=') {
            None if change.is_empty() => value,
            None => UNKNOWN.to_string(),
            Some((from, to)) => {
                let pattern = |text: &str| {
                    let text = self.deeper(text, given, depth);
                    if text.contains('%') { text } else { format!("%{text}") }
                };
                let (from, to) = (pattern(from), pattern(to));
                each(&value, |word| changed(word, &from, &to))
            }
        }
    }

    fn function(&self, function: &str, text: &str, given: Given, depth: usize) -> String {
        let most = match function {
            "if" | "subst" | "patsubst" | "foreach" | "wordlist" => 3,
            "addprefix" | "addsuffix" | "word" | "filter" | "filter-out" => 2,
            "or" | "and" | "call" => usize::MAX,
            _ => 1,
        };
        let parts = arguments(text, most);
        let part = |at: usize| {
            let part = parts.get(at).copied().unwrap_or_default();
            self.deeper(part, given, depth)
        };
        match function {
            "shell" => {
                let command = self.deeper(text, given, depth);
                let known = self.outputs.get(command.trim());
                known.cloned().unwrap_or_else(|| UNKNOWN.to_string())
            }
            "call" => self.called(&parts, given, depth),
            "if" => self.choice(1, &parts, given, depth),
            "or" => self.choice(0, &parts, given, depth),
            "and" => part(parts.len().saturating_sub(1)),
            "foreach" => self.each_turn(&part(0), &part(1), parts.get(2).copied(), given, depth),
            "strip" | "sort" | "abspath" | "realpath" => self.deeper(text, given, depth),
            // A pattern stands for what it matches.
            "wildcard" => self.deeper(text, given, depth),
            "firstword" => part(0).split_whitespace().next().unwrap_or_default().to_owned(),
            "lastword" => part(0).split_whitespace().last().unwrap_or_default().to_owned(),
            "word" | "wordlist" | "filter" | "filter-out" => {
                part(if function == "wordlist" { 2 } else { 1 })
            }
            "subst" => part(2).replace(&part(0), &part(1)),
            "patsubst" => {
                let (from, to) = (part(0), part(1));
                each(&part(2), |word| changed(word, from.trim(), to.trim()))
            }
            "addprefix" => {
                let prefix = part(0);
                each(&part(1), |word| format!("{prefix}{word}"))
            }
            "addsuffix" => {
                let suffix = part(0);
                each(&part(1), |word| format!("{word}{suffix}"))
            }
            "dir" => each(&part(0), |word| folder(word).to_owned()),
            "notdir" => each(&part(0), |word| name(word).to_owned()),
            "basename" => each(&part(0), |word| {
                word.rsplit_once('.').map_or(word, |(stem, _)| stem).to_owned()
            }),
            "info" | "warning" | "error" | "eval" => String::new(),
            _ => UNKNOWN.to_string(),
        }
    }

    /// A branch of `$(if ..)` or `$(or ..)`, the first of which is a part's number. Whatever the condition: who
    /// calls make may set its variables.
    fn choice(&self, first: usize, parts: &[&str], given: Given, depth: usize) -> String {
        // One choice in another has more results than are looked at.
        if self.choosing.replace(true) {
            return UNKNOWN.to_string();
        }
        let last = parts.len().saturating_sub(1);
        let taken = match given.branch {
            Branch::First => first,
            Branch::Last => last,
        };
        let text = parts.get(taken).copied().unwrap_or_default();
        let text = self.deeper(text, given, depth);
        self.choosing.set(false);
        if first == 0 && last > 1 { UNKNOWN.to_string() } else { text }
    }

    /// `$(foreach name,list,body)`: the body with each word.
    fn each_turn(
        &self,
        name: &str,
        list: &str,
        body: Option<&str>,
        given: Given,
        depth: usize,
    ) -> String {
        let body = body.unwrap_or_default();
        let turn = |word: &str| self.deeper(&replaced(body, name.trim(), word), given, depth);
        let mut turns: Vec<String> = list.split_whitespace().take(LOOPS_MAX).map(turn).collect();
        if list.split_whitespace().nth(LOOPS_MAX).is_some() {
            turns.insert(0, UNKNOWN.to_string());
        }
        turns.join(" ")
    }

    /// `$(call name,a,b)`: a variable with its arguments filled in.
    fn called(&self, parts: &[&str], given: Given, depth: usize) -> String {
        let Some((name, rest)) = parts.split_first() else { return String::new() };
        let Some(mut body) = self.raw(name.trim(), given).map(str::to_owned) else {
            return UNKNOWN.to_string();
        };
        for (index, argument) in rest.iter().enumerate() {
            body = replaced(&body, &(index + 1).to_string(), argument.trim());
            if body.len() > TEXT_MAX {
                return UNKNOWN.to_string();
            }
        }
        self.deeper(&body, given, depth)
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
        let value = self.variables.get(name).and_then(|values| given.of(values));
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

/// A text that is not known.
pub(super) const UNKNOWN_TEXT: &str = "\u{e000}";

/// The calls in a text that run something, those inside of others first.
pub(super) fn runs<'t>(text: &'t str, depth: usize, found: &mut Vec<Runs<'t>>) {
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            rest = after;
        } else if rest.starts_with(['(', '{']) {
            let (inner, after) = enclosed(rest);
            if depth < DEPTH_MAX {
                runs(inner, depth + 1, found);
            }
            match inner.split_once([' ', '\t']) {
                Some(("shell", command)) => found.push(Runs::Shell(command)),
                Some(("eval", lines)) => found.push(Runs::Eval(lines)),
                // They write files, load programs and speak to another language.
                Some(("file" | "guile", _)) => found.push(Runs::Shell(UNKNOWN_TEXT)),
                _ => {}
            }
            rest = after;
        }
    }
}

/// `NAME = value` with all its signs; none for a rule.
pub(super) fn assignment(line: &str) -> Option<(&str, &str)> {
    let (head, value) = line.split_once('=')?;
    let name = head.trim_end_matches([':', '?', '+', '!']).trim_end();
    let is_name = !name.is_empty() && !name.contains([':', ' ', '\t', ';', '|', '"', '\'']);
    is_name.then(|| (name, value.trim_start()))
}

/// The arguments of a function: parted by commas that stand in no bracket, and the last one with all that is left.
fn arguments(text: &str, most: usize) -> Vec<&str> {
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0_usize, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 && parts.len() + 1 < most => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

/// A text with one variable filled in.
fn replaced(text: &str, name: &str, value: &str) -> String {
    let text = text.replace(&format!("$({name})"), value).replace(&format!("${{{name}}}"), value);
    if name.len() == 1 { text.replace(&format!("${name}"), value) } else { text }
}

/// Each word of a text, changed.
fn each(text: &str, change: impl Fn(&str) -> String) -> String {
    text.split_whitespace().map(change).collect::<Vec<_>>().join(" ")
}

/// A word by a pattern with `%`. What is only known when it runs stays unknown.
fn changed(word: &str, from: &str, to: &str) -> String {
    let Some((before, after)) = from.split_once('%') else {
        return if word == from { to.to_owned() } else { word.to_owned() };
    };
    let stem = word.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    match stem {
        Some(stem) => to.replacen('%', stem, 1),
        None if word.contains(UNKNOWN) => to.replacen('%', &UNKNOWN.to_string(), 1),
        None => word.to_owned(),
    }
}

fn folder(word: &str) -> &str {
    word.rfind('/').map_or("./", |at| &word[..=at])
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

/// Whether a text in brackets is the name of a variable and nothing else.
fn is_variable(inner: &str) -> bool {
    !inner.is_empty() && inner.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
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
