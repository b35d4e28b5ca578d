//! Programs that listen to what passes a network interface, or read what was kept of it.

use super::acts::{Act, Also, Pick};
use super::entry::When::{All, Always, Any, Not, Test, Word};
use super::entry::{Case, Command, Given, Said};
use super::words::words;
use crate::rules::{execution, network};
use crate::shell::Walker;

pub(super) const COMMANDS: &[Command] = &[Command::said(
    words!("tcpdump tshark"),
    Said::cases(
        VALUED,
        &[&[
            Case(
                Any(&[
                    Word("--version --help -D --list-interfaces"),
                    All(&[Test(reads_file), Not(&Test(executes))]),
                ]),
                &execution::COMMAND,
            ),
            Case(Always, &network::LISTEN),
        ]],
    )
    .also(&[Also(Always, Act::Writes(Pick::Values(&["-w"])))]),
    [
        &[],
        &["--version", "--help", "-D", "-r a.pcap", "-nnr a.pcap port 53", "-r a -w b"],
        &["80", "host", "-i eth0r", "-r a -w b -C 1 -Z root -X lua_script:a -z ./a.sh"],
        &[],
    ],
)];

const VALUED: &[&str] = words!("-i -r -w -c -s -C -G -W -F -y -z -Z -E -f -Y -R -T -e -X -o -d -B");

/// `-r a.pcap`, or as the last of letters that take nothing: `-nnr a.pcap`.
fn reads_file(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.words[1..].iter().any(|word| {
        let letters = word.text.strip_prefix('-').and_then(|rest| rest.strip_suffix('r'));
        letters
            .is_some_and(|rest| rest.bytes().all(|each| b"AbdefhHKlLnNOpqStuUvxX#".contains(&each)))
            || matches!(word.text.as_str(), "--read-file")
    })
}

/// A program is given each file that is written, or a script each packet.
fn executes(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let tcpdump = given.program() == "tcpdump";
    given.words[1..].iter().any(|word| {
        tcpdump && word.text.starts_with("-z") || !tcpdump && word.text.starts_with("-X")
    })
}
