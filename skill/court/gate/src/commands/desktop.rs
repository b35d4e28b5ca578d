//! The stores of settings of desktops. A key that names a program starts it later: at a key press, at the log-in, for a
//! kind of file. Other keys are ordinary work.

use super::entry::When::{self, All, Always, Any, Option, Value, Verbs, Word};
use super::entry::{Case, Command, READS};
use super::words::words;
use crate::rules::{environment, execution, files};

/// Words of keys whose value is a program, or by which one starts.
const STARTS: When = Word(
    "*command* *Command* *keybinding* *autostart* *exec* *Exec* *default-applications* *startup* \
     *Startup*",
);

const ASKS: &[Case] = &[Case(
    Any(&[
        Verbs(
            "get|range|describe|writable|monitor|help|read|list|dump|watch|query|check|list-schemas|\
             list-keys|list-children|list-recursively",
        ),
        Word("--version --help --list --get -g"),
    ]),
    READS,
)];

const OTHER: &[Case] = &[Case(Always, &execution::COMMAND)];

pub(super) const COMMANDS: &[Command] = &[
    Command::cases(
        words!("gsettings"),
        &["--schemadir"],
        &[
            ASKS,
            &[
                Case(Verbs("set org.gnome.system.proxy*"), &environment::ROUTE),
                Case(STARTS, &files::WRITE_WIRING),
                Case(Verbs("reset-recursively"), &execution::SYSTEM),
            ],
            OTHER,
        ],
        [
            &["get org.gnome.desktop.interface font-name", "list-schemas"],
            &["set org.gnome.desktop.interface color-scheme prefer-dark"],
            &[
                "set org.gnome.x.custom-keybinding:/a/ command x",
                "set org.gnome.system.proxy mode manual",
                "reset-recursively org.gnome.x",
            ],
            &[],
        ],
    ),
    // `load` reads keys that are not seen here.
    Command::cases(
        words!("dconf"),
        &[],
        &[
            ASKS,
            &[
                Case(Any(&[Verbs("load"), STARTS]), &files::WRITE_WIRING),
                Case(All(&[Verbs("reset"), Option('f', "")]), &execution::SYSTEM),
            ],
            OTHER,
        ],
        [
            &["read /org/gnome/x", "dump /"],
            &["write /org/gnome/desktop/interface/font-name 'x'", "reset /org/gnome/x"],
            &[
                "reset -f /",
                "load / < a.ini",
                "write /org/gnome/x/custom-keybindings/a/name \"'x'\"",
            ],
            &[],
        ],
    ),
    Command::cases(
        words!("kwriteconfig5 kwriteconfig6 kwriteconfig"),
        words!("--file --group --key --type"),
        &[
            &[Case(
                Any(&[
                    Value(&["--file"], "*autostart* *shortcut* *hotkeys* *.desktop"),
                    Value(&["--key"], "exec* Exec* *ommand* *aunch* *erminal* *hell*"),
                ]),
                &files::WRITE_WIRING,
            )],
            OTHER,
        ],
        [
            &[],
            &["--file kdeglobals --group General --key fixed x"],
            &["--file autostartrc --group a --key x y", "--file a --group b --key Exec x"],
            &[],
        ],
    ),
    Command::cases(
        words!("xfconf-query"),
        words!("-c --channel -p --property -t --type -s --set"),
        &[
            &[Case(All(&[Option('s', "set"), STARTS]), &files::WRITE_WIRING)],
            &[Case(Any(&[Option('s', "set"), Option('r', "reset")]), &execution::COMMAND)],
            &[Case(Always, READS)],
        ],
        [
            &["-c xsettings -l"],
            &["-c xsettings -p /Net/ThemeName -s Adwaita"],
            &["-c xfce4-keyboard-shortcuts -p /commands/custom/x -s y"],
            &[],
        ],
    ),
    Command::cases(
        words!("gconftool gconftool-2"),
        words!("--type -t"),
        &[ASKS, &[Case(STARTS, &files::WRITE_WIRING)], OTHER],
        [
            &["--get /apps/x/exec"],
            &["--set /apps/x/width --type int 3"],
            &["--set /apps/x/exec --type string y"],
            &[],
        ],
    ),
    Command::cases(
        words!("xdg-mime xdg-settings"),
        &[],
        &[ASKS, &[Case(Verbs("default|set|install"), &files::WRITE_WIRING)], OTHER],
        [
            &["query default text/html", "get default-web-browser"],
            &["uninstall x"],
            &["default x.desktop text/html", "set default-web-browser x.desktop"],
            &[],
        ],
    ),
];
