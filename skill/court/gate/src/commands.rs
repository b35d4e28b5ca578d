//! What each command means. This file finds the handler of a command; the tables and handlers are in
//! the rooms below. Not here: the shell's grammar and expansion (see `shell`).

mod acts;
mod agents;
mod archives;
mod builds;
mod builtins;
mod bus;
mod calls;
mod captures;
mod clouds;
mod clusters;
mod code;
mod compilers;
mod composer;
mod consent;
mod court;
mod databases;
mod debuggers;
mod decode;
mod desktop;
mod downloads;
mod editors;
mod effects;
mod entry;
mod environment;
mod erase;
mod files;
mod find;
mod firmware;
mod focus;
mod frameworks;
#[cfg(test)]
#[path = "commands/generality/tests.rs"]
mod generality;
mod git;
mod git_options;
mod git_settings;
mod git_verbs;
mod given;
mod guests;
mod hosts;
mod images;
mod implied;
mod interpreters;
mod json;
mod languages;
mod later;
mod links;
mod literals;
mod machine;
mod make_text;
mod makefiles;
mod mounts;
mod multiplexers;
mod names;
mod network;
mod node;
mod options;
mod outputs;
mod package_sources;
mod packages;
mod pagers;
mod plain;
mod plans;
mod powershell;
mod processes;
mod programs;
mod queries;
mod recipes;
mod reflection;
pub(crate) mod registry;
mod remote;
mod runner_files;
mod runners;
mod secrets;
mod sed;
mod serve;
mod servers;
mod services;
mod shells;
mod system;
mod tables;
mod text;
mod transfers;
mod unknown;
mod variables;
mod versions;
mod when;
mod windows;
mod words;
mod wrappers;
mod written;
mod xargs;

use std::rc::Rc;

use crate::judgement::{Extent, Seen, Source};
use crate::path::{self, Zone, absolute, is_secret};
use crate::rules::{execution, files as file_rules, secrets as secret_rules};
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Value, Walker};

/// Longest path that systems take, in bytes.
const PATH_MAX: usize = 4096;

impl Walker<'_> {
    /// Follows one simple command whose words are expanded.
    pub(crate) fn run(&mut self, words: &[Field], io: &Io<'_>) -> Step<Flow> {
        self.given.clear();
        self.budget.node()?;
        let Some(command) = words.first() else { return Ok(Flow::default()) };
        if command.text.is_empty() {
            return Ok(Flow::default());
        }
        self.budget.enter()?;
        self.record(words);
        self.framework_tasks(words, io)?;
        let before = self.findings.len();
        let mut output = if !command.is_known() || (command.glob && command.text != "[") {
            self.found(&execution::UNKNOWN_COMMAND, &command.text.replace(UNKNOWN, "?"));
            self.suffixes(words, io)?;
            Flow::unknown()
        } else {
            self.dispatch(words, io)?
        };
        self.unread(words, before, &mut output);
        self.budget.leave();
        Ok(output)
    }

    /// Follows code that a command is given.
    fn inline(&mut self, language: &'static str, code: &str) -> Step {
        self.code(language, code, code::Evidence::Enough)
    }

    /// What an alias of this command stands for; none while it is being followed.
    fn alias_of(&self, command: &str) -> Option<String> {
        let text = self.state.aliases.get(command)?;
        (!self.calling.iter().any(|calling| calling == command)).then(|| text.clone())
    }

    /// Keeps the words of a command for the judgement.
    fn record(&mut self, words: &[Field]) {
        if self.seen.len() < 256 {
            let words =
                words.iter().take(64).map(|word| word.text.chars().take(200).collect()).collect();
            self.seen.push(Seen { words, via: self.via.clone(), span: self.span.clone() });
        }
    }

    /// Follows a command by what its name is: a path, an alias, a function, or an entry of the table.
    fn dispatch(&mut self, words: &[Field], io: &Io<'_>) -> Step<Flow> {
        let command = &words[0].text;
        // zsh: the path of a program.
        if let Some(program) = command.strip_prefix('=').filter(|program| !program.is_empty()) {
            return self.by_name(program, &names::renamed(words, program), io);
        }
        if let Some(program) = names::of_windows(command) {
            return self.by_name(&program, &names::renamed(words, &program), io);
        }
        if command.contains('/') {
            let path = absolute(command, &self.state.cwd);
            if self.is_written(&path) {
                return self.run_written(&path, "", &words[1..], io);
            }
            let system = ["/bin", "/usr", "/sbin", "/opt", "/nix", "/snap", "/lib", "/lib64"];
            if !system.iter().any(|folder| path::within(&path, folder)) {
                return self.foreign_program(&path, words, io);
            }
        } else if let Some(text) = self.alias_of(command) {
            self.calling.push(command.clone());
            let rest = options::joined(&words[1..]);
            let output = self.payload(&format!("{text} {rest}"), "alias", io.stdin)?;
            self.calling.pop();
            return Ok(output);
        } else if let Some(body) = self.state.functions.get(command).cloned() {
            let scope = self.scope();
            let values =
                words[1..].iter().map(|word| Value { text: word.text.clone(), taint: word.taint });
            self.state.positional = Some(Rc::new(values.collect()));
            self.locals.push(Vec::new());
            let output = self.call(command, &body, io.stdin)?;
            // What a function assigns lasts; its arguments, and what it declares its own, do not.
            let mut variables = std::mem::take(&mut self.state.variables);
            for name in self.locals.pop().unwrap_or_default() {
                match scope.variables.get(&name) {
                    Some(old) => variables.insert(name, old.clone()),
                    None => variables.remove(&name),
                };
            }
            self.restore(scope);
            self.state.variables = variables;
            return Ok(output);
        }
        self.by_name(path::name(command), words, io)
    }

    /// A program by its bare name.
    fn by_name(&mut self, name: &str, words: &[Field], io: &Io<'_>) -> Step<Flow> {
        if let Some(plain) = names::plain(name) {
            return self.by_name(&plain, &names::renamed(words, &plain), io);
        }
        #[cfg(test)]
        let name = generality::hidden(name);
        if tables::sets_up_shell(name, words) {
            self.found(&execution::COMMAND, name);
            return Ok(Flow::default());
        }
        if !tables::TAKES_TEXT.contains(&name) {
            self.secret_arguments(name, words);
        }
        self.consents(name, words, io);
        self.outputs(name, words);
        self.leads_elsewhere(name, words);
        self.carries(name, words, io);
        self.downloads(name, words);
        self.compiles(name, words, io)?;
        self.implied(name, words)?;
        if self.is_installed(name) {
            self.found(&crate::rules::infrastructure::FOREIGN_PACKAGE, name);
        }
        if let Some(command) = registry::command(name) {
            let Some(folder) = implied::folder(name, words) else {
                return command.run(self, words, io);
            };
            let folder = absolute(folder, &self.state.cwd);
            let cwd = std::mem::replace(&mut self.state.cwd, folder);
            let output = command.run(self, words, io);
            self.state.cwd = cwd;
            return output;
        }
        self.found(&execution::COMMAND, name);
        self.unknown_program(name, words, io)
    }

    /// A program that is not the system's: a script, or a copy of a program.
    fn foreign_program(&mut self, path: &str, words: &[Field], io: &Io<'_>) -> Step<Flow> {
        if let Some(original) = self.state.copies.get(path).cloned()
            && let Some(output) = self.run_copy(&original, words, io)?
        {
            return Ok(output);
        }
        let target = self.state.links.get(path).cloned();
        if let Some(target) = target.or_else(|| self.context.disk.resolve(path)) {
            if target.contains(UNKNOWN) {
                self.found(&execution::UNKNOWN_COMMAND, path);
            }
            return self.by_name(path::name(&target), words, io);
        }
        self.uses(path);
        let name = path::name(path);
        if let Some(sources) = self.state.built.get(path).cloned() {
            self.found(&execution::SCRIPT, path);
            self.gives(&words[1..], io.stdin);
            self.runs_written(&sources, name)?;
            return Ok(Flow::unknown());
        }
        if self.state.installed.iter().any(|installed| installed == name) {
            self.found(&crate::rules::infrastructure::FOREIGN_PACKAGE, name);
        }
        // `node_modules/.bin/tsc` and `.venv/bin/python` are known by their names.
        let tool = matches!(name, "gradlew" | "mvnw" | "court");
        if registry::is_told(name) && (path.contains("/bin/") || path.contains("/.bin/") || tool) {
            return self.by_name(name, words, io);
        }
        if path.contains("/bin/") || path.contains("/.bin/") {
            self.implied(name, words)?;
        }
        let place = self.zone(&words[0]);
        if self.state.fetched.iter().any(|folder| path::within(path, folder)) {
            self.found(&execution::FETCHED_SCRIPT, path);
        }
        if self.is_unpacked(path) {
            self.found(&execution::UNREADABLE_CODE, path);
        }
        let rule = if place == Zone::Unknown {
            &execution::UNKNOWN_COMMAND
        } else if self.is_stray(path) {
            &execution::STRAY_SCRIPT
        } else {
            &execution::SCRIPT
        };
        self.found(rule, path);
        self.outputs(name, words);
        self.unknown_program(name, words, io)
    }

    /// Notes that a path holds a secret, if it does.
    pub(crate) fn secret_path(&mut self, text: &str) -> bool {
        let secret = self.holds_secret(text);
        if secret {
            self.found(&secret_rules::READ, text);
        }
        secret
    }

    /// Whether a path holds a secret.
    pub(crate) fn holds_secret(&self, text: &str) -> bool {
        // A sentence is no path, a path may have blanks.
        if text.is_empty() || text.contains('\n') || text.matches(' ').count() > 16 {
            return false;
        }
        let plain = self.led(&absolute(text, &self.state.cwd));
        if plain.len() > PATH_MAX {
            return false;
        }
        let real = self.context.disk.resolve(&plain).unwrap_or(plain);
        is_secret(&real, self.context.home)
    }

    pub(crate) fn zone(&self, field: &Field) -> Zone {
        if self.state.links.is_empty() {
            return path::zone_of(&field.text, &self.state.cwd, self.context);
        }
        // A link itself is where it lies, and what is below it where it leads.
        let plain = absolute(&field.text, &self.state.cwd);
        let (folder, name) = plain.rsplit_once('/').unwrap_or(("", &plain));
        let real = if field.text.ends_with('/') {
            self.led(&plain)
        } else {
            format!("{}/{name}", self.led(folder))
        };
        if real == plain {
            path::zone_of(&field.text, &self.state.cwd, self.context)
        } else {
            path::zone_of(&real, &self.state.cwd, self.context)
        }
    }

    /// Where a path leads by the links that this command has made.
    pub(crate) fn led(&self, plain: &str) -> String {
        let mut path = plain.to_owned();
        // Links may lead to links, and in a circle.
        for _ in 0..8 {
            let next = self.state.links.iter().find_map(|(link, target)| {
                let inside = path.strip_prefix(link.as_str())?;
                (inside.is_empty() || inside.starts_with('/')).then(|| format!("{target}{inside}"))
            });
            match next {
                Some(next) if next != path && next.len() <= PATH_MAX => path = next,
                _ => break,
            }
        }
        path
    }

    /// A file as what is written to it is written: at the end of links.
    pub(crate) fn followed(&self, field: &Field) -> Field {
        let plain = absolute(&field.text, &self.state.cwd);
        let real = self.led(&plain);
        if real == plain { field.clone() } else { Field { text: real, ..field.clone() } }
    }

    /// Whether a file is one of the court's own, or a folder that holds them.
    pub(crate) fn is_record(&self, field: &Field) -> bool {
        let path = absolute(&field.text, &self.state.cwd);
        path::is_record(&path, self.context)
    }

    /// The content of a file as far as it is known; a secret file is noted.
    pub(crate) fn read_file(&mut self, field: &Field) -> Flow {
        let path = absolute(&self.followed(field).text, &self.state.cwd);
        if let Some(file) = self.file(&path) {
            return Flow { text: file.content.clone(), taint: file.taint };
        }
        let mut flow = Flow::unknown();
        if matches!(path.as_str(), "/dev/null" | "/dev/zero" | "/dev/urandom" | "/dev/random") {
            flow.text.clear();
        } else if path::extension(&path) == "pid" {
            flow.text = processes::ONE.to_owned();
        }
        flow.taint.secret = self.secret_path(&field.text);
        let place = self.zone(field);
        flow.taint.outside = matches!(place, Zone::System | Zone::InHome | Zone::Persistence);
        flow
    }

    /// Notes that something is written there.
    pub(crate) fn write(&mut self, field: &Field) {
        let field = &self.followed(field);
        self.writes_terminal(field);
        self.target(&field.text, Extent::File, Source::Local);
        if self.is_record(field) {
            self.found(&file_rules::WRITE_COURT, &field.text);
            return;
        }
        let rule = match self.zone(field) {
            Zone::Nowhere | Zone::Socket => return,
            Zone::Disk => &file_rules::DISK,
            Zone::Unknown if path::starts_program(&field.text) => &file_rules::WRITE_WIRING,
            Zone::Persistence => &file_rules::WRITE_WIRING,
            Zone::System if path::is_temporary(&absolute(&field.text, &self.state.cwd)) => {
                &file_rules::WRITE
            }
            Zone::Root | Zone::System | Zone::Home | Zone::InHome | Zone::Outside => {
                &file_rules::WRITE_OUTSIDE
            }
            Zone::Project | Zone::InProject | Zone::Scratch | Zone::Unknown => {
                self.by_another_name(field).unwrap_or(&file_rules::WRITE)
            }
        };
        self.found(rule, &field.text);
    }
}
