//! Pagers: they start a shell, or another pager, when they are told to.

use super::entry::Command;
use super::options::value;
use super::words::words;
use crate::rules::environment;
use crate::shell::{Field, Flow, Io, Step, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(words!("man info apropos git-help"), manual, [&["ls"], &[], &["-P ls git"], &[]]),
    Command::code(words!("dc bc"), calculator, [&["-e '1 2 + p'"], &[], &[], &[]]),
];

/// `dc` gives what stands behind `!` to a shell.
fn calculator(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let mut text: Vec<String> = words[1..].iter().map(|word| word.text.clone()).collect();
    text.push(io.stdin.text.clone());
    for text in text.iter().filter(|_| words[0].text.ends_with("dc")) {
        for line in text.lines().take(64) {
            // `!<`, `!=` and `!>` compare.
            let Some((_, command)) = line.split_once('!') else { continue };
            if !command.starts_with(['<', '=', '>']) && !command.trim().is_empty() {
                walker.found(&crate::rules::execution::CODE_EXECUTES, "dc");
                walker.payload(command, "dc", &Flow::unknown())?;
            }
        }
    }
    Ok(Flow::unknown())
}

fn manual(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    walker.pager_options(words)?;
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
