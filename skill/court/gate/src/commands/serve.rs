//! Programs that serve a folder's files over the network.

use super::entry::When::{Always, Any, Test, Word};
use super::entry::{Case, Command, Given};
use super::options::value;
use super::words::words;
use crate::path::Zone;
use crate::rules::{execution, network};
use crate::shell::Walker;

pub(super) const COMMANDS: &[Command] = &[Command::cases(
    words!(
        "serve http-server live-server miniserve httpd static-server darkhttpd simplehttpserver \
         local-web-server ws webfsd woof croc wormhole magic-wormhole transfer ipfs"
    ),
    words!("-p -l -a -c --port --listen --host -i -H"),
    // What a build made may be shown; anything else is shown to this machine only.
    &[&[
        Case(Any(&[Word("--help --version"), Test(is_local), Test(is_built)]), &execution::COMMAND),
        Case(Always, &network::EXPOSE),
    ]],
    [&[], &["dist", "--help", "-p 8000 --host 127.0.0.1 ."], &["-p 8000 .", "", "src"], &[]],
)];

fn is_local(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let hosts = words!("-a --host -H -i --interfaces --listen -l");
    value(given.words, hosts)
        .is_some_and(|host| super::network::is_local(host) && !host.starts_with("0.0.0.0"))
}

fn is_built(walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let mut folders = given.operands.iter();
    !given.operands.is_empty() && folders.all(|folder| walker.zone(folder) == Zone::Scratch)
}
