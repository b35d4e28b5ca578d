//! Processes: who is found, and who is ended. Absent: services (see `system`).

use super::entry::Command;
use super::options::{has, operands, value};
use super::words::words;
use crate::rules::execution;
use crate::shell::{Field, Flow, Io, Step, Walker};

/// Stands for the number of one process, or of few: which is not known, but it is not all of them.
pub(super) const ONE: &str = "4242";

/// Programs that much of a machine's work is: to end them by name ends the work of others too.
const GENERIC: &[&str] = &[
    "node",
    "nodejs",
    "npm",
    "python",
    "python3",
    "java",
    "ruby",
    "php",
    "go",
    "deno",
    "bun",
    "perl",
    "bash",
    "sh",
    "zsh",
    "fish",
    "ssh",
    "sshd",
    "docker",
    "dockerd",
    "containerd",
    "code",
    "cursor",
    "claude",
    "codex",
    "systemd",
    "init",
    "chrome",
    "firefox",
    "Xorg",
    "Xwayland",
    "gnome-shell",
    "postgres",
    "mysqld",
    "nginx",
    "redis-server",
    "tmux",
    "screen",
    "login",
    "cron",
    "dbus-daemon",
    "court",
    "codex-bridge",
    ".",
    ".*",
    "",
    "^",
    "*",
];

pub(super) const COMMANDS: &[Command] = &[
    Command::code(words!("kill"), kill, [&[], &["4711"], &["-9 -1"], &[]]),
    Command::code(
        words!("pkill killall skill xkill killall5 slay"),
        by_name,
        [&[], &[], &["-9 node"], &[]],
    ),
    Command::code(words!("lsof pgrep pidof"), find, [&["vite"], &[], &[], &[]]),
];

fn find(_walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    // The guards are no process like another.
    let guards = ["court", "codex-bridge", "claude"];
    let guard = words[1..].iter().any(|word| guards.iter().any(|guard| word.text.contains(guard)));
    if guard {
        return Ok(Flow::unknown());
    }
    let of_port = words[1..].iter().any(|word| {
        word.text.starts_with('-') && word.text.contains('i') || word.text.contains(':')
    });
    let rest = operands(words, &["-u", "-U", "-g", "-t", "-P", "-s"]);
    let of_user = has(words, 'u', "euid") || has(words, 'U', "");
    let one = if words[0].text.ends_with("lsof") {
        of_port
    } else {
        !of_user && rest.iter().any(|word| !GENERIC.contains(&word.text.as_str()))
    };
    Ok(if one { Flow::new(ONE) } else { Flow::unknown() })
}

fn kill(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    if has(words, 'l', "list") && words.len() <= 3 {
        return Ok(Flow::default());
    }
    let hard = words.iter().any(|word| {
        matches!(
            word.text.as_str(),
            "-9" | "-KILL" | "-SIGKILL" | "-kill" | "9" | "KILL" | "SIGKILL"
        )
    });
    let all = words.iter().skip(1).enumerate().any(|(index, word)| {
        word.text == "1"
            || (index > 0 && matches!(word.text.as_str(), "-1" | "0"))
            || (hard && !word.is_known())
            || matches!(word.text.as_str(), "-STOP" | "-SIGSTOP" | "-19")
                && words.iter().any(|word| !word.is_known())
    });
    walker.found(
        if all { &execution::PROCESS_ALL } else { &execution::PROCESS },
        &super::options::joined(words),
    );
    Ok(Flow::default())
}

fn by_name(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let asks = has(words, 'l', "list") || words.iter().any(|word| word.text == "-0");
    if asks && words.len() <= 3 {
        return Ok(Flow::default());
    }
    let names = operands(words, &["-s", "-n", "-t", "-P", "-g", "--signal"]);
    let many = !words[0].text.ends_with("pkill")
        || names.is_empty()
        || names.iter().any(|name| GENERIC.contains(&name.text.as_str()) || !name.is_known())
        || value(words, &["-u", "-U", "--user", "--euid", "--uid"]).is_some()
        || words.iter().any(|word| word.text == "-v");
    walker.found(
        if many { &execution::PROCESS_ALL } else { &execution::PROCESS },
        &super::options::joined(words),
    );
    Ok(Flow::default())
}
