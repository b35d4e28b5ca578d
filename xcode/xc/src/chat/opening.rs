//! What is shown about a session when it opens, as plain values. Not here: opening it.

use std::path::Path;

use contract::xc::{Sandboxed, What};

use super::event::Said;
use crate::config::Config;
use crate::words::{self, Language};

/// A folder as the user would write it, with `~` for the home folder.
pub(super) fn shown(root: &Path, home: &Path) -> String {
    match root.strip_prefix(home) {
        Ok(below) if below.as_os_str().is_empty() => "~".to_owned(),
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => root.display().to_string(),
    }
}

/// The permission rules of the settings, and where each is set.
pub(super) fn rules(config: &Config, language: Language) -> Vec<String> {
    let list = |rules: &[String]| match rules {
        [] => language.say(&words::RULES_NONE).to_owned(),
        rules => rules.join(", "),
    };
    let [allow, ask, deny] =
        [&config.allow.value, &config.ask.value, &config.deny.value].map(|rules| list(rules));
    let values = [("allow", &*allow), ("ask", &*ask), ("deny", &*deny)];
    let path = shown(&config.path, &config.home);
    vec![
        language.fill(&words::RULES, &values),
        language.fill(&words::RULES_FILE, &[("path", &path)]),
    ]
}

/// The part of an earlier message that is shown again.
pub(super) fn said(message: &llm::Message) -> Option<Said> {
    match message {
        llm::Message::User(contents) => {
            let texts = contents.iter().filter_map(|content| match content {
                llm::Content::Text(text) => Some(text.as_str()),
                llm::Content::Image { .. } => None,
            });
            Some(Said::User(texts.collect()))
        }
        llm::Message::Answer(parts) => {
            let texts = parts.iter().filter_map(|part| match part {
                llm::Part::Text { text, .. } => Some(text.as_str()),
                llm::Part::Reasoning { .. } | llm::Part::Call(_) => None,
            });
            let text: String = texts.collect();
            (!text.trim().is_empty()).then_some(Said::Model(text))
        }
    }
}

/// The sandbox of commands, in the terms of the settings.
pub(super) fn sandboxed(start: &What) -> &'static str {
    let What::Start { sandbox, .. } = start else { return "none" };
    match sandbox {
        Sandboxed::LandlockAndMounts => "landlock+mounts",
        Sandboxed::Landlock => "landlock",
        Sandboxed::None => "none",
    }
}
