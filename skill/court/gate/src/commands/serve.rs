//! Programs that serve a folder's files over the network.

use super::Walker;
use super::entry::Command;
use super::options::{operands, value};
use super::words::words;
use crate::path::Place;
use crate::rules::{execution, network};
use crate::shell::{Field, Flow, Io, Step};

pub(super) const COMMANDS: &[Command] = &[Command::code(
    words!(
        "serve http-server live-server miniserve httpd static-server darkhttpd simplehttpserver \
             local-web-server ws webfsd woof croc wormhole magic-wormhole transfer ipfs"
    ),
    serve,
    [&[], &["dist"], &["-p 8000 ."], &[]],
)];

/// What a build made may be shown; anything else is shown to this machine only.
fn serve(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let valued = ["-p", "-l", "-a", "-c", "--port", "--listen", "--host", "-i", "-H"];
    let hosts = ["-a", "--host", "-H", "-i", "--interfaces", "--listen", "-l"];
    let local = value(words, &hosts)
        .is_some_and(|host| super::network::is_local(host) && !host.starts_with("0.0.0.0"));
    let rest: Vec<Field> = operands(words, &valued).into_iter().cloned().collect();
    let built =
        !rest.is_empty() && rest.iter().all(|folder| walker.place(folder) == Place::Scratch);
    let asks = words.iter().any(|word| matches!(word.text.as_str(), "--help" | "--version"));
    let rule = if local || built || asks { &execution::COMMAND } else { &network::EXPOSE };
    walker.found(rule, &words[0].text.clone());
    Ok(Flow::unknown())
}
