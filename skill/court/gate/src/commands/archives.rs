//! Archives that are made and unpacked.

use super::acts::{Act, Also, Pick};
use super::entry::When::{self, All, Always, Any, Not, Operand, Option, Test, Value, Word};
use super::entry::{Case, Command, Given, Gives, Said};
use super::erase::Reach;
use super::words::words;
use crate::context::Entry;
use crate::judgement::{Extent, Source};
use crate::path::absolute;
use crate::rules::{execution, files as rules};
use crate::shell::{Field, Io, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::said(
        words!("tar bsdtar gtar"),
        Said::cases(
            &["-f", "-C"],
            &[&[Case(
                All(&[
                    EXTRACTS,
                    Any(&[Test(unpacks_anywhere), Option('P', "absolute-names")]),
                    Not(&Word("--one-top-level*")),
                ]),
                &rules::WRITE_OUTSIDE,
            )]],
        )
        .also(&[
            Also(Always, Act::Shell(Pick::Letter('I', PROGRAMS))),
            Also(Word("*checkpoint-action=exec=*"), Act::Finds(&execution::CODE_EXECUTES)),
            Also(Word("--remove-files"), Act::Deletes(Pick::From(0), Reach::Tree)),
            Also(EXTRACTS, Act::Unpacks(Pick::Values(&["-C", "--directory"]), ARCHIVE)),
            Also(Not(&Any(&[LISTS, EXTRACTS])), Act::Writes(ARCHIVE)),
        ])
        .gives(Gives::Read),
        [
            &["-tf a.tar", "-cf - src"],
            &["-xzf a.tar", "xf a.tar -C out", "-czf a.tgz src"],
            &[
                "-xPf a.tar",
                "-xf a.tar -C /etc",
                "-cf /etc/a.tar src",
                "-cf a.tar --remove-files src",
                "-cf a.tar --checkpoint-action=exec=sh src",
                "-cI 'rm -rf /srv/data' -f a.tar src",
            ],
            &[],
        ],
    ),
    Command::said(
        words!("unzip unar"),
        Said::cases(&["-d", "-o"], &[])
            .also(&[Also(Not(&Option('l', "")), Act::Unpacks(INTO, Pick::From(0)))]),
        [&["-l a.zip"], &["a.zip"], &["a.zip -d /etc"], &[]],
    ),
    // `rar x archive folder/`.
    Command::said(
        words!("unrar rar"),
        Said::cases(&["-d", "-o"], &[]).also(&[
            Also(
                All(&[Not(&Option('l', "")), NAMES_FOLDER]),
                Act::Unpacks(Pick::Last, Pick::From(0)),
            ),
            Also(
                All(&[Not(&Option('l', "")), Not(&NAMES_FOLDER)]),
                Act::Unpacks(INTO, Pick::From(0)),
            ),
        ]),
        [&["-l a.rar"], &["x a.rar", "x a.rar out/"], &["x a.rar /etc/"], &[]],
    ),
    Command::said(
        words!("7z 7za"),
        Said::cases(&["-o"], &[&[Case(Word("-sdel"), &rules::DELETE_TREE)]])
            .also(&[Also(Always, Act::Unpacks(Pick::Values(&["-o"]), Pick::From(0)))]),
        [&[], &["a.zip", "x a.7z -oout"], &["a a.7z -sdel src", "x a.7z -o/etc"], &[]],
    ),
    Command::said(
        words!("cpio"),
        Said::cases(
            &["-D"],
            &[&[Case(
                All(&[COPIES_IN, Not(&Option(' ', "no-absolute-filenames"))]),
                &rules::WRITE_OUTSIDE,
            )]],
        )
        .also(&[Also(
            Any(&[COPIES_IN, Option('p', "pass-through")]),
            Act::Unpacks(Pick::Values(&["-D", "--directory"]), Pick::Input),
        )]),
        [
            &["a.zip", "-it"],
            &["-p out", "-i --no-absolute-filenames <<< x"],
            &["-i", "-p -D /etc"],
            &[],
        ],
    ),
    Command::said(
        words!("zip"),
        Said::cases(words!("-x -i -P"), &[&[Case(Value(TESTS, "*"), &execution::CODE_EXECUTES)]])
            .also(&[
                Also(Always, Act::Shell(Pick::Values(TESTS))),
                Also(Option('m', "move"), Act::Deletes(Pick::From(1), Reach::Tree)),
                Also(Always, Act::Writes(Pick::Nth(0))),
            ]),
        [&[], &["a.zip src"], &["-m a.zip src", "-T -TT 'ls' a.zip src"], &[]],
    ),
];

/// Options of tar whose value is executed.
const PROGRAMS: &[&str] = words!(
    "--to-command --use-compress-program -I --rsh-command --info-script -F --new-volume-script \
     --checkpoint-action=exec"
);

const ARCHIVE: Pick = Pick::Both(&Pick::Letter('f', &["-f", "--file"]), &Pick::Bare('f'));

const LISTS: When = Any(&[Test(lists), Word("--list -t")]);

const EXTRACTS: When = All(&[Not(&LISTS), Any(&[Test(extracts), Option('x', "extract")])]);

const COPIES_IN: When = All(&[Option('i', "extract"), Not(&Option('t', "list"))]);

const INTO: Pick = Pick::Values(&["-d"]);

const NAMES_FOLDER: When = Operand(9, "*/");

/// Options of zip whose value tests what was made.
const TESTS: &[&str] = &["-TT", "--unzip-command"];

/// What tar is told first: its letters need no dash.
fn first<'w>(given: &Given<'w>) -> &'w str {
    given.words.get(1).map_or("", |word| word.text.trim_start_matches('-'))
}

fn lists(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    first(given).starts_with('t')
}

fn extracts(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    first(given).contains('x')
}

fn unpacks_anywhere(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    first(given).contains('P')
}

impl Walker<'_> {
    /// Files whose text is not known come to lie in a folder, out of archives or of the input.
    pub(super) fn unpacks_from(&mut self, folder: &Field, archives: &[Field], io: &Io<'_>) {
        let path = absolute(&folder.text, &self.state.cwd);
        let fetched = |archive: &Field| {
            let archive = absolute(&archive.text, &self.state.cwd);
            self.state.files.get(&archive).is_some_and(|file| file.taint.network)
        };
        if io.stdin.taint.network || archives.iter().any(fetched) {
            self.target(&path, Extent::Tree, Source::Network);
            self.state.fetched.push(path.clone());
        }
        self.target(&path, Extent::Tree, Source::Local);
        self.state.unpacked.push(path);
        self.unpacks(folder);
    }

    /// A patch out of files or of the input may change all that lies in the working folder.
    pub(super) fn patches(&mut self, files: &[&Field], io: &Io<'_>) {
        let fetched = |file: &&Field| {
            let file = absolute(&file.text, &self.state.cwd);
            self.state.files.get(&file).is_some_and(|file| file.taint.network)
        };
        if io.stdin.taint.network || files.iter().any(fetched) {
            self.state.fetched.push(self.state.cwd.clone());
        }
    }

    /// Whether a script is not there yet, and comes out of an archive that this call unpacks.
    pub(super) fn is_unpacked(&self, path: &str) -> bool {
        self.state.unpacked.iter().any(|folder| crate::path::within(path, folder))
            && self.context.disk.entry(path) == Entry::Missing
    }
}
