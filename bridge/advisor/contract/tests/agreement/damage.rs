//! Valid examples with one to three faults added.

use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};

/// A valid example of `schemas/examples`.
pub(crate) fn example(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../schemas/examples/valid")
        .join(format!("{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The example after one to three random changes; some of them do no harm.
pub(crate) fn damaged(name: &'static str) -> impl Strategy<Value = Value> {
    prop::collection::vec((any::<Index>(), change()), 1..=3).prop_map(|changes| {
        changes.into_iter().fold(example(name), |mut value, (place, change)| {
            let places = pointers(&value);
            let place = &places[place.index(places.len())];
            apply(value.pointer_mut(place).unwrap(), change);
            value
        })
    })
}

#[derive(Debug, Clone)]
enum Change {
    Replace(Value),
    Remove(Index),
    Insert(String, Value),
    Rename(Index, String),
    Repeat(Index),
    Empty,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => any_value().prop_map(Change::Replace),
        2 => any::<Index>().prop_map(Change::Remove),
        1 => (key(), any_value()).prop_map(|(key, value)| Change::Insert(key, value)),
        1 => (any::<Index>(), key()).prop_map(|(at, key)| Change::Rename(at, key)),
        2 => any::<Index>().prop_map(Change::Repeat),
        1 => Just(Change::Empty),
    ]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_]{0,8}",
        prop::sample::select(vec!["name", "reason", "phase", "options", "status", "model"])
            .prop_map(str::to_owned),
    ]
}

/// Values near the edges of what the contract allows.
fn any_value() -> impl Strategy<Value = Value> {
    let edges = vec![
        json!(null),
        json!(true),
        json!(0),
        json!(999),
        json!(1000),
        json!(1000.0),
        json!(1000.5),
        json!(590_000),
        json!(590_001),
        json!(-1),
        json!(1e300),
        json!(""),
        json!(" \t\n"),
        json!("\u{85}"),
        json!("\u{feff}"),
        json!("\u{3000}"),
        json!("none"),
        json!(" NONE "),
        json!("initial"),
        json!("Final"),
        json!("high"),
        json!("risky"),
        json!("risk"),
        json!("/tmp"),
        json!("tmp"),
        json!("/a\u{0}b"),
        json!("-m"),
        json!("gpt-5.5"),
        json!("TransactionalOutbox"),
        json!(" OutboxWithNotify "),
        json!("two\nlines"),
        json!("\u{85}none "),
        json!("\u{feff}none"),
        json!("\u{202e}A"),
        json!("A\u{200d}B"),
        json!("0199a213-81c0-7800-8aa1-bbab2a035a53"),
        json!("0199a21381c078008aa1bbab2a035a53"),
        json!("n".repeat(200)),
        json!("方".repeat(201)),
        json!([]),
        json!({}),
        json!([""]),
        json!(["a", "b", "c", "d", "e", "f"]),
        json!([null]),
        json!({"name": "A"}),
        json!([{"name": "A", "description": "d"}, {"name": "a ", "description": "d"}]),
    ];
    prop_oneof![prop::sample::select(edges), any::<String>().prop_map(Value::from)]
}

fn apply(target: &mut Value, change: Change) {
    match (target, change) {
        (target, Change::Replace(value)) => *target = value,
        (Value::Object(fields), Change::Remove(at)) if !fields.is_empty() => {
            let key = nth_key(fields, at);
            fields.remove(&key);
        }
        (Value::Array(items), Change::Remove(at)) if !items.is_empty() => {
            items.remove(at.index(items.len()));
        }
        (Value::Object(fields), Change::Insert(key, value)) => {
            fields.insert(key, value);
        }
        (Value::Array(items), Change::Insert(_, value)) => items.push(value),
        (Value::Object(fields), Change::Rename(at, new)) if !fields.is_empty() => {
            let old = nth_key(fields, at);
            let value = fields.remove(&old).unwrap();
            fields.insert(new, value);
        }
        (Value::Array(items), Change::Repeat(at)) if !items.is_empty() => {
            items.push(items[at.index(items.len())].clone());
        }
        (Value::String(text), Change::Repeat(_)) => *text = text.repeat(2),
        (Value::Array(items), Change::Empty) => items.clear(),
        (Value::Object(fields), Change::Empty) => fields.clear(),
        (Value::String(text), Change::Empty) => text.clear(),
        (target, _) => *target = Value::Null,
    }
}

fn nth_key(fields: &Map<String, Value>, at: Index) -> String {
    fields.keys().nth(at.index(fields.len())).unwrap().clone()
}

fn pointers(value: &Value) -> Vec<String> {
    let mut pointers = vec![String::new()];
    let mut walk = |key: String, child: &Value| {
        let key = key.replace('~', "~0").replace('/', "~1");
        pointers.extend(self::pointers(child).into_iter().map(|rest| format!("/{key}{rest}")));
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, child)| walk(key.clone(), child)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, child)| walk(index.to_string(), child));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    pointers
}
