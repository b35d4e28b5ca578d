//! Terminal multiplexers: commands that they start, and keys that they type.

use super::entry::Command;
use super::options::joined;
use super::words::words;
use crate::rules::deferred;
use crate::shell::{Field, Flow, Io, Step, Walker};

pub(super) const COMMANDS: &[Command] = &[Command::code(
    words!("tmux screen zellij dtach abduco"),
    multiplexer,
    [&[], &["ls"], &["new-session -d rm -rf /srv/data"], &[]],
)];

/// Terminal multiplexers take a command, or keys that are typed into one.
fn multiplexer(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let valued = ["-s", "-S", "-t", "-n", "-c", "-F", "-x", "-y", "-L", "-f", "-e", "-p", "-l"];
    walker.found(&deferred::BACKGROUND, &words[0].text);
    let screen = words[0].text.ends_with("screen");
    // The name after `-S` or `-dmS` is an option's value too.
    let command = |from: usize| {
        let mut at = from;
        while let Some(word) = words.get(at).filter(|word| word.is_option()) {
            let takes =
                valued.contains(&word.text.as_str()) || (screen && word.text.ends_with('S'));
            at += 1 + usize::from(takes);
        }
        at.min(words.len())
    };
    let mut at = command(1);
    let rest = &words[at..];
    let listing = words!(
        "ls list-sessions list-windows attach a has-session capture-pane kill-session \
         rename-window select-window display-message list-panes -ls"
    );
    if rest.first().is_some_and(|word| listing.contains(&word.text.as_str())) {
        return Ok(Flow::unknown());
    }
    let starters = words!(
        "new-session new new-window neww split-window splitw send-keys send run-shell run \
         respawn-pane respawn-window if-shell pipe-pane display-popup popup stuff exec"
    );
    if rest.first().is_some_and(|word| starters.contains(&word.text.as_str())) {
        at = command(at + 1);
    }
    let keys = ["Enter", "C-m", "C-c", "KPEnter"];
    let texts: Vec<Field> =
        words[at..].iter().filter(|word| !keys.contains(&word.text.as_str())).cloned().collect();
    // What a key or an event is bound to is a command of the multiplexer.
    if let Some(text) = texts.last().and_then(|word| {
        ["run-shell ", "run ", "if-shell ", "new-window ", "split-window "]
            .iter()
            .find_map(|verb| word.text.strip_prefix(verb))
    }) {
        let text = text.trim_matches(['"', '\'']).to_owned();
        walker.payload(&text, "tmux", &Flow::unknown())?;
    }
    if texts.is_empty() {
        return Ok(Flow::unknown());
    }
    let name = words[0].text.clone();
    // Several words are a command; typed into a shell, they are a text for one.
    if texts.len() > 1 {
        walker.via.push(name.clone());
        walker.run(&texts, io)?;
        walker.via.pop();
    }
    walker.payload(&joined(&texts), &name, io.stdin)
}
