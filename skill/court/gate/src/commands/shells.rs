//! Shells, `eval`, `source`, and files that this session wrote and now executes.

use std::rc::Rc;

use super::code::Evidence;
use super::entry::Command;
use super::options::{has, joined};
use super::words::words;
use crate::level::Level;
use crate::path::{absolute, name, within};
use crate::rules::execution;
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Value, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(
        words!("sh bash zsh dash ksh ash mksh rbash fish csh tcsh hush nu elvish xonsh rc"),
        shell,
        [&[], &["scripts/build.sh"], &["-c 'rm -rf /srv/data'"], &[]],
    ),
    Command::code(words!("eval"), eval, [&["'ls'"], &[], &[], &[]]),
    Command::code(words!("source ."), source, [&[], &["scripts/env.sh"], &[], &[]]),
];

/// Whether a word is a shell by its name.
pub(super) fn is_shell(program: &str) -> bool {
    is_handled(name(program)) && !matches!(name(program), "eval" | "source" | "." | "rc")
}

fn is_handled(program: &str) -> bool {
    COMMANDS.iter().any(|command| command.names.contains(&program))
}

/// What a shell's options say.
#[derive(Default)]
struct ShellOptions {
    /// Where the first word behind them is.
    end: usize,
    /// That word is a script, not a file.
    is_text: bool,
    only_checks: bool,
    reads_stdin: bool,
    /// Scripts that stand in an option: `--command=...`.
    told: Vec<Field>,
}

fn shell_options(name: &str, words: &[Field]) -> ShellOptions {
    let mut options = ShellOptions { end: 1, ..ShellOptions::default() };
    while let Some(word) = words.get(options.end) {
        let text = word.text.as_str();
        if text == "--" || text == "-" {
            options.end += 1;
            break;
        }
        if !text.starts_with(['-', '+']) || text.len() == 1 {
            break;
        }
        options.end += 1;
        if text.starts_with("--") {
            options.end += usize::from(matches!(text, "--rcfile" | "--init-file"));
            options.is_text |= matches!(text, "--command" | "--init-command");
            let told = ["--command=", "--init-command="].iter().find_map(|o| text.strip_prefix(o));
            let told = told.map(|told| Field { text: told.to_owned(), ..word.clone() });
            options.told.extend(told);
            options.only_checks |= matches!(text, "--version" | "--help" | "--no-execute");
            continue;
        }
        options.is_text |= text.contains('c')
            || (text == "-C" && name == "fish")
            || text.eq_ignore_ascii_case("-command");
        options.only_checks |= text.contains('n') && text.starts_with('-') && !text.contains('c')
            || text == "-v" && name == "fish";
        options.reads_stdin |= text.contains('s');
        options.end += usize::from(text.ends_with(['o', 'O']));
    }
    options
}

fn shell(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let name = name(&words[0].text).to_owned();
    if has(words, ' ', "rcfile") || has(words, ' ', "init-file") {
        let file = super::options::value(words, &["--rcfile", "--init-file"]).map(Field::new);
        if let Some(file) = file {
            walker.execute(&file, &name, &[], io)?;
        }
    }
    let options = shell_options(&name, words);
    for script in &options.told {
        walker.execute_text(script, &format!("{name} -c"), &[], io.stdin)?;
    }
    let rest = words.get(options.end..).unwrap_or_default();
    if options.only_checks {
        return Ok(Flow::unknown());
    }
    if options.is_text {
        let Some(script) = rest.first() else { return Ok(Flow::default()) };
        let arguments = rest.get(2..).unwrap_or_default();
        let scope = walker.scope();
        if let Some(zero) = rest.get(1) {
            walker.state.set("0", Value { text: zero.text.clone(), taint: zero.taint });
        }
        let output = walker.execute_text(script, &format!("{name} -c"), arguments, io.stdin);
        walker.restore(scope);
        return output;
    }
    let is_file = |file: &&Field| {
        !options.reads_stdin && !matches!(file.text.as_str(), "/dev/stdin" | "/proc/self/fd/0")
    };
    if let Some(file) = rest.first().filter(is_file) {
        return walker.execute(file, &name, &rest[1..], io);
    }
    let script = Field { text: io.stdin.text.clone(), glob: false, taint: io.stdin.taint };
    walker.execute_text(&script, &format!("| {name}"), &[], &Flow::default())
}

fn eval(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let taint = words.iter().fold(words[0].taint, |taint, word| taint.and(word.taint));
    let script = Field { text: joined(&words[1..]), glob: false, taint };
    if script.text.trim().is_empty() {
        return Ok(Flow::default());
    }
    walker.execute_text(&script, "eval", &[], io.stdin)
}

/// Start-up files of tools that are commonly sourced.
const SOURCED: &[&str] = &[
    "activate",
    "activate.fish",
    "nvm.sh",
    ".bashrc",
    ".profile",
    ".zshrc",
    "env",
    ".env",
    "venv",
    "setup.bash",
];

fn source(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    // fish reads what it is piped where there is no file.
    let piped = Field::new("-");
    let file = words.iter().skip(1).find(|word| word.text != "--").cloned().unwrap_or(piped);
    if matches!(file.text.as_str(), "/dev/stdin" | "/proc/self/fd/0" | "-") {
        let script = Field { text: io.stdin.text.clone(), glob: false, taint: io.stdin.taint };
        return walker.execute_text(&script, "source", &[], &Flow::default());
    }
    if SOURCED.contains(&name(&file.text))
        && !walker.is_written(&absolute(&file.text, &walker.state.cwd))
    {
        walker.found(&execution::SCRIPT, &file.text);
        return Ok(Flow::default());
    }
    let arguments = words.get(2..).unwrap_or_default().to_vec();
    walker.execute(&file, "source", &arguments, io)
}

impl Walker<'_> {
    /// A shell executes a text.
    pub(super) fn execute_text(
        &mut self,
        script: &Field,
        via: &str,
        arguments: &[Field],
        stdin: &Flow,
    ) -> Step<Flow> {
        if script.taint.network {
            let root = self.as_root;
            self.found(
                if root { &execution::FETCHED_AS_ROOT } else { &execution::FETCHED_SCRIPT },
                via,
            );
        }
        // A text that begins with what is not known may be any command.
        let blank = script.text.trim_start().starts_with(UNKNOWN)
            && script.text.trim().chars().all(|each| each == UNKNOWN || each.is_whitespace());
        if blank {
            self.found(&execution::UNREADABLE_CODE, via);
            return Ok(Flow { text: UNKNOWN.to_string(), taint: script.taint });
        }
        let scope = self.scope();
        let lasts = via == "eval" || via == "source";
        if !lasts {
            let values =
                arguments.iter().map(|word| Value { text: word.text.clone(), taint: word.taint });
            self.state.positional = Some(Rc::new(values.collect()));
        }
        let before = self.findings.len();
        let output = self.payload(&script.text, via, stdin)?;
        // What the outer shell put into the text goes where the text sends it.
        let fetched = self.findings[before.min(self.findings.len())..]
            .iter()
            .any(|found| found.rule.id.starts_with("network."));
        if fetched && (script.taint.secret || script.taint.outside) {
            self.found(
                if script.taint.secret {
                    &crate::rules::secrets::EXFILTRATE
                } else {
                    &crate::rules::network::SEND
                },
                via,
            );
        }
        if !lasts {
            self.restore(scope);
        }
        Ok(output)
    }

    /// A program or script file is executed.
    pub(super) fn execute(
        &mut self,
        file: &Field,
        via: &str,
        arguments: &[Field],
        io: &Io<'_>,
    ) -> Step<Flow> {
        let path = absolute(&file.text, &self.state.cwd);
        if !file.is_known() {
            self.found(&execution::UNREADABLE_CODE, via);
            return Ok(Flow::unknown());
        }
        if self.is_written(&path) {
            return self.run_written(&path, via, arguments, io);
        }
        self.uses(&path);
        self.secret_path(&file.text);
        if path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/") {
            self.found(&execution::UNREADABLE_CODE, via);
        }
        if self.state.fetched.iter().any(|folder| within(&path, folder)) {
            self.found(&execution::FETCHED_SCRIPT, &file.text);
        }
        if self.is_unpacked(&path) {
            self.found(&execution::UNREADABLE_CODE, &file.text);
        }
        self.found(
            if self.is_stray(&path) { &execution::STRAY_SCRIPT } else { &execution::SCRIPT },
            &file.text,
        );
        Ok(Flow::unknown())
    }

    /// Whether a script lies where anybody may have put it, and nothing is known of it.
    pub(super) fn is_stray(&self, path: &str) -> bool {
        const LOADED: &[&str] = &["Downloads", "Desktop"];
        let temporary = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp"];
        let home = self.context.home.trim_end_matches('/');
        let loaded = LOADED.iter().any(|folder| within(path, &format!("{home}/{folder}")));
        let tool = path.contains("/bin/") || path.contains("/Scripts/");
        (loaded || temporary.iter().any(|folder| within(path, folder)))
            && !tool
            && !within(path, self.context.project)
            && !within(path, &self.state.cwd)
            && !self.state.links.contains_key(path)
    }

    /// A file that was written before is executed: it counts as what is in it.
    pub(super) fn run_written(
        &mut self,
        path: &str,
        via: &str,
        arguments: &[Field],
        io: &Io<'_>,
    ) -> Step<Flow> {
        let Some(file) = self.file(path).cloned() else { return Ok(Flow::unknown()) };
        if self.calling.iter().any(|calling| calling == path) {
            return Ok(Flow::unknown());
        }
        self.found(&execution::SCRIPT, path);
        let before = self.findings.len();
        let unread = file.content.chars().all(|each| each == UNKNOWN) && !file.content.is_empty();
        if file.taint.network || unread && self.context.disk.fetched(path).is_some() {
            let root = self.as_root;
            self.found(
                if root { &execution::FETCHED_AS_ROOT } else { &execution::FETCHED_SCRIPT },
                path,
            );
        }
        self.calling.push(path.to_owned());
        self.via.push(path.to_owned());
        let first_line = file.content.lines().next().unwrap_or_default();
        let language = language(path, first_line, via);
        if language == "shell" {
            let script =
                Field { text: file.content.clone(), glob: false, taint: Default::default() };
            // By the name that a script is started with it finds what lies beside it.
            let named = if via == "source" { &["BASH_SOURCE"][..] } else { &["0", "BASH_SOURCE"] };
            let before: Vec<_> =
                named.iter().map(|name| self.state.variables.get(*name).cloned()).collect();
            for name in named {
                self.state.set_array(name, vec![Value::new(path)]);
            }
            self.execute_text(
                &script,
                if via == "source" { "source" } else { path },
                arguments,
                io.stdin,
            )?;
            for (name, value) in named.iter().zip(before) {
                match value {
                    Some(value) => self.state.variables.insert((*name).to_owned(), value),
                    None => self.state.variables.remove(*name),
                };
            }
        } else {
            self.inside += 1;
            self.gives(arguments, io.stdin);
            self.code(language, &file.content, Evidence::Required)?;
            self.inside -= 1;
        }
        self.via.pop();
        self.calling.pop();
        if self.findings[before..].iter().any(|found| found.level >= Level::L2) {
            self.found(&execution::WRITTEN_SCRIPT, path);
        }
        Ok(Flow::unknown())
    }
}

/// The language of a script, by who runs it, its first line, or its ending.
fn language(path: &str, first_line: &str, via: &str) -> &'static str {
    const LANGUAGES: &[(&str, &str)] = &[
        ("python", "python"),
        ("node", "js"),
        ("deno", "js"),
        ("bun", "js"),
        ("ts-node", "js"),
        ("tsx", "js"),
        ("perl", "perl"),
        ("ruby", "ruby"),
        ("php", "php"),
        ("lua", "lua"),
        ("awk", "awk"),
        ("pytest", "python"),
        ("Rscript", "r"),
        ("tclsh", "tcl"),
        ("cargo", "rust"),
        ("go", "go"),
        ("pip", "python"),
        ("osascript", "applescript"),
        ("vim", "vim"),
        ("gdb", "gdb"),
        ("lldb", "gdb"),
        ("emacs", "lisp"),
    ];
    for text in [via, if first_line.starts_with("#!") { first_line } else { "" }] {
        if let Some((_, language)) = LANGUAGES.iter().find(|(name, _)| text.contains(name)) {
            return language;
        }
        if is_handled(text) || text.ends_with("sh") {
            return "shell";
        }
    }
    super::languages::of_source(path).unwrap_or("shell")
}
