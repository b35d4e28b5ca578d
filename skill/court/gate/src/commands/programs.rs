//! Where programs lie, and what a copy of one is: `$(command -v rm)` is `rm`, and so is a copy of it. Not here:
//! what a program does.

use super::entry::Command;
use super::options::{has, operands, value};
use super::words::words;
use crate::context::Entry;
use crate::path::{absolute, name};
use crate::rules::execution;
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

/// Folders of the search path that are looked at.
const FOLDERS_MAX: usize = 64;
/// The system's own folders of programs.
const SYSTEM: &[&str] = &["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/"];

pub(super) const COMMANDS: &[Command] = &[
    Command::code(words!("which"), which, [&["git"], &[], &[], &[]]),
    Command::code(words!("type"), kind, [&["git"], &[], &[], &[]]),
    Command::code(words!("hash"), hash, [&["-r"], &[], &[], &[]]),
    Command::code(words!("readlink realpath"), real, [&["src"], &[], &[], &[]]),
];

impl Walker<'_> {
    /// Where a program would be found.
    pub(super) fn located(&self, program: &str) -> String {
        if program.contains('/') || program.is_empty() {
            return program.to_owned();
        }
        let folders = self.context.disk.search().into_iter().take(FOLDERS_MAX);
        folders
            .map(|folder| format!("{}/{program}", folder.trim_end_matches('/')))
            .find(|path| matches!(self.context.disk.entry(path), Entry::Other | Entry::Link(_)))
            .unwrap_or_else(|| format!("/usr/bin/{program}"))
    }

    fn all_located(&self, programs: &[&Field]) -> Flow {
        let paths: Vec<String> =
            programs.iter().map(|program| self.located(&program.text)).collect();
        let taint = programs.iter().fold(Flow::default().taint, |all, each| all.and(each.taint));
        Flow { text: paths.join("\n"), taint }
    }

    /// Notes that `made` is a copy of a file that this session did not write.
    pub(super) fn copies(&mut self, source: &Field, made: &str) {
        let path = absolute(&source.text, &self.state.cwd);
        if self.state.copies.len() < 256 && path != made {
            self.state.copies.insert(made.to_owned(), path);
        }
    }

    /// The program whose copy is executed. One that is only known when it runs may be any.
    pub(super) fn run_copy(
        &mut self,
        original: &str,
        words: &[Field],
        io: &Io<'_>,
    ) -> Step<Option<Flow>> {
        let program = name(original);
        if program.contains(UNKNOWN) || program.is_empty() {
            self.found(&execution::UNKNOWN_COMMAND, &original.replace(UNKNOWN, "?"));
            self.suffixes(words, io)?;
            return Ok(Some(Flow::unknown()));
        }
        let system = SYSTEM.iter().any(|folder| original.starts_with(folder));
        if system || (self.knows)(program) {
            return self.by_name(program, words, io).map(Some);
        }
        self.uses(original);
        Ok(None)
    }
}

fn which(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    Ok(walker.all_located(&operands(words, &[])))
}

/// `type -p` and `type -P` give the path, other forms a sentence.
fn kind(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let path = has(words, 'p', "") || has(words, 'P', "");
    Ok(if path { walker.all_located(&operands(words, &[])) } else { Flow::unknown() })
}

/// `hash -p path name` lets a name stand for another program; `hash -t` says where one lies.
fn hash(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    if let Some(path) = value(words, &["-p"]).map(str::to_owned)
        && let Some(name) = operands(words, &["-p"]).first()
    {
        walker.state.aliases.insert(name.text.clone(), path);
    }
    Ok(if has(words, 't', "") {
        walker.all_located(&operands(words, &[]))
    } else {
        Flow::default()
    })
}

/// Where a path really leads. `readlink` alone gives the text of a link.
fn real(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let follows = name(&words[0].text) == "realpath"
        || ["canonicalize", "canonicalize-existing", "canonicalize-missing"]
            .iter()
            .zip(['f', 'e', 'm'])
            .any(|(long, short)| has(words, short, long));
    let relative = words.iter().any(|word| word.text.starts_with("--rel"));
    let mut flow = Flow::default();
    for word in operands(words, &["--relative-to", "--relative-base"]) {
        let path = walker.led(&absolute(&word.text, &walker.state.cwd));
        let text = match walker.context.disk.entry(&path) {
            _ if relative || word.glob => UNKNOWN.to_string(),
            Entry::Link(target) if !follows => target,
            _ if !follows && path == absolute(&word.text, &walker.state.cwd) => UNKNOWN.to_string(),
            _ => walker.context.disk.resolve(&path).unwrap_or(path),
        };
        flow.text.push_str(&text);
        flow.text.push('\n');
        flow.taint = flow.taint.and(word.taint);
    }
    Ok(flow)
}
