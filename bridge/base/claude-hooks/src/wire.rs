//! The wire format of a hook's input: one flat object whose keys depend on the
//! event. Unknown keys are ignored, because every release of the client adds some.
//!
//! Input that deviates from the client's format is parsed as far as possible, with a record of each deviation: for a
//! tool call that is about to run, judging a part is better than judging nothing.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::event::{Event, Start, Stop, ToolUse};

/// The object, key by key.
pub(crate) struct Wire {
    keys: Map<String, Value>,
    /// The deviations from the client's format.
    pub(crate) doubts: Vec<String>,
}

impl Wire {
    pub(crate) fn new(keys: Map<String, Value>, doubts: Vec<String>) -> Self {
        Self { keys, doubts }
    }

    /// A text; a value of another type counts as absent.
    pub(crate) fn text(&mut self, key: &str) -> Option<String> {
        match self.keys.remove(key)? {
            Value::String(text) => Some(text),
            Value::Null => None,
            _ => self.doubt(format!("`{key}` is no text")),
        }
    }

    fn path(&mut self, key: &str) -> Option<PathBuf> {
        self.text(key).map(PathBuf::from)
    }

    /// The event's name. An input with a tool and no result can only be a call that is about to run.
    pub(crate) fn name(&mut self) -> Option<String> {
        let name = self.text("hook_event_name");
        let has = |key: &str| self.keys.contains_key(key);
        let is_before = has("tool_input") && !has("tool_response") && !has("error");
        // If the input names two events, the stricter one counts.
        let is_odd = !self.doubts.is_empty() && is_before;
        match name {
            Some(name) if is_odd && name != "PreToolUse" => {
                self.doubts.push(format!("the event may not be `{name:.40}`"));
                Some("PreToolUse".to_owned())
            }
            Some(name) if name == "PreToolUse" || !is_like_pre_tool_use(&name) => Some(name),
            None if !is_before => None,
            _ => {
                self.doubts.push("the event's name is not as the client writes it".to_owned());
                Some("PreToolUse".to_owned())
            }
        }
    }

    /// The event of this name, or its missing key.
    pub(crate) fn event(&mut self, name: &str) -> Result<Event, &'static str> {
        Ok(match name {
            "SessionStart" => Event::SessionStart(match self.text("source").as_deref() {
                Some("startup") => Start::Startup,
                Some("resume") => Start::Resume,
                Some("clear") => Start::Clear,
                Some("compact") => Start::Compact,
                _ => Start::Unknown,
            }),
            "UserPromptSubmit" => {
                Event::UserPromptSubmit { prompt: self.text("prompt").ok_or("prompt")? }
            }
            "PreToolUse" => Event::PreToolUse(self.tool_before()),
            "PostToolUse" => Event::PostToolUse {
                tool: self.tool()?,
                response: self.keys.remove("tool_response").unwrap_or_default(),
                duration_ms: self.keys.remove("duration_ms").and_then(|number| number.as_u64()),
            },
            "PostToolUseFailure" => Event::PostToolUseFailure {
                tool: self.tool()?,
                error: self.error(),
                is_interrupt: self.flag("is_interrupt"),
            },
            "Stop" => Event::Stop(self.stop()),
            "SubagentStart" => Event::SubagentStart,
            "SubagentStop" => Event::SubagentStop {
                stop: self.stop(),
                agent_transcript_path: self.path("agent_transcript_path"),
            },
            "StopFailure" => Event::StopFailure {
                error: self.error(),
                last_assistant_message: self.text("last_assistant_message"),
            },
            "SessionEnd" => Event::SessionEnd { reason: self.text("reason").unwrap_or_default() },
            "PreCompact" => Event::PreCompact { trigger: self.text("trigger").unwrap_or_default() },
            other => Event::Other(other.to_owned()),
        })
    }

    fn tool(&mut self) -> Result<ToolUse, &'static str> {
        Ok(ToolUse {
            name: self.text("tool_name").ok_or("tool_name")?,
            input: self.keys.remove("tool_input").ok_or("tool_input")?,
            id: self.text("tool_use_id"),
        })
    }

    /// A call that is about to run: missing keys are recorded, and the rest is judged.
    fn tool_before(&mut self) -> ToolUse {
        let name = self.text("tool_name").filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| self.lacks("tool_name"));
        let input = match self.keys.remove("tool_input") {
            Some(Value::Object(input)) => Value::Object(input),
            Some(Value::String(text)) => {
                self.doubts.push("`tool_input` is a text".to_owned());
                let inner = serde_json::from_str::<Map<String, Value>>(&text);
                // A plain text is most likely a shell command.
                Value::Object(inner.unwrap_or_else(|_| {
                    Map::from_iter([("command".to_owned(), Value::String(text))])
                }))
            }
            Some(other) => {
                self.doubts.push("`tool_input` is no object".to_owned());
                other
            }
            None => Value::String(self.lacks("tool_input")),
        };
        // The shell's command is a text; the effect of any other form is unknown here.
        if name == "Bash" && !input.get("command").is_some_and(Value::is_string) {
            self.doubts.push("`command` is no text".to_owned());
        }
        ToolUse { name, input, id: self.text("tool_use_id") }
    }

    /// Records that a required key of the event is missing; an empty text replaces it.
    pub(crate) fn lacks(&mut self, key: &str) -> String {
        self.doubts.push(format!("there is no `{key}`"));
        String::new()
    }

    fn stop(&mut self) -> Stop {
        Stop {
            stop_hook_active: self.flag("stop_hook_active"),
            last_assistant_message: self.text("last_assistant_message"),
            background_tasks: match self.keys.remove("background_tasks") {
                Some(Value::Array(tasks)) => tasks.len(),
                _ => 0,
            },
        }
    }

    fn flag(&mut self, key: &str) -> bool {
        self.keys.remove(key).and_then(|flag| flag.as_bool()).unwrap_or_default()
    }

    /// A text in all known versions; any other value is formatted.
    fn error(&mut self) -> String {
        match self.keys.remove("error") {
            Some(Value::String(text)) => text,
            Some(other) => other.to_string(),
            None => String::new(),
        }
    }

    fn doubt<T>(&mut self, doubt: String) -> Option<T> {
        self.doubts.push(doubt);
        None
    }
}

/// Whether a name is that of the event before a tool if only letters are compared.
fn is_like_pre_tool_use(name: &str) -> bool {
    let letters = name.chars().filter(char::is_ascii_alphabetic);
    letters.map(|letter| letter.to_ascii_lowercase()).eq("pretooluse".chars())
}
