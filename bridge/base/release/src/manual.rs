//! The manual pages of a program, generated from its command line definition.
//!
//! They are written as one stream and not as files: a model could misuse a program that writes to a path
//! given as an argument.

use clap::Command;
use clap_mangen::Man;

/// The line before each page: a roff comment with the name of the page's file.
const HEAD: &str = ".\\\" page ";

/// The pages of a command and of its subcommands, without the hidden ones.
#[must_use]
pub fn manual(command: Command) -> String {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut text = String::new();
    add(&command, &mut text);
    text
}

fn add(command: &Command, text: &mut String) {
    for subcommand in command.get_subcommands().filter(|each| !each.is_hide_set()) {
        add(subcommand, text);
    }
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render(&mut page).expect("a vector takes all");
    text.push_str(&format!("{HEAD}{}\n{}", man.get_filename(), String::from_utf8_lossy(&page)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_has_a_page_and_hidden_ones_have_none() {
        let command = Command::new("tool")
            .about("Does things")
            .subcommand(Command::new("run").about("Runs").subcommand(Command::new("twice")))
            .subcommand(Command::new("inner").hide(true));
        let text = manual(command);
        let heads: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix(HEAD)).collect();
        assert_eq!(heads, ["tool-run-twice.1", "tool-run.1", "tool.1"]);
        assert!(text.contains("\n.TH tool-run 1 "), "{text}");
        assert!(text.ends_with('\n'));
    }
}
