//! `codex-bridge completions SHELL`.

use clap::CommandFactory;

use super::args::{Cli, CompletionsArgs};
use super::output;
use crate::exit::Exit;

pub(super) fn run(args: CompletionsArgs) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "codex-bridge", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
