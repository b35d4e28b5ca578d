//! Programs that listen to what passes a network interface.

use super::entry::When::{Always, Word};
use super::entry::{Case, Command};
use super::words::words;
use crate::rules::{execution, network};

pub(super) const COMMANDS: &[Command] = &[Command::cases(
    words!("tcpdump tshark"),
    &[],
    &[&[Case(Word("--version --help"), &execution::COMMAND), Case(Always, &network::LISTEN)]],
    [&[], &["--version", "--help"], &["80", "host"], &[]],
)];
