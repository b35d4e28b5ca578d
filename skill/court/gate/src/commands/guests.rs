//! Machines within the machine that live on: system containers. Not here: containers that go away (see `services`), and
//! virtual machines, which are clouds to the gate.

use super::acts::{Act, Also, Pick};
use super::entry::When::{self, All, Always, Any, Test, Verbs, Word};
use super::entry::{Case, Command, Given, READS, Said};
use super::words::words;
use crate::path::Zone;
use crate::rules::{execution, infrastructure as rules};
use crate::shell::{Field, Walker};

const OTHER: &[Case] = &[Case(Always, &execution::COMMAND)];

const ASKS: &[Case] = &[Case(
    Any(&[
        Verbs(
            "list|ls|info|version|help|monitor|status|show|image-status|list-images|list-transfers",
        ),
        Word("--help --version"),
    ]),
    READS,
)];

const DESTROYS: When = Any(&[
    Verbs(
        "delete|rm|rebuild|restore|remove|clean|terminate|kill|poweroff, \
         storage|network|profile|image|project|remote|snapshot delete|rm|remove, \
         storage volume|bucket delete|rm, cluster|config remove|evacuate|trust",
    ),
    All(&[Verbs("stop"), Word("--all --force -f")]),
]);

/// What gives a guest the rights of the machine: settings, and devices beside the project.
const ESCAPES: When = Any(&[
    Word("security.privileged=true raw.idmap=* raw.lxc=* raw.apparmor=* raw.seccomp=*"),
    Verbs("config|profile set * security.privileged|raw.lxc|raw.idmap|raw.apparmor"),
    All(&[Verbs("config|profile device add|set|override"), Test(gives_foreign)]),
]);

pub(super) const COMMANDS: &[Command] = &[
    // Its simulators are this machine's own, and made again in seconds.
    Command::cases(
        words!("xcrun"),
        &[],
        &[&[Case(Verbs("simctl"), &execution::COMMAND)], OTHER],
        [&[], &["simctl erase x", "-f clang"], &[], &[]],
    ),
    // A machine that can be made again; a command in it counts as one here.
    Command::said(
        words!("vagrant"),
        Said::cases(
            &[],
            &[
                &[Case(
                    Verbs(
                        "destroy|cloud|share, box remove|prune|update, \
                         snapshot delete|restore|pop, plugin install|uninstall",
                    ),
                    &rules::PLAN,
                )],
                OTHER,
            ],
        )
        .also(&[Also(Always, Act::Shell(Pick::Values(&["-c", "--command"])))]),
        [
            &[],
            &["status", "up", "halt", "ssh -c ls"],
            &["destroy", "ssh -c 'rm -rf /srv/data'"],
            &[],
        ],
    ),
    Command::said(
        words!("lxc incus"),
        Said::cases(
            words!("-c --config -p --profile -s --storage -n --network --project -u --user"),
            &[
                ASKS,
                &[Case(DESTROYS, &rules::CONTAINER), Case(ESCAPES, &rules::CONTAINER_ESCAPE)],
                OTHER,
            ],
        )
        .also(&[Also(Verbs("exec"), Act::Command(Pick::Behind("--")))]),
        [
            &["list", "info web"],
            &[
                "launch ubuntu:24.04 web",
                "exec web -- ls",
                "config device add web src disk source=/home/dev/app path=/src",
            ],
            &[
                "delete web",
                "stop --all",
                "storage delete default",
                "exec web -- rm -rf /srv/data",
                "launch x web -c security.privileged=true",
                "config set web security.privileged true",
                "config device add web root disk source=/ path=/host",
            ],
            &[],
        ],
    ),
    Command::cases(
        words!("machinectl"),
        words!("--uid -E --setenv"),
        &[
            ASKS,
            &[
                Case(
                    All(&[
                        Verbs("shell|login"),
                        Any(&[Word(".host *@.host"), Verbs("shell|login root@*")]),
                    ]),
                    &execution::ROOT_SHELL,
                ),
                Case(DESTROYS, &rules::CONTAINER),
            ],
            OTHER,
        ],
        [&["list", "status web"], &["start web"], &["remove web", "shell root@.host"], &[]],
    ),
];

/// A device of the machine's that is not of the project.
fn gives_foreign(walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let sources = given.words.iter().filter_map(|word| word.text.strip_prefix("source="));
    let mut places = sources.map(|source| walker.zone(&Field::new(source)));
    places.any(|place| !matches!(place, Zone::Project | Zone::InProject | Zone::Scratch))
}
