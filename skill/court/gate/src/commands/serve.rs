//! Programs that serve a folder's files over the network, or put them where everybody reads them.

use super::entry::When::{All, Always, Any, Not, Test, Value, Verbs, Word};
use super::entry::{Case, Command, Given};
use super::options::value;
use super::words::words;
use crate::path::Zone;
use crate::rules::{execution, infrastructure, network};
use crate::shell::{Field, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::cases(
        words!("caddy"),
        words!("--root -r --listen -l --config -c --adapter --domain -d"),
        &[&[
            Case(
                All(&[
                    Verbs("file-server"),
                    Not(&Any(&[
                        Word("--help"),
                        Value(&["--listen", "-l"], "localhost:* 127.0.0.1:*"),
                        Test(roots_inside),
                    ])),
                ]),
                &network::EXPOSE,
            ),
            Case(Verbs("stop"), &execution::SYSTEM),
            Case(Always, &execution::COMMAND),
        ]],
        [
            &[],
            &["run", "file-server --root public", "file-server --root / --listen localhost:80"],
            &["file-server --root /", "file-server -r ~ -l :80", "stop"],
            &[],
        ],
    ),
    Command::cases(
        words!(
            "serve http-server live-server miniserve httpd static-server darkhttpd simplehttpserver \
         local-web-server ws webfsd woof croc wormhole magic-wormhole transfer ipfs"
        ),
        words!("-p -l -a -c --port --listen --host -i -H"),
        // What a build made may be shown; anything else is shown to this machine only.
        &[&[
            Case(
                Any(&[Word("--help --version"), Test(is_local), Test(is_built)]),
                &execution::COMMAND,
            ),
            Case(Always, &network::EXPOSE),
        ]],
        [&[], &["dist", "--help", "-p 8000 --host 127.0.0.1 ."], &["-p 8000 .", "", "src"], &[]],
    ),
    // A folder is put before everybody at once.
    Command::cases(
        words!("surge butler dnscontrol"),
        &[],
        &[&[
            Case(
                Any(&[
                    Word("--help --version"),
                    Verbs("list|whoami|login|status|preview|check|fetch|version"),
                ]),
                &execution::COMMAND,
            ),
            Case(Always, &infrastructure::PUBLISH),
        ]],
        [&[], &["list", "--help"], &["./dist a.example", "push a b/c"], &[]],
    ),
];

fn is_local(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let hosts = words!("-a --host -H -i --interfaces --listen -l");
    value(given.words, hosts)
        .is_some_and(|host| super::hosts::is_local(host) && !host.starts_with("0.0.0.0"))
}

/// What is served lies in the project, or there is made.
fn roots_inside(walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let root = value(given.words, &["--root", "-r"]).unwrap_or(".");
    matches!(walker.zone(&Field::new(root)), Zone::Project | Zone::InProject | Zone::Scratch)
}

fn is_built(walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let mut folders = given.operands.iter();
    !given.operands.is_empty() && folders.all(|folder| walker.zone(folder) == Zone::Scratch)
}
