//! The command line as a whole.

use clap::CommandFactory;

use super::args::Cli;

#[test]
fn the_arguments_are_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn every_command_has_help_with_an_example() {
    for command in Cli::command().get_subcommands() {
        let name = command.get_name().to_owned();
        assert!(command.get_about().is_some(), "{name}");
        let example = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(example.contains(&format!("codex-bridge {name}")), "{name}: {example}");
    }
}
