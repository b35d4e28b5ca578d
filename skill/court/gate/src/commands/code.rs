//! Code in other languages: a scan for calls that delete, execute, fetch or reveal, with the literal
//! texts that they are given. No grammar: what looks like such a call counts.

use super::calls::{DECODES, DESTROYS, EVALUATES, EXECUTES, HOMES, NETWORK, REVEALS, SENDS};
use super::decode::from_base64;
use super::literals::{is_path, is_pattern, joined, literals, reveals_all};
use crate::level::Level;
use crate::path::Place;
use crate::rules::{execution, secrets};
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

/// How sure a finding must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// A one-liner: a dangerous call is enough.
    Enough,
    /// A whole program: the call must have a literal that is dangerous.
    Required,
    /// One of a project's sources: the literal must be what the call is given.
    Together,
}

/// Calls whose lines tell what a program does, and those that read a file.
const TELLING: &[&[&str]] = &[
    EXECUTES,
    DESTROYS,
    EVALUATES,
    NETWORK,
    SENDS,
    &["open(", "read_text", "read_to_string", "readFile", "ReadFile", "File.read", "get_contents"],
];

impl Walker<'_> {
    /// Judges code.
    pub(crate) fn code(&mut self, language: &'static str, code: &str, evidence: Evidence) -> Step {
        self.budget.enter()?;
        self.budget.steps(code.len().saturating_mul(8))?;
        // Its end is a blank as well, for calls that have one.
        let code = &format!("{} ", super::effects::without_comments(code, language));
        // Their texts come first: of very many not all are looked at.
        let focus = super::focus::focused(code, TELLING);
        let mut texts = literals(&focus, language);
        let code = match evidence {
            Evidence::Together => &focus,
            Evidence::Enough | Evidence::Required => {
                texts.extend(literals(code, language));
                code
            }
        };
        // What it is given beside its text: arguments, lines of its input, variables.
        if evidence != Evidence::Together {
            let variables = self.variables_of(code);
            texts.extend(std::mem::take(&mut self.given).into_iter().chain(variables));
        }
        let mut met = std::collections::HashSet::new();
        texts.retain(|text| met.insert(text.clone()));
        if evidence != Evidence::Together {
            self.hidden_calls(code, &texts, evidence);
            for text in joined(code) {
                let calls = |table: &[&str]| table.iter().any(|call| text.contains(call));
                let evaluates = EVALUATES.iter().any(|call| code.contains(call));
                if evaluates && (calls(EXECUTES) || calls(DESTROYS)) {
                    self.found(&execution::CODE_EXECUTES, &text);
                }
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
        }
        self.budget.steps(texts.iter().map(|text| text.len() + 8).sum())?;
        if matches!(language, "vim" | "gdb") {
            self.escapes(language, code)?;
        }
        if language == "awk" {
            for text in &texts {
                let quoted = format!("\"{text}\"");
                let before = code.find(&quoted).map_or("", |at| code[..at].trim_end());
                if before.ends_with('>') && is_path(text) {
                    self.write(&Field::new(text));
                } else if before.ends_with('|') {
                    self.try_shell(text)?;
                }
            }
        }
        let has = |table: &'static [&'static str]| {
            table.iter().find(|call| code.contains(**call)).copied()
        };
        if matches!(language, "perl" | "ruby") && code.contains("open") {
            self.pipes(&texts)?;
        }
        let backticks = matches!(language, "ruby" | "perl" | "php") && code.contains('`');
        // In settings a list of patterns is no path.
        let lists = |text: &&String| language == "text" && text.contains(',') && text.contains('*');
        let named: Vec<String> = texts.iter().filter(|text| !lists(text)).cloned().collect();
        let secret = self.mentions_secrets(&named);
        let indirect = evidence != Evidence::Together && super::reflection::is_indirect(code);
        let indirect = indirect.then_some("a call without a name");
        if let Some(call) = has(EXECUTES).or(backticks.then_some("`")).or(indirect) {
            self.starts_programs(call, language, code, &texts, evidence)?;
        }
        // A pattern or a printed text in awk, or in a filter, is no call.
        let bare = (language == "c").then(|| super::calls::removes(code)).flatten();
        if let Some(call) = has(DESTROYS)
            .or(bare)
            .filter(|_| language != "awk")
            .filter(|call| !super::effects::only_said(code, call, language))
        {
            // A temporary folder that the code made itself.
            let own =
                ["mkdtemp(", "TemporaryDirectory(", "mkdtempSync(", "Dir.mktmpdir", "tempdir("]
                    .iter()
                    .any(|call| code.contains(call));
            let named = texts.iter().any(|text| is_path(text));
            if !own || named {
                self.deletes(call, language, &texts, evidence);
            }
            let wide = evidence != Evidence::Together && super::calls::deletes_around(code);
            if wide || HOMES.iter().any(|home| code.contains(home)) {
                self.found(&execution::CODE_DESTROYS, call);
            }
        }
        if has(EVALUATES).is_some()
            && (has(DECODES).is_some() || has(NETWORK).is_some())
            && evidence == Evidence::Enough
        {
            self.found(&execution::UNREADABLE_CODE, language);
        }
        let unseen = match evidence {
            Evidence::Enough => false,
            Evidence::Required => {
                super::reflection::evaluates_unseen(code, &[NETWORK, DECODES, &["://"]])
            }
            Evidence::Together => super::reflection::evaluates_unseen(code, &[NETWORK]),
        };
        if unseen {
            self.found(&execution::UNREADABLE_CODE, language);
        }
        // A text that is evaluated is code again.
        let evaluated = matches!(language, "python" | "js" | "ruby" | "php" | "perl")
            && ["eval(", "exec(", "Function(", "eval "].iter().any(|call| code.contains(call));
        let evaluated = evaluated && !self.budget.is_deep();
        for text in texts.iter().filter(|text| evaluated && text.contains('(')).take(8) {
            self.code(language, text, evidence)?;
        }
        for text in texts.iter().filter(|text| text.len() >= 8 && has(DECODES).is_some()) {
            if let Some(decoded) = from_base64(text) {
                self.try_shell(&decoded)?;
            }
        }
        if let Some(call) = has(NETWORK) {
            let local = texts.iter().any(|text| text.contains("://") || text.contains("localhost"))
                && texts
                    .iter()
                    .filter(|text| text.contains("://"))
                    .all(|text| super::network::is_local(text));
            let sends = has(SENDS).is_some() && !local;
            if texts.iter().any(|text| super::network::collects(text)) {
                self.found(&execution::CODE_NETWORK, call);
            }
            if secret || (has(REVEALS).is_some() && sends) {
                self.found(&secrets::EXFILTRATE, call);
            } else if !local
                && (sends
                    || has(EVALUATES).is_some()
                    || call.to_ascii_lowercase().contains("socket")
                    || call.contains("inet"))
                && evidence == Evidence::Enough
            {
                self.found(&execution::CODE_NETWORK, call);
            }
        }
        let shows =
            ["print", "console.log", "puts", "echo", "say ", "dump", "stdout", "p ENV", "pp "]
                .iter()
                .any(|call| code.contains(call));
        if evidence == Evidence::Enough
            && shows
            && has(REVEALS).is_some_and(|word| reveals_all(code, word))
        {
            self.found(&secrets::ENVIRONMENT, language);
        }
        if evidence == Evidence::Enough
            && matches!(
                language,
                "python" | "js" | "ruby" | "php" | "perl" | "lua" | "r" | "julia" | "lisp" | "c"
            )
        {
            self.overwrites(code, &texts);
            self.code_effects(code, &texts);
        }
        self.budget.leave();
        Ok(())
    }

    /// `open(P, "|sh")`: a program that is given what is printed.
    fn pipes(&mut self, texts: &[String]) -> Step {
        let programs = texts.iter().filter(|text| text.starts_with('|') || text.ends_with('|'));
        for program in programs.map(|text| text.trim_matches(['|', ' ', '-'])) {
            self.try_shell(program)?;
            if super::shells::is_shell(program) {
                for text in texts.iter().filter(|text| text.contains(' ')).take(16) {
                    self.try_shell(text)?;
                }
            }
        }
        Ok(())
    }

    fn mentions_secrets(&mut self, texts: &[String]) -> bool {
        let mut secret = false;
        for text in texts {
            let text = text.replace("~/", &format!("{}/", self.context.home));
            let path_like = text.contains('/')
                || text.starts_with('.')
                || text.contains("id_rsa")
                || text == "credentials";
            if path_like && text.len() < 256 {
                secret |= self.secret_path(&text);
            }
        }
        secret
    }

    /// A call that starts a program: the texts in the code are read as commands.
    fn starts_programs(
        &mut self,
        call: &str,
        language: &str,
        code: &str,
        texts: &[String],
        evidence: Evidence,
    ) -> Step {
        let before = self.findings.len();
        // In a list the texts are the words of one command.
        let list = code.contains('[')
            || language == "lisp"
            || code.contains("(system*")
            || code.contains("Process")
            || code.contains("Seq(")
            || code.contains("args(")
            || code.contains("arg(")
            || code.contains("Command(")
            || code.contains("&.{")
            || code.contains("call-process")
            || code.contains("execl")
            || code.contains("commandLine");
        if texts.len() > 1 && (list || evidence == Evidence::Enough) {
            for start in 0..texts.len().min(24) {
                let program = crate::path::name(&texts[start]);
                if super::tables::DANGEROUS.contains(&program) || (self.knows)(program) {
                    let mut words: Vec<Field> = texts[start..]
                        .iter()
                        .take(16)
                        .filter(|text| *text != "," && *text != ", ")
                        .map(|text| Field::new(text))
                        .collect();
                    if HOMES.iter().any(|home| code.contains(home)) {
                        words.push(Field::new(self.context.home));
                    }
                    self.run(&words, &Io { stdin: &Flow::default() })?;
                }
            }
        }
        let mut readable = false;
        if let Some(rest) =
            code.split_once("qx").or_else(|| code.split_once("%x")).map(|(_, rest)| rest)
            && let Some(open) = rest.chars().next().filter(|each| !each.is_alphanumeric())
        {
            let close = match open {
                '(' => ')',
                '{' => '}',
                '[' => ']',
                '<' => '>',
                other => other,
            };
            let text = rest[open.len_utf8()..].split(close).next().unwrap_or_default().to_owned();
            readable = true;
            self.try_shell(&text)?;
        }
        for text in texts.iter().filter(|text| text.contains(' ') || text.contains('/')).take(64) {
            readable = true;
            self.try_shell(text)?;
        }
        if language == "lua" || language == "applescript" || language == "tcl" {
            readable = true;
        }
        if language == "tcl" || language == "gdb" {
            for line in code.split(['\n', ';']) {
                if let Some((_, text)) = line
                    .split_once("exec ")
                    .or_else(|| line.split_once("shell "))
                    .or_else(|| line.split_once("spawn "))
                {
                    let text = text.trim_end_matches([']', '}']).to_owned();
                    self.try_shell(&text)?;
                }
            }
        }
        let dangerous = self.findings[before..].iter().any(|found| found.level >= Level::L2);
        let opaque =
            evidence == Evidence::Enough && !readable && language != "awk" && texts.len() < 2;
        let certain = matches!(
            call,
            "os.system"
                | "os.popen"
                | "subprocess"
                | "Popen"
                | "child_process"
                | "execSync"
                | "pty.spawn"
                | "shell_exec"
                | "passthru"
                | "os.execute"
                | "io.popen"
                | "do shell script"
                | "Deno.Command"
                | "Bun.spawn"
                | "`"
        );
        if dangerous || (opaque && certain) {
            self.found(&execution::CODE_EXECUTES, call);
        }
        Ok(())
    }

    /// Follows a text as a command, if it is one.
    pub(super) fn try_shell(&mut self, text: &str) -> Step {
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
            || super::tables::DANGEROUS.contains(&program)
            || text.contains('|')
            || text.contains(';')
            || text.contains("&&");
        if !known || super::tables::ORDINARY.contains(&program) {
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

    fn deletes(&mut self, call: &str, language: &str, texts: &[String], evidence: Evidence) {
        let paths: Vec<Field> = texts
            .iter()
            .filter(|text| is_path(text) || is_pattern(text) || self.is_output(text))
            .map(|text| {
                let text =
                    text.replacen('~', self.context.home, usize::from(text.starts_with('~')));
                Field { glob: text.contains('*'), text, ..Field::default() }
            })
            .collect();
        let harmless = |place: Place| matches!(place, Place::Scratch | Place::Nowhere);
        let dangerous: Vec<&Field> = paths
            .iter()
            .filter(|path| {
                let place = self.place(path);
                match evidence {
                    Evidence::Enough => !harmless(place),
                    Evidence::Required | Evidence::Together => {
                        !harmless(place) && place != Place::InProject
                    }
                }
            })
            .collect();
        let what = dangerous.first().map_or(call, |path| &path.text).to_owned();
        let opaque = paths.is_empty()
            && evidence == Evidence::Enough
            && (!matches!(call, "delete(" | "unlink " | "system ")
                || (language == "perl" && call == "unlink ")
                || language == "vim");
        if !dangerous.is_empty() || opaque {
            self.found(&execution::CODE_DESTROYS, &what);
        }
    }

    /// The bare name of what a build makes.
    fn is_output(&self, text: &str) -> bool {
        let plain = |each: char| each.is_ascii_alphanumeric() || "._-".contains(each);
        !text.is_empty()
            && text.chars().all(plain)
            && self.place(&Field::new(text)) == Place::Scratch
    }

    /// Files that code opens for writing.
    fn overwrites(&mut self, code: &str, texts: &[String]) {
        let opens = [
            "open(",
            "open ",
            "writeFile",
            "File.write",
            "write_text",
            "file_put_contents",
            "fopen",
            "createWriteStream",
            "copyFile",
            "Path(",
            "write(",
            "appendFile",
        ];
        let writes = [
            "'w'",
            "\"w\"",
            "'a'",
            "\"a\"",
            "'wb'",
            "\"wb\"",
            "'w+'",
            "writeFile",
            "write_text",
            "write_bytes",
            "File.write",
            "file_put_contents",
            "createWriteStream",
            "'>",
            "\">",
            "appendFile",
        ];
        if !opens.iter().any(|call| code.contains(call))
            || !writes.iter().any(|mode| code.contains(mode))
        {
            return;
        }
        // What is put into them, as far as it stands in the code.
        let content: Vec<&str> = texts
            .iter()
            .filter(|text| !is_path(text) && text.len() > 2)
            .map(String::as_str)
            .collect();
        let content = Flow::new(&content.join("\n"));
        let never_written =
            !code.contains("write") && !code.contains("print") && !code.contains("dump");
        let is_file = |text: &str| {
            text.len() < 80
                && text.trim_matches('.').contains('.')
                && text.chars().all(|each| each.is_ascii_alphanumeric() || "._-".contains(each))
        };
        for text in texts.iter().filter(|text| is_path(text) || is_file(text)) {
            let file = Field::new(&self.home_path(code, text));
            let blank = ["'", "\""].iter().any(|quote| {
                let empty = format!("{text}{quote},");
                code.split_once(&empty)
                    .is_some_and(|(_, rest)| rest.trim_start().starts_with(&quote.repeat(2)))
            });
            if blank && self.keeps(&file) {
                self.found(&crate::rules::files::EMPTY, &file.text);
            }
            let truncated = code.contains("'w')") || code.contains("\"w\")");
            if truncated && never_written && self.keeps(&file) {
                self.found(&crate::rules::files::EMPTY, &file.text);
            }
            self.write(&file);
            self.remember(&file, &content, crate::shell::Mode::Replace);
        }
    }
}
