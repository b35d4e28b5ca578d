//! Masks a line before it is written, so that no key or secret is stored. Not here: the definition of a secret.

use std::borrow::Cow;

use contract::xc::{Call, Entry};
use redact::{Cut, Redactor};
use serde_json::{Map, Value};

use crate::mask::masked_object;

/// The key that a value has while it is masked.
const HOLDER: &str = "of";

/// The entry with its secrets masked.
///
/// Names of tools and models are not masked: they come from the program and its configuration, and a session
/// is unusable without them.
pub(super) fn entry(mut entry: Entry, redactor: &Redactor) -> Entry {
    let text = |text: &mut String| mask(text, redactor);
    match &mut entry {
        Entry::User { text: words, told } => {
            text(words);
            text(told);
        }
        Entry::Note { text: words, pid: _ } => text(words),
        Entry::Assistant { model: _, text: words, reasoning, opaque, calls } => {
            text(words);
            reasoning.iter_mut().for_each(text);
            *opaque = opaque.take().and_then(|opaque| parts(opaque, redactor));
            for Call { id, tool: _, input } in calls {
                text(id);
                *input = value(input.take(), redactor);
            }
        }
        Entry::Begun { id, tool: _ } => text(id),
        Entry::Result { id, status: _, text: words, truncated: _, changed, command } => {
            text(id);
            text(words);
            changed.iter_mut().for_each(text);
            command.iter_mut().for_each(|command| text(&mut command.command));
        }
        Entry::Compact { summary, before: _, after: _, kept_from: _ } => text(summary),
        Entry::Model { from: _, to: _, why } => text(why),
        Entry::Task { task: _, command, ended } => {
            text(command);
            ended.iter_mut().for_each(text);
        }
        Entry::Undo { turn: _, files } => files.iter_mut().for_each(text),
        Entry::Mode { mode: _, plan } => plan.iter_mut().for_each(text),
        Entry::Usage { .. } | Entry::End { .. } => {}
    }
    entry
}

fn mask(text: &mut String, redactor: &Redactor) {
    if let Cow::Owned(masked) = redactor.sanitize(text, Cut::NONE).text {
        *text = masked;
    }
}

/// A JSON value with its secrets masked, including those that only their key reveals.
fn value(value: Value, redactor: &Redactor) -> Value {
    let holder = Map::from_iter([(HOLDER.to_owned(), value)]);
    masked_object(redactor, holder).remove(HOLDER).unwrap_or_default()
}

/// The parts of an answer with their secrets masked. Data signed by a provider is useless once changed, so if it contains
/// a secret it is left out.
fn parts(opaque: Value, redactor: &Redactor) -> Option<Value> {
    let Value::Array(parts) = opaque else { return None };
    let part = |part: Value| -> Option<Value> {
        let Value::Object(mut fields) = part else { return None };
        if let Some(Value::String(text)) = fields.get_mut("text") {
            mask(text, redactor);
        }
        if fields.get("value").is_some_and(|signed| value(signed.clone(), redactor) != *signed) {
            fields.remove("provider");
            fields.remove("value");
        }
        let known = |key: &str| matches!(key, "part" | "text" | "provider" | "value");
        let fields: Map<_, _> = fields.into_iter().filter(|(key, _)| known(key)).collect();
        Some(Value::Object(fields))
    };
    parts.into_iter().map(part).collect::<Option<Vec<_>>>().map(Value::Array)
}
