//! What the files of a project say of it at a glance, without a model. What is found is put into words of ours:
//! versions, known names, the package manager's own commands. So a file that somebody else wrote cannot speak
//! through it. Absent: where the facts go.

mod manifests;
mod node;
mod python;

use super::source;
use super::topic::Topic;
use crate::places::Places;
use crate::workspace::Workspace;

/// The longest version that is told, in characters.
const VERSION_MAX: usize = 20;

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) topic: Topic,
    pub(crate) value: String,
}

/// What was found of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Scan {
    pub(crate) findings: Vec<Finding>,
    /// The packages of one repository, by name.
    pub(crate) packages: Vec<String>,
}

/// Reads the files at the root of the workspace.
pub(crate) fn scan(places: &Places) -> Scan {
    let Ok(root) = Workspace::open(places.root(), &[]) else { return Scan::default() };
    let files = Files { root };
    let mut scan = Scan::default();
    node::scan(&files, &mut scan);
    manifests::scan(&files, &mut scan);
    python::scan(&files, &mut scan);
    manifests::make(&files, &mut scan);
    scan
}

impl Scan {
    /// Adds what was found; of two of one kind the first counts, but for languages, which are joined.
    fn add(&mut self, topic: Topic, value: impl Into<String>) {
        let value = value.into();
        match self.findings.iter_mut().find(|finding| finding.topic == topic) {
            None => self.findings.push(Finding { topic, value }),
            Some(finding) if is_joined(topic) && !finding.value.contains(&value) => {
                finding.value.push_str(" + ");
                finding.value.push_str(&value);
            }
            Some(_) => {}
        }
    }

    fn has(&self, topic: Topic) -> bool {
        self.findings.iter().any(|finding| finding.topic == topic)
    }
}

fn is_joined(topic: Topic) -> bool {
    matches!(
        topic,
        Topic::Language
            | Topic::CodeStyle
            | Topic::UiFramework
            | Topic::WebFramework
            | Topic::BuildTool
    )
}

/// The files of a project.
pub(super) struct Files {
    root: Workspace,
}

impl Files {
    /// What a file says; none where it is absent or cannot be read.
    fn read(&self, path: &str) -> Option<String> {
        Some(source::read(&self.root, &self.root.root().join(path)).ok()??.text)
    }

    /// A file as JSON, whole; none where it is none.
    fn json(&self, path: &str) -> Option<serde_json::Value> {
        let text = source::read(&self.root, &self.root.root().join(path)).ok()??;
        serde_json::from_str(&text.text).ok()
    }

    /// A file as TOML.
    fn toml(&self, path: &str) -> Option<toml::Table> {
        self.read(path)?.parse().ok()
    }

    fn has(&self, path: &str) -> bool {
        self.root.root().join(path).symlink_metadata().is_ok_and(|found| !found.is_dir())
    }

    fn has_any(&self, paths: &[&str]) -> bool {
        paths.iter().any(|path| self.has(path))
    }

    /// The names in a folder inside, in their order.
    fn names(&self, folder: &str) -> Vec<String> {
        let folder = self.root.root().join(folder);
        let names = source::names(&self.root, &folder, "");
        let name = |path: &std::path::PathBuf| Some(path.file_name()?.to_str()?.to_owned());
        names.iter().filter_map(name).collect()
    }
}

/// A version as it may be told: what stands in front of it goes, and what is no version is none.
fn version(text: &str) -> Option<&str> {
    let text = text.trim().trim_start_matches(['^', '~', '>', '=', '<', 'v', ' ']);
    let end = text.find([',', ' ', '<', '|']).unwrap_or(text.len());
    let text = &text[..end];
    let is_plain =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '+');
    let starts = text.starts_with(|letter: char| letter.is_ascii_digit());
    (starts && text.len() <= VERSION_MAX && text.chars().all(is_plain)).then_some(text)
}

/// A name with its version, where it has one that can be told.
fn with_version(name: &str, text: Option<&str>) -> String {
    match text.and_then(version) {
        Some(version) => format!("{name} {version}"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests;
