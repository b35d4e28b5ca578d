//! All settings: key, variable, accepted values, and what a project's file may do. A
//! project may come from anyone: its file comes with a clone. It can make a rule stricter than the user's
//! settings and the defaults, never looser. A file that the user accepted counts in full.

use toml::Value;

/// A setting.
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) variable: Option<&'static str>,
    pub(super) accepts: Accepts,
    pub(super) project: ByProject,
}

/// Accepted values.
pub(super) enum Accepts {
    Bool,
    Word(&'static [&'static str]),
    Number {
        min: i64,
        max: i64,
    },
    Texts,
    /// Commands in the format of [`gate::Pattern`].
    Patterns,
}

/// Effect of a project's value on the user's or the default one.
pub(super) enum ByProject {
    /// None: no value is stricter than another, or each costs the user something.
    Nothing,
    /// Applies if it is this value, the strictest.
    Only(&'static str),
    /// Applies if it comes later in this list, which is ordered from the loosest.
    AtLeast(&'static [&'static str]),
    /// Applies if it is lower.
    AtMost,
    /// Its entries are added.
    Union,
    /// None, even if the user accepted the project's settings: only the user's own file can set it.
    Never,
}

/// Maximum number of entries in a project's list, because each is checked for every call.
pub(super) const PROJECT_TEXTS_MAX: usize = 100;

const MILLIS: Accepts = Accepts::Number { min: 20, max: 60_000 };

/// The values of review times, the loosest first.
const REVIEW_WHEN: &[&str] = &["off", "changes", "always"];

pub(super) const KEYS: &[Key] = &[
    Key {
        name: "court.enabled",
        variable: Some("COURT_ENABLED"),
        accepts: Accepts::Bool,
        project: ByProject::Only("true"),
    },
    Key {
        name: "court.fail",
        variable: Some("COURT_FAIL"),
        accepts: Accepts::Word(&["open", "closed"]),
        project: ByProject::Only("closed"),
    },
    Key {
        name: "court.reviewer",
        variable: Some("COURT_REVIEWER"),
        accepts: Accepts::Word(&["historian", "codex"]),
        project: ByProject::Nothing,
    },
    Key {
        name: "court.review",
        variable: Some("COURT_REVIEW"),
        accepts: Accepts::Word(REVIEW_WHEN),
        project: ByProject::AtLeast(REVIEW_WHEN),
    },
    Key {
        name: "court.print_review",
        variable: Some("COURT_PRINT_REVIEW"),
        accepts: Accepts::Word(REVIEW_WHEN),
        project: ByProject::Nothing,
    },
    Key {
        name: "court.deadline_ms",
        variable: Some("COURT_DEADLINE_MS"),
        accepts: MILLIS,
        project: ByProject::Nothing,
    },
    Key {
        name: "court.packet_deadline_ms",
        variable: Some("COURT_PACKET_DEADLINE_MS"),
        accepts: MILLIS,
        project: ByProject::Nothing,
    },
    Key {
        name: "gate.policy",
        variable: Some("COURT_POLICY"),
        accepts: Accepts::Word(&["graded", "strict"]),
        project: ByProject::Only("strict"),
    },
    Key {
        name: "gate.l2",
        variable: Some("COURT_L2"),
        accepts: Accepts::Word(&["deny", "ask"]),
        project: ByProject::Only("deny"),
    },
    Key {
        name: "gate.approver",
        variable: Some("COURT_APPROVER"),
        accepts: Accepts::Word(&["any", "user"]),
        project: ByProject::Only("user"),
    },
    Key {
        name: "gate.scratch",
        variable: None,
        accepts: Accepts::Texts,
        project: ByProject::Nothing,
    },
    Key {
        name: "gate.protected",
        variable: None,
        accepts: Accepts::Texts,
        project: ByProject::Union,
    },
    Key {
        name: "gate.allow",
        variable: None,
        accepts: Accepts::Patterns,
        project: ByProject::Never,
    },
    Key {
        name: "review.expires_s",
        variable: None,
        accepts: Accepts::Number { min: 10, max: 86_400 },
        project: ByProject::AtMost,
    },
    Key {
        name: "ledger.context_max",
        variable: None,
        accepts: Accepts::Number { min: 500, max: 9_500 },
        project: ByProject::Nothing,
    },
    Key {
        name: "packets.keep",
        variable: None,
        accepts: Accepts::Number { min: 1, max: 10_000 },
        project: ByProject::Nothing,
    },
    Key {
        name: "historian.agents",
        variable: None,
        accepts: Accepts::Texts,
        project: ByProject::Nothing,
    },
    Key {
        name: "historian.loops",
        variable: None,
        accepts: Accepts::Number { min: 0, max: 5 },
        project: ByProject::Nothing,
    },
];

impl Accepts {
    pub(super) fn check(&self, value: &Value) -> Result<(), String> {
        let fits = match (self, value) {
            (Self::Bool, Value::Boolean(_)) => true,
            (Self::Word(words), Value::String(text)) => words.contains(&text.as_str()),
            (Self::Number { min, max }, Value::Integer(number)) => (*min..=*max).contains(number),
            (Self::Texts, Value::Array(texts)) => texts.iter().all(Value::is_str),
            (Self::Patterns, Value::Array(texts)) => return patterns(texts),
            _ => false,
        };
        if fits { Ok(()) } else { Err(format!("{value} is not {}", self.words())) }
    }

    pub(super) fn words(&self) -> String {
        match self {
            Self::Bool => "true or false".to_owned(),
            Self::Word(words) => {
                words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" or ")
            }
            Self::Number { min, max } => format!("a number from {min} to {max}"),
            Self::Texts => "a list of texts".to_owned(),
            Self::Patterns => "a list of commands".to_owned(),
        }
    }
}

impl ByProject {
    /// The value in force when a project sets `wanted` and the current one is `held`; `None` if the project's
    /// value is ignored because it is looser.
    pub(super) fn combine(&self, held: &Value, wanted: &Value) -> Option<Value> {
        if held == wanted {
            return Some(held.clone());
        }
        match self {
            Self::Nothing | Self::Never => None,
            Self::Only(strict) => (plain(wanted) == *strict).then(|| wanted.clone()),
            Self::AtLeast(words) => {
                let place = |value: &Value| words.iter().position(|word| plain(value) == **word);
                (place(wanted) > place(held)).then(|| wanted.clone())
            }
            Self::AtMost => (wanted.as_integer() < held.as_integer()).then(|| wanted.clone()),
            Self::Union => {
                let mut all = held.as_array().cloned().unwrap_or_default();
                for text in wanted.as_array()?.iter().take(PROJECT_TEXTS_MAX) {
                    if !all.contains(text) {
                        all.push(text.clone());
                    }
                }
                Some(Value::Array(all))
            }
        }
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Maximum number of allowed commands, because each is compared with every call that needs a review.
const PATTERNS_MAX: usize = 200;

fn patterns(texts: &[Value]) -> Result<(), String> {
    if texts.len() > PATTERNS_MAX {
        return Err(format!("there are more than {PATTERNS_MAX} commands"));
    }
    for text in texts {
        let text = text.as_str().ok_or_else(|| format!("{text} is not a text"))?;
        gate::Pattern::parse(text)
            .map_err(|fault| format!("{text:?} is no command to allow: {fault}"))?;
    }
    Ok(())
}
