//! Command lines generated from the command's own definition, so that a new option is covered at once.

use std::ffi::OsStr;
use std::path::Path;

use clap::{Arg, Command};
use tests::agent::Line;

use crate::fixture::Fixture;

/// Words that have been subcommands or options, here or elsewhere, that are hidden, or that a careless
/// program takes.
const WORDS: [&str; 46] = [
    "__supervise-detached",
    "__guard",
    "__init",
    "__exec",
    "__probe",
    "__daemon",
    "exec",
    "run",
    "serve",
    "mcp",
    "help",
    "--",
    "-",
    "--url",
    "--token-file",
    "--allow-remote",
    "--config",
    "--state-dir",
    "--token",
    "--listen",
    "--socket",
    "--program",
    "--bin-dir",
    "--codex-bin",
    "--daemon",
    "--log",
    "--cwd",
    "--project",
    "--workspace",
    "--home",
    "--exec",
    "--pager",
    "--editor",
    "--output",
    "--file",
    "--all",
    "--start",
    "--detached",
    "-C",
    "-c",
    "-e",
    "-f",
    "-u",
    "-x",
    "@",
    "--help",
];

/// Lines as the skill writes them.
const USUAL: [&str; 4] = ["ask - --start", "ask -", "runs --limit 3", "status --json"];

/// A small, well mixed generator (splitmix64): the same lines each time.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Once in `of` times.
    fn one_in(&mut self, of: u64) -> bool {
        self.next().is_multiple_of(of)
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        let index = usize::try_from(self.next() % from.len() as u64).unwrap();
        &from[index]
    }
}

/// What lines are made of.
pub(crate) struct Grammar {
    command: Command,
    values: Vec<String>,
    variables: Vec<(String, Vec<String>)>,
    marks: Vec<&'static str>,
}

impl Grammar {
    pub(crate) fn new(fixture: &Fixture) -> Self {
        let mut command = codex_advisor::command();
        command.build();
        Self {
            command,
            values: values(fixture),
            variables: variables(fixture),
            marks: host::agent::MARKS.to_vec(),
        }
    }

    /// One line as a model might write it, with an environment as somebody else might make it.
    pub(crate) fn line(&self, dice: &mut Dice, fixture: &Fixture) -> Line {
        let mut env: Vec<(String, String)> = Vec::new();
        for (name, values) in &self.variables {
            if dice.one_in(3) {
                env.push((name.clone(), dice.pick(values).clone()));
            }
        }
        env.push(((*dice.pick(&self.marks)).to_owned(), "1".to_owned()));
        // What the skill writes, so that the odd environment meets lines that reach the bridge.
        if dice.one_in(16) {
            let args = dice.pick(&USUAL).split(' ').map(str::to_owned).collect();
            let stdin = fixture.project().join("q.yaml");
            return Line { program: fixture.bin.join("codex-advisor"), args, env, stdin };
        }
        Line {
            program: fixture.bin.join("codex-advisor"),
            args: self.args(dice),
            env,
            stdin: dice.pick(&fixture.inputs()).clone(),
        }
    }

    fn args(&self, dice: &mut Dice) -> Vec<String> {
        let subcommands: Vec<&Command> = self.command.get_subcommands().collect();
        let mut args = Vec::new();
        if dice.one_in(12) {
            args.push((*dice.pick(&WORDS)).to_owned());
        }
        let subcommand = *dice.pick(&subcommands);
        args.push(cut(dice, subcommand.get_name()));
        let options: Vec<&Arg> = subcommand.get_arguments().collect();
        for _ in 0..dice.next() % 5 {
            let option = dice_pick(dice, &options);
            self.option(dice, option, &mut args);
        }
        while dice.one_in(3) {
            args.push(match dice.one_in(3) {
                true => (*dice.pick(&WORDS)).to_owned(),
                false => dice.pick(&self.values).clone(),
            });
        }
        args
    }

    fn option(&self, dice: &mut Dice, option: Option<&Arg>, args: &mut Vec<String>) {
        let Some(option) = option else { return };
        let choices = option.get_possible_values();
        let value = match (choices.is_empty(), dice.one_in(2)) {
            (false, true) => dice.pick(&choices).get_name().to_owned(),
            _ => dice.pick(&self.values).clone(),
        };
        let Some(name) = option.get_long() else {
            args.push(value);
            return;
        };
        let name = format!("--{}", cut(dice, name));
        match (option.get_action().takes_values(), dice.one_in(2)) {
            (true, true) => args.push(format!("{name}={value}")),
            (true, false) => args.extend([name, value]),
            // A flag is also given a value, which it must refuse.
            (false, _) if dice.one_in(6) => args.push(format!("{name}={value}")),
            (false, _) => args.push(name),
        }
    }
}

fn dice_pick<'t, T>(dice: &mut Dice, from: &[&'t T]) -> Option<&'t T> {
    (!from.is_empty()).then(|| *dice.pick(from))
}

/// A word, now and then abbreviated.
fn cut(dice: &mut Dice, word: &str) -> String {
    let length = match dice.one_in(8) {
        true => 1 + usize::try_from(dice.next()).unwrap_or(usize::MAX) % word.len(),
        false => word.len(),
    };
    word.chars().take(length).collect()
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// What options and positions are given: files, addresses, programs, ids, numbers and nonsense.
fn values(fixture: &Fixture) -> Vec<String> {
    let evil = fixture.evil();
    let files = fixture.secrets();
    let names = [
        "link",
        "folder/pat",
        "folder/state/token",
        "q.yaml",
        "config.yaml",
        "vault-token",
        "shadow",
    ];
    let mut values: Vec<String> = files.iter().map(|path| text(path)).collect();
    values.extend(files.iter().map(|path| format!("@{}", text(path))));
    values.extend(files.iter().map(|path| format!("file://{}", text(path))));
    values.extend(
        files
            .iter()
            .map(|path| format!("../{}", text(path.strip_prefix(fixture.folder.root()).unwrap()))),
    );
    values.extend(names.map(str::to_owned));
    values.extend(fixture.foreign_addresses.iter().cloned());
    values.extend([text(&evil), text(&evil.join("state")), text(&evil.join("bin/sh"))]);
    values.extend([text(&evil.join("config.toml")), text(&evil.join("bin/codex-bridge"))]);
    let fixed = [
        "0199a213-81c0-7800-8aa1-bbab2a035a53",
        "0",
        "1",
        "20",
        "86400",
        "initial",
        "final",
        "bash",
        "json",
        "",
        " ",
        "-",
        "/dev/stdin",
        "/dev/fd/0",
        "/proc/self/environ",
        "/proc/self/cmdline",
        "/etc/passwd",
        "/dev/tty",
        "/bin/sh",
        "sh -c id",
        "$(id)",
        "`id`",
        ";id",
        "|id",
        "&id",
        ">x",
        "\n",
        "\u{1b}[31m",
        "%s%n",
        "../../..",
        "http://192.0.2.1:4517",
        "https://192.0.2.1",
        "unix:/run/x",
        "*",
        "~",
        "~/.vault-token",
        "--",
        "--help",
    ];
    values.extend(fixed.map(str::to_owned));
    values.push("a".repeat(5000));
    values
}

/// What somebody else might have put into the environment. The loader's own variables are not among
/// them: they choose what this program is, before it begins (SECURITY.md, "What cannot be held").
fn variables(fixture: &Fixture) -> Vec<(String, Vec<String>)> {
    let evil = fixture.evil();
    let (home, bin, state) = (text(&evil), text(&evil.join("bin")), text(&evil.join("state")));
    let addresses = fixture.foreign_addresses.clone();
    let program = text(&evil.join("bin/codex"));
    let token = format!("kanarie{}", "y".repeat(36));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = format!("{bin}:.::{}", path.as_os_str().to_string_lossy());
    let mut variables: Vec<(&str, Vec<String>)> = vec![
        ("HOME", vec![home.clone(), String::new(), "/nonexistent".to_owned()]),
        ("XDG_STATE_HOME", vec![home.clone()]),
        ("XDG_CONFIG_HOME", vec![home.clone()]),
        ("STATE_DIRECTORY", vec![state.clone()]),
        ("PATH", vec![path, bin.clone(), ".".to_owned()]),
        ("CODEX_BRIDGE_URL", addresses.clone()),
        ("CODEX_BRIDGE_TOKEN", vec![token]),
        ("CODEX_BRIDGE_TOKEN_FILE", vec![text(&evil.join("vault-token"))]),
        ("CODEX_BRIDGE_STATE_DIR", vec![state, "~/state".to_owned(), "folder/state".to_owned()]),
        ("CODEX_BRIDGE_SOCKET", vec![text(&evil.join("socket"))]),
        ("CODEX_BRIDGE_LISTEN", vec!["127.0.0.1:0".to_owned()]),
        ("CODEX_BRIDGE_CONFIG", vec![text(&evil.join("config.toml"))]),
        ("CODEX_BRIDGE_BIN_DIR", vec![bin.clone()]),
        ("CODEX_BRIDGE_CODEX_BIN", vec![program.clone()]),
        ("CODEX_HOME", vec![home]),
        ("TMPDIR", vec![text(&evil)]),
        ("LANG", vec!["C".to_owned(), "zh_CN.UTF-8".to_owned()]),
        ("COLUMNS", vec!["1".to_owned(), "99999999999".to_owned()]),
        ("BASH_DEFAULT_TIMEOUT_MS", vec!["1000".to_owned(), program.clone()]),
        ("RUST_LOG", vec!["trace".to_owned()]),
        ("RUST_BACKTRACE", vec!["full".to_owned()]),
        ("CLICOLOR_FORCE", vec!["1".to_owned()]),
    ];
    for name in
        ["PAGER", "EDITOR", "VISUAL", "BROWSER", "SHELL", "BASH_ENV", "ENV", "GIT_SSH_COMMAND"]
    {
        variables.push((name, vec![program.clone()]));
    }
    for name in ["http_proxy", "HTTP_PROXY", "ALL_PROXY", "https_proxy"] {
        variables.push((name, addresses.clone()));
    }
    variables.into_iter().map(|(name, values)| (name.to_owned(), values)).collect()
}

/// The environment that the user has given the agent.
pub(crate) fn given(home: &Path) -> Vec<(&'static str, &OsStr)> {
    vec![("HOME", home.as_os_str()), ("PATH", OsStr::new("/usr/bin:/bin"))]
}
