//! Calls in a stream of Chat Completions: the content of each piece, by dialect.

use std::time::Duration;

use serde_json::{Value, json};

use crate::asked::Asked;
use crate::dialect::{Ids, Index, Pieces};
use crate::turn::{Part, Piece, Turn, whole};

/// One piece of a call.
struct Step {
    /// The index of the call in the turn.
    call: usize,
    /// The tool's name, in the first piece of a call.
    name: Option<String>,
    arguments: Piece,
}

/// The lists of `tool_calls` for consecutive calls, after `begun` calls of the turn were
/// sent; each list with its pause.
pub(super) fn chunks(run: &[Part], asked: &Asked, begun: usize) -> Vec<(Duration, Value)> {
    let calls = run.iter().enumerate().filter_map(|(place, part)| match part {
        Part::Call { name, arguments } => Some(steps(begun + place, name, arguments, asked)),
        _ => None,
    });
    let mut calls: Vec<Vec<Step>> = calls.collect();
    let steps: Vec<Step> = if asked.dialect.pieces == Pieces::Interleaved {
        take_turns(&mut calls)
    } else {
        calls.into_iter().flatten().collect()
    };
    let mut last = begun;
    steps
        .into_iter()
        .map(|step| {
            last = last.max(step.call + 1);
            (step.arguments.pause, list(&step, last, asked))
        })
        .collect()
}

/// The calls of a complete response.
pub(super) fn whole_list(turn: &Turn, asked: &Asked) -> Vec<Value> {
    let calls = turn.parts.iter().filter_map(|part| match part {
        Part::Call { name, arguments } => Some((name, whole(arguments))),
        _ => None,
    });
    calls
        .enumerate()
        .map(|(call, (name, arguments))| {
            let function = json!({ "name": name, "arguments": arguments });
            let mut entry = json!({ "type": "function", "function": function });
            if asked.dialect.ids != Ids::Missing {
                let id =
                    if asked.dialect.ids == Ids::Empty { String::new() } else { id(call, asked) };
                entry["id"] = json!(id);
            }
            entry
        })
        .collect()
}

fn steps(call: usize, name: &str, arguments: &[Piece], asked: &Asked) -> Vec<Step> {
    let first =
        |text: String| Step { call, name: Some(name.to_owned()), arguments: Piece::new(text) };
    let later = |piece: &Piece| Step { call, name: None, arguments: piece.clone() };
    if asked.dialect.pieces == Pieces::Whole {
        return vec![first(whole(arguments))];
    }
    let mut steps = vec![first(String::new())];
    steps.extend(arguments.iter().map(later));
    if asked.dialect.ids == Ids::ThenEmpty {
        steps.push(later(&Piece::new("")));
    }
    steps
}

/// Interleaves the steps of the calls.
fn take_turns(calls: &mut [Vec<Step>]) -> Vec<Step> {
    let longest = calls.iter().map(Vec::len).max().unwrap_or_default();
    let mut queues: Vec<_> = calls.iter_mut().map(|steps| steps.drain(..)).collect();
    (0..longest)
        .flat_map(|_| queues.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>())
        .collect()
}

/// The list of one chunk; without an index, each of the calls so far has its position in it.
fn list(step: &Step, so_far: usize, asked: &Asked) -> Value {
    match asked.dialect.index {
        Index::Given => {
            let mut entry = entry(step, asked);
            entry["index"] = json!(step.call);
            json!([entry])
        }
        Index::Missing => {
            let nothing = || json!({ "function": { "arguments": "" } });
            let places = (0..so_far)
                .map(|call| if call == step.call { entry(step, asked) } else { nothing() });
            Value::Array(places.collect())
        }
    }
}

fn entry(step: &Step, asked: &Asked) -> Value {
    let mut entry = json!({ "function": { "arguments": step.arguments.text } });
    if let Some(name) = &step.name {
        entry["function"]["name"] = json!(name);
        entry["type"] = json!("function");
    }
    let id = match (asked.dialect.ids, &step.name) {
        (Ids::Missing, _) | (Ids::First | Ids::Empty, None) => return entry,
        (Ids::Empty, Some(_)) | (Ids::ThenEmpty, None) => String::new(),
        (Ids::First | Ids::ThenEmpty | Ids::Each, _) => id(step.call, asked),
    };
    entry["id"] = json!(id);
    if asked.dialect.ids == Ids::ThenEmpty {
        entry["type"] = json!("function");
    }
    entry
}

/// The id of this call in the answer to this request.
fn id(call: usize, asked: &Asked) -> String {
    format!("call_{:06}{call:02}", asked.number)
}
