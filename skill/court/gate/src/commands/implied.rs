//! What a runner is about to execute by itself: its files are found, and read where this call or the session
//! wrote them. Not here: which files those are (see `runner_files`), and what is in them (see `written`).

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use super::entry::Command;
use super::options::{first_operand, operands, value};
use super::runner_files::{self, Runner, Search};
use super::words::words;
use super::written::{Role, recipe_form};
use crate::context::Entry;
use crate::path::{absolute, extension, name, within};
use crate::rules::execution;
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

/// How many folders above the working one are looked at, outside the project.
const ABOVE_MAX: usize = 6;
/// How many folders and files of one runner are looked at.
const FOLDERS_MAX: usize = 16;
const SOURCES_MAX: usize = 64;
/// Folders beside the working one in which sources lie.
const BESIDE: &[&str] = &["tests", "test", "src", "spec", "__tests__"];

pub(super) const COMMANDS: &[Command] = &[Command::code(
    words!("make gmake bmake just task go-task ninja rake mage scons bazel meson"),
    make,
    [&[], &["all"], &[], &[]],
)];

/// The folder in which a wrapper starts its command, where it is told one before the command.
pub(super) fn folder<'a>(name: &str, words: &'a [Field]) -> Option<&'a str> {
    let options: &[&str] = match name {
        "env" => &["-C", "--chdir"],
        "sudo" => &["-D", "--chdir"],
        "systemd-run" => &["--working-directory"],
        "poetry" | "pnpm" => &["-C", "--directory", "--dir"],
        "uv" => &["--directory", "--project"],
        "bwrap" => &["--chdir"],
        "npm" => &["--prefix"],
        "yarn" => &["--cwd"],
        _ => return None,
    };
    let valued = ["-u", "-g", "-p", "--unset", "-a", "--python", "--user", "--group"];
    let valued: Vec<&str> = options.iter().chain(&valued).copied().collect();
    let end = first_operand(words, &valued).min(words.len());
    value(&words[..end], options)
}

impl Walker<'_> {
    /// Reads what a program executes by itself.
    pub(super) fn implied(&mut self, program: &str, words: &[Field]) -> Step {
        let asks = |word: &Field| matches!(word.text.as_str(), "--version" | "--help" | "-V");
        if words.len() == 2 && asks(&words[1]) {
            return Ok(());
        }
        for runner in runner_files::of(program) {
            let told = |word: &Field| runner.verbs.contains(&word.text.as_str());
            if runner.verbs.is_empty() || words[1..].iter().any(told) {
                self.runs_by_itself(runner, program, words)?;
                self.runs_fetched(runner, words);
            }
        }
        Ok(())
    }

    /// A runner in a folder that the same call fetches: what it will run is not there yet.
    fn runs_fetched(&mut self, runner: &Runner, words: &[Field]) {
        let named = runner.folder.iter().find_map(|option| value(words, &[option]));
        let folder = absolute(named.unwrap_or_default(), &self.state.cwd);
        let told = words[1..].iter().filter(|word| word.text.contains('/') && !word.is_option());
        let told = told.map(|word| absolute(&word.text, &self.state.cwd));
        let mut places: Vec<String> = told.collect();
        places.push(folder);
        let from =
            |place: &&String| self.state.fetched.iter().any(|fetched| within(place, fetched));
        if let Some(place) = places.iter().find(from).cloned() {
            self.found(&execution::FETCHED_SCRIPT, &place);
        }
    }

    fn runs_by_itself(&mut self, runner: &Runner, program: &str, words: &[Field]) -> Step {
        let cwd = self.state.cwd.clone();
        for option in runner.folder {
            if let Some(folder) = value(words, &[option]) {
                self.state.cwd = absolute(folder.trim_start_matches('='), &self.state.cwd);
            }
        }
        let (mut files, mut named) = (Vec::new(), Vec::new());
        let mut folders = vec![self.state.cwd.clone()];
        for option in runner.file {
            let told = value(words, &[option]).map(|file| file.trim_start_matches('='));
            files.extend(told.map(|file| absolute(file, &self.state.cwd)));
        }
        for word in words[1..].iter().filter(|word| !word.is_option() && word.is_known()) {
            let text = word.text.split("::").next().unwrap_or_default();
            if !text.contains(['/', '.']) {
                continue;
            }
            let path = absolute(text, &self.state.cwd);
            let executes =
                runner.files.contains(&name(&path)) || runner.sources.contains(&extension(&path));
            match self.context.disk.entry(&path) {
                Entry::Folder if folders.len() < FOLDERS_MAX => folders.push(path),
                Entry::Other if executes && named.len() < SOURCES_MAX => {
                    let told = runner.files.contains(&name(&path));
                    if told { files.push(path) } else { named.push(path) }
                }
                _ => {}
            }
        }
        if runner.search == Search::Upwards {
            folders.extend(self.above());
        }
        folders.dedup();
        for folder in &folders {
            files.extend(runner.files.iter().map(|file| absolute(file, folder)));
        }
        let goals = goals(program, words);
        let what = name(&words[0].text).to_owned();
        let mut met = HashSet::new();
        files.retain(|file| met.insert(file.clone()));
        self.runs(&files, &what, &goals, Role::Told)?;
        named.retain(|file| met.insert(file.clone()));
        self.runs(&named, &what, &goals, Role::Named)?;
        // The newest first, as far as half of the work reaches: a long session writes many sources.
        let mut sources = self.known_below(runner);
        sources.reverse();
        sources.extend(self.sources(runner, &folders));
        sources.retain(|file| met.insert(file.clone()));
        for source in sources {
            if self.budget.is_half_spent() {
                break;
            }
            self.runs(&[source], &what, &goals, Role::Source)?;
        }
        self.state.cwd = cwd;
        Ok(())
    }

    /// Reads the hooks that a command of git runs, and settings of the repository that execute.
    pub(super) fn hooks(&mut self, verb: &str, what: &str) -> Step {
        let mut folders = vec![self.state.cwd.clone()];
        folders.extend(self.above());
        let mut files = Vec::new();
        for folder in &folders {
            let settings = format!("{folder}/.git/config");
            if self.is_written(&settings) {
                files.push(settings);
            }
            for hook in runner_files::git_hooks(verb) {
                for place in [".git/hooks", ".husky", ".husky/_", ".githooks"] {
                    files.push(format!("{folder}/{place}/{hook}"));
                }
            }
        }
        if !runner_files::git_hooks(verb).is_empty() {
            let hooks = [".git/hooks/", ".husky/", ".githooks/"];
            let mut known = self.wrote();
            known.retain(|path| hooks.iter().any(|folder| path.contains(folder)));
            known.truncate(SOURCES_MAX);
            files.extend(known);
        }
        self.runs_written(&files, what)
    }

    /// The folders above the working one, up to the project's root.
    fn above(&self) -> Vec<String> {
        let (cwd, project) = (self.state.cwd.as_str(), self.context.project);
        let mut folders = Vec::new();
        let mut folder = cwd;
        while let Some(at) = folder.rfind('/').filter(|at| *at > 0) {
            if folder == project || folders.len() >= ABOVE_MAX {
                break;
            }
            folder = &folder[..at];
            folders.push(folder.to_owned());
        }
        folders
    }

    /// Files of the runner that the session is known to have written, below the working folder or where
    /// that is not known.
    fn known_below(&self, runner: &Runner) -> Vec<String> {
        let unknown = self.state.cwd.contains(UNKNOWN);
        let mut files = self.wrote();
        files.retain(|path| {
            let source = runner.sources.contains(&extension(path));
            let named = runner.files.contains(&name(path)) && recipe_form(path).is_none();
            (unknown || within(path, &self.state.cwd))
                && (source || named || unknown && runner.files.contains(&name(path)))
        });
        files.drain(..files.len().saturating_sub(SOURCES_MAX));
        files
    }

    /// Sources in the working folder and beside it.
    fn sources(&self, runner: &Runner, folders: &[String]) -> Vec<String> {
        let mut sources = Vec::new();
        if runner.sources.is_empty() {
            return sources;
        }
        let beside = BESIDE.iter().map(|folder| absolute(folder, &self.state.cwd));
        for folder in folders.iter().take(FOLDERS_MAX / 2).cloned().chain(beside) {
            if sources.len() >= SOURCES_MAX || self.context.disk.entry(&folder) == Entry::Missing {
                continue;
            }
            let names = self.context.disk.names(&folder);
            let wanted = names.iter().filter(|file| runner.sources.contains(&extension(file)));
            sources.extend(wanted.map(|file| absolute(file, &folder)));
        }
        sources.truncate(SOURCES_MAX);
        sources
    }
}

/// What a runner is asked to make; empty for all, or for what it makes by itself.
fn goals(program: &str, words: &[Field]) -> Vec<String> {
    let texts = |fields: Vec<&Field>| -> Vec<String> {
        let goals = fields.into_iter().map(|field| field.text.clone());
        goals.filter(|goal| !goal.bytes().all(|byte| byte.is_ascii_digit())).collect()
    };
    match program {
        "make" | "gmake" | "bmake" => {
            let valued = words!(
                "-C --directory -f --file --makefile -I -o -W --eval --include-dir --old-file \
                 --what-if"
            );
            texts(operands(words, valued))
        }
        "just" => texts(operands(words, &["-f", "--justfile", "-d", "--working-directory"])),
        "go" => texts(operands(words, &["-C", "-o", "-run", "-tags"])),
        "npm" | "pnpm" | "yarn" | "bun" | "ni" | "nr" | "turbo" | "nx" | "lerna" => {
            scripts(program, words)
        }
        _ => Vec::new(),
    }
}

/// The scripts of a package's manifest that a command runs.
fn scripts(program: &str, words: &[Field]) -> Vec<String> {
    const INSTALL: &[&str] = words!(
        "preinstall install postinstall preprepare prepare postprepare prepublish \
         dependencies pnpm:devPreinstall"
    );
    const PUBLISH: &[&str] =
        words!("prepublishOnly prepack prepare postpack prepublish publish postpublish");
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let around = |name: &str| vec![format!("pre{name}"), name.to_owned(), format!("post{name}")];
    let at = first_operand(
        words,
        &["-C", "--prefix", "--filter", "-F", "-w", "--workspace", "--cwd", "--dir", "--loglevel"],
    );
    let verb = words.get(at).map_or("", |word| word.text.as_str());
    let rest = words.get(at + 1..).unwrap_or_default();
    let next = rest.iter().find(|word| !word.is_option()).map_or("", |word| word.text.as_str());
    match verb {
        "" if matches!(program, "yarn" | "ni") => owned(INSTALL),
        "run" | "run-script" | "rum" | "workspace" | "recursive" | "workspaces" | "foreach" => {
            let named = rest.iter().filter(|word| !word.is_option());
            named.take(4).flat_map(|word| around(&word.text)).collect()
        }
        "test" | "t" | "tst" => around("test"),
        "restart" => ["stop", "start", "restart"].iter().flat_map(|name| around(name)).collect(),
        "install" | "i" | "ci" | "add" | "in" | "update" | "up" | "rebuild" | "link" | "dedupe"
        | "install-test" | "it" | "uninstall" | "remove" | "rm" => {
            let mut names: Vec<String> = owned(INSTALL);
            if matches!(verb, "install-test" | "it") {
                names.extend(around("test"));
            }
            names
        }
        "publish" | "pack" => owned(PUBLISH),
        "version" => around("version"),
        "ls" | "list" | "view" | "info" | "outdated" | "why" | "help" | "audit" | "init" | "" => {
            owned(&["-"])
        }
        _ if verb.contains(['*', UNKNOWN]) || next.contains(['*', UNKNOWN]) => Vec::new(),
        _ => around(verb),
    }
}

fn make(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let program = name(&words[0].text).to_owned();
    for word in &words[1..] {
        if let Some((key, text)) = word.text.split_once('=').filter(|_| !word.is_option()) {
            let (key, text) = (key.trim_end_matches([':', '+', '?']).to_owned(), text.to_owned());
            walker.environment(&key, &Flow { text, taint: word.taint })?;
        }
    }
    if let Some(text) = value(words, &["--eval"]).map(str::to_owned) {
        let text = text.replace("\\n", "\n").replace("\\t", "\t");
        walker.recipes(&text, super::makefiles::Form::Make, &[])?;
        walker.found(&execution::UNREADABLE_CODE, "make --eval");
    }
    walker.found(&execution::COMMAND, &program);
    let installs = words[1..].iter().any(|word| word.text == "install");
    if installs && walker.state.fetched.iter().any(|folder| within(&walker.state.cwd, folder)) {
        walker.found(&execution::FETCHED_SCRIPT, "make install");
    }
    if let Some(file) = value(words, &["-f", "--file", "--makefile"]).map(str::to_owned) {
        let path = absolute(&file, &walker.state.cwd);
        if path.starts_with("/dev/fd/") || file == "-" {
            walker.found(&execution::UNREADABLE_CODE, "make -f");
        } else if recipe_form(&path).is_none()
            && let Some(file) = walker.file(&path)
        {
            let content = file.content.clone();
            walker.recipes(&content, super::makefiles::Form::Make, &[])?;
        }
    }
    Ok(Flow::unknown())
}
