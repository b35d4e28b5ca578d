//! Judges what the developers of a project do all day, as if the session had written every file of it:
//! `gate-public [--all] FOLDER...`. Each folder is a project; the commands are the targets of its makefiles and
//! justfiles, the scripts of its `package.json` files, its shell scripts, and the builds and tests of its languages.
//! It prints the share at L2 or above by kind, and the rules behind them; `--all` also prints each such command.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gate::{Context, Disk, Entry, Level, Policy, ToolCall, Written};
use serde_json::{Value, json};

/// The largest file that is read, in bytes.
const FILE_MAX: u64 = 128 << 10;
/// Files that tell which commands build and test.
const BUILDS: &[(&str, &[&str])] = &[
    ("Cargo.toml", &["cargo build", "cargo test", "cargo clippy", "cargo run"]),
    ("go.mod", &["go build ./...", "go test ./...", "go vet ./..."]),
    ("package.json", &["npm ci", "npm test", "npm install"]),
    ("pyproject.toml", &["pip install -e .", "pytest", "python -m build"]),
    ("tox.ini", &["tox"]),
    (".pre-commit-config.yaml", &["pre-commit run --all-files"]),
    ("Gemfile", &["bundle install", "bundle exec rake", "bundle exec rspec"]),
    ("pom.xml", &["mvn test", "mvn package"]),
    ("build.gradle.kts", &["./gradlew build", "./gradlew test"]),
    ("build.gradle", &["./gradlew build", "./gradlew test"]),
    ("CMakeLists.txt", &["cmake -S . -B build", "cmake --build build", "ctest --test-dir build"]),
    ("composer.json", &["composer install", "composer test"]),
    ("docker-compose.yml", &["docker compose up -d"]),
    ("Dockerfile", &["docker build -t x ."]),
];

/// The project as it lies on disk, all of it written by the session.
struct Tree {
    files: RefCell<BTreeMap<String, Option<Written>>>,
}

impl Disk for Tree {
    fn entry(&self, path: &str) -> Entry {
        match fs::symlink_metadata(path) {
            Ok(found) if found.is_symlink() => fs::read_link(path)
                .map_or(Entry::Other, |target| Entry::Link(target.to_string_lossy().into_owned())),
            Ok(found) if found.is_dir() => Entry::Folder,
            Ok(_) => Entry::Other,
            Err(_) => Entry::Missing,
        }
    }

    fn written(&self, path: &str) -> Option<Written> {
        let read = || {
            let found = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
            let content = (found.len() <= FILE_MAX).then(|| fs::read(path).ok()).flatten();
            if content.as_ref().is_some_and(|bytes| bytes.contains(&0)) {
                return None;
            }
            let content = content.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            Some(Written { path: path.to_owned(), content })
        };
        self.files.borrow_mut().entry(path.to_owned()).or_insert_with(read).clone()
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(1_000);
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    fn lists(&self, project: &str, package: &str) -> bool {
        let named = format!("\"{package}\"");
        ["package.json", "pyproject.toml"].iter().any(|name| {
            fs::read_to_string(Path::new(project).join(name))
                .is_ok_and(|text| text.contains(&named))
        })
    }
}

/// What was counted of one kind of command.
#[derive(Default)]
struct Count {
    all: usize,
    high: usize,
}

fn main() -> io::Result<()> {
    let mut folders: Vec<String> = std::env::args().skip(1).collect();
    let before = folders.len();
    folders.retain(|argument| argument != "--all");
    let tell = folders.len() < before;
    let mut kinds: BTreeMap<&str, Count> = BTreeMap::new();
    let mut rules: BTreeMap<String, usize> = BTreeMap::new();
    let mut out = io::stdout().lock();
    for folder in folders {
        let root = fs::canonicalize(folder)?;
        let disk = Tree { files: RefCell::default() };
        for (kind, cwd, command) in commands(&root) {
            let count = kinds.entry(kind).or_default();
            count.all += 1;
            let judgement = judged(&root, &cwd, &command, &disk);
            if judgement.level < Level::L2 {
                continue;
            }
            count.high += 1;
            let grave = judgement.findings.iter().filter(|found| found.level >= Level::L2);
            let grave: Vec<String> =
                grave.map(|found| format!("{} ({})", found.rule.id, found.what)).collect();
            let ids: BTreeSet<&str> =
                grave.iter().filter_map(|text| text.split(' ').next()).collect();
            for id in ids {
                *rules.entry(id.to_owned()).or_default() += 1;
            }
            if tell {
                writeln!(out, "{kind}\t{}\t{command}\t{}", cwd.display(), grave.join("; "))?;
            }
        }
    }
    for (kind, Count { all, high }) in &kinds {
        let share = 100.0 * *high as f64 / *all as f64;
        writeln!(out, "{kind}: {high} of {all} at L2 or above ({share:.1} %)")?;
    }
    for (rule, count) in rules {
        writeln!(out, "  {count}\t{rule}")?;
    }
    Ok(())
}

fn judged(root: &Path, cwd: &Path, command: &str, disk: &Tree) -> gate::Judgement {
    let (cwd, project) = (cwd.to_string_lossy(), root.to_string_lossy());
    let context = Context {
        cwd: &cwd,
        project: &project,
        home: "/home/dev",
        scratch: &[],
        protected: &[],
        disk,
    };
    let input = json!({ "command": command });
    gate::judge(&ToolCall { name: "Bash", input: &input }, &context, Policy::Graded)
}

/// The commands of a project: kind, working folder, text.
fn commands(root: &Path) -> Vec<(&'static str, PathBuf, String)> {
    let mut commands = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(folder) = waiting.pop() {
        let mut entries: Vec<PathBuf> = fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        entries.sort();
        for path in entries {
            let Ok(found) = fs::symlink_metadata(&path) else { continue };
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if found.is_dir() && !matches!(name.as_str(), ".git" | "node_modules") {
                waiting.push(path);
            } else if found.is_file() && found.len() <= FILE_MAX {
                let text = fs::read_to_string(&path).unwrap_or_default();
                of_file(&folder, &name, &text, &mut commands);
                let builds = BUILDS.iter().filter(|(file, _)| folder == root && *file == name);
                let builds = builds.flat_map(|(_, builds)| *builds);
                commands.extend(builds.map(|build| ("build", folder.clone(), (*build).to_owned())));
            }
        }
    }
    commands
}

fn of_file(
    folder: &Path,
    name: &str,
    text: &str,
    commands: &mut Vec<(&'static str, PathBuf, String)>,
) {
    let mut add = |kind, command: String| commands.push((kind, folder.to_owned(), command));
    match name {
        "Makefile" | "makefile" | "GNUmakefile" => {
            targets(text).into_iter().for_each(|target| add("make", format!("make {target}")));
        }
        "justfile" | "Justfile" => {
            targets(text).into_iter().for_each(|target| add("just", format!("just {target}")));
        }
        "package.json" => {
            let manifest: Value = serde_json::from_str(text).unwrap_or_default();
            let scripts = manifest.get("scripts").and_then(Value::as_object);
            for script in scripts.into_iter().flatten().map(|(script, _)| script) {
                add("npm", format!("npm run {script}"));
            }
        }
        _ if name.ends_with(".sh") || text.starts_with("#!/bin/sh") => {
            add("script", format!("sh './{}'", name.replace('\'', "")));
        }
        _ if text.starts_with("#!/usr/bin/env bash") || text.starts_with("#!/bin/bash") => {
            add("script", format!("bash './{}'", name.replace('\'', "")));
        }
        _ => {}
    }
}

/// Names in front of a colon at the beginning of a line.
fn targets(text: &str) -> Vec<&str> {
    let is_name = |name: &str| {
        let plain = |each: char| each.is_ascii_alphanumeric() || "_-./".contains(each);
        !name.is_empty() && !name.starts_with('.') && name.chars().all(plain)
    };
    let heads = text.lines().filter_map(|line| {
        let (head, rest) = line.split_once(':')?;
        (!line.starts_with([' ', '\t', '#']) && !rest.starts_with(['=', ':'])).then_some(head)
    });
    let mut targets: Vec<&str> = heads
        .filter_map(|head| head.split_whitespace().next())
        .filter(|name| is_name(name))
        .collect();
    targets.dedup();
    targets
}
