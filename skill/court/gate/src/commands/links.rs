//! Links: other names for a file, which what follows in the same command is written through. A hard link to
//! what guards or drives the work counts at once, and again where the file system says that a file is one.

use super::acts::{Act, Also, Pick};
use super::entry::When::Always;
use super::entry::{Case, Command, Gives, Said};
use super::options::{has, operands, value};
use super::words::words;
use crate::path::{self, Zone, absolute, name};
use crate::rules::{Rule, files as rules};
use crate::shell::{Field, Flow, Io, Step, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(words!("ln gln link"), ln, [&[], &["-s a b"], &[], &[]]),
    // A pattern may lead anywhere.
    Command::said(
        words!("rename prename file-rename mmv zmv"),
        Said::cases(&["-e", "--expr"], &[&[Case(Always, &rules::WRITE)]])
            .also(&[Also(Always, Act::Renames(Pick::From(0)))])
            .gives(Gives::Nothing),
        [&[], &["s/a/b/ src/a.rs"], &["s/a/b/ .git/hooks"], &[]],
    ),
];

/// A kind of link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Hard,
    /// Its text is read from the folder that it lies in.
    Symbolic,
    /// `ln -r`: its text is worked out.
    Relative,
}

impl Walker<'_> {
    /// Notes that `made` is another name for `source`.
    pub(super) fn link(&mut self, source: &Field, made: &Field, kind: Kind) {
        let made = absolute(&made.text, &self.state.cwd);
        let folder = made.rsplit_once('/').map_or("/", |(folder, _)| folder).to_owned();
        let from = if kind == Kind::Symbolic { folder } else { self.state.cwd.clone() };
        let path = self.led(&absolute(&source.text, &from));
        if kind == Kind::Hard {
            let real = Field { text: path.clone(), ..source.clone() };
            if self.holds_records(&real) {
                self.found(&rules::WRITE_COURT, &source.text);
            } else if self.zone(&real) == Zone::Persistence || self.holds_wiring(&real) {
                self.found(&rules::LINK_WIRING, &source.text);
            }
        }
        if let Some(file) = self.file(&path).cloned() {
            self.state.files.insert(made.clone(), file);
        }
        if path != made {
            self.state.links.insert(made, path);
        }
    }

    /// The rule for a file that is a protected one by another name: a hard link that an earlier call made.
    pub(super) fn by_another_name(&self, field: &Field) -> Option<&'static Rule> {
        if !field.is_known() || field.glob {
            return None;
        }
        let real = path::other_name(&absolute(&field.text, &self.state.cwd), self.context)?;
        let is_record = path::is_record(&real, self.context);
        Some(if is_record { &rules::WRITE_COURT } else { &rules::WRITE_WIRING })
    }

    /// Whether a path is of the court's records, or of a folder that holds them: not the project itself.
    pub(super) fn holds_records(&self, field: &Field) -> bool {
        path::holds_records(&absolute(&field.text, &self.state.cwd), self.context)
    }

    /// Whether a folder within the project or the home folder holds what guards or drives the work.
    pub(super) fn holds_wiring(&self, field: &Field) -> bool {
        path::holds_wiring(&absolute(&field.text, &self.state.cwd), self.context)
    }

    /// Notes that something gets a name that is not known.
    pub(super) fn renames(&mut self, file: &Field) {
        if self.holds_records(file) {
            self.found(&rules::WRITE_COURT, &file.text);
        } else if self.holds_wiring(file) || self.zone(file) == Zone::Persistence {
            self.found(&rules::MOVE_AWAY, &file.text);
        }
    }

    /// Notes that an archive is unpacked in a folder.
    pub(super) fn unpacks(&mut self, folder: &Field) {
        if self.holds_records(folder) {
            self.found(&rules::WRITE_COURT, &folder.text);
        } else if self.holds_wiring(folder) {
            self.found(&rules::WRITE_WIRING, &folder.text);
        } else {
            self.write(folder);
        }
    }
}

fn ln(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let mut rest: Vec<Field> =
        operands(words, &["-t", "--target-directory", "-S"]).into_iter().cloned().collect();
    // `-st folder`: the last of several letters takes the next word.
    let clustered = words.iter().position(|word| {
        word.text.len() > 2
            && word.is_option()
            && word.text.ends_with('t')
            && word.text[1..].bytes().all(|byte| byte.is_ascii_alphabetic())
    });
    let folder = clustered
        .and_then(|at| words.get(at + 1))
        .map(|word| word.text.clone())
        .or_else(|| value(words, &["-t", "--target-directory"]).map(str::to_owned));
    let kind = match (has(words, 's', "symbolic"), has(words, 'r', "relative")) {
        (true, true) => Kind::Relative,
        (true, false) => Kind::Symbolic,
        _ => Kind::Hard,
    };
    let target = match folder {
        Some(folder) => Field::new(&format!("{}/", folder.trim_end_matches('/'))),
        // With one word the link lies here, under the same name.
        None if rest.len() == 1 => Field::new("./"),
        None => match rest.pop() {
            Some(target) => target,
            None => return Ok(Flow::default()),
        },
    };
    let empties = has(words, 'f', "force")
        && rest.first().is_some_and(|source| source.text == "/dev/null")
        && walker.keeps(&target);
    if empties {
        walker.found(&rules::EMPTY, &target.text);
    }
    let several = rest.len() > 1 || target.text.ends_with('/') || target.text == ".";
    for source in &rest {
        let mut made = target.clone();
        if several {
            made.text = format!("{}/{}", target.text.trim_end_matches('/'), name(&source.text));
        }
        walker.write(&made);
        walker.link(source, &made, kind);
    }
    Ok(Flow::default())
}
