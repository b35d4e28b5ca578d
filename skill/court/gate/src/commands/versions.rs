//! Version control other than git, by the verbs that lose work.

use super::acts::{Act, Also, Pick};
use super::entry::When::{All, Always, Any, Not, Operand, Operands, Option, Value, Verbs, Word};
use super::entry::{Case, Command, READS, Said};
use super::words::words;
use crate::rules::repository as rules;

pub(super) const COMMANDS: &[Command] = &[
    Command::cases(
        words!("svn p4 fossil bzr brz cvs sl pijul darcs svnadmin repo gt"),
        VALUED,
        &[CASES],
        [
            &["status", "log", ""],
            &["commit -m x", "update"],
            &[
                "revert src/a.rs",
                "update --clean",
                "delete svn://a/b",
                "push -f",
                "push --overwrite a",
                "-d :ext:a admin -o 1.1 a",
                "rm a",
                "bookmark delete a",
            ],
            &[],
        ],
    ),
    Command::cases(
        words!("jj"),
        VALUED,
        &[&[Case(Verbs("op|operation restore|abandon"), &rules::GIT_DISCARD)], CASES],
        [&["log", "diff"], &["new", "op log"], &["abandon x", "op restore 0", "restore"], &[]],
    ),
    // Mercurial's settings may be given with a command, and execute what they say.
    Command::said(
        words!("hg"),
        Said::cases(VALUED, &[CASES]).also(&[
            Also(Value(&["--config"], "*=*"), Act::Finds(&rules::GIT_EXECUTES)),
            Also(Always, Act::Shell(Pick::Settings(&["--config"]))),
        ]),
        [
            &["status"],
            &["commit -m x"],
            &["purge", "strip 1", "push -f", "log --config alias.log='!rm -rf /srv/data'"],
            &[],
        ],
    ),
];

const VALUED: &[&str] = words!("-R --cwd -m -r --config -c -u -F --message");

const CASES: &[Case] = &[
    // What is not committed is thrown away.
    Case(
        Any(&[
            Verbs("revert|purge|clean|restore|cleanup|undo|rollback"),
            All(&[
                Verbs("update|up|checkout|co|goto"),
                Any(&[Option('f', "force"), Option('C', "clean"), Word("--clean --discard")]),
            ]),
        ]),
        &rules::GIT_DISCARD,
    ),
    Case(
        Any(&[
            All(&[
                Verbs("push"),
                Any(&[Option('f', "force"), Word("--clean --discard --overwrite --deleted")]),
            ]),
            Word("admin"),
            All(&[Verbs("delete"), Operand(9, "*://*")]),
        ]),
        &rules::GIT_REWRITE_REMOTE,
    ),
    // What is committed is lost, or changed for others.
    Case(
        Verbs(
            "strip|prune|abandon|delete|rm|remove|del|obliterate|histedit|uncommit|rollback|hide|\
             kill|unrecord|dump|setrevprop|propdel|debugstrip|bundle|forget, bookmark delete|forget",
        ),
        &rules::GIT_LOSE,
    ),
    Case(
        Any(&[
            Not(&Operands(1)),
            Verbs(
                "status|st|log|diff|info|annotate|blame|cat|show|list|ls|id|identify|summary|heads|\
                 branches|tags|help|version|timeline|files|opened|describe|changes|evolog|grep|\
                 manifest|paths|root",
            ),
        ]),
        READS,
    ),
    Case(Always, &rules::GIT),
];
