//! Schedules and services. Not here: the machine itself (see `machine`).

use super::acts::{Act, Also, Pick};
use super::entry::When::{Always, Any, Not, Option, Says, Test, Value, Word};
use super::entry::{Case, Command, Given, Gives, READS, Said, lists};
use super::words::words;
use crate::rules::{deferred, execution};
use crate::shell::{Flow, Io, Step, Walker};

/// Whatever is not known to read.
const ELSE: Case = Case(Always, &execution::SYSTEM);

/// A list of what is planned, or a new plan.
const SCHEDULES: &[&[Case]] =
    &[&[Case(Any(&[Option('l', ""), Says("/query")]), READS), Case(Always, &deferred::SCHEDULE)]];

pub(super) const COMMANDS: &[Command] = &[
    Command::said(
        words!("crontab incrontab fcrontab"),
        Said::cases(&[], SCHEDULES)
            .also(&[Also(Not(&Option('l', "")), Act::Calls(scheduled))])
            .gives(Gives::Nothing),
        [&["-l"], &[], &["file", ""], &[]],
    ),
    Command::said(
        words!("at batch anacron schtasks schtasks.exe"),
        Said::cases(&[], SCHEDULES)
            .also(&[Also(Not(&Option('l', "")), Act::Shell(Pick::Input))])
            .gives(Gives::Nothing),
        [&["-l", "/query"], &[], &["now", "now <<< ls"], &[]],
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
            Case(
                Any(&[Value(&["-s", "-k"], "stop quit"), Word("-sf -st stop")]),
                &execution::SYSTEM,
            ),
            Case(Always, &execution::COMMAND),
        ]],
        [&[], &["-t", "-s reload"], &["-s stop", "-sf 1", "-k stop"], &[]],
    ),
];

/// The commands of the lines of a schedule.
fn scheduled(walker: &mut Walker<'_>, given: &Given<'_>, _io: &Io<'_>) -> Step<Flow> {
    for line in given.input.text.lines().take(32) {
        let fields = if line.trim_start().starts_with('@') { 1 } else { 5 };
        let command = line.split_whitespace().skip(fields).collect::<Vec<_>>().join(" ");
        if !command.is_empty() {
            walker.payload(&command, "crontab", &Flow::unknown())?;
        }
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
