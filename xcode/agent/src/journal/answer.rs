//! Converts a model's answer to a journal line and back without loss: text and calls are in readable
//! fields, and provider-specific data is stored beside them with the order of the parts.

use contract::xc::{Call, Entry};
use llm::{Asked, ModelId, Opaque, Part, Provider};
use serde_json::{Map, Value, json};

/// The line of an answer.
#[must_use]
pub fn answered(model: &ModelId, parts: &[Part<Asked>]) -> Entry {
    let (mut texts, mut thoughts, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        match part {
            Part::Text { text, .. } => texts.push(text.as_str()),
            Part::Reasoning { shown, .. } => thoughts.push(shown.as_str()),
            Part::Call(Asked { id, name, arguments, .. }) => calls.push(Call {
                id: id.clone(),
                tool: name.clone(),
                input: Value::Object(arguments.object()),
            }),
        }
    }
    let layout = |part: &Part<Asked>| {
        let mut fields = Map::new();
        let (word, text, opaque) = match part {
            Part::Text { text, opaque } => ("text", (texts.len() > 1).then_some(text), opaque),
            Part::Reasoning { shown, opaque } => {
                ("reasoning", (thoughts.len() > 1).then_some(shown), opaque)
            }
            Part::Call(asked) => ("call", None, &asked.opaque),
        };
        fields.insert("part".into(), word.into());
        fields.extend(text.map(|text| ("text".into(), text.as_str().into())));
        if let Some(Opaque { provider, value }) = opaque {
            fields.insert("provider".into(), provider.word().into());
            fields.insert("value".into(), value.clone());
        }
        Value::Object(fields)
    };
    let opaque = (!is_plain(parts)).then(|| json!(parts.iter().map(layout).collect::<Vec<_>>()));
    let reasoning = (!thoughts.is_empty()).then(|| thoughts.concat());
    Entry::Assistant { model: model.to_string(), text: texts.concat(), reasoning, opaque, calls }
}

/// The parts of a line. If their order cannot be read, the usual order is used, without
/// provider-specific data.
pub(super) fn parts(
    text: String,
    reasoning: Option<String>,
    opaque: Option<&Value>,
    calls: Vec<Call>,
) -> Vec<Part<Asked>> {
    match opaque.and_then(|opaque| laid_out(&text, reasoning.as_deref(), opaque, &calls)) {
        Some(parts) => parts,
        None => {
            let thought = reasoning.filter(|shown| !shown.is_empty());
            let thought = thought.map(|shown| Part::Reasoning { shown, opaque: None });
            let said = (!text.is_empty()).then_some(Part::Text { text, opaque: None });
            let calls = calls.into_iter().map(|call| Part::Call(asked(call, None)));
            thought.into_iter().chain(said).chain(calls).collect()
        }
    }
}

/// Whether the usual order is enough: reasoning, text, calls, and no provider-specific data.
fn is_plain(parts: &[Part<Asked>]) -> bool {
    let rank = |part: &Part<Asked>| match part {
        Part::Reasoning { opaque: None, .. } => Some(0),
        Part::Text { opaque: None, .. } => Some(1),
        Part::Call(Asked { opaque: None, .. }) => Some(2),
        _ => None,
    };
    let ranks: Option<Vec<i32>> = parts.iter().map(rank).collect();
    ranks.is_some_and(|ranks| ranks.windows(2).all(|two| two[0] < two[1] || two == [2, 2]))
}

fn laid_out(
    text: &str,
    reasoning: Option<&str>,
    opaque: &Value,
    calls: &[Call],
) -> Option<Vec<Part<Asked>>> {
    let mut left = calls.iter();
    let mut parts = Vec::new();
    for piece in opaque.as_array()? {
        let opaque = piece.get("value").and_then(|value| {
            let word = piece["provider"].as_str()?;
            let provider = Provider::ALL.into_iter().find(|provider| provider.word() == word)?;
            Some(Opaque { provider, value: value.clone() })
        });
        let own = piece["text"].as_str();
        parts.push(match piece["part"].as_str()? {
            "text" => Part::Text { text: own.unwrap_or(text).to_owned(), opaque },
            "reasoning" => {
                let shown = own.or(reasoning).unwrap_or_default().to_owned();
                Part::Reasoning { shown, opaque }
            }
            "call" => Part::Call(asked(left.next()?.clone(), opaque)),
            _ => return None,
        });
    }
    left.next().is_none().then_some(parts)
}

fn asked(Call { id, tool, input }: Call, opaque: Option<Opaque>) -> Asked {
    Asked { id, name: tool, arguments: llm::Arguments::of(input), opaque }
}
