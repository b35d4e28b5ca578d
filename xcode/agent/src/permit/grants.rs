//! What a yes for the rest of a session covers: the same program with the same sub-command in the same folder, the
//! same tool on files of the same folder, the same tool of a server. Not here: levels; a grant only applies to L1.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use gate::Judgement;

use crate::action::Action;
use crate::address;

/// Programs whose first argument is a sub-command: a grant covers that word, and as many more as are listed here.
const SUB_COMMANDS: &[(&str, &[&str])] = &[
    ("ant", &[]),
    ("apt", &[]),
    ("brew", &["services"]),
    ("bun", &["pm"]),
    ("bundle", &[]),
    ("cargo", &["nextest"]),
    ("cmake", &[]),
    ("composer", &[]),
    ("conda", &["env"]),
    ("deno", &["task"]),
    ("docker", &["container", "image", "network", "volume"]),
    ("dotnet", &["tool"]),
    ("flutter", &["pub"]),
    ("gem", &[]),
    ("gh", &["issue", "pr", "release", "repo", "run"]),
    ("git", &["remote", "stash", "submodule", "tag", "worktree"]),
    ("go", &["mod"]),
    ("gradle", &[]),
    ("helm", &[]),
    ("just", &[]),
    ("kubectl", &[]),
    ("make", &[]),
    ("mix", &[]),
    ("mvn", &[]),
    ("npm", &["run"]),
    ("pip", &[]),
    ("pip3", &[]),
    ("pnpm", &["run"]),
    ("poetry", &[]),
    ("rustup", &["component", "target", "toolchain"]),
    ("swift", &["package"]),
    ("terraform", &["state"]),
    ("uv", &["pip"]),
    ("yarn", &["run", "workspace"]),
];

/// Programs that execute their input: code, a file, another command.
const EXECUTES: &[&str] = &[
    ".",
    "ash",
    "at",
    "awk",
    "bash",
    "batch",
    "builtin",
    "bunx",
    "busybox",
    "chroot",
    "chrt",
    "command",
    "coproc",
    "csh",
    "dash",
    "dbus-run-session",
    "doas",
    "ed",
    "emacs",
    "entr",
    "env",
    "eval",
    "ex",
    "exec",
    "expect",
    "fakeroot",
    "find",
    "firejail",
    "fish",
    "flock",
    "gawk",
    "gdb",
    "ghci",
    "groovy",
    "guile",
    "ionice",
    "irb",
    "java",
    "jshell",
    "julia",
    "ksh",
    "ld.so",
    "lua",
    "luajit",
    "mawk",
    "mksh",
    "nawk",
    "nc",
    "ncat",
    "nice",
    "node",
    "nodejs",
    "nohup",
    "npx",
    "nsenter",
    "numactl",
    "octave",
    "osascript",
    "parallel",
    "perl",
    "php",
    "pipx",
    "pkexec",
    "pnpx",
    "powershell",
    "proot",
    "psql",
    "pwsh",
    "pypy",
    "pypy3",
    "python",
    "python2",
    "python3",
    "R",
    "rlwrap",
    "Rscript",
    "ruby",
    "runuser",
    "sbcl",
    "scala",
    "screen",
    "script",
    "sed",
    "setarch",
    "setpriv",
    "setsid",
    "sh",
    "socat",
    "source",
    "sqlite3",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "tclsh",
    "tcsh",
    "time",
    "timeout",
    "tmux",
    "ts-node",
    "tsx",
    "unbuffer",
    "unshare",
    "uvx",
    "valgrind",
    "vi",
    "vim",
    "watch",
    "wish",
    "xargs",
    "xvfb-run",
    "zsh",
];

/// Sub-commands that execute their input.
const SUB_EXECUTES: &[(&str, &[&str])] = &[
    ("bun", &["run", "x", "exec"]),
    ("bundle", &["exec"]),
    ("cargo", &["run"]),
    ("conda", &["run"]),
    ("deno", &["run", "eval", "repl"]),
    ("docker", &["run", "exec", "compose", "buildx", "build"]),
    ("dotnet", &["run", "script", "exec", "fsi"]),
    ("flutter", &["run"]),
    ("gh", &["api", "extension", "alias", "codespace"]),
    ("git", &["bisect", "config", "filter-branch", "rebase"]),
    ("go", &["run", "generate", "tool"]),
    ("kubectl", &["exec", "run", "debug", "attach"]),
    ("mix", &["run", "eval"]),
    ("npm", &["exec", "x", "explore", "config", "set"]),
    ("pnpm", &["exec", "dlx"]),
    ("poetry", &["run", "shell"]),
    ("rustup", &["run"]),
    ("swift", &["run"]),
    ("uv", &["run", "tool"]),
    ("yarn", &["exec", "dlx", "node"]),
];

/// The grants of this session.
#[derive(Debug, Clone, Default)]
pub(super) struct Grants(HashSet<Grant>);

/// One grant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Grant {
    /// Commands that begin with these words, in a folder; or exactly one command.
    Command {
        words: Vec<String>,
        cwd: PathBuf,
    },
    /// A tool that writes the files of a folder.
    Files {
        tool: String,
        folder: PathBuf,
    },
    Mcp {
        server: String,
        tool: String,
    },
    /// A host of the web.
    Host(String),
}

impl Grants {
    pub(super) fn add(&mut self, grants: Vec<Grant>) {
        self.0.extend(grants);
    }

    /// Whether every part of a call is granted.
    pub(super) fn cover(&self, asked: &[Grant]) -> bool {
        !asked.is_empty() && asked.iter().all(|grant| self.0.contains(grant))
    }
}

/// The grants that a call needs; none if it can only be allowed once. `changes` are the commands of a
/// plain line that are not known to be read-only.
pub(super) fn asked(
    tool: &str,
    action: &Action,
    changes: Option<&[Vec<String>]>,
    judgement: &Judgement,
) -> Option<Vec<Grant>> {
    match action {
        Action::Shell { cwd, .. } => {
            let is_direct = judgement.commands.iter().all(|seen| seen.via.is_empty());
            let commands = changes.filter(|_| is_direct)?;
            let grant = |words: &Vec<String>| {
                Some(Grant::Command { words: granted_words(words)?, cwd: cwd.clone() })
            };
            commands.iter().map(grant).collect()
        }
        Action::Write { path } => {
            let folder = path.parent().map(Path::to_owned)?;
            Some(vec![Grant::Files { tool: tool.to_owned(), folder }])
        }
        Action::Mcp { server, tool, .. } => {
            Some(vec![Grant::Mcp { server: server.clone(), tool: tool.clone() }])
        }
        Action::Fetch { url } => Some(vec![Grant::Host(address::host(url)?)]),
        Action::Read { .. } | Action::Remember { .. } | Action::Nothing => None,
    }
}

/// The words that a grant of a command covers: the program with its sub-command if it is known to have one,
/// else the whole command.
fn granted_words(words: &[String]) -> Option<Vec<String>> {
    let [program, rest @ ..] = words else { return None };
    let plain = |each: char| each.is_ascii_alphanumeric() || "._+-".contains(each);
    let executes = EXECUTES.contains(&program.as_str())
        || ["python", "perl", "ruby", "lua", "php", "node"].iter().any(|name| {
            program
                .strip_prefix(name)
                .is_some_and(|version| version.starts_with(|each: char| each.is_ascii_digit()))
        });
    // `cd` changes the folder for the following commands.
    let leaves = matches!(program.as_str(), "cd" | "pushd" | "popd");
    if executes || leaves || !program.chars().all(plain) {
        return None;
    }
    let listed = |table: &'static [(&'static str, &'static [&'static str])]| {
        table.iter().find(|(name, _)| name == program).map(|(_, words)| *words)
    };
    let Some(deeper) = listed(SUB_COMMANDS) else { return Some(words.to_vec()) };
    let Some(sub) =
        rest.first().filter(|word| !word.starts_with(['-', '+']) && !word.contains('='))
    else {
        return Some(words.to_vec());
    };
    if listed(SUB_EXECUTES).is_some_and(|subs| subs.contains(&sub.as_str())) {
        return None;
    }
    // All targets belong to the command; and a nested sub-command must be present.
    let count = match program.as_str() {
        "make" | "just" | "ant" | "gradle" | "mvn" => words.len(),
        _ if deeper.contains(&sub.as_str()) => 3,
        _ => 2,
    };
    let head = words.get(..count)?;
    (!head.iter().any(|word| word.starts_with('-')) || count == words.len()).then(|| head.to_vec())
}
