//! Files that something else executes later: automation, editors, build settings. What a command writes into them
//! counts as if it ran.

use super::code::Evidence;
use crate::level::Level;
use crate::rules::execution;
use crate::shell::{Step, Walker};

/// Parts of the paths of such files.
const LATER: &[&str] = &[
    "/.github/workflows/",
    "/.github/actions/",
    "/.gitlab-ci.yml",
    "/.circleci/",
    "/azure-pipelines.yml",
    "/bitbucket-pipelines.yml",
    "/.drone.yml",
    "/.woodpecker",
    "/Jenkinsfile",
    "/.vscode/",
    "/.zed/",
    "/.idea/",
    "/.fleet/",
    "/.devcontainer/",
    "/.cargo/config",
    "/.buildkite/",
    "/.travis.yml",
];

/// Most lines of one file that are looked at.
const LINES_MAX: usize = 512;

impl Walker<'_> {
    /// Looks into the files of this kind that the command has written.
    pub(crate) fn later(&mut self) -> Step {
        let mut files: Vec<(String, String)> = self
            .state
            .files
            .iter()
            .filter(|(path, _)| LATER.iter().any(|part| path.contains(part)))
            .map(|(path, file)| (path.clone(), file.content.clone()))
            .take(16)
            .collect();
        files.sort();
        for (path, content) in files {
            // What an earlier call wrote was looked at then.
            let before = self.context.disk.written(&path).and_then(|file| file.content);
            if before.as_ref() == Some(&content) {
                continue;
            }
            let found = self.findings.len();
            self.budget.steps(content.len())?;
            self.inside += 1;
            self.via.push(path.clone());
            for line in content.lines().take(LINES_MAX) {
                let line = line.trim();
                let told = ["run:", "script:", "command:", "- "]
                    .iter()
                    .filter_map(|key| line.split_once(key))
                    .map(|(_, text)| text);
                for text in told.chain([line]) {
                    let text = text.trim_matches([' ', '"', '\'', '[', ']', '{', '}', ',', '|']);
                    if text.contains([' ', '|', ';']) {
                        self.try_shell(text)?;
                    }
                }
                if wraps(line) {
                    self.found(&crate::rules::environment::HELPER, line);
                }
            }
            for text in super::literals::literals(&content, "text") {
                if text.contains([' ', '|', ';']) {
                    self.try_shell(&text)?;
                }
            }
            if path.ends_with("Jenkinsfile") {
                self.code("script", &content, Evidence::Required)?;
            }
            self.via.pop();
            self.inside -= 1;
            if self.findings[found..].iter().any(|finding| finding.level >= Level::L2) {
                self.found(&execution::WRITTEN_SCRIPT, &path);
            }
        }
        Ok(())
    }
}

/// A line of cargo's settings that names a program which is then run in the compiler's place, by a path.
fn wraps(line: &str) -> bool {
    let Some((key, value)) = line.split_once('=') else { return false };
    let key = key.trim().trim_matches('"');
    let names = key.ends_with("wrapper")
        || matches!(key, "runner" | "rustc" | "linker" | "credential-provider");
    names && value.contains('/') && !value.contains("/usr/")
}
