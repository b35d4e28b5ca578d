//! The catalog of tools for programs and models: names, arguments, and the bounds of each argument. Values
//! out of bounds are clamped and reported; unknown arguments are dropped.
//!
//! Not here: when a tool is called, and its timeout.

use serde_json::{Map, Value, json};

/// Arguments of a call.
pub type Args = Map<String, Value>;

/// A tool.
#[derive(Debug)]
pub struct Entry {
    /// Its name.
    pub tool: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Its description, for a caller that chooses among tools.
    pub about: &'static str,
    numbers: &'static [Number],
    texts: &'static [Text],
}

#[derive(Debug)]
struct Number {
    name: &'static str,
    least: u64,
    most: u64,
    about: &'static str,
}

#[derive(Debug)]
struct Text {
    name: &'static str,
    need: Need,
    about: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    Required,
    Optional,
}

/// Maximum length of a text argument, in bytes: the whole window of a prompt.
const TEXT_MAX: usize = 8_192;

const LIMIT: Number = Number { name: "limit", least: 1, most: 10, about: "How many places." };
const STEPS: Number = Number { name: "depth", least: 1, most: 3, about: "How many steps." };
const TOP: Number = Number { name: "top", least: 1, most: 20, about: "How many." };
const PATH: Text =
    Text { name: "path", need: Need::Optional, about: "A file or folder, from the root." };

/// Every tool.
pub const CATALOG: &[Entry] = &[
    Entry {
        tool: "ci_index_status",
        title: "State of the index",
        about: "What is known of this repository: files, lines, symbols and languages, and whether \
                the index is up to date. It keeps itself up to date; no other tool needs this one first.",
        numbers: &[],
        texts: &[],
    },
    Entry {
        tool: "ci_search",
        title: "Search the code",
        about: "Find files, functions and lines, best first, with snippets. A sentence is searched by \
                its words, one identifier by where it is defined and used, \"quoted text\" as it is \
                written, /a.*b/ as a regular expression.",
        numbers: &[LIMIT],
        texts: &[Text { name: "query", need: Need::Required, about: "What to look for." }],
    },
    Entry {
        tool: "ci_graph_rag",
        title: "Gather context",
        about: "From a task in plain words to the definitions that it is about, with what they call, who \
                calls them, their imports and tests. The best first question about code that is new to you.",
        numbers: &[
            Number { name: "depth", least: 0, most: 2, about: "Steps from what fits." },
            Number { name: "budget", least: 100, most: 8_000, about: "Tokens of snippets." },
            Number { name: "top_k", least: 1, most: 10, about: "Files that fit." },
        ],
        texts: &[Text { name: "query", need: Need::Required, about: "The task or question." }],
    },
    Entry {
        tool: "ci_call_chain",
        title: "Callers and callees",
        about: "Who calls a symbol and what it calls, with the way there and how certain it is.",
        numbers: &[STEPS],
        texts: &[Text {
            name: "symbol",
            need: Need::Required,
            about: "A definition: `next`, `Parser::next`.",
        }],
    },
    Entry {
        tool: "ci_bug_locate",
        title: "Locate a bug",
        about: "From an error text, a stack trace or an issue to suspect files, functions and lines.",
        numbers: &[LIMIT],
        texts: &[Text {
            name: "query",
            need: Need::Required,
            about: "The error, the trace or the issue, whole.",
        }],
    },
    Entry {
        tool: "ci_impact",
        title: "Impact of a change",
        about: "What a change of a symbol or a file can break and which tests to run; without \
                arguments, of what differs between the work tree and HEAD.",
        numbers: &[STEPS],
        texts: &[
            Text { name: "symbol", need: Need::Optional, about: "The definition that changes." },
            Text {
                name: "path",
                need: Need::Optional,
                about: "The file that changes, from the root.",
            },
        ],
    },
    Entry {
        tool: "ci_complexity",
        title: "Complicated functions",
        about: "Functions by cyclomatic and cognitive complexity, the worst first.",
        numbers: &[TOP],
        texts: &[PATH],
    },
    Entry {
        tool: "ci_hotspot",
        title: "Hotspots",
        about: "Where complicated code changes most: the last days' churn times complexity, from git.",
        numbers: &[Number { name: "days", least: 1, most: 30, about: "Days of history." }, TOP],
        texts: &[],
    },
];

/// The entry of a tool; `None` if there is no such tool.
#[must_use]
pub fn entry(tool: &str) -> Option<&'static Entry> {
    CATALOG.iter().find(|entry| entry.tool == tool)
}

impl Entry {
    /// Whether the tool has a numeric argument of this name.
    #[must_use]
    pub fn has_number(&self, name: &str) -> bool {
        self.numbers.iter().any(|number| number.name == name)
    }

    /// The required text arguments that are absent or blank.
    #[must_use]
    pub fn missing(&self, args: &Args) -> Vec<&'static str> {
        let is_given = |name: &str| {
            args.get(name).and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty())
        };
        let required = self.texts.iter().filter(|text| text.need == Need::Required);
        required.map(|text| text.name).filter(|name| !is_given(name)).collect()
    }

    /// The arguments clamped to their bounds; `say` is called for each that was clamped or refused.
    pub fn clamp(&self, args: &Args, mut say: impl FnMut(String)) -> Args {
        let mut kept = Args::new();
        for (name, value) in args {
            let value = match self.numbers.iter().find(|number| number.name == name) {
                Some(number) => number.bounded(value, &mut say),
                None if self.texts.iter().any(|text| text.name == name) => text(value),
                None => None,
            };
            match value {
                Some(value) => drop(kept.insert(name.clone(), value)),
                None => say(format!("{}: argument {name:.40} refused", self.tool)),
            }
        }
        kept
    }

    /// The JSON Schema of the arguments.
    #[must_use]
    pub fn schema(&self) -> Args {
        let texts = self.texts.iter().map(|text| {
            let schema = json!({
                "description": text.about, "type": "string", "minLength": 1, "maxLength": TEXT_MAX,
            });
            (text.name.to_owned(), schema)
        });
        let numbers = self.numbers.iter().map(|number| {
            let schema = json!({
                "description": number.about, "type": "integer",
                "minimum": number.least, "maximum": number.most,
            });
            (number.name.to_owned(), schema)
        });
        let properties: Args = texts.chain(numbers).collect();
        let required: Vec<&str> = self.missing(&Args::new());
        let mut schema = Args::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), properties.into());
        schema.insert("required".to_owned(), required.into());
        schema.insert("additionalProperties".to_owned(), false.into());
        schema
    }
}

impl Number {
    fn bounded(&self, value: &Value, say: &mut impl FnMut(String)) -> Option<Value> {
        let number = match value {
            Value::Number(number) => number.as_f64()?,
            Value::String(text) => text.trim().parse::<f64>().ok()?,
            _ => return None,
        };
        if number.is_nan() {
            return None;
        }
        let (least, most) = (self.least as f64, self.most as f64);
        let clamped = number.clamp(least, most) as u64;
        if number > most || number < least {
            say(format!("{} clamped to {clamped}", self.name));
        }
        Some(clamped.into())
    }
}

fn text(value: &Value) -> Option<Value> {
    let text = value.as_str()?;
    Some(text[..text.floor_char_boundary(TEXT_MAX)].into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clamped(tool: &str, args: &Value) -> (Args, Vec<String>) {
        let mut said = Vec::new();
        let args = args.as_object().unwrap();
        (entry(tool).unwrap().clamp(args, |line| said.push(line)), said)
    }

    #[test]
    fn every_number_is_pulled_into_its_bounds() {
        for tool in CATALOG {
            for &Number { name, least, most, .. } in tool.numbers {
                for (given, kept, is_said) in [
                    (json!(most), most, false),
                    (json!(most + 1), most, true),
                    (json!(u64::MAX), most, true),
                    (json!(1e300), most, true),
                    (json!(-5), least, true),
                    (json!(most.to_string()), most, false),
                    (json!("999999"), most, true),
                ] {
                    let (args, said) = clamped(tool.tool, &json!({ name: given }));
                    assert_eq!(args[name], json!(kept), "{args:?}");
                    let expected = is_said.then(|| format!("{name} clamped to {kept}"));
                    assert_eq!(said, Vec::from_iter(expected), "{} {args:?}", tool.tool);
                }
            }
        }
    }

    #[test]
    fn what_a_tool_does_not_have_never_reaches_it() {
        let args =
            json!({ "query": "é".repeat(9_000), "limit": [1], "command": "rm", "path": "/etc" });
        let (kept, said) = clamped("ci_search", &args);
        assert_eq!(kept.keys().collect::<Vec<_>>(), ["query"]);
        assert_eq!(kept["query"].as_str().unwrap().len(), TEXT_MAX);
        let refused = ["limit", "command", "path"];
        assert_eq!(said, refused.map(|name| format!("ci_search: argument {name} refused")));
        for tool in ["ci_write", "bash", "", "ci_search "] {
            assert!(entry(tool).is_none(), "{tool}");
        }
    }

    #[test]
    fn a_text_that_a_tool_needs_is_missed() {
        let missing = |tool: &str, args: Value| {
            entry(tool).unwrap().missing(args.as_object().unwrap()).join(" ")
        };
        assert_eq!(missing("ci_search", json!({"query": " \n"})), "query");
        assert_eq!(missing("ci_call_chain", json!({"query": "x"})), "symbol");
        assert_eq!(missing("ci_impact", json!({})), "");
        assert_eq!(missing("ci_search", json!({"query": "x"})), "");
    }

    #[test]
    fn a_schema_has_every_argument_with_its_bounds() {
        for tool in CATALOG {
            let schema = tool.schema();
            let properties = schema["properties"].as_object().unwrap();
            assert_eq!(properties.len(), tool.numbers.len() + tool.texts.len(), "{}", tool.tool);
            assert!(properties.values().all(|property| property["description"].is_string()));
        }
        let schema = Value::Object(entry("ci_graph_rag").unwrap().schema());
        assert_eq!(schema["required"], json!(["query"]));
        assert_eq!(schema["properties"]["budget"]["maximum"], 8_000);
        assert_eq!(schema["additionalProperties"], false);
    }
}
