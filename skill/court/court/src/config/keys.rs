//! Every setting: its key, its variable, what may stand there, and what a project may do with it. A
//! project is anybody's: its file comes with a clone. It can make a rule stricter than the user's
//! settings and the defaults are, and never looser. What the user accepted by content counts in full.

use toml::Value;

/// A setting.
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) variable: Option<&'static str>,
    pub(super) accepts: Accepts,
    pub(super) project: ByProject,
}

/// What may stand there.
pub(super) enum Accepts {
    Bool,
    Word(&'static [&'static str]),
    Number {
        min: i64,
        max: i64,
    },
    Texts,
    /// Commands as [`gate::Pattern`] reads them.
    Patterns,
}

/// What a project's value does to the one that the user or the default gives.
pub(super) enum ByProject {
    /// Nothing: no value of it is stricter than another, or each costs the user something.
    Nothing,
    /// It holds where it is this one, the strictest.
    Only(&'static str),
    /// It holds where it stands later in this list, which begins with the laxest.
    AtLeast(&'static [&'static str]),
    /// It holds where it is lower.
    AtMost,
    /// Its entries are added.
    Union,
    /// Nothing, also where the user accepted the project's settings: it is for the user's own file alone.
    Never,
}

/// How many entries of a project's list are taken: each is looked at before every call.
pub(super) const PROJECT_TEXTS_MAX: usize = 100;

const MILLIS: Accepts = Accepts::Number { min: 20, max: 60_000 };

/// When the end of a turn is held for a review, the laxest first.
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
    /// What holds when a project wants `wanted` and `held` holds so far; `None` where the project's
    /// value is not used because it would loosen.
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

/// The most commands that a user may allow: each is held against every call that needs a review.
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
