//! The tools of a session by name, and the validation of calls' arguments against their schemas.

use std::sync::Arc;

use jsonschema::Validator;
use serde_json::{Map, Value};

use crate::tool::Tool;

/// How many violations are reported to the model.
const MAX_VIOLATIONS: usize = 20;

/// How much of malformed arguments is shown to the model, in characters.
const MAX_RAW_CHARS: usize = 2_000;

/// The tools offered to the model. Their list and order are the same for the whole session.
pub(crate) struct Toolbox {
    tools: Vec<Entry>,
}

struct Entry {
    tool: Arc<dyn Tool>,
    definition: llm::Tool,
    /// `None` if the schema is invalid.
    validator: Option<Validator>,
}

/// A call whose arguments match its tool's schema.
pub(crate) struct Checked {
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) arguments: Map<String, Value>,
}

impl Toolbox {
    /// Compiles the schema of each tool. Of two tools with one name the first is used.
    pub(crate) fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        let mut entries: Vec<Entry> = Vec::with_capacity(tools.len());
        for tool in tools {
            let definition = tool.definition();
            if entries.iter().any(|entry| entry.definition.name == definition.name) {
                continue;
            }
            let options = jsonschema::draft202012::options().offline();
            let validator = options.build(&definition.schema).ok();
            entries.push(Entry { tool, definition, validator });
        }
        Self { tools: entries }
    }

    /// The tools' definitions for the model.
    pub(crate) fn definitions(&self) -> Vec<llm::Tool> {
        self.tools.iter().map(|entry| entry.definition.clone()).collect()
    }

    /// Whether calls of `name` may run concurrently.
    pub(crate) fn is_reading(&self, name: &str) -> bool {
        self.entry(name).is_some_and(|entry| entry.tool.is_reading())
    }

    /// The tool and the checked arguments of a call.
    ///
    /// # Errors
    /// The message for the model: there is no such tool, or what is wrong with the arguments.
    pub(crate) fn check(&self, name: &str, arguments: &llm::Arguments) -> Result<Checked, String> {
        let entry = self.entry(name).ok_or_else(|| self.unknown(name))?;
        let Entry { tool, definition, validator } = entry;
        let object = match arguments {
            llm::Arguments::Object(object) => object,
            llm::Arguments::Malformed { text, error } => {
                return Err(malformed(definition, text, error));
            }
        };
        let Some(validator) = validator else {
            return Err(format!("The schema of {name} cannot be read; it cannot be called."));
        };
        let value = Value::Object(object.clone());
        if validator.is_valid(&value) {
            return Ok(Checked { tool: Arc::clone(tool), arguments: object.clone() });
        }
        Err(violations(definition, validator, &value))
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.tools.iter().find(|entry| entry.definition.name == name)
    }

    fn unknown(&self, name: &str) -> String {
        let names: Vec<&str> =
            self.tools.iter().map(|entry| entry.definition.name.as_str()).collect();
        let likeness =
            |known: &str| strsim::jaro_winkler(&name.to_lowercase(), &known.to_lowercase());
        let nearest = names.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        let nearest = nearest.map(|known| format!(" The nearest is {known}.")).unwrap_or_default();
        let name: String = name.chars().take(64).collect();
        format!("There is no tool {name}.{nearest} There are: {}.", names.join(", "))
    }
}

fn malformed(definition: &llm::Tool, text: &str, error: &str) -> String {
    let name = &definition.name;
    let raw: String = text.chars().take(MAX_RAW_CHARS).collect();
    let more = if raw.len() < text.len() { "\n[the rest is left out]" } else { "" };
    format!(
        "The arguments of {name} are not a JSON object ({error}); nothing was run. They came as:\n\
         {raw}{more}\nExpected: {}",
        definition.schema
    )
}

fn violations(definition: &llm::Tool, validator: &Validator, value: &Value) -> String {
    let name = &definition.name;
    let mut errors = validator.iter_errors(value);
    let mut text = format!("The arguments of {name} do not keep to its schema; nothing was run.\n");
    for error in errors.by_ref().take(MAX_VIOLATIONS) {
        let place = error.instance_path().to_string();
        let place = if place.is_empty() { "(top)" } else { &place };
        let what: String = error.to_string().chars().take(300).collect();
        text.push_str(&format!("- {place}: {what}\n"));
    }
    let more = errors.count();
    if more > 0 {
        text.push_str(&format!("- and {more} more\n"));
    }
    text + &format!("Expected: {}", definition.schema)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::future::BoxFuture;
    use llm::Arguments;
    use serde_json::{Map, Value, json};

    use super::Toolbox;
    use crate::{Action, Outcome, Running, Tool};

    struct Named(&'static str, Value);

    impl Tool for Named {
        fn definition(&self) -> llm::Tool {
            llm::Tool {
                name: self.0.to_owned(),
                description: String::new(),
                schema: self.1.clone(),
            }
        }

        fn is_reading(&self) -> bool {
            self.0 == "readFile"
        }

        fn action(&self, _: &Map<String, Value>) -> Action {
            Action::Nothing
        }

        fn run<'a>(&'a self, _: Running<'a>) -> BoxFuture<'a, Outcome> {
            Box::pin(async { Outcome::ok("") })
        }
    }

    fn toolbox() -> Toolbox {
        let schema = json!({
            "type": "object",
            "properties": {"filePath": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["filePath"],
            "additionalProperties": false,
        });
        Toolbox::new(vec![
            Arc::new(Named("readFile", schema)),
            Arc::new(Named("readFile", json!({"type": "object"}))),
            Arc::new(Named("broken", json!({"type": "no such type"}))),
        ])
    }

    fn told(name: &str, arguments: &str) -> String {
        toolbox().check(name, &Arguments::read(arguments)).err().unwrap_or_default()
    }

    #[test]
    fn arguments_that_keep_to_the_schema_may_be_executed() {
        let toolbox = toolbox();
        let read = Arguments::read(r#"{"filePath": "a", "limit": 3}"#);
        let checked = toolbox.check("readFile", &read).ok().unwrap();
        assert_eq!(Value::Object(checked.arguments), json!({"filePath": "a", "limit": 3}));
        assert_eq!(toolbox.definitions().len(), 2, "one name, one tool");
        assert!(toolbox.is_reading("readFile") && !toolbox.is_reading("broken"));
    }

    #[test]
    fn every_violation_is_named_with_the_expected_shape() {
        let told = told("readFile", r#"{"path": "a", "limit": "3"}"#);
        for part in [
            "do not keep to its schema; nothing was run.",
            "\"filePath\" is a required property",
            "/limit: \"3\" is not of type \"integer\"",
            "'path' was unexpected",
            "Expected: {\"type\":\"object\",\"properties\"",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
    }

    #[test]
    fn malformed_arguments_are_shown_as_they_came() {
        let text = told("readFile", r#"{"filePath": "a"#);
        assert!(text.contains("not a JSON object"), "{text}");
        assert!(text.contains("They came as:\n{\"filePath\": \"a\nExpected: {"), "{text}");
        let long = told("readFile", &"龙".repeat(5_000));
        assert!(long.contains("[the rest is left out]") && long.chars().count() < 2_600);
    }

    #[test]
    fn an_unknown_tool_is_told_its_nearest_name() {
        let text = told("read_file", "{}");
        assert_eq!(
            text,
            "There is no tool read_file. The nearest is readFile. There are: readFile, broken."
        );
        assert_eq!(
            Toolbox::new(vec![]).check("x", &Arguments::read("{}")).err().unwrap(),
            "There is no tool x. There are: ."
        );
    }

    #[test]
    fn a_tool_without_a_readable_schema_is_not_called() {
        assert!(told("broken", "{}").contains("cannot be called"));
    }
}
