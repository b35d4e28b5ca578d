//! Schedules and services. Absent: the machine itself (see `machine`).

use super::entry::When::{Always, Any, Not, Test, Value, Word};
use super::entry::{Case, Command, Given, lists};
use super::options::has;
use super::words::words;
use crate::rules::{deferred, execution};
use crate::shell::{Field, Flow, Io, Step, Walker};

/// Whatever is not known to read.
const ELSE: Case = Case(Always, &execution::SYSTEM);

pub(super) const COMMANDS: &[Command] = &[
    Command::code(words!("crontab incrontab fcrontab"), crontab, [&["-l"], &[], &["file"], &[]]),
    Command::code(
        words!("at batch anacron schtasks schtasks.exe"),
        at,
        [&["-l"], &[], &["now"], &[]],
    ),
    Command::cases(
        words!(
            "systemctl service launchctl rc-service initctl sv supervisorctl pm2 loginctl \
             update-rc.d chkconfig"
        ),
        &[],
        &[&[
            Case(
                Any(&[
                    Not(&Word("*")),
                    Word(
                        "status list-units list-unit-files show is-active is-enabled cat list ls \
                         print list-timers logs list-jobs info describe --version is-failed jlist \
                         monit print-cache print-disabled blame plist procinfo hostinfo \
                         resolveport dumpstate dumpjpcategory managerpid manageruid managername \
                         error variant version help getenv examine get-default --status-all \
                         list-dependencies",
                    ),
                ]),
                &execution::COMMAND,
            ),
            ELSE,
        ]],
        [&[], &["status", "list", ""], &["stop web", "disable --now web"], &[]],
    ),
    // macOS's own programs: by what their verbs begin with.
    Command::cases(
        words!("tmutil networksetup profiles hdiutil systemsetup"),
        &[],
        &[&[Case(Test(acts), &execution::SYSTEM), Case(Always, &execution::COMMAND)]],
        [
            &[],
            &["list", "-getdnsservers Wi-Fi"],
            &["delete x", "-setdnsservers Wi-Fi 1.1.1.1"],
            &[],
        ],
    ),
    Command::cases(
        words!("nginx haproxy apachectl"),
        &[],
        &[&[
            Case(Any(&[Value(&["-s"], "stop quit"), Word("-sf -st")]), &execution::SYSTEM),
            Case(Always, &execution::COMMAND),
        ]],
        [&[], &["-t", "-s reload"], &["-s stop", "-sf 1"], &[]],
    ),
];

fn crontab(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    if has(words, 'l', "") {
        return Ok(Flow::default());
    }
    walker.found(&deferred::SCHEDULE, "crontab");
    for line in io.stdin.text.lines().take(32) {
        let fields = if line.trim_start().starts_with('@') { 1 } else { 5 };
        let command = line.split_whitespace().skip(fields).collect::<Vec<_>>().join(" ");
        if !command.is_empty() {
            walker.payload(&command, "crontab", &Flow::unknown())?;
        }
    }
    Ok(Flow::default())
}

fn at(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    if has(words, 'l', "") || words.iter().any(|word| word.text.eq_ignore_ascii_case("/query")) {
        return Ok(Flow::default());
    }
    walker.found(&deferred::SCHEDULE, &words[0].text.clone());
    let text = io.stdin.text.clone();
    if !text.trim().is_empty() {
        walker.payload(&text, "at", &Flow::unknown())?;
    }
    Ok(Flow::default())
}

/// Whether one of the first two words begins with a verb that changes something.
fn acts(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.words[1..].iter().take(2).any(|word| {
        lists(
            "delete* remove* erase* disable* set* restore* install* resize* convert*",
            word.text.trim_start_matches('-'),
        )
    })
}
