//! Masks a line before it is written: no key and no secret lies on disk. Absent: what a secret is.

use std::borrow::Cow;

use contract::xc::{Call, Entry};
use redact::{Cut, Redactor};
use serde_json::{Map, Value};

use crate::mask::masked_object;

/// The name that a value has while it is masked.
const HOLDER: &str = "of";

/// The entry without secrets.
///
/// Names of tools and models stay as they are: they come from the program and its configuration, and a session
/// is no use without them.
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

/// A JSON value without secrets, also where only its key tells that it is one.
fn value(value: Value, redactor: &Redactor) -> Value {
    let holder = Map::from_iter([(HOLDER.to_owned(), value)]);
    masked_object(redactor, holder).remove(HOLDER).unwrap_or_default()
}

/// The parts of an answer without secrets. What a provider signed is of no use when it is changed: where a
/// secret is in it, it is left out whole.
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
