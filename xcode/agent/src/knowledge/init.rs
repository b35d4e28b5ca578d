//! Creates a project's `.x-code` from the results of a scan. Existing files are not changed. Not here: the messages
//! about it.

use std::io::{self, Read as _};

use host::{Access, Durability};
use jiff::civil::Date;

use super::language::{CAUTIONS, COMMANDS, CONVENTIONS, Language, OVERVIEW, TECH_STACK, TITLE};
use super::memory::Memory;
use super::refresh::renew;
use super::scan::{Finding, Scan, scan};
use super::store::PROJECT_FILE;
use super::topic::Topic;
use crate::places::{KNOWLEDGE, Places};
use crate::trust::{Part, made_here};

/// Folders of build outputs, which are not edited by hand.
const BUILT: &[&str] =
    &["dist", "build", "out", "target", "node_modules", "vendor", ".next", "coverage"];

/// How many folders are listed.
const FOLDERS_MAX: usize = 16;

/// The largest file that is compared, in bytes.
const SIZE_MAX: u64 = 1 << 20;

/// The result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Initialised {
    /// What the scan found, in display order.
    pub found: Vec<Found>,
    /// The packages of a monorepo.
    pub packages: Vec<String>,
    /// The files and folders.
    pub files: Vec<Made>,
}

/// A finding of the scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its name, in the user's language.
    pub name: &'static str,
    /// Its value in this project.
    pub value: String,
    /// Whether it is a command.
    pub is_command: bool,
}

/// A file or a folder of `.x-code`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// Its path, relative to the root of the workspace; a folder ends with a slash.
    pub path: &'static str,
    /// What was done with it.
    pub fate: Fate,
}

/// What was done with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It was created.
    Made,
    /// It existed and was not changed. These lines would be new in it.
    Kept(Vec<String>),
}

/// Creates what is missing.
///
/// # Errors
/// An error of the file system; a link in place of one of our folders.
pub fn init(places: &Places, language: Language, today: Date) -> io::Result<Initialised> {
    let found = scan(places);
    places.make_project()?;
    let project = places.project();
    let knowledge = put(places, KNOWLEDGE, &knowledge(places, &found, language), Part::Knowledge)?;
    let memory = match text(places, PROJECT_FILE)? {
        None => put(places, PROJECT_FILE, &memory("", &found, language, today), Part::Memory)?,
        Some(before) => Fate::Kept(new_lines(&before, &memory(&before, &found, language, today))),
    };
    let mut files =
        vec![Made { path: KNOWLEDGE, fate: knowledge }, Made { path: PROJECT_FILE, fate: memory }];
    for path in [".x-code/rules/", ".x-code/local/"] {
        let folder = path.trim_end_matches('/');
        let fate = match project.metadata(folder) {
            Ok(_) => Fate::Kept(Vec::new()),
            Err(_) => Fate::Made,
        };
        project.make(folder)?;
        files.push(Made { path, fate });
    }
    let told = |finding: &Finding| Found {
        name: finding.topic.key(language),
        value: finding.value.clone(),
        is_command: is_command(finding),
    };
    let (commands, others): (Vec<_>, Vec<_>) =
        found.findings.iter().partition(|finding| is_command(finding));
    let told = others.into_iter().chain(commands).map(told).collect();
    Ok(Initialised { found: told, packages: found.packages, files })
}

fn is_command(finding: &Finding) -> bool {
    finding.topic.category() == super::fact::Category::Commands
}

/// Creates a file that does not exist.
fn put(places: &Places, path: &'static str, content: &str, part: Part) -> io::Result<Fate> {
    if let Some(before) = text(places, path)? {
        return Ok(Fate::Kept(new_lines(&before, content)));
    }
    let draft =
        places.project().draft(path, content.as_bytes(), Access::Umask, Durability::Cached)?;
    match draft.create() {
        Ok(()) => {}
        // Another process has just created it: it is kept.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Ok(Fate::Kept(Vec::new()));
        }
        Err(error) => return Err(error),
    }
    // If that cannot be recorded, the user is asked once about the file.
    let _ = made_here(places, part);
    Ok(Fate::Made)
}

fn text(places: &Places, path: &str) -> io::Result<Option<String>> {
    let file = match places.project().open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut bytes = Vec::new();
    file.take(SIZE_MAX).read_to_end(&mut bytes)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// The lines of `content` that are not in `before`.
fn new_lines(before: &str, content: &str) -> Vec<String> {
    let is_new = |line: &&str| !line.trim().is_empty() && !before.lines().any(|old| old == *line);
    content.lines().filter(is_new).map(str::to_owned).collect()
}

fn memory(before: &str, scan: &Scan, language: Language, today: Date) -> String {
    let mut memory = Memory::parse(before);
    renew(&mut memory, scan, language, today);
    let text = memory.text();
    match text.is_empty() {
        true => format!("## {}\n", language.of(super::language::MEMORY)),
        false => text,
    }
}

/// The content of `knowledge.md`.
fn knowledge(places: &Places, scan: &Scan, language: Language) -> String {
    let say = |zh: &str, en: &str| match language {
        Language::Zh => zh.to_owned(),
        Language::En => en.to_owned(),
    };
    let item = |finding: &Finding| {
        let name = finding.topic.key(language);
        match is_command(finding) {
            true => format!("- {name}: `{}`", finding.value),
            false => format!("- {name}: {}", finding.value),
        }
    };
    let (folders, built) = folders(places);
    let mut overview = Vec::new();
    if !scan.packages.is_empty() {
        overview.push(format!("- {}: {}", say("包", "Packages"), scan.packages.join(", ")));
    }
    if !folders.is_empty() {
        overview.push(format!("- {}: {}", say("目录", "Folders"), folders.join(", ")));
    }
    overview.push(say(
        "- 用途: （这个项目做什么、给谁用；模块之间的关系）",
        "- Purpose: (what it does and for whom; how its parts depend on one another)",
    ));
    let is_style = |finding: &&Finding| finding.topic == Topic::CodeStyle;
    let mut conventions: Vec<String> = scan.findings.iter().filter(is_style).map(item).collect();
    conventions.push(say(
        "- 命名与结构: （文件、组件、导出、测试放在哪里）",
        "- Names and structure: (files, components, exports, where tests lie)",
    ));
    let mut cautions: Vec<String> = built
        .iter()
        .map(|folder| {
            say(
                &format!("- 不要手动修改 `{folder}/` 目录下的文件"),
                &format!("- Do not edit files in `{folder}/` by hand"),
            )
        })
        .collect();
    cautions.push(say("- `.x-code/local/` 不要提交到 git", "- Do not commit `.x-code/local/`"));
    let is_stack = |finding: &&Finding| !is_command(finding) && !is_style(finding);
    let stack: Vec<String> = scan.findings.iter().filter(is_stack).map(item).collect();
    let commands: Vec<String> =
        scan.findings.iter().filter(|finding| is_command(finding)).map(item).collect();
    let sections = [
        (OVERVIEW, overview),
        (TECH_STACK, stack),
        (COMMANDS, commands),
        (CONVENTIONS, conventions),
        (CAUTIONS, cautions),
    ];
    let mut text = format!("# {}\n", language.of(TITLE));
    for (heading, lines) in sections {
        text.push_str(&format!("\n## {}\n", language.of(heading)));
        lines.iter().for_each(|line| text.push_str(&format!("{line}\n")));
    }
    text
}

/// The source folders and the build folders at the root.
fn folders(places: &Places) -> (Vec<String>, Vec<&'static str>) {
    let entries = places.project().entries("").unwrap_or_default();
    let names = entries.into_iter().filter(|(_, kind)| kind.is_dir());
    let mut names: Vec<String> = names.filter_map(|(name, _)| name.into_string().ok()).collect();
    names.sort();
    let built = BUILT.iter().copied().filter(|built| names.iter().any(|name| name == built));
    let built = built.collect();
    let is_plain = |name: &String| {
        !name.starts_with('.')
            && !BUILT.contains(&name.as_str())
            && name.chars().all(|letter| letter.is_alphanumeric() || "-_.".contains(letter))
    };
    names.retain(is_plain);
    names.truncate(FOLDERS_MAX);
    (names.into_iter().map(|name| format!("`{name}/`")).collect(), built)
}

#[cfg(test)]
mod tests;
