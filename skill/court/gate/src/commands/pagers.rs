//! Pagers: they start a shell, or another pager, when they are told to.

use super::acts::{Act, Also};
use super::entry::When::Always;
use super::entry::{Command, Given, Said};
use super::options::value;
use super::words::words;
use crate::rules::{environment, execution};
use crate::shell::{Field, Flow, Io, Step, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::said(
        words!("man info apropos git-help"),
        Said::cases(&[], &[]).also(&[Also(Always, Act::Calls(pages))]),
        [&["ls"], &[], &["-P ls git"], &[]],
    ),
    Command::said(
        words!("dc"),
        Said::cases(&[], &[]).also(&[Also(Always, Act::Calls(calculates))]),
        [&["-e '1 2 + p'", "-e '1 2 !<a'"], &[], &["-e '!ls'", "<<< '!ls'"], &[]],
    ),
];

/// `dc` gives what stands behind `!` to a shell.
fn calculates(walker: &mut Walker<'_>, given: &Given<'_>, _io: &Io<'_>) -> Step<Flow> {
    let texts = given.words[1..].iter().map(|word| &word.text).chain([&given.input.text]);
    for line in texts.flat_map(|text| text.lines().take(64)) {
        // `!<`, `!=` and `!>` compare.
        let Some((_, command)) = line.split_once('!') else { continue };
        if !command.starts_with(['<', '=', '>']) && !command.trim().is_empty() {
            walker.found(&execution::CODE_EXECUTES, "dc");
            walker.payload(command, "dc", &Flow::unknown())?;
        }
    }
    Ok(Flow::unknown())
}

fn pages(walker: &mut Walker<'_>, given: &Given<'_>, _io: &Io<'_>) -> Step<Flow> {
    walker.pager_options(given.words)?;
    Ok(Flow::unknown())
}

impl Walker<'_> {
    /// Options of pagers, and of what starts one, that execute their value.
    pub(super) fn pager_options(&mut self, words: &[Field]) -> Step {
        for word in &words[1..] {
            // `+!command` is typed into the pager at its start.
            if let Some((_, text)) =
                word.text.strip_prefix('+').and_then(|text| text.split_once('!'))
            {
                let text = text.to_owned();
                self.found(&environment::HELPER, &word.text);
                self.payload(&text, "pager", &Flow::unknown())?;
            }
        }
        if let Some(text) = value(words, &["-P", "--pager"]).map(str::to_owned)
            && !super::git_settings::HARMLESS.contains(&text.as_str())
        {
            self.found(&environment::HELPER, &text);
            self.payload(&text, "pager", &Flow::unknown())?;
        }
        Ok(())
    }
}
