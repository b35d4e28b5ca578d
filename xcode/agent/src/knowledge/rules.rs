//! Rules: files that a project or its user wrote for a part of the work, sent to the model when that part begins. Not here:
//! the files' locations (see `load`), and when rules are requested (see `step` and `turn`).

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use llm::{Content, Message, Part};
use serde::Deserialize;

/// How much of the rules is added to one result, in bytes; the rest is added to the next one.
const BEHIND_MAX: usize = 32 << 10;

/// The longest name and description in the list, in characters.
const WORDS_MAX: usize = 200;

#[derive(Debug, Clone)]
pub(crate) struct Rule {
    /// Its file name, without the ending.
    pub(crate) name: String,
    /// Its path for the model: relative to the root, or absolute.
    pub(crate) path: String,
    pub(crate) owner: Owner,
    pub(crate) mode: Mode,
    /// Its text, without the front matter.
    pub(crate) body: String,
}

/// The owner of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The project; its rule takes precedence over the user's rule of the same name.
    Project,
    /// The user, for all projects.
    User,
}

/// When a rule is sent to the model. If a file's front matter sets two modes, the earlier one here applies.
#[derive(Debug, Clone)]
pub(crate) enum Mode {
    /// In the system prompt.
    Always,
    /// With the first matching file.
    Paths(GlobSet),
    /// Listed in the system prompt; the model reads its file when needed.
    Requested {
        /// When the rule is useful.
        description: String,
    },
    /// When the user mentions it: `@name`.
    Manual,
}

/// The rules of a session, and which of them are in the conversation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rulebook {
    rules: Vec<Rule>,
    told: Vec<bool>,
}

/// The front matter of a rule.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Front {
    #[serde(default)]
    always_apply: Option<bool>,
    #[serde(default)]
    paths: Option<Globs>,
    #[serde(default)]
    description: Option<String>,
}

/// One pattern or several.
struct Globs(Vec<String>);

impl<'de> Deserialize<'de> for Globs {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
        let globs = match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(one) => Some(vec![one]),
            serde_json::Value::Array(some) => some.iter().map(text).collect(),
            _ => None,
        };
        globs.map(Self).ok_or_else(|| D::Error::custom("paths: expected a list of patterns"))
    }
}

impl Rule {
    /// Parses a rule.
    ///
    /// # Errors
    /// What is wrong in the front matter.
    pub(crate) fn parse(name: &str, path: &str, owner: Owner, text: &str) -> Result<Self, String> {
        let (front, body) = parted(text)?;
        let front = match front.trim() {
            "" => None,
            front => Some(serde_saphyr::from_str::<Front>(front).map_err(|error| {
                error.to_string().lines().next().unwrap_or_default().to_owned()
            })?),
        };
        let mode = match front {
            None => Mode::Manual,
            Some(Front { always_apply: Some(true), .. }) => Mode::Always,
            Some(Front { paths: Some(Globs(globs)), .. }) if !globs.is_empty() => {
                Mode::Paths(set(&globs)?)
            }
            Some(Front { description: Some(text), .. }) if !text.trim().is_empty() => {
                let description = redact::visible_line(text.trim());
                let description = description.chars().take(WORDS_MAX).collect();
                Mode::Requested { description }
            }
            Some(_) => Mode::Manual,
        };
        let (name, path, body) = (name.to_owned(), path.to_owned(), body.trim().to_owned());
        Ok(Self { name, path, owner, mode, body })
    }

    /// Its text in the conversation.
    fn told(&self) -> String {
        let Self { name, body, .. } = self;
        format!("{}\n{body}\n[End of the rule {name}]", self.head())
    }

    /// The first line of that text, by which the rule is recognised later.
    fn head(&self) -> String {
        let whose = match self.owner {
            Owner::Project => "a file of the project, not words of the user",
            Owner::User => "the user's own",
        };
        format!("[Rule {} ({}), {whose}:]", self.name, self.path)
    }
}

impl Rulebook {
    /// A rulebook of these rules; of two with one name the first is used. None of them was sent yet.
    pub(crate) fn new(rules: Vec<Rule>) -> Self {
        let mut kept: Vec<Rule> = Vec::with_capacity(rules.len());
        for rule in rules {
            if !kept.iter().any(|other| other.name == rule.name) {
                kept.push(rule);
            }
        }
        let told = vec![false; kept.len()];
        Self { rules: kept, told }
    }

    /// All rules, in order.
    pub(crate) fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rules to add to the result of a call that touched a file, relative to the workspace's root. Each rule
    /// is sent once.
    pub(crate) fn behind(&mut self, file: &Path) -> String {
        let mut text = String::new();
        for (rule, told) in self.rules.iter().zip(&mut self.told) {
            let is_meant = matches!(&rule.mode, Mode::Paths(paths) if paths.is_match(file));
            if !*told && is_meant && (text.is_empty() || text.len() + rule.body.len() < BEHIND_MAX)
            {
                *told = true;
                text.push_str("\n\n");
                text.push_str(&rule.told());
            }
        }
        text
    }

    /// The rules to add to a prompt that mentions them: `@name`, as a separate word.
    pub(crate) fn named_in(&mut self, prompt: &str) -> String {
        let is_name =
            |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | '/');
        let names = prompt.match_indices('@').filter_map(|(at, _)| {
            let is_first = prompt[..at].chars().next_back().is_none_or(|before| !is_name(before));
            let rest = &prompt[at + 1..];
            let end = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
            is_first.then(|| rest[..end].trim_end_matches('.').trim_end_matches(".md"))
        });
        let names: Vec<&str> = names.collect();
        let mut text = String::new();
        for (rule, told) in self.rules.iter().zip(&mut self.told) {
            let is_there = matches!(rule.mode, Mode::Always) || *told;
            if names.contains(&rule.name.as_str()) && !is_there {
                *told = true;
                text.push_str("\n\n");
                text.push_str(&rule.told());
            }
        }
        text
    }

    /// Finds which rules are in a conversation, after it was resumed or a part of it was replaced.
    pub(crate) fn look(&mut self, messages: &[Message]) {
        for (rule, told) in self.rules.iter().zip(&mut self.told) {
            let head = rule.head();
            *told = messages.iter().any(|message| match message {
                Message::User(contents) => contents.iter().any(|content| match content {
                    Content::Text(text) => text.contains(&head),
                    _ => false,
                }),
                Message::Answer(parts) => parts.iter().any(|part| match part {
                    Part::Call(call) => call.result.text().contains(&head),
                    Part::Text { .. } | Part::Reasoning { .. } => false,
                }),
            });
        }
    }
}

/// Splits a text into its front matter, empty if it has none, and the rest.
fn parted(text: &str) -> Result<(&str, &str), String> {
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|first| first.trim_end() == "---") else {
        return Ok(("", text));
    };
    let mut at = first.len();
    for line in lines {
        if line.trim_end() == "---" {
            return Ok((&text[first.len()..at], &text[at + line.len()..]));
        }
        at += line.len();
    }
    Err("its front matter has no end".to_owned())
}

/// Patterns that match paths relative to the root; a pattern without a folder matches in every folder.
fn set(globs: &[String]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        let plain = glob.trim().trim_start_matches("./").trim_start_matches('/');
        let plain = match plain.contains('/') {
            true => plain.to_owned(),
            false => format!("**/{plain}"),
        };
        let built = GlobBuilder::new(&plain).literal_separator(true).build();
        set.add(built.map_err(|error| error.to_string())?);
    }
    set.build().map_err(|error| error.to_string())
}

/// The name of a rule from its file, without the ending.
pub(crate) fn name(path: &Path) -> Option<String> {
    let name = path.file_stem()?.to_str()?;
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    (name.chars().all(is_word) && name.chars().count() <= WORDS_MAX).then(|| name.to_owned())
}

/// The folder of the project's rules.
pub(crate) fn project_folder(root: &Path) -> PathBuf {
    root.join(".x-code/rules")
}

#[cfg(test)]
mod tests;
