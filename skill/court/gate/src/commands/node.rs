//! The package managers and runtimes of JavaScript, and packages that are executed at once.

use super::code::Evidence;
use super::entry::Command;
use super::options::{first_operand, has_word, value};
use super::packages::{PUBLISH, from_elsewhere};
use super::words::words;
use crate::path::name;
use crate::rules::{execution, infrastructure as rules};
use crate::shell::{Field, Flow, Io, Step, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(
        words!("npm pnpm yarn bun deno ni nr"),
        node,
        [&["ls"], &["run build"], &[], &[]],
    ),
    Command::code(
        words!("npx bunx pnpx uvx pipx dlx"),
        execute_package,
        [&[], &["prettier"], &[], &[]],
    ),
];

fn node(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let program = name(&words[0].text).to_owned();
    let at = first_operand(
        words,
        words!(
            "-C --prefix --filter -F -w --workspace --cwd --dir --reporter --registry \
             --loglevel --userconfig --cache --otp"
        ),
    );
    let verb = words.get(at).map(|word| word.text.clone()).unwrap_or_default();
    let what = format!("{program} {verb}");
    let rest = words.get(at + 1..).unwrap_or_default();
    let piped = !io.stdin.text.is_empty() && matches!(program.as_str(), "deno" | "bun");
    if piped && verb.is_empty() {
        if io.stdin.taint.network {
            walker.found(&execution::FETCHED_SCRIPT, &program);
        }
        let code = io.stdin.text.clone();
        walker.code("js", &code, Evidence::Enough)?;
    }
    let asks = PUBLISH.contains(&verb.as_str())
        && verb != "token"
        && rest.first().is_some_and(|word| {
            matches!(word.text.as_str(), "ls" | "list" | "get" | "status" | "ls-packages")
        });
    if asks
        || verb.is_empty()
        || matches!(
            verb.as_str(),
            "ls" | "list"
                | "view"
                | "info"
                | "outdated"
                | "why"
                | "explain"
                | "help"
                | "root"
                | "bin"
                | "search"
                | "doctor"
        )
    {
        return Ok(Flow::unknown());
    }
    let dry = has_word(words, &["--dry-run", "-n"]);
    let acts = PUBLISH.contains(&verb.as_str())
        && !(verb == "profile" && program == "npm" && rest.is_empty())
        || (matches!(verb.as_str(), "npm" | "workspace" | "recursive" | "workspaces" | "-r")
            && rest
                .iter()
                .take(4)
                .any(|word| matches!(word.text.as_str(), "publish" | "unpublish" | "deprecate")));
    if acts && !dry && (program != "deno") {
        walker.found(&rules::PUBLISH, &what);
    }
    if matches!(verb.as_str(), "exec" | "x" | "dlx") {
        let command = &rest[rest.iter().position(|word| !word.is_option()).unwrap_or(rest.len())..];
        if let Some(text) = value(words, &["-c", "--call"]).map(str::to_owned) {
            walker.payload(&text, &what, io.stdin)?;
        } else if command.first().is_some_and(|word| from_elsewhere(&word.text)) {
            walker.found(&rules::FOREIGN_PACKAGE, &command[0].text);
        } else {
            let fetches = has_word(words, &["-y", "--yes"]) || verb == "dlx" || program == "bun";
            if let Some(package) = command
                .first()
                .filter(|word| fetches || word.text.get(1..).is_some_and(|rest| rest.contains('@')))
            {
                walker.fetches_package(&package.text, &what);
            }
            walker.run(command, io)?;
        }
    }
    // A program for all projects: `deno install -gA jsr:...`.
    let global = rest.iter().any(|word| word.text == "--global" || word.text.starts_with("-g"));
    for word in rest.iter().filter(|_| program == "deno" && verb == "install" && global) {
        if word.text.starts_with("npm:") || word.text.starts_with("jsr:") {
            walker.fetches_package(&word.text, &what);
        }
    }
    if matches!(verb.as_str(), "install" | "i" | "add")
        && (has_word(words, &["-g", "--global"]) || program == "bun")
    {
        for word in rest.iter().filter(|word| !word.is_option()) {
            walker.installs_package(&word.text);
        }
    }
    if let Some(code) = value(words, &["-e", "--eval", "-p", "--print"]).map(str::to_owned)
        && matches!(program.as_str(), "bun" | "deno")
    {
        walker.found(&execution::CODE, &program);
        walker.code("js", &code, Evidence::Enough)?;
        return Ok(Flow::unknown());
    }
    if program == "deno" || program == "bun" {
        runtime(walker, &program, &verb, rest, io)?;
    }
    if verb == "pkg" {
        for word in rest {
            if let Some((_, text)) =
                word.text.split_once('=').filter(|(key, _)| key.starts_with("scripts."))
            {
                let text = text.to_owned();
                walker.payload(&text, &what, &Flow::unknown())?;
            }
        }
    }
    if verb == "set-script"
        && let Some(text) = rest.get(1).map(|word| word.text.clone())
    {
        walker.payload(&text, &what, &Flow::unknown())?;
    }
    if verb == "config" || verb == "c" || verb == "set" {
        let sets = has_word(words, &["set", "edit", "delete"]);
        if sets {
            let dangerous = rest.iter().any(|word| {
                [
                    "registry",
                    "script-shell",
                    "node-options",
                    "proxy",
                    "prefix",
                    "git",
                    "editor",
                    "ignore-scripts",
                    "_auth",
                    "globalconfig",
                ]
                .iter()
                .any(|key| word.text.contains(key))
            });
            walker.found(
                if dangerous { &crate::rules::environment::ROUTE } else { &execution::COMMAND },
                &what,
            );
        } else if rest
            .iter()
            .any(|word| word.text.contains("_auth") || word.text.to_lowercase().contains("token"))
        {
            walker.found(&crate::rules::secrets::SHOW, &what);
        }
    }
    if rest.iter().any(|word| {
        from_elsewhere(&word.text)
            && !word.text.starts_with("--registry=https://registry.npmjs.org")
    }) && verb != "run"
        && verb != "test"
    {
        walker.found(&rules::FOREIGN_PACKAGE, &super::options::joined(rest));
    }
    walker.found(&execution::COMMAND, &what);
    Ok(Flow::unknown())
}

/// Runtimes that are package managers too.
fn runtime(
    walker: &mut Walker<'_>,
    program: &str,
    verb: &str,
    rest: &[Field],
    io: &Io<'_>,
) -> Step {
    if verb == "eval" || verb == "-e" {
        let code = rest
            .iter()
            .find(|word| !word.is_option())
            .map(|word| word.text.clone())
            .unwrap_or_default();
        walker.code("js", &code, Evidence::Enough)?;
    }
    let file = if verb == "run" {
        rest.iter().find(|word| !word.is_option() || word.text == "-")
    } else {
        None
    };
    if let Some(file) = file.cloned() {
        if from_elsewhere(&file.text) {
            walker.found(&execution::FETCHED_SCRIPT, &file.text);
        } else if file.text.starts_with("npm:") || file.text.starts_with("jsr:") {
            walker.fetches_package(&file.text, program);
        } else if file.text == "-" {
            let code = io.stdin.text.clone();
            walker.code("js", &code, Evidence::Enough)?;
        } else if file.text.contains('.') {
            walker.execute(&file, program, &[], io)?;
        }
    }
    if verb.contains('.') && program == "bun" {
        walker.execute(&Field::new(verb), program, &[], io)?;
    }
    Ok(())
}

pub(super) fn execute_package(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let valued = ["-p", "--package", "--from", "--with", "--python", "--spec", "-w"];
    if let Some(text) = value(words, &["-c", "--call"]).map(str::to_owned) {
        let package = value(words, &["-p", "--package"]).unwrap_or_default().to_owned();
        walker.fetches_package(&package, "npx");
        walker.payload(&text, "npx -c", io.stdin)?;
        return Ok(Flow::unknown());
    }
    if words.iter().any(|word| from_elsewhere(&word.text)) {
        walker.found(&rules::FOREIGN_PACKAGE, &super::options::joined(words));
        return Ok(Flow::unknown());
    }
    let mut at = first_operand(words, &valued);
    if words[0].text.ends_with("pipx") {
        if words.get(at).is_none_or(|word| word.text != "run") {
            walker.found(&execution::COMMAND, "pipx");
            return Ok(Flow::unknown());
        }
        at += 1;
    }
    let runner = name(&words[0].text).to_owned();
    walker.found(&execution::COMMAND, &runner);
    let Some(first) = words.get(at) else { return Ok(Flow::unknown()) };
    // `npx tool` runs the one that is installed here, if there is one.
    let local = has_word(words, &["--no-install", "--no", "--offline"]);
    let fetches = runner != "npx"
        || value(&words[..at], &["-p", "--package"]).is_some()
        || has_word(&words[..at], &["-y", "--yes"])
        || first.text.get(1..).is_some_and(|rest| rest.contains('@'));
    if fetches && !local {
        let from = value(&words[..at], &["-p", "--package", "--from", "--spec"]);
        let package = from.unwrap_or(&first.text).to_owned();
        walker.fetches_package(&package, &runner);
        for package in value(&words[..at], &["--with"]).unwrap_or_default().split(',') {
            walker.fetches_package(package, &runner);
        }
    }
    // `tsc@5` and `@scope/tool` are packages that bring a program of that name.
    let program = first
        .text
        .rsplit_once('@')
        .filter(|(head, _)| !head.is_empty())
        .map_or(first.text.as_str(), |(head, _)| head);
    let mut command = words[at..].to_vec();
    command[0].text = name(program).to_owned();
    walker.via.push(words[0].text.clone());
    let output = walker.run(&command, io)?;
    walker.via.pop();
    Ok(output)
}
