//! The findings of a scan.

use crate::knowledge::topic::Topic;

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) topic: Topic,
    pub(crate) value: String,
}

/// The findings for a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Scan {
    pub(crate) findings: Vec<Finding>,
    /// The packages of a monorepo, by name.
    pub(crate) packages: Vec<String>,
}

impl Scan {
    /// Adds a finding; of two on one topic the first is used, except that languages are joined.
    pub(super) fn add(&mut self, topic: Topic, value: impl Into<String>) {
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

    pub(super) fn has(&self, topic: Topic) -> bool {
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
