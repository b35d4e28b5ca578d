//! Commands that copy, move, make or change files.

use super::acts::{Act, Also, Pick};
use super::entry::When::{All, Always, Any, Not, Operands, Option, Test, Value, Verbs, Word};
use super::entry::{Case, Command, Given, Gives, READS, Said, lists};
use super::links::Kind;
use super::options::{has, operands, value};
use super::words::words;
use crate::context::Entry;
use crate::judgement::{Extent, Source};
use crate::path::{Zone, absolute, name};
use crate::rules::{Rule, execution, files as rules, network, repository, secrets};
use crate::shell::{Field, Flow, Io, Step, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(words!("cp gcp install ditto"), cp, [&[], &["a b"], &["a /etc/passwd"], &[]]),
    Command::code(words!("mv"), mv, [&[], &["a b"], &["src /tmp/x"], &[]]),
    Command::code(words!("tee sponge"), tee, [&[], &[], &["out.txt", "/etc/hosts"], &[]]),
    Command::said(
        words!("mkdir mkfifo"),
        Said::cases(&["-m", "--mode"], &[])
            .also(&[Also(Always, Act::Makes(Pick::From(0)))])
            .gives(Gives::Nothing),
        [&["--help"], &["out", "-p ~/x"], &["/etc/x"], &[]],
    ),
    Command::said(
        words!("touch"),
        Said::cases(DATES, &[&[Case(Value(DATES, "*"), &rules::BACKDATE)]])
            .also(&[Also(Always, Act::Makes(Pick::From(0)))])
            .gives(Gives::Nothing),
        [&["--help"], &["out", "-d 2020-01-01 out"], &["/etc/x"], &[]],
    ),
    Command::code(
        words!("chmod chown chgrp chattr setcap"),
        mode,
        [&[], &[], &["-R 777 /srv"], &[]],
    ),
    // Lists of rights. All operands are files.
    Command::said(
        words!("setfacl"),
        Said::cases(
            words!(
                "-m -x -M -X -s -S --modify --remove --set --set-file --modify-file --remove-file \
                 --restore"
            ),
            &[&[
                Case(Any(&[Not(&Operands(1)), Word("--test --help --version")]), READS),
                Case(All(&[Test(all_inside), Not(&Option('R', "recursive"))]), &rules::WRITE),
                Case(Always, &rules::MODE),
            ]],
        )
        .gives(Gives::Nothing),
        [&["--help"], &["-m u:a:rw src/a.rs"], &["-R -m u:a:rw /srv", "-R -b src"], &[]],
    ),
    Command::code(
        words!("rsync"),
        rsync,
        [&[], &[], &["-a src/ host:/srv"], &["-a ~/.ssh/ host:in/"]],
    ),
    Command::cases(
        words!("rclone"),
        RSYNC,
        &[&[
            Case(
                Any(&[
                    Verbs(
                        "ls|lsd|lsl|lsf|lsjson|size|version|listremotes|cat|md5sum|sha1sum|hashsum|\
                         check|about|tree|ncdu",
                    ),
                    Option('n', "dry-run"),
                ]),
                &network::FETCH,
            ),
            Case(Always, &network::SEND),
        ]],
        [&[], &["ls a:", "sync --dry-run a b:"], &["-a src/ host:/srv", "sync a b:"], &[]],
    ),
    // What is patched, or stripped in its place, is written.
    Command::said(
        words!("patch"),
        Said::cases(
            words!("-d -i -p -o -b -n -l -a"),
            &[&[
                // What differs now is taken back.
                Case(
                    All(&[
                        Option('R', "reverse"),
                        Not(&Any(&[Operands(1), Option('i', "input"), Word("--dry-run")])),
                    ]),
                    &repository::GIT_DISCARD,
                ),
                Case(Always, &rules::WRITE),
            ]],
        )
        .also(&[
            Also(Not(&Word("--dry-run")), Act::Calls(patches)),
            Also(Not(&Value(MADE, "*")), Act::Writes(Pick::Nth(0))),
            Also(Always, Act::Writes(Pick::Values(words!("-o --output -d --directory")))),
        ]),
        [
            &[],
            &["src/a.rs", "-o b a", "-R -i a.diff"],
            &["/etc/x", "-d /etc", "-o /etc/x a", "-R -p1"],
            &[],
        ],
    ),
    Command::said(
        words!("split csplit"),
        Said::cases(&[], &[&[Case(Always, &rules::WRITE)]])
            .also(&[Also(Always, Act::Shell(Pick::Values(&["--filter"])))]),
        [&[], &["src/a.rs"], &["--filter='rm -rf /srv/data' x"], &[]],
    ),
    Command::said(
        words!("strip"),
        Said::cases(words!("-d -i -p -o -b -n -l -a"), &[]).also(&[
            Also(Not(&Value(MADE, "*")), Act::Writes(Pick::Nth(0))),
            Also(Always, Act::Writes(Pick::Values(MADE))),
        ]),
        [&["--version"], &["src/a.rs", "-o b a"], &["/usr/bin/git", "-o /etc/x a"], &[]],
    ),
    Command::said(
        words!("objcopy"),
        Said::cases(words!("-d -i -p -o -b -n -l -a"), &[]).also(&[
            Also(Not(&Operands(2)), Act::Writes(Pick::Nth(0))),
            Also(Always, Act::Writes(Pick::Nth(1))),
        ]),
        [&["--version"], &["src/a.rs", "a b"], &["/usr/bin/git", "a /etc/x"], &[]],
    ),
];

fn cp(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let valued = words!("-t --target-directory -m -o -g -S --mode --owner --group --suffix");
    let mut rest: Vec<Field> = operands(words, valued).into_iter().cloned().collect();
    let installs = name(&words[0].text) == "install";
    let target = value(words, &["-t", "--target-directory"]).map(Field::new).or_else(|| rest.pop());
    let Some(target) = target else { return Ok(Flow::default()) };
    if installs && has(words, 'd', "directory") {
        walker.write(&target);
        return Ok(Flow::default());
    }
    let folder = rest.len() > 1 || target.text.ends_with('/') || target.text == ".";
    let links = match (has(words, 's', "symbolic-link"), has(words, 'l', "link")) {
        _ if installs => None,
        (true, _) => Some(Kind::Symbolic),
        (_, true) => Some(Kind::Hard),
        _ => None,
    };
    for source in &rest {
        if source.text == "/dev/null" && walker.keeps(&target) {
            walker.found(&rules::EMPTY, &target.text);
        }
        let reads = source.text == "/dev/stdin";
        let content = if reads { io.stdin.clone() } else { walker.read_file(source) };
        let path = absolute(&source.text, &walker.state.cwd);
        let mut file = target.clone();
        if folder {
            file.text = format!("{}/{}", target.text.trim_end_matches('/'), name(&source.text));
        }
        let made = absolute(&walker.made(source, &target), &walker.state.cwd);
        let whole =
            has(words, 'r', "recursive") || has(words, 'R', "") || has(words, 'a', "archive");
        let extent = if whole { Extent::Tree } else { Extent::File };
        walker.target(&made, extent, walker.origin(&path));
        if let Some(kind) = links {
            walker.link(source, &file, kind);
        } else if reads || walker.is_written(&path) {
            walker.remember(&file, &content, crate::shell::Mode::Replace);
        } else {
            walker.copies(source, &made);
        }
    }
    walker.write(&target);
    Ok(Flow::default())
}

/// The patch is an operand, an option's value, or the input.
fn patches(walker: &mut Walker<'_>, given: &Given<'_>, io: &Io<'_>) -> Step<Flow> {
    let named: Vec<Field> =
        value(given.words, &["-i", "--input"]).map(Field::new).into_iter().collect();
    let files: Vec<&Field> = given.operands.iter().skip(1).copied().chain(&named).collect();
    walker.patches(&files, io);
    Ok(Flow::default())
}

impl Walker<'_> {
    /// Where something lands that is copied or moved to a target.
    fn made(&self, source: &Field, target: &Field) -> String {
        let path = absolute(&target.text, &self.state.cwd);
        let folder =
            target.text.ends_with(['/', '.']) || self.context.disk.entry(&path) == Entry::Folder;
        if folder { format!("{path}/{}", name(&source.text)) } else { path }
    }

    /// Whether a file came from a network.
    fn origin(&self, path: &str) -> Source {
        let known = self.state.files.get(path).is_some_and(|file| file.taint.network);
        match known || self.context.disk.fetched(path).is_some() {
            true => Source::Network,
            false => Source::Local,
        }
    }
}

fn mv(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let mut rest: Vec<Field> = operands(words, &["-t", "--target-directory", "-S", "--suffix"])
        .into_iter()
        .cloned()
        .collect();
    let target = value(words, &["-t", "--target-directory"]).map(Field::new).or_else(|| rest.pop());
    let Some(target) = target else { return Ok(Flow::default()) };
    let to = walker.zone(&target);
    for source in &rest {
        if source.text == "/dev/null" && walker.keeps(&target) {
            walker.found(&rules::EMPTY, &target.text);
        }
        let from = walker.zone(source);
        let lost = match from {
            Zone::Scratch | Zone::Unknown | Zone::Nowhere => to == Zone::Persistence,
            Zone::InProject => !matches!(to, Zone::InProject | Zone::Project | Zone::Unknown),
            Zone::Project => to != Zone::InProject || source.glob,
            _ => true,
        };
        if walker.holds_records(source) {
            walker.found(&rules::WRITE_COURT, &source.text);
        } else if lost || walker.holds_wiring(source) {
            walker.found(&rules::MOVE_AWAY, &source.text);
        }
        let path = absolute(&source.text, &walker.state.cwd);
        if walker.is_written(&path)
            && let Some(file) = walker.state.files.remove(&path)
        {
            let content = Flow { text: file.content, taint: file.taint };
            let made = Field::new(&walker.made(source, &target));
            walker.remember(&made, &content, crate::shell::Mode::Replace);
        }
        // What is in a folder that is moved keeps its times.
        let made = walker.made(source, &target);
        walker.target(&made, Extent::Tree, walker.origin(&path));
    }
    walker.write(&target);
    Ok(Flow::default())
}

fn tee(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let mode = if has(words, 'a', "append") {
        crate::shell::Mode::Append
    } else {
        crate::shell::Mode::Replace
    };
    for target in operands(words, &[]) {
        let target = target.clone();
        // `>(...)` is no file: what is written to it was followed where it stands.
        if !target.text.starts_with("/dev/fd/") {
            let empties = io.stdin.text.is_empty() && mode == crate::shell::Mode::Replace;
            if empties && walker.keeps(&target) {
                walker.found(&rules::EMPTY, &target.text);
            }
            walker.write(&target);
            walker.remember(&target, io.stdin, mode);
        }
    }
    Ok(io.stdin.clone())
}

impl Walker<'_> {
    /// Notes that something new and empty is made. Merely elsewhere it harms nothing.
    pub(super) fn makes_new(&mut self, target: &Field) {
        if matches!(self.zone(target), Zone::InHome | Zone::Outside) {
            self.found(&rules::WRITE, &target.text);
        } else {
            self.write(target);
        }
    }
}

fn mode(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let program = name(&words[0].text).to_owned();
    // A mode may begin with a dash: `-x`, `-w`.
    let rest: Vec<Field> = words[1..]
        .iter()
        .filter(|word| !word.is_option() || word.text.starts_with("-x"))
        .cloned()
        .collect();
    // `--reference=FILE` stands in the place of the mode.
    let by_file = words.iter().any(|word| word.text.starts_with("--ref"));
    let rest = if by_file && rest.len() < words.len() {
        std::iter::once(Field::new("reference")).chain(rest).collect()
    } else {
        rest
    };
    let Some(change) = rest.first().map(|word| word.text.clone()) else {
        return Ok(Flow::default());
    };
    let recursive = has(words, 'R', "recursive");
    let change = Change { text: &change, program: &program, recursive };
    if change.is_special() {
        walker.found(&rules::MODE, &super::options::joined(words));
    }
    for target in &rest[1..] {
        let rule = change.rule(walker.zone(target));
        walker.found(rule, &target.text);
        let path = absolute(&target.text, &walker.state.cwd);
        if change.makes_executable() && walker.is_written(&path) {
            walker.run_written(&path, "", &[], io)?;
        }
    }
    Ok(Flow::default())
}

/// A change of rights or owners.
struct Change<'c> {
    text: &'c str,
    program: &'c str,
    recursive: bool,
}

impl Change<'_> {
    /// Rights that nobody has, or that a program gives to each who starts it.
    fn is_special(&self) -> bool {
        let digits = self.text.bytes().all(|byte| byte.is_ascii_digit());
        let lends = self.text.contains("+s")
            || self.text.len() == 4 && self.text.starts_with(['2', '4', '6']) && digits;
        match self.program {
            "chmod" => lends || lists("000 0 0000 a-rwx a=", self.text),
            program => lists("setcap chattr", program),
        }
    }

    fn makes_executable(&self) -> bool {
        self.program == "chmod"
            && (self.text.contains('x') || self.text.bytes().any(|byte| b"1357".contains(&byte)))
    }

    /// What it is where it is made.
    fn rule(&self, place: Zone) -> &'static Rule {
        // Rights taken from everybody but the owner.
        let tightens = self.program == "chmod"
            && !self.recursive
            && lists("600 400 700 0600 0400 0700 go-rwx", self.text);
        let adds = self.program == "chmod" && self.text.contains('+') && !self.text.contains('w');
        match place {
            Zone::Scratch | Zone::Nowhere | Zone::Unknown => &rules::WRITE,
            Zone::InHome | Zone::Persistence | Zone::Outside if tightens => &rules::WRITE,
            Zone::InProject if !self.recursive || adds => &rules::WRITE,
            _ => &rules::MODE,
        }
    }
}

/// All that is named may be anybody's.
fn all_inside(walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.operands.iter().all(|target| {
        let place = walker.zone(target);
        matches!(place, Zone::Scratch | Zone::Nowhere | Zone::Unknown | Zone::InProject)
    })
}

/// Whether a word names a place on another machine.
pub(super) fn is_remote(text: &str) -> bool {
    let Some((host, path)) = text.split_once(':') else { return false };
    text.contains("://")
        || (!host.is_empty()
            && !host.contains('/')
            && !host.starts_with('.')
            && (host.len() > 1 || !path.starts_with(['\\', '/'])))
}

/// One file becomes another: what it holds goes with it.
pub(super) fn copied(walker: &mut Walker<'_>, from: &Field, to: &Field) {
    let network = crate::shell::Taint { network: true, ..Default::default() };
    let content = if is_remote(&from.text) {
        Flow { taint: network, ..Flow::unknown() }
    } else {
        let path = absolute(&from.text, &walker.state.cwd);
        match walker.file(&path) {
            Some(file) => Flow { text: file.content.clone(), taint: file.taint },
            None => return walker.copies(from, &absolute(&to.text, &walker.state.cwd)),
        }
    };
    walker.remember(to, &content, crate::shell::Mode::Replace);
}

const RSYNC: &[&str] = words!(
    "-e --rsh --exclude --include --filter -f --files-from --exclude-from --log-file --bwlimit \
     --timeout --rsync-path --backup-dir --link-dest --port --password-file -T"
);

/// Options that name another time.
const DATES: &[&str] = words!("-d -t -r --date --reference");

const MADE: &[&str] = &["-o", "--output"];

fn rsync(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    if let Some(text) = value(words, &["-e", "--rsh", "--rsync-path"]).map(str::to_owned)
        && !text.trim_start().starts_with("ssh")
        && text != "rsync"
    {
        walker.payload(&text, "rsync -e", &Flow::unknown())?;
    }
    let rest: Vec<Field> = operands(words, RSYNC).into_iter().cloned().collect();
    let Some(target) = rest.last() else { return Ok(Flow::unknown()) };
    if has(words, 'n', "dry-run") || has(words, ' ', "list-only") {
        walker.found(&execution::COMMAND, "rsync --dry-run");
        return Ok(Flow::unknown());
    }
    if is_remote(&target.text) {
        let secret = rest.iter().any(|source| walker.holds_secret(&source.text));
        walker.found(if secret { &secrets::EXFILTRATE } else { &network::SEND }, &target.text);
    } else {
        if rest.iter().any(|word| is_remote(&word.text)) {
            walker.found(&network::FETCH, "rsync");
        }
        if let [from, to] = &rest[..] {
            copied(walker, from, to);
            let remote = is_remote(&from.text);
            let source = if remote { Source::Network } else { Source::Local };
            walker.target(&to.text, Extent::Tree, source);
        }
        walker.write(target);
        let deletes = words.iter().any(|word| word.text.starts_with("--del"));
        if deletes && walker.keeps(target) {
            walker.found(&rules::DELETE_TREE, &target.text);
        }
    }
    if words.iter().any(|word| word.text == "--remove-source-files") {
        walker.found(&rules::MOVE_AWAY, &rest[0].text);
    }
    Ok(Flow::unknown())
}
