//! `docs/REFERENCE.md` agrees with the programs: settings, failure codes, exit codes, commands.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use client::exit::Exit;
use codex_bridge::config;
use codex_bridge::http::{retry_after, status};
use contract::failure::FailureCode;

use crate::tree::top;

/// Where it lies, from the top of the repository.
const PATH: &str = "docs/REFERENCE.md";

/// Where it is set, the page is written anew.
const UPDATE: &str = "UPDATE_REFERENCE";

/// The programs as they are installed, and as they are built for tests.
const PROGRAMS: [(&str, &str); 8] = [
    ("codex-bridge", env!("CARGO_BIN_EXE_bridge-under-test")),
    ("codex-advisor", env!("CARGO_BIN_EXE_advisor-under-test")),
    ("codex-auto", env!("CARGO_BIN_EXE_auto-under-test")),
    ("context-inject", env!("CARGO_BIN_EXE_inject-under-test")),
    ("auto-tool-orchestrator", env!("CARGO_BIN_EXE_orchestrator-under-test")),
    ("ci", env!("CARGO_BIN_EXE_ci-under-test")),
    ("court", env!("CARGO_BIN_EXE_court-under-test")),
    ("xc", env!("CARGO_BIN_EXE_xc-under-test")),
];

#[test]
fn the_reference_is_what_the_programs_say() {
    let page = page();
    let path = top().join(PATH);
    if std::env::var_os(UPDATE).is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    for (line, (is, ought)) in written.lines().zip(page.lines()).enumerate() {
        assert_eq!(is, ought, "{PATH}:{}; {UPDATE}=1 writes it anew", line + 1);
    }
    assert_eq!(written, page, "{UPDATE}=1 writes {PATH} anew");
}

fn page() -> String {
    let helps = PROGRAMS.map(|(name, executable)| (name, help(executable)));
    let mut page = "# Reference\n\n".to_owned();
    page.push_str(
        "This page is written from the programs by the test `the_reference_is_what_the_programs_say`. \
         Do not edit it: change the program, then run\n\
         `UPDATE_REFERENCE=1 cargo nextest run -p tests --test architecture -E 'test(the_reference_is)'`.\n\n",
    );
    page.push_str("## Settings of the daemon\n\n");
    page.push_str(
        "A flag wins over an environment variable, which wins over the file\n\
         `$XDG_CONFIG_HOME/codex-bridge/config.toml` (or `--config FILE`), which wins over the default.\n\
         `--set NAME=VALUE` gives any of them as a flag. `codex-bridge config` shows what is in force and where\n\
         it comes from; `codex-bridge config --default` prints a commented file of all.\n\n",
    );
    page.push_str(&config::table());
    page.push_str("\n## Failures\n\n");
    page.push_str(
        "The body of every answer that is not what was asked for is `{\"error\": {...}}`, as\n\
         `codex-bridge schema failure` describes it. *Again* says whether the same request may succeed later.\n\
         The exit code is that of `codex-advisor` and `codex-auto`.\n\n",
    );
    page.push_str(&failures());
    page.push_str("\n## Exit codes\n\n");
    for (name, help) in &helps {
        let _ = writeln!(page, "- `{name}`: {}", exit_codes(help));
    }
    page.push_str("\n## Commands\n\n`--help` after each says what it takes.\n");
    for (name, help) in &helps {
        let _ = writeln!(page, "\n### `{name}`\n\n| command | what it does |\n| --- | --- |");
        for (command, what) in commands(help) {
            let _ = writeln!(page, "| `{name} {command}` | {what} |");
        }
    }
    page
}

fn failures() -> String {
    let mut table =
        "| code | type | HTTP status | again | exit code | what happened |\n".to_owned();
    table.push_str("| --- | --- | --- | --- | --- | --- |\n");
    for &code in FailureCode::ALL {
        let again = match (code.is_retryable(), retry_after(code)) {
            (false, _) => "no".to_owned(),
            (true, None) => "yes".to_owned(),
            (true, Some(seconds)) => format!("yes, after {seconds} s"),
        };
        let _ = writeln!(
            table,
            "| `{}` | `{}` | {} | {again} | {} | {} |",
            code.as_str(),
            code.kind().as_str(),
            status(code).as_u16(),
            Exit::of_kind(code.kind()).code(),
            code.what(),
        );
    }
    table
}

/// What a program says of itself.
#[expect(clippy::disallowed_methods, reason = "the test plays the user, who asks for help")]
fn help(executable: &str) -> String {
    let output = Command::new(executable).arg("--help").env_clear().output().unwrap();
    assert!(output.status.success(), "{executable}");
    String::from_utf8(output.stdout).unwrap()
}

/// The sentence with the exit codes.
fn exit_codes(help: &str) -> String {
    let (_, rest) = help.split_once("Exit codes: ").expect("every program tells its exit codes");
    let paragraph = rest.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let text = words.join(" ");
    let end = text.find(". ").map_or(text.len(), |end| end + 1);
    text[..end].to_owned()
}

/// The commands and what each does.
fn commands(help: &str) -> Vec<(String, String)> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in listed.take_while(|line| !line.is_empty()) {
        let text = line.trim();
        let is_new = line.starts_with("  ") && !line.starts_with("   ");
        match (is_new, commands.last_mut()) {
            (true, _) => {
                let (command, what) = text.split_once("  ").unwrap_or((text, ""));
                commands.push((command.to_owned(), what.trim().to_owned()));
            }
            (false, Some((_, what))) => {
                what.push(' ');
                what.push_str(text);
            }
            (false, None) => panic!("{line:?} belongs to no command"),
        }
    }
    commands
}
