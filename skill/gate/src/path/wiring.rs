//! What guards or drives the work: changing it changes what happens later, unseen.

use super::{extension, name, within};
use crate::context::Context;

/// In the project: the repository, its hooks, the client's settings, the court, automation.
const IN_PROJECT: &[&str] = &[
    ".git",
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
];

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
];

/// Whether the absolute `path` is such a thing.
pub(crate) fn is_wiring(path: &str, context: &Context<'_>) -> bool {
    let below = |folder: &str, table: &[&str]| {
        within(path, folder) && {
            let inside = path[folder.trim_end_matches('/').len()..].trim_start_matches('/');
            table.iter().any(|place| within(inside, place))
        }
    };
    let repository = path.split('/').any(|part| part == ".git");
    // A client's settings and a court's records count in every project.
    let settings = name(path).starts_with("settings")
        && extension(path) == "json"
        && path.contains("/.claude/");
    repository
        || settings
        || path.contains("/.court/")
        || below(context.project, IN_PROJECT)
        || below(context.home, IN_HOME)
        || below("/root", IN_HOME)
        || OF_SYSTEM.iter().any(|place| within(path, place))
        || context.protected.iter().any(|place| within(path, place))
}
