//! Build tools and package managers: what they install and publish.

use super::Walker;
use super::entry::Command;
use super::node::execute_package;
use super::options::{first_operand, has_word, operands, value};
use super::words::words;
use crate::path::name;
use crate::rules::{execution, infrastructure as rules};
use crate::shell::{Field, Flow, Io, Step};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(
        words!("pip pip3 uv easy_install twine flit"),
        python,
        [&["list"], &[], &["publish"], &[]],
    ),
    Command::code(words!("cargo cross"), cargo, [&["tree"], &["build"], &["publish"], &[]]),
    Command::code(
        words!("go"),
        go,
        [&[], &["version", "build ./..."], &["run evil.example/x@latest"], &[]],
    ),
    Command::code(
        words!(
            "cmake ctest gradle gradlew mvn mvnw ant sbt mix dotnet swift composer gem stack cabal \
             dune zig lein"
        ),
        other,
        [&[], &["build"], &[], &[]],
    ),
    Command::code(
        words!("pytest py.test tox nox jest vitest mocha ava playwright"),
        tool,
        [&[], &["tests"], &[], &[]],
    ),
    Command::code(
        words!(
            "apt apt-get aptitude dpkg yum dnf rpm pacman apk zypper snap flatpak port emerge \
             nix-env"
        ),
        system,
        [&["list"], &["install jq"], &["remove jq"], &[]],
    ),
    Command::code(words!("brew"), brew, [&[], &["list"], &["untap a/b"], &[]]),
    Command::code(
        words!("code codium cursor windsurf code-insiders"),
        editor,
        [&[], &["."], &["--install-extension a.vsix"], &[]],
    ),
];

/// Words with which something is published or withdrawn.
pub(super) const PUBLISH: &[&str] = words!(
    "publish unpublish deprecate yank owner dist-tag access token adduser login push upload \
     profile team hook"
);

fn python(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let program = name(&words[0].text).to_owned();
    let at = first_operand(
        words,
        &["--directory", "--project", "--python", "-p", "--proxy", "--cache-dir"],
    );
    let verb = words.get(at).map(|word| word.text.clone()).unwrap_or_default();
    if program == "uv" && verb == "run" {
        let from = at
            + first_operand(
                &words[at..],
                &["--with", "--python", "-p", "--extra", "--group", "--package", "--env-file"],
            );
        walker.found(&execution::COMMAND, "uv run");
        for package in value(words, &["--with", "-w"]).unwrap_or_default().split(',') {
            walker.fetches_package(package, "uv run --with");
        }
        if io.stdin.taint.network && words.get(from).is_some_and(|word| word.text == "-") {
            walker.found(&execution::FETCHED_SCRIPT, "uv run -");
        }
        if words.get(from).is_some_and(|word| word.text.ends_with(".py")) {
            let file = words[from].clone();
            return walker.execute(&file, "python", &[], io);
        }
        return walker.run(words.get(from..).unwrap_or_default(), io);
    }
    if program == "uv"
        && matches!(verb.as_str(), "tool" | "x")
        && words.get(at + 1).is_some_and(|word| word.text == "run")
    {
        return execute_package(walker, &words[at + 1..], io);
    }
    if matches!(
        verb.as_str(),
        "list" | "show" | "freeze" | "check" | "tree" | "--version" | "search" | "help" | "version"
    ) {
        return Ok(Flow::unknown());
    }
    if PUBLISH.contains(&verb.as_str()) || program == "twine" && verb != "check" {
        walker.found(&rules::PUBLISH, &format!("{program} {verb}"));
    }
    let index = value(
        words,
        words!("-i --index-url --extra-index-url -f --find-links --index --default-index"),
    );
    let foreign_index = index.is_some_and(|index| {
        !index.contains("pypi.org") && !index.contains("download.pytorch.org")
    });
    if foreign_index
        || words.iter().any(|word| {
            from_elsewhere(&word.text)
                && !word.text.contains("pypi.org")
                && !word.text.contains("download.pytorch.org")
        })
        || has_word(words, &["--break-system-packages"])
    {
        walker.found(&rules::FOREIGN_PACKAGE, &super::options::joined(words));
    }
    walker.found(&execution::COMMAND, &format!("{program} {verb}"));
    if verb == "install" || verb == "tool" {
        for word in operands(words, &["-r", "-c", "-i", "-t", "--requirement"]).iter().skip(1) {
            let package = word.text.clone();
            walker.installs_package(&package);
        }
    }
    Ok(Flow::unknown())
}

fn tool(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    walker.found(&execution::COMMAND, name(&words[0].text));
    Ok(Flow::unknown())
}

fn cargo(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let words: Vec<Field> = words
        .iter()
        .enumerate()
        .filter(|(index, word)| !(*index == 1 && word.text.starts_with('+')))
        .map(|(_, word)| word.clone())
        .collect();
    for (index, word) in words.iter().enumerate() {
        let text = word.text.strip_prefix("--config=").or_else(|| {
            (word.text == "--config")
                .then(|| words.get(index + 1).map(|next| next.text.as_str()))
                .flatten()
        });
        if let Some(text) = text.filter(|text| {
            ["runner", "wrapper", "linker", "rustc", "registr", "source", "alias"]
                .iter()
                .any(|key| text.contains(key))
        }) {
            walker.found(&crate::rules::environment::HELPER, text);
        }
    }
    let verb = operands(&words, &["--manifest-path", "-Z", "-C", "--config", "--color"])
        .first()
        .map(|word| word.text.clone())
        .unwrap_or_default();
    if matches!(
        verb.as_str(),
        "" | "tree"
            | "metadata"
            | "search"
            | "pkgid"
            | "locate-project"
            | "version"
            | "help"
            | "info"
            | "verify-project"
            | "read-manifest"
    ) {
        return Ok(Flow::unknown());
    }
    let dry = has_word(&words, &["--dry-run"]);
    let asks = has_word(&words, &["--list", "-l", "--help"]);
    if PUBLISH.contains(&verb.as_str()) && !dry && !asks {
        walker.found(&rules::PUBLISH, &format!("cargo {verb}"));
    }
    if verb == "install" && (value(&words, &["--git", "--index", "--registry"]).is_some()) {
        walker.found(&rules::FOREIGN_PACKAGE, "cargo install");
    }
    if matches!(verb.as_str(), "install" | "binstall")
        && value(&words, &["--path", "--git"]).is_none()
        && !asks
    {
        let valued =
            ["--version", "--vers", "--root", "--features", "-F", "--bin", "-j", "--profile"];
        for package in operands(&words, &valued).iter().skip(1) {
            let package = package.text.clone();
            walker.fetches_package(&package, &format!("cargo {verb}"));
        }
    }
    for option in ["--manifest-path", "--path"] {
        if let Some(file) = value(&words, &[option]).map(str::to_owned) {
            let path = crate::path::absolute(&file, &walker.state.cwd);
            if walker.is_stray(&path) && !walker.is_written(&path) {
                walker.found(&execution::STRAY_SCRIPT, &file);
            }
        }
    }
    walker.found(&execution::COMMAND, &format!("cargo {verb}"));
    Ok(Flow::unknown())
}

fn go(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let rest =
        operands(words, words!("-o -run -tags -ldflags -C -mod -count -timeout -bench -gcflags"));
    let verb = rest.first().map(|word| word.text.clone()).unwrap_or_default();
    if matches!(verb.as_str(), "version" | "env" | "list" | "doc" | "help" | "" | "vet")
        && !has_word(words, &["-w"])
    {
        walker.found(&execution::COMMAND, "go");
        return Ok(Flow::unknown());
    }
    let foreign = matches!(verb.as_str(), "run" | "install")
        && rest.iter().skip(1).take(1).any(|word| {
            word.text.contains('@')
                || (word.text.contains('.')
                    && word.text.contains('/')
                    && !word.text.starts_with('.')
                    && !word.text.ends_with(".go"))
        });
    let known = rest.get(1).is_some_and(|word| {
        walker.knows_package(&word.text)
            || (verb == "install" && word.text.starts_with("github.com/"))
    });
    if let Some(package) = rest.get(1).filter(|_| verb == "install" && foreign) {
        let package = package.text.clone();
        walker.installs_package(&package);
    }
    if words.iter().any(|word| {
        word.text.starts_with("-toolexec")
            || word.text.starts_with("-exec")
            || word.text.starts_with("-overlay")
    }) {
        walker.found(&execution::CODE_EXECUTES, "go -toolexec");
    }
    walker.found(
        if foreign && !known { &rules::FOREIGN_PACKAGE } else { &execution::COMMAND },
        &format!("go {verb}"),
    );
    if verb == "build"
        && let Some(made) = value(words, &["-o"])
    {
        let made = crate::path::absolute(made, &walker.state.cwd);
        walker.copies(&Field::new("/usr/bin/true"), &made);
    }
    for file in rest.iter().skip(1).filter(|word| verb == "run" && word.text.ends_with(".go")) {
        let path = crate::path::absolute(&file.text, &walker.state.cwd);
        if walker.is_stray(&path) && !walker.is_written(&path) {
            walker.found(&execution::STRAY_SCRIPT, &file.text);
        }
    }
    Ok(Flow::unknown())
}

fn other(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let program = name(&words[0].text).to_owned();
    if words.iter().skip(1).any(|word| {
        matches!(
            word.text.as_str(),
            "publish"
                | "deploy"
                | "push"
                | "yank"
                | "upload"
                | "hex.publish"
                | "nuget"
                | "site:deploy"
                | "publishToMavenCentral"
        ) && !(program == "dotnet" && word.text == "publish")
            || word.text.ends_with("release:perform")
    }) {
        walker.found(&rules::PUBLISH, &program);
    }
    if program == "swift"
        && let Some(code) = value(words, &["-e"]).map(str::to_owned)
    {
        walker.code("c", &code, super::Evidence::Enough)?;
    }
    let valued: &[&str] =
        if program == "gem" { &["-v", "--version", "-g", "--gem"] } else { &["--version"] };
    let rest = operands(words, valued);
    let told = |at: usize| rest.get(at).map_or("", |word| word.text.as_str());
    let package = match (program.as_str(), told(0), told(1)) {
        ("gem", "exec", _) => told(1).to_owned(),
        ("dotnet", "tool", "install" | "exec" | "execute") => told(2).to_owned(),
        _ => String::new(),
    };
    walker.fetches_package(&package, &program);
    if let ("gem", "install") = (program.as_str(), told(0)) {
        for package in rest.iter().skip(1).map(|word| word.text.clone()).collect::<Vec<_>>() {
            walker.installs_package(&package);
        }
    }
    let source = value(words, &["--source", "-s", "--repository"])
        .is_some_and(|source| source.contains("://") && !source.contains("rubygems.org"));
    if source && program == "gem" {
        walker.found(&rules::FOREIGN_PACKAGE, &program);
    }
    walker.found(&execution::COMMAND, &program);
    Ok(Flow::unknown())
}

/// What brew removes it brings back, unless the settings go too; most of its commands only read.
fn brew(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let rest = operands(words, &[]);
    let verb = rest.first().map_or("", |word| word.text.as_str());
    let second = rest.get(1).map_or("", |word| word.text.as_str());
    let asks = has_word(words, &["--help", "-h", "--dry-run", "-n"])
        && !matches!(verb, "uninstall" | "remove" | "rm");
    let forced = has_word(words, &["--force", "-f", "--zap", "--ignore-dependencies"]);
    let acts = match verb {
        "uninstall" | "remove" | "rm" => forced,
        "tap" => rest.len() > 1,
        "services" => !matches!(second, "" | "list" | "info"),
        "bundle" => matches!(second, "cleanup" | "dump" | "edit" | "exec" | "add" | "remove"),
        "analytics" => matches!(second, "on" | "off" | "regenerate-uuid"),
        "install" | "reinstall" | "upgrade" => rest.iter().any(|word| {
            let foreign = word.text.matches('/').count() > 1 && !word.text.starts_with("homebrew/");
            foreign || word.text.ends_with(".rb")
        }),
        "untap" | "unlink" | "link" | "autoremove" | "postinstall" | "edit" | "create"
        | "extract" | "migrate" | "tap-new" | "developer" | "sh" | "pr-publish"
        | "bump-formula-pr" | "test" => true,
        _ => false,
    };
    walker.found(
        if acts && !asks { &rules::SYSTEM_PACKAGE } else { &execution::COMMAND },
        &format!("brew {verb}"),
    );
    Ok(Flow::unknown())
}

/// An editor, and the extensions that it is given: those of its market are known there, a file of one is not.
fn editor(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let program = name(&words[0].text).to_owned();
    let extension = value(words, &["--install-extension"]).unwrap_or_default().to_owned();
    let foreign = extension.contains('/') || extension.ends_with(".vsix");
    walker.found(if foreign { &rules::FOREIGN_PACKAGE } else { &execution::COMMAND }, &program);
    Ok(Flow::unknown())
}

fn system(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let verb = operands(words, &["-o", "-t", "-c"])
        .first()
        .map(|word| word.text.clone())
        .unwrap_or_default();
    let reads = matches!(
        verb.as_str(),
        "list"
            | "show"
            | "search"
            | "info"
            | "policy"
            | "cache"
            | "outdated"
            | "deps"
            | "leaves"
            | "--version"
            | "depends"
            | "uses"
            | "doctor"
            | "config"
    ) || words.get(1).is_some_and(|word| {
        matches!(
            word.text.as_str(),
            "-l" | "-L"
                | "-s"
                | "-S"
                | "-q"
                | "-qa"
                | "-ql"
                | "-qf"
                | "-Q"
                | "-Ss"
                | "-Si"
                | "-Qi"
                | "--list"
                | "--version"
                | "--prefix"
        )
    });
    let removes =
        matches!(verb.as_str(), "remove" | "purge" | "autoremove" | "uninstall" | "del" | "erase");
    let updates = matches!(verb.as_str(), "update" | "install" | "add") && !removes;
    if reads {
        return Ok(Flow::unknown());
    }
    let from_file = words.iter().skip(2).any(|word| {
        word.text.contains('/') || word.text.ends_with(".deb") || word.text.ends_with(".rpm")
    });
    walker.found(
        if updates && !from_file { &execution::COMMAND } else { &rules::SYSTEM_PACKAGE },
        &format!("{} {verb}", words[0].text),
    );
    Ok(Flow::unknown())
}

pub(super) fn from_elsewhere(text: &str) -> bool {
    text.contains("://")
        || text.starts_with("git+")
        || text.starts_with("github:")
        || text.starts_with("git@")
        || text.starts_with("gist:")
        || text.starts_with("bitbucket:")
}
