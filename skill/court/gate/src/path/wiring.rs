//! What guards or drives the work: changing it changes what happens later, unseen.

use super::{coverage, extension, hits, is_any, name, within};
use crate::context::Context;

/// In the project: the repository, its hooks, the client's settings, the court, automation.
const IN_PROJECT: &[&str] = &[
    ".git",
    ".gitmodules",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks",
    ".claude/historian",
    ".claude/agents",
    ".court",
    ".mcp.json",
    ".husky",
    ".codex",
    ".envrc",
    ".pre-commit-config.yaml",
    "lefthook.yml",
    "lefthook.yaml",
    ".lefthook.yml",
    "lefthook-local.yml",
    ".vscode/tasks.json",
];

/// The court's own.
const RECORDS: &[&str] = &[".court", ".claude/historian"];

/// In the home folder: start-up files, schedules, and settings of the tools that run.
const IN_HOME: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".inputrc",
    ".config/fish",
    ".gitconfig",
    ".config/git",
    ".claude",
    ".codex",
    ".ssh",
    ".config/autostart",
    ".config/systemd",
    "Library/LaunchAgents",
    ".vimrc",
    ".config/nvim",
    ".npmrc",
    ".cargo/config.toml",
    ".config/codex-bridge",
    ".xinitrc",
    ".xprofile",
    ".local/bin",
    ".tmux.conf",
    ".emacs.d",
    ".gnupg",
    ".pip",
    ".config/pip",
    ".docker",
    ".kube",
    ".aws",
    ".netrc",
    ".config/environment.d",
    ".config/direnv",
    ".xsessionrc",
    ".xsession",
    ".pam_environment",
    ".zlogout",
    ".zsh_plugins",
    ".oh-my-zsh/custom",
    ".config/zsh",
    ".config/bash",
    ".config/nushell",
    ".config/kitty",
    ".config/i3",
    ".config/sway",
    ".config/hypr",
    ".gdbinit",
    ".lldbinit",
    ".psqlrc",
    ".sqliterc",
    ".irbrc",
    ".pryrc",
    ".Rprofile",
    ".pythonrc",
    ".screenrc",
    ".curlrc",
    ".wgetrc",
    ".mailcap",
    ".gemrc",
    ".condarc",
    ".yarnrc",
    ".bunfig.toml",
    ".cargo/config",
    ".cargo/bin",
    ".cargo/env",
    ".pyenv/shims",
    ".asdf/shims",
    ".local/share/applications",
    ".local/share/systemd",
    ".vscode/tasks.json",
    ".config/Code/User/tasks.json",
];

/// Of the system: what runs at start or on a schedule, and who may do what.
const OF_SYSTEM: &[&str] = &[
    "/etc/cron.d",
    "/etc/crontab",
    "/etc/profile",
    "/etc/profile.d",
    "/etc/bash.bashrc",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/systemd",
    "/etc/ld.so.preload",
    "/var/spool/cron",
    "/etc/hosts",
    "/etc/passwd",
    "/etc/shadow",
    "/etc/ssh",
    "/etc/pam.d",
    "/etc/init.d",
    "/etc/environment",
    "/etc/zsh",
    "/etc/udev/rules.d",
    "/etc/xdg/autostart",
    "/etc/apt/apt.conf.d",
    "/etc/cron.daily",
    "/etc/cron.hourly",
    "/etc/cron.weekly",
    "/etc/ld.so.conf.d",
    "/etc/nsswitch.conf",
    "/lib/systemd",
    "/usr/lib/systemd",
];

/// Folders in those that hold such files themselves.
const INNER: &[&str] = &[".git/hooks", ".git/info", ".config/systemd/user", ".config/fish/conf.d"];

/// Files and folders that guard or drive the work, for who asks whether a file is one of them by another name.
pub(crate) fn protected(context: &Context<'_>) -> Vec<String> {
    let below = |folder: &str, table: &[&str]| -> Vec<String> {
        let folder = folder.trim_end_matches('/');
        table.iter().map(|place| format!("{folder}/{place}")).collect()
    };
    let mut places = below(context.project, RECORDS);
    places.extend(context.protected.iter().cloned());
    places.extend(below(context.project, IN_PROJECT));
    places.extend(below(context.home, IN_HOME));
    for folder in [context.project, context.home] {
        places.extend(below(folder, INNER));
    }
    places
}

/// Whether the absolute `path` is one of the court's records, or a folder that is there for them. A pattern
/// counts as what it can match.
pub(crate) fn is_record(path: &str, context: &Context<'_>) -> bool {
    let inside = inside(path, context.project);
    let covers = coverage(inside);
    path.contains("/.court/")
        || !inside.is_empty() && RECORDS.iter().any(|record| covers(record, inside))
}

/// Whether the absolute `path` is that, or a folder of the project that holds it.
pub(crate) fn holds_records(path: &str, context: &Context<'_>) -> bool {
    let inside = inside(path, context.project);
    is_record(path, context)
        || !inside.is_empty() && RECORDS.iter().any(|record| holds(inside, record))
}

/// Whether the absolute `path` is a folder of the project or of the home folder that holds such a thing.
pub(crate) fn holds_wiring(path: &str, context: &Context<'_>) -> bool {
    let within_of = |folder: &str, table: &[&str]| {
        let inside = inside(path, folder);
        !inside.is_empty() && table.iter().any(|place| holds(inside, place))
    };
    let own = !inside(path, context.project).is_empty();
    within_of(context.project, IN_PROJECT)
        || within_of(context.home, IN_HOME) && !within(context.project, path)
        || own && context.protected.iter().any(|place| holds(path, place))
}

/// Files that Python reads at each start, in whatever folder of it they lie.
pub(crate) fn starts_python(path: &str) -> bool {
    matches!(name(path), "usercustomize.py" | "sitecustomize.py") || extension(path) == "pth"
}

/// Files that a shell or Python reads at each start, in whatever folder that is not known.
pub(crate) fn starts_program(path: &str) -> bool {
    const OF_SHELLS: &[&str] = &[
        ".zshrc",
        ".zshenv",
        ".zprofile",
        ".zlogin",
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".bash_aliases",
    ];
    starts_python(path) || OF_SHELLS.contains(&name(path))
}

/// What of a path is below a folder; empty outside of it.
fn inside<'a>(path: &'a str, folder: &str) -> &'a str {
    if within(path, folder) {
        path[folder.trim_end_matches('/').len()..].trim_start_matches('/')
    } else {
        ""
    }
}

/// Whether `folder`, which may be a pattern, holds `place`.
fn holds(folder: &str, place: &str) -> bool {
    let mut names = place.trim_matches('/').split('/');
    !is_any(name(folder))
        && folder
            .trim_matches('/')
            .split('/')
            .all(|part| names.next().is_some_and(|name| part == name || hits(part, name)))
}

/// Whether the absolute `path` is such a thing. A pattern counts as what it can match.
pub(crate) fn is_persistence(path: &str, context: &Context<'_>) -> bool {
    let covers = coverage(path);
    let below = |folder: &str, table: &[&str]| {
        let inside = inside(path, folder);
        !inside.is_empty() && table.iter().any(|place| covers(place, inside))
    };
    let vague = is_any(name(path));
    let repository = path.split('/').any(|part| part == ".git" || !vague && hits(part, ".git"));
    // A client's settings and a court's records count in every project.
    let settings = name(path).starts_with("settings")
        && extension(path) == "json"
        && path.contains("/.claude/");
    repository
        || settings
        || starts_python(path) && path.contains("site-packages")
        || path.contains("/.court/")
        || below(context.project, IN_PROJECT)
        || below(context.home, IN_HOME)
        || below("/root", IN_HOME)
        || OF_SYSTEM.iter().any(|place| covers(place, path))
        || context.protected.iter().any(|place| covers(place, path))
}
