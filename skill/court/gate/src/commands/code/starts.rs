//! Programs that code starts: the texts that its calls are given, followed as commands. Not here: which calls start one
//! (see `calls`).

use super::super::calls::{EXECUTES, HOMES};
use super::super::literals::{filled_in, is_path, literals};
use super::super::tables::{DANGEROUS, ORDINARY};
use super::{Code, Evidence};
use crate::level::Level;
use crate::rules::execution;
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

/// What stands in code whose texts are the words of one command.
const LISTS: &[&str] = &[
    "[",
    "(system*",
    "Process",
    "Seq(",
    "args(",
    "arg(",
    "Command(",
    "&.{",
    "call-process",
    "execl",
    "commandLine",
];

/// Calls that split the text behind the program's into its words.
const SPLITS: &[&str] = &["Process.Start", "ProcessStartInfo", "StartInfo"];

/// Calls that start a program whatever they are given.
const CERTAIN: &[&str] = &[
    "os.system",
    "os.popen",
    "subprocess",
    "Popen",
    "child_process",
    "execSync",
    "pty.spawn",
    "shell_exec",
    "passthru",
    "os.execute",
    "io.popen",
    "do shell script",
    "Deno.Command",
    "Bun.spawn",
    "`",
];

impl Walker<'_> {
    /// Texts that code prints into a file or a program: `print > "file"` of awk, `open(P, "|sh")`.
    pub(super) fn printed(&mut self, code: &Code<'_>) -> Step {
        for text in code.texts.iter().filter(|_| code.language == "awk") {
            let quoted = format!("\"{text}\"");
            let before = code.text.find(&quoted).map_or("", |at| code.text[..at].trim_end());
            if before.ends_with('>') && is_path(text) {
                self.write(&Field::new(text));
            } else if before.ends_with('|') {
                self.try_shell(text)?;
            }
        }
        if matches!(code.language, "perl" | "ruby") && code.text.contains("open") {
            self.pipes(code.texts)?;
        }
        Ok(())
    }

    /// `open(P, "|sh")`: a program that is given what is printed.
    fn pipes(&mut self, texts: &[String]) -> Step {
        let programs = texts.iter().filter(|text| text.starts_with('|') || text.ends_with('|'));
        for program in programs.map(|text| text.trim_matches(['|', ' ', '-'])) {
            self.try_shell(program)?;
            if super::super::shells::is_shell(program) {
                for text in texts.iter().filter(|text| text.contains(' ')).take(16) {
                    self.try_shell(text)?;
                }
            }
        }
        Ok(())
    }

    /// A call that starts a program: the texts in the code are read as commands.
    pub(super) fn starts_programs(&mut self, code: &Code<'_>) -> Step {
        let Code { language, texts, evidence, .. } = *code;
        let backticks = matches!(language, "ruby" | "perl" | "php") && code.text.contains('`');
        let indirect =
            evidence != Evidence::Together && super::super::reflection::is_indirect(code.text);
        let call = code.call(EXECUTES).or(backticks.then_some("`"));
        let call = call.or(has_command(code).then_some("a command in a text"));
        let Some(call) = call.or(indirect.then_some("a call without a name")) else {
            return Ok(());
        };
        let before = self.findings.len();
        // In a list the texts are the words of one command.
        let list = language == "lisp" || code.has(LISTS);
        if texts.len() > 1 && (list || evidence == Evidence::Enough) {
            self.runs_listed(code)?;
        }
        let quoted = quoted_command(code.text);
        if let Some(text) = quoted {
            self.try_shell(text)?;
        }
        for text in templates(code) {
            self.try_shell(&filled(text, self.context.home))?;
        }
        self.starts_filled(code)?;
        let mut readable = quoted.is_some() || matches!(language, "lua" | "applescript" | "tcl");
        for text in texts.iter().filter(|text| text.contains([' ', '/'])).take(64) {
            readable = true;
            self.try_shell(text)?;
        }
        if matches!(language, "tcl" | "gdb") {
            for text in code.text.split(['\n', ';']).filter_map(ordered_command) {
                self.try_shell(text)?;
            }
        }
        let dangerous = self.findings[before..].iter().any(|found| found.level >= Level::L2);
        let opaque =
            evidence == Evidence::Enough && !readable && language != "awk" && texts.len() < 2;
        if dangerous || (opaque && CERTAIN.contains(&call)) {
            self.found(&execution::CODE_EXECUTES, call);
        }
        Ok(())
    }

    /// Commands that a text becomes once it is filled in: `"rm -rf #{Dir.home}"`.
    fn starts_filled(&mut self, code: &Code<'_>) -> Step {
        let guesses = code.evidence == Evidence::Enough;
        let filled = filled_in(code.text, code.language, self.context.home, guesses);
        let filled = filled.map_or(Vec::new(), |filled| literals(&filled, code.language));
        let commands = filled.iter().filter(|text| {
            text.contains(' ') && text.contains([UNKNOWN, '/']) && !code.texts.contains(text)
        });
        commands.take(16).try_for_each(|text| self.try_shell(text))
    }

    /// Texts that follow the name of a program are its words.
    fn runs_listed(&mut self, code: &Code<'_>) -> Step {
        let texts = code.texts;
        for start in 0..texts.len().min(24) {
            let program = crate::path::name(&texts[start]);
            if !DANGEROUS.contains(&program) && !(self.knows)(program) {
                continue;
            }
            let words =
                texts[start..].iter().take(16).filter(|text| !matches!(text.as_str(), "," | ", "));
            let mut words: Vec<Field> = words.map(|text| Field::new(text)).collect();
            if code.has(HOMES) {
                words.push(Field::new(self.context.home));
            }
            // The words of a program may be one text: `Process.Start("sh", "-c 'ls'")`.
            let told = texts.get(start + 1).and_then(|told| told.strip_prefix("-c "));
            if let Some(told) = told.filter(|_| super::super::shells::is_shell(program)) {
                self.try_shell(told.trim().trim_matches(['"', '\'']))?;
            }
            // `Process.Start("rm", "-rf a")`.
            let told = texts.get(start + 1).filter(|told| told.contains(' '));
            if let Some(told) = told.filter(|_| code.has(SPLITS)) {
                self.try_shell(&format!("{} {told}", texts[start]))?;
            }
            self.run(&words, &Io { stdin: &Flow::default() })?;
        }
        Ok(())
    }

    /// Follows a text as a command, if it is one.
    pub(in crate::commands) fn try_shell(&mut self, text: &str) -> Step {
        if text.len() > crate::limits::BYTES_MAX || text.trim().is_empty() {
            return Ok(());
        }
        // Words that only a shell takes for commands, and that a text has for many reasons.
        if matches!(text.trim(), "set" | "local" | "declare" | "export" | "typeset" | "readonly") {
            return Ok(());
        }
        let first = text.split_whitespace().next().unwrap_or_default();
        let program = crate::path::name(first);
        let known = (self.knows)(program)
            || DANGEROUS.contains(&program)
            || text.contains('|')
            || text.contains(';')
            || text.contains("&&");
        if !known || ORDINARY.contains(&program) {
            return Ok(());
        }
        // What is no command is a text like any other.
        let opaque = self.opaque.clone();
        let before = self.findings.len();
        // A text that ends with a blank is continued by what is only known when it runs.
        let continued =
            if text.ends_with(' ') { format!("{text}{UNKNOWN}") } else { text.to_owned() };
        self.payload(&continued, "code", &Flow::unknown())?;
        let only_prose = |found: &crate::judgement::Finding| {
            matches!(found.rule.id, "command.opaque" | "command.unknown" | "command.other")
        };
        self.opaque = opaque;
        let mut index = before;
        while index < self.findings.len() {
            if only_prose(&self.findings[index]) {
                self.findings.remove(index);
            } else {
                index += 1;
            }
        }
        Ok(())
    }
}

/// Whether a text of a language that is not known is a command: its calls are not known either.
fn has_command(code: &Code<'_>) -> bool {
    let said = ["print", "console.log", "puts ", "echo ", "say "];
    code.language == "any"
        && !said.iter().any(|word| code.text.contains(word))
        && code.texts.iter().any(|text| {
            text.split_once(' ').is_some_and(|(first, _)| DANGEROUS.contains(&first))
                || matches!(text.as_str(), "rm" | "dd" | "shred" | "mkfs")
        })
}

/// The commands in templates of JavaScript: those of zx, Bun and execa.
fn templates<'c>(code: &Code<'c>) -> impl Iterator<Item = &'c str> + use<'c> {
    let text = if code.language == "js" { code.text } else { "" };
    let after = text.match_indices("$`").chain(text.match_indices("$({")).take(16);
    after.filter_map(move |(at, _)| text[at..].split('`').nth(1))
}

/// A template with what it is filled with: the home folder, or what is only known when it runs.
fn filled(template: &str, home: &str) -> String {
    let mut text = String::with_capacity(template.len());
    let mut parts = template.split("${");
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (name, rest) = part.split_once('}').unwrap_or((part, ""));
        let is_home = name.contains("HOME") || name.contains("homedir(");
        if is_home {
            text.push_str(home)
        } else {
            text.push(UNKNOWN)
        }
        text.push_str(rest);
    }
    text
}

/// The command in `qx(...)` of Perl, `%x(...)` of Ruby, or words of Raku.
fn quoted_command(code: &str) -> Option<&str> {
    // `shell q[ls -l]` and `run <ls -l>` of Raku.
    let orders = ["qx", "%x", "shell qq", "shell q"];
    let behind = orders.iter().find_map(|order| Some(code.split_once(order)?.1));
    let rest = behind.or_else(|| code.find("run <").map(|at| &code[at + "run ".len()..]))?;
    let open = rest.chars().next().filter(|each| !each.is_alphanumeric())?;
    let close = match open {
        '(' => ')',
        '{' => '}',
        '[' => ']',
        '<' => '>',
        other => other,
    };
    rest[open.len_utf8()..].split(close).next()
}

/// The command behind an order of Tcl or a debugger.
fn ordered_command(line: &str) -> Option<&str> {
    let (_, text) =
        ["exec ", "shell ", "spawn "].iter().find_map(|order| line.split_once(order))?;
    Some(text.trim_end_matches([']', '}']))
}
