//! Archives that are made and unpacked.

use super::entry::Command;
use super::erase::Reach;
use super::options::{has, operands, value};
use super::words::words;
use crate::context::Entry;
use crate::judgement::{Extent, Source};
use crate::path::{absolute, name};
use crate::rules::{execution, files as rules};
use crate::shell::{Field, Flow, Io, Step, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(words!("tar bsdtar gtar"), tar, [&["-tf a.tar"], &[], &["-xPf a.tar"], &[]]),
    Command::code(words!("unzip 7z 7za unrar rar unar"), extract, [&[], &["a.zip"], &[], &[]]),
    Command::code(words!("cpio"), extract, [&["a.zip"], &[], &[], &[]]),
    Command::code(words!("zip"), zip, [&[], &["a.zip src"], &["-m a.zip src"], &[]]),
];

fn tar(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let executes = [
        value(words, &["--to-command"]),
        value(words, &["--use-compress-program", "-I"]),
        value(words, &["--rsh-command"]),
        value(words, &["--info-script", "-F", "--new-volume-script"]),
    ];
    // `-cI program`: the last of several letters takes the next word.
    let clustered = words.iter().position(|word| {
        word.text.len() > 2
            && word.is_option()
            && word.text.ends_with('I')
            && word.text[1..].bytes().all(|byte| byte.is_ascii_alphabetic())
    });
    let clustered = clustered.and_then(|at| words.get(at + 1)).map(|word| word.text.clone());
    let programs = executes.into_iter().flatten().map(str::to_owned).chain(clustered);
    for text in programs.collect::<Vec<_>>() {
        walker.payload(&text, "tar", &Flow::unknown())?;
    }
    for word in words {
        if let Some((_, text)) = word.text.split_once("checkpoint-action=exec=") {
            let text = text.to_owned();
            walker.found(&execution::CODE_EXECUTES, "tar --checkpoint-action");
            walker.payload(&text, "tar --checkpoint-action", &Flow::unknown())?;
        }
    }
    if words.iter().any(|word| word.text == "--remove-files") {
        for target in operands(words, &["-f", "-C"]) {
            let target = target.clone();
            walker.delete(&target, Reach::Tree);
        }
    }
    let first =
        words.get(1).map(|word| word.text.trim_start_matches('-').to_owned()).unwrap_or_default();
    let lists = first.starts_with('t')
        || words.iter().any(|word| word.text == "--list" || word.text == "-t");
    if lists {
        return Ok(Flow::unknown());
    }
    let secret = walker.findings.iter().any(|found| found.rule.id == "secret.read");
    let letters =
        |word: &Field| word.is_option() && !word.text.starts_with("--") && word.text.contains('x');
    let extracts =
        first.contains('x') || has(words, ' ', "extract") || words[1..].iter().any(letters);
    if extracts {
        let folder =
            value(words, &["-C", "--directory"]).map_or_else(|| Field::new("."), Field::new);
        let archive = value(words, &["-f", "--file"]).map(str::to_owned).or_else(|| {
            let at = words.iter().position(|word| word.text.contains('f'))?;
            words.get(at + 1).map(|word| word.text.clone())
        });
        let archive = archive.map(|archive| absolute(&archive, &walker.state.cwd));
        let archive = archive.and_then(|path| walker.state.files.get(&path));
        if io.stdin.taint.network || archive.is_some_and(|file| file.taint.network) {
            let path = absolute(&folder.text, &walker.state.cwd);
            walker.target(&path, Extent::Tree, Source::Network);
            walker.state.fetched.push(path);
        }
        let anywhere = first.contains('P') || has(words, 'P', "absolute-names");
        if anywhere && !words.iter().any(|word| word.text.starts_with("--one-top-level")) {
            walker.found(&rules::WRITE_OUTSIDE, "tar --absolute-names");
        }
        walker.brings(&folder);
        walker.unpacks(&folder);
    } else {
        let at = words.iter().position(|word| word.text.contains('f') && !word.text.contains('/'));
        if let Some(archive) =
            at.and_then(|at| words.get(at + 1)).filter(|archive| archive.text != "-")
        {
            walker.write(&archive.clone());
        }
    }
    let mut flow = Flow::unknown();
    flow.taint.secret = secret;
    Ok(flow)
}

fn extract(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let option = if name(&words[0].text).starts_with("7z") { "-o" } else { "-d" };
    let folder = value(words, &[option])
        .filter(|folder| !folder.is_empty())
        .map_or_else(|| Field::new("."), Field::new);
    let from_network = operands(words, &["-d", "-o"]).first().is_some_and(|archive| {
        let path = absolute(&archive.text, &walker.state.cwd);
        walker.state.files.get(&path).is_some_and(|file| file.taint.network)
    });
    if from_network {
        let path = absolute(&folder.text, &walker.state.cwd);
        walker.target(&path, Extent::Tree, Source::Network);
        walker.state.fetched.push(path);
    }
    if words.iter().any(|word| word.text == "-sdel") {
        walker.found(&rules::DELETE_TREE, "7z -sdel");
    }
    let program = name(&words[0].text);
    // `rar x archive folder/`.
    let last = operands(words, &[]).last().filter(|word| word.text.ends_with('/')).copied();
    let folder = last.filter(|_| program.ends_with("rar")).cloned().unwrap_or(folder);
    if program == "cpio" {
        let folder =
            value(words, &["-D", "--directory"]).map_or_else(|| Field::new("."), Field::new);
        let unpacks = has(words, 'i', "extract") && !has(words, 't', "list");
        if unpacks && !has(words, ' ', "no-absolute-filenames") {
            walker.found(&rules::WRITE_OUTSIDE, "cpio -i");
        }
        if unpacks || has(words, 'p', "pass-through") {
            walker.brings(&folder);
            walker.unpacks(&folder);
        }
    } else if !has(words, 'l', "") || program == "7z" {
        walker.brings(&folder);
        walker.unpacks(&folder);
    }
    Ok(Flow::unknown())
}

fn zip(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    if let Some(text) = value(words, &["-TT", "--unzip-command"]).map(str::to_owned) {
        walker.found(&execution::CODE_EXECUTES, "zip -TT");
        walker.payload(&text, "zip -TT", &Flow::unknown())?;
    }
    let moves = words[1..].iter().any(|word| {
        word.text == "--move"
            || (word.text.starts_with('-')
                && !word.text.starts_with("--")
                && word.text.len() < 6
                && word.text.contains('m'))
    });
    for source in operands(words, &["-x", "-i", "-P"]).iter().skip(1).filter(|_| moves) {
        let source = (*source).clone();
        walker.delete(&source, Reach::Tree);
    }
    if let Some(archive) = operands(words, &["-x", "-i", "-P"]).first() {
        let archive = (*archive).clone();
        walker.write(&archive);
    }
    Ok(Flow::unknown())
}

impl Walker<'_> {
    /// Files whose text is not known come to lie there.
    fn brings(&mut self, folder: &Field) {
        let path = absolute(&folder.text, &self.state.cwd);
        self.target(&path, Extent::Tree, Source::Local);
        self.state.unpacked.push(path);
    }

    /// Whether a script is not there yet, and comes out of an archive that this call unpacks.
    pub(super) fn is_unpacked(&self, path: &str) -> bool {
        self.state.unpacked.iter().any(|folder| crate::path::within(path, folder))
            && self.context.disk.entry(path) == Entry::Missing
    }
}
