//! `saveKnowledge`: saves a fact for later sessions. Not here: whether it may be saved for all projects (see `permit`).
//!
//! Content that a model reads may make it save a harmful "fact". So a fact is one short line without markup, without a secret
//! and without text that reads like an instruction to a model; it is shown when it is saved; and it grants nothing: later
//! sessions present it as a fact, and each call is judged as if it did not exist.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use jiff::Zoned;
use redact::{Cut, Redactor};
use serde_json::{Map, Value, json};

use contract::xc::What;

use crate::action::{Action, Reach};
use crate::knowledge::fact::{Category, FACT_MAX, Fact, KEY_MAX};
use crate::knowledge::language::Language;
use crate::knowledge::saved::{Saved, SavedFacts};
use crate::knowledge::store::{Scope, Store};
use crate::places::Places;
use crate::tool::{Outcome, Running, Tool};
use crate::tools::blocking::{blocking, interrupted};
use crate::trust::{Part, Trust, made_here};

/// How many existing keys are listed for an unknown one.
const KEYS_NAMED: usize = 30;

/// The tool `saveKnowledge`. `language` is used for new files; `redactor` has the keys; `saved` records each
/// change.
#[must_use]
pub fn save_knowledge_tool(
    places: &Places,
    trust: &Trust,
    language: Language,
    redactor: Redactor,
    saved: SavedFacts,
) -> Arc<dyn Tool> {
    let is_project_open = trust.allows(Part::Memory);
    Arc::new(SaveKnowledge { places: places.clone(), is_project_open, language, redactor, saved })
}

#[derive(Clone)]
struct SaveKnowledge {
    places: Places,
    /// Whether the project's facts are the user's own, or agreed to.
    is_project_open: bool,
    language: Language,
    redactor: Redactor,
    saved: SavedFacts,
}

/// A parsed call.
struct Said {
    scope: Scope,
    category: Option<Category>,
    key: String,
    /// None to delete the fact.
    fact: Option<String>,
}

impl Tool for SaveKnowledge {
    fn definition(&self) -> llm::Tool {
        let categories = Category::ALL.map(Category::word);
        llm::Tool {
            name: "saveKnowledge".to_owned(),
            description: "Save, update, or delete a project/user knowledge fact in persistent memory. Use when you \
                          discover project conventions, user preferences, or important facts worth remembering for \
                          future sessions."
                .to_owned(),
            schema: json!({
                "type": "object",
                "properties": {
                    "action": {
                        "type": "string",
                        "enum": ["add", "delete"],
                        "description": "add = create or update (auto-replaces conflicting old fact), delete = remove \
                                        outdated fact"
                    },
                    "key": {
                        "type": "string",
                        "minLength": 1,
                        "description": "A short unique identifier for this fact, e.g. \"包管理器\", \"测试框架\", \
                                        \"构建命令\". Same key = same fact, used for conflict detection"
                    },
                    "fact": {
                        "type": "string",
                        "description": "The fact value, e.g. \"pnpm (workspace 模式)\", \"Vitest 3\", \"pnpm build\""
                    },
                    "scope": {
                        "type": "string",
                        "enum": ["project", "global"],
                        "description": "project = this repo (.x-code/), global = all repos (~/.xcode/)"
                    },
                    "category": { "type": "string", "enum": categories }
                },
                "required": ["action", "key", "scope"],
                "additionalProperties": false
            }),
        }
    }

    /// Not concurrent: all calls change the same file.
    fn is_reading(&self) -> bool {
        false
    }

    fn action(&self, arguments: &Map<String, Value>) -> Action {
        let reach = match scope(arguments) {
            Scope::Project => Reach::Project,
            Scope::Global => Reach::Everywhere,
        };
        Action::Remember { reach }
    }

    fn run<'a>(&'a self, call: Running<'a>) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let said = match self.read(call.arguments) {
                Ok(said) => said,
                Err(told) => return Outcome::error(told),
            };
            let this = self.clone();
            let outcome = blocking(call.cancel, interrupted(), move |_| this.keep(&said)).await;
            if outcome.status == contract::xc::CallStatus::Ok {
                call.host.tell(What::Note { text: outcome.text.clone() });
            }
            outcome
        })
    }
}

impl SaveKnowledge {
    /// Parses a call.
    ///
    /// # Errors
    /// The message for the model.
    fn read(&self, arguments: &Map<String, Value>) -> Result<Said, String> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::trim);
        let key = text("key").unwrap_or_default().to_owned();
        let category = text("category").and_then(Category::of_word);
        let scope = scope(arguments);
        if text("action") == Some("delete") {
            return Ok(Said { scope, category, key, fact: None });
        }
        let fact = text("fact").unwrap_or_default().to_owned();
        if key.is_empty() || fact.is_empty() {
            return Err("Nothing was saved: to add a fact needs its key and its fact.".to_owned());
        }
        let Some(category) = category else {
            return Err("Nothing was saved: to add a fact needs its category.".to_owned());
        };
        if category == Category::Preferences && scope == Scope::Project {
            return Err(
                "Nothing was saved: preferences are the user's and hold everywhere; use scope \
                        `global`, or another category for what only holds here."
                    .to_owned(),
            );
        }
        self.check(&key, &fact)?;
        Ok(Said { scope, category: Some(category), key, fact: Some(fact) })
    }

    /// Checks whether a text is acceptable as a fact, since every later session reads it.
    fn check(&self, key: &str, fact: &str) -> Result<(), String> {
        let both = format!("{key}: {fact}");
        let shown = self.redactor.sanitize(&both, Cut::NONE);
        let is_secret = !shown.counts.is_empty() || !redact::masks(&both).is_empty();
        if both.contains(char::is_control) || !is_secret && shown.text != both {
            return Err(
                "Nothing was saved: key and fact are one line each, of plain text.".to_owned()
            );
        }
        if key.chars().count() > KEY_MAX || fact.chars().count() > FACT_MAX {
            return Err(format!(
                "Nothing was saved: a key has at most {KEY_MAX} characters, a fact at most {FACT_MAX}. Save what \
                 matters, or several facts."
            ));
        }
        if key.contains([':', '：', ']', '[']) {
            return Err("Nothing was saved: a key has no colon and no bracket.".to_owned());
        }
        if is_secret {
            return Err("Nothing was saved: it holds what looks like a secret. Secrets are never remembered.".to_owned());
        }
        if fence::filter(&both).hits > 0 {
            return Err("Nothing was saved: it reads like an instruction to a model, or has markup. A fact says \
                        what is so."
                .to_owned());
        }
        Ok(())
    }

    fn keep(&self, said: &Said) -> Outcome {
        let Self { places, is_project_open, language, .. } = self;
        if said.scope == Scope::Project && !is_project_open {
            return Outcome::error(
                "Nothing was saved: the user has not agreed to the facts that this folder brings.",
            );
        }
        if said.scope == Scope::Project && places.is_home() {
            return Outcome::error(
                "Nothing was saved: the workspace is the home folder and no project. Use scope `global`.",
            );
        }
        let store = Store::new(places, said.scope);
        let is_new = !store.exists();
        let mut saved = None;
        let done = match &said.fact {
            Some(fact) => store.change(|memory| {
                let category = said.category.unwrap_or(Category::Context);
                let is_it = |old: &&Fact| old.category == category && old.key == said.key;
                let before = memory.facts().find(is_it).cloned();
                let old = before.as_ref().map(|old| old.fact.clone());
                let date = Zoned::now().date();
                let (key, fact) = (said.key.clone(), fact.clone());
                let line = format!("{key}: {fact}");
                let kept = Fact { category, key, fact, date };
                memory.add(kept.clone(), &[], *language);
                saved = Some((Some(kept), before.into_iter().collect()));
                let shown = store.shown();
                Ok(match old.filter(|old| Some(old) != said.fact.as_ref()) {
                    Some(old) => format!("Remembered in {shown}: {line} (it was: {old})"),
                    None => format!("Remembered in {shown}: {line}"),
                })
            }),
            None if is_new => Ok(Err(format!("There is no fact: {} is not there.", store.shown()))),
            None => store.change(|memory| {
                let is_meant = |fact: &&Fact| {
                    let is_of = said.category.is_none_or(|category| fact.category == category);
                    fact.key == said.key && is_of
                };
                let before: Vec<Fact> = memory.facts().filter(is_meant).cloned().collect();
                if memory.delete(&said.key, said.category) == 0 {
                    let keys = memory.facts().map(|fact| fact.key.as_str());
                    let keys: Vec<&str> = keys.take(KEYS_NAMED).collect();
                    let keys = keys.join(", ");
                    return Err(format!("There is no fact {}. There are: {keys}.", said.key));
                }
                saved = Some((None, before));
                Ok(format!("Forgotten in {}: {}", store.shown(), said.key))
            }),
        };
        match done {
            Ok(Ok(text)) => {
                if let Some((kept, before)) = saved {
                    self.saved.note(Saved { store: store.clone(), kept, before });
                }
                if is_new && said.scope == Scope::Project {
                    // If that cannot be recorded, the user is asked once about the file.
                    let _ = made_here(places, Part::Memory);
                }
                Outcome { changed: vec![store.path()], ..Outcome::ok(text) }
            }
            Ok(Err(text)) => Outcome::error(text),
            Err(error) => Outcome::error(format!("{} cannot be changed: {error}.", store.shown())),
        }
    }
}

fn scope(arguments: &Map<String, Value>) -> Scope {
    match arguments.get("scope").and_then(Value::as_str) {
        Some("project") => Scope::Project,
        // If the scope is not clear, the call is judged as the wider one.
        _ => Scope::Global,
    }
}

#[cfg(test)]
mod tests;
