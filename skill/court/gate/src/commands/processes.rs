//! Processes: who is found, and who is ended. Not here: services (see `system`).

use super::entry::When::{All, Always, Any, Not, Operands, Option, Test, Value, Verbs, Word};
use super::entry::{Case, Command, Given, Gives, READS, Said, lists};
use super::options::{has, operands};
use super::words::words;
use crate::rules::execution;
use crate::shell::{Field, Flow, Io, Step, Walker};

/// Stands for the number of one process, or of few: which is not known, but it is not all of them.
pub(super) const ONE: &str = "4242";

/// Stands for the number of a guard. It is not known either, but to end it is worth no less than to end the
/// first process.
const GUARD: &str = "1";

/// Programs that much of a machine's work is: to end them by name ends the work of others too.
const GENERIC: &[&str] = words!(
    "node nodejs npm python python3 java ruby php go deno bun perl bash sh zsh fish ssh sshd \
     docker dockerd containerd code cursor claude codex systemd init chrome firefox Xorg Xwayland \
     gnome-shell postgres mysqld nginx redis-server tmux screen login cron dbus-daemon court \
     codex-bridge . .* ^ *"
);

const NAMED: &[&str] = words!("-s -n -t -P -g --signal");

/// A list of signals.
const LISTS: &[Case] = &[Case(All(&[Option('l', "list"), Not(&Operands(2))]), READS)];

/// A list, or a question whether there is one.
const ASKS: &[Case] =
    &[Case(All(&[Any(&[Option('l', "list"), Word("-0")]), Not(&Operands(2))]), READS)];

pub(super) const COMMANDS: &[Command] = &[
    // Jobs of a cluster of machines: one's own, or everyone's.
    Command::cases(
        words!("scancel qdel bkill condor_rm scontrol oarsub oardel"),
        words!("-t --state -n --name"),
        &[&[
            Case(
                Any(&[
                    Word("all 0 -all --all -u* --user* -A* --account* -p* --partition* --me"),
                    Verbs("update|delete|shutdown|reconfigure|power|create|suspend|requeue"),
                ]),
                &execution::PROCESS_ALL,
            ),
            Case(Always, &execution::PROCESS),
        ]],
        [&[], &["1234", "show job 1"], &["-u alice", "all", "0", "update nodename=a"], &[]],
    ),
    Command::said(
        words!("kill"),
        Said::cases(
            &[],
            &[
                LISTS,
                &[
                    Case(Test(ends_unknown), &execution::PROCESS_ALL),
                    Case(Always, &execution::PROCESS),
                ],
            ],
        )
        .gives(Gives::Nothing),
        [&["-l", "-l 9"], &["4711", "-9 4711"], &["-9 -1", "-TERM 0", "-9 \u{e000}"], &[]],
    ),
    Command::said(
        words!("pkill"),
        Said::cases(
            NAMED,
            &[
                ASKS,
                &[
                    Case(
                        Any(&[
                            Not(&Operands(1)),
                            Test(names_many),
                            Value(words!("-u -U --user --euid --uid"), "*"),
                            Word("-v"),
                        ]),
                        &execution::PROCESS_ALL,
                    ),
                    Case(Always, &execution::PROCESS),
                ],
            ],
        )
        .gives(Gives::Nothing),
        [
            &["-l", "-0 x"],
            &["-f vite", "-f courtyard"],
            &["-9 node", "", "-u dev", "-v vite", "-x ''", "-f 'court hook'"],
            &[],
        ],
    ),
    // Tools of one's own work, by their names.
    Command::said(
        words!("killall"),
        Said::cases(
            NAMED,
            &[
                ASKS,
                &[
                    Case(Test(names_tools), &execution::PROCESS),
                    Case(Always, &execution::PROCESS_ALL),
                ],
            ],
        )
        .gives(Gives::Nothing),
        [
            &["-l", "-0 x"],
            &["vite", "-9 webpack esbuild"],
            &["-9 node", "vite node", "-u dev vite", "-r v", ""],
            &[],
        ],
    ),
    Command::said(
        words!("skill xkill killall5 slay"),
        Said::cases(NAMED, &[ASKS, &[Case(Always, &execution::PROCESS_ALL)]]).gives(Gives::Nothing),
        [&["-l", "-0 x"], &[], &["-9 node", "vite"], &[]],
    ),
    Command::code(words!("lsof pgrep pidof"), find, [&["vite"], &[], &[], &[]]),
];

fn find(_walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    // The guards are no process like another.
    let guards = ["court", "codex-bridge", "claude"];
    let guard = words[1..].iter().any(|word| guards.iter().any(|guard| word.text.contains(guard)));
    if guard {
        return Ok(Flow::new(GUARD));
    }
    let of_port = words[1..].iter().any(|word| {
        word.text.starts_with('-') && word.text.contains('i') || word.text.contains(':')
    });
    let rest = operands(words, &["-u", "-U", "-g", "-t", "-P", "-s"]);
    let of_user = has(words, 'u', "euid") || has(words, 'U', "");
    let one = if words[0].text.ends_with("lsof") {
        of_port
    } else {
        !of_user && rest.iter().any(|word| !is_generic(&word.text))
    };
    Ok(if one { Flow::new(ONE) } else { Flow::unknown() })
}

/// Processes that are not named one by one: the first, a group, or a number that is not known.
fn ends_unknown(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let words = &given.words[1..];
    let any = |list: &str| words.iter().any(|word| lists(list, &word.text));
    let unknown = words.iter().any(|word| !word.is_known());
    any("1")
        || words.iter().skip(1).any(|word| lists("-1 0", &word.text))
        || unknown && any("-9 -KILL -SIGKILL -kill 9 KILL SIGKILL -STOP -SIGSTOP -19")
}

/// Nothing is named but tools that a developer starts and ends all day.
fn names_tools(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    const TOOLS: &str = "vite webpack webpack-dev-server esbuild rollup parcel turbo next-server nodemon tsx ts-node \
                         tsserver jest vitest storybook metro expo wrangler uvicorn gunicorn flask celery hugo jekyll \
                         puma air cargo-watch trunk gopls rust-analyzer pyright chromedriver geckodriver firebase";
    let plain = |word: &&Field| {
        lists("-q -w -I -e -v -9 -15 -2 -1 -KILL -TERM -INT -HUP -s --signal", &word.text)
    };
    let told = given.words[1..].iter().filter(|word| word.is_option()).all(|word| plain(&word));
    told && !given.operands.is_empty() && given.operands.iter().all(|name| lists(TOOLS, &name.text))
}

fn is_generic(name: &str) -> bool {
    name.is_empty() || GENERIC.contains(&name)
}

/// A name that many processes have, that is not known, or a guard's among others of its command line: `court hook`.
fn names_many(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let guard = |text: &str| {
        text.split(|each: char| !each.is_alphanumeric() && !"-_".contains(each))
            .any(|word| matches!(word, "court" | "codex-bridge" | "claude"))
    };
    let mut names = given.operands.iter();
    names.any(|name| is_generic(&name.text) || !name.is_known() || guard(&name.text))
}
