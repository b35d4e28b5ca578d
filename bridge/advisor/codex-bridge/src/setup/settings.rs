//! Our rules put into Claude Code's settings, or taken out: text in, text out, nothing else touched.

use std::fmt;

use serde::Serialize as _;
use serde_json::ser::PrettyFormatter;
use serde_json::{Map, Value, json};

use super::{Change, RULES, WIDER};

/// What is to become of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// It is right as it is.
    Keep,
    /// This text takes its place.
    Write(String),
    /// Nothing is left in it.
    Delete,
}

/// An edit, and what is probably not meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edited {
    pub(super) text: Edit,
    pub(super) warnings: Vec<String>,
}

/// Why a settings file is not touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingsFault {
    /// It is no JSON.
    Syntax {
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// What the parser expected.
        problem: String,
    },
    /// Values that Claude Code does not take there: a JSON Pointer and what was expected, each.
    Shape(Vec<(String, &'static str)>),
}

impl fmt::Display for SettingsFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { line, column, problem } => write!(
                formatter,
                "line {line}, column {column}: {problem}; mend it, because Claude Code drops the whole file"
            ),
            Self::Shape(faults) => {
                for (index, (pointer, expected)) in faults.iter().enumerate() {
                    let separator = if index == 0 { "" } else { "; " };
                    write!(formatter, "{separator}expected {expected} at {pointer:?}")?;
                }
                formatter.write_str("; mend it, because Claude Code drops the whole file")
            }
        }
    }
}

/// The settings with our rules, or without them; in both cases without the wider ones of earlier
/// versions. An absent file is an empty one.
///
/// # Errors
/// [`SettingsFault`]; all faults of shape at once.
pub(super) fn edit(before: Option<&str>, change: Change) -> Result<Edited, SettingsFault> {
    let text = before.unwrap_or_default();
    let mut settings = match text.trim() {
        "" => Value::Object(Map::new()),
        _ => serde_json::from_str(text).map_err(|error| SettingsFault::Syntax {
            line: error.line(),
            column: error.column(),
            problem: problem(&error),
        })?,
    };
    check(&settings)?;
    let warnings = match change {
        Change::Add => refused(&settings),
        Change::Remove => Vec::new(),
    };
    let (unwanted, wanted): (Vec<&str>, &[&str]) = match change {
        Change::Add => (WIDER.to_vec(), &RULES),
        Change::Remove => ([&WIDER[..], &RULES].concat(), &[]),
    };
    let is_there = |rule: &str| {
        let allowed = settings["permissions"]["allow"].as_array();
        allowed.is_some_and(|rules| rules.iter().any(|each| each == rule))
    };
    let missing: Vec<&str> = wanted.iter().copied().filter(|rule| !is_there(rule)).collect();
    let edit = if missing.is_empty() && !unwanted.iter().any(|rule| is_there(rule)) {
        Edit::Keep
    } else {
        // First what is missing: a list that is empty in between would be taken out.
        missing.iter().for_each(|rule| add(&mut settings, rule));
        unwanted.iter().for_each(|rule| remove(&mut settings, rule));
        match settings.as_object().is_some_and(Map::is_empty) {
            true => Edit::Delete,
            false => Edit::Write(print(&settings, text)),
        }
    };
    Ok(Edited { text: edit, warnings })
}

/// Every value on our way is of its kind.
fn check(settings: &Value) -> Result<(), SettingsFault> {
    let mut faults = Vec::new();
    let mut expect = |is_right: bool, pointer: String, expected: &'static str| {
        if !is_right {
            faults.push((pointer, expected));
        }
    };
    expect(settings.is_object(), String::new(), "an object");
    if let Some(permissions) = settings.get("permissions") {
        expect(permissions.is_object(), "/permissions".to_owned(), "an object");
        for list in ["allow", "ask", "deny"] {
            let Some(rules) = permissions.get(list) else { continue };
            expect(rules.is_array(), format!("/permissions/{list}"), "a list of texts");
            for (index, each) in rules.as_array().into_iter().flatten().enumerate() {
                expect(each.is_string(), format!("/permissions/{list}/{index}"), "a text");
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(SettingsFault::Shape(faults)) }
}

/// Rules that go before ours and take their effect away (Claude Code 2.1: deny, then ask, then allow).
fn refused(settings: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for list in ["deny", "ask"] {
        let rules = settings["permissions"][list].as_array().into_iter().flatten();
        let counts = |each: &&str| *each == "Bash" || WIDER.contains(each) || RULES.contains(each);
        for each in rules.filter_map(Value::as_str).filter(counts) {
            found.push(format!(
                "permissions.{list} holds {each:?}, which counts before these rules"
            ));
        }
    }
    found
}

fn add(settings: &mut Value, rule: &str) {
    let permissions = &mut settings["permissions"];
    if permissions.is_null() {
        *permissions = json!({});
    }
    let allow = &mut permissions["allow"];
    if allow.is_null() {
        *allow = json!([]);
    }
    if let Some(rules) = allow.as_array_mut() {
        rules.push(rule.into());
    }
}

/// Takes a rule out, and what is empty without it.
fn remove(settings: &mut Value, rule: &str) {
    let Some(settings) = settings.as_object_mut() else { return };
    let Some(permissions) = settings.get_mut("permissions").and_then(Value::as_object_mut) else {
        return;
    };
    let Some(allow) = permissions.get_mut("allow").and_then(Value::as_array_mut) else { return };
    allow.retain(|each| each != rule);
    if allow.is_empty() {
        permissions.shift_remove("allow");
    }
    if permissions.is_empty() {
        settings.shift_remove("permissions");
    }
}

/// The settings as text, indented as they were, with a line end where they had one.
fn print(settings: &Value, before: &str) -> String {
    let indented = before.lines().find(|line| line.starts_with([' ', '\t']));
    let indent = indented.map(|line| &line[..line.len() - line.trim_start().len()]);
    let formatter = PrettyFormatter::with_indent(indent.unwrap_or("  ").as_bytes());
    let mut text = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, formatter);
    settings.serialize(&mut serializer).expect("a JSON value is JSON");
    let mut text = String::from_utf8(text).expect("JSON is UTF-8");
    if before.is_empty() || before.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// The parser's words without the place, which is told apart.
fn problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(before: &str, change: Change, expected: &Expect) {
        let before = Some(before).filter(|text| !text.is_empty());
        let text = match edit(before, change) {
            Ok(Edited { text: Edit::Keep, warnings }) => format!("keep {warnings:?}"),
            Ok(Edited { text: Edit::Delete, warnings }) => format!("delete {warnings:?}"),
            Ok(Edited { text: Edit::Write(text), warnings }) => format!("{text}{warnings:?}"),
            Err(fault) => format!("refused: {fault}"),
        };
        expected.assert_eq(&text);
    }

    #[test]
    fn the_rules_are_added_and_everything_else_stays_in_its_order() {
        check(
            "",
            Change::Add,
            &expect![[r#"
            {
              "permissions": {
                "allow": [
                  "Bash(codex-advisor ask - *)",
                  "Bash(codex-advisor wait *)",
                  "Bash(codex-advisor runs *)"
                ]
              }
            }
            []"#]],
        );
        check(
            "{\n\t\"zeta\": 1.5,\n\t\"permissions\": {\"deny\": [\"WebFetch\"], \"allow\": [\"Read\"]},\n\t\"alpha\": \"ü\"\n}",
            Change::Add,
            &expect![[r#"
                {
                	"zeta": 1.5,
                	"permissions": {
                		"deny": [
                			"WebFetch"
                		],
                		"allow": [
                			"Read",
                			"Bash(codex-advisor ask - *)",
                			"Bash(codex-advisor wait *)",
                			"Bash(codex-advisor runs *)"
                		]
                	},
                	"alpha": "ü"
                }[]"#]],
        );
        check(&format!("{}", ours()), Change::Add, &expect!["keep []"]);
    }

    fn ours() -> Value {
        json!({"permissions": {"allow": RULES}})
    }

    #[test]
    fn the_wider_rules_of_earlier_versions_go_and_the_users_own_stay() {
        check(
            r#"{"permissions":{"allow":["Bash(codex-advisor *)","Read","Bash(codex-advisor:*)","Bash(codex-advisor wait *)"]}}"#,
            Change::Add,
            &expect![[r#"
                {
                  "permissions": {
                    "allow": [
                      "Read",
                      "Bash(codex-advisor wait *)",
                      "Bash(codex-advisor ask - *)",
                      "Bash(codex-advisor runs *)"
                    ]
                  }
                }[]"#]],
        );
    }

    #[test]
    fn the_rules_are_removed_with_what_is_empty_without_them() {
        check(&format!("{}", ours()), Change::Remove, &expect!["delete []"]);
        check(
            r#"{"permissions":{"allow":["Bash(codex-advisor *)"]}}"#,
            Change::Remove,
            &expect!["delete []"],
        );
        check(
            r#"{"model":"opus","permissions":{"allow":["Bash(codex-advisor *)","Read"]},"env":{}}"#,
            Change::Remove,
            &expect![[r#"
                {
                  "model": "opus",
                  "permissions": {
                    "allow": [
                      "Read"
                    ]
                  },
                  "env": {}
                }[]"#]],
        );
        check(r#"{"model":"opus"}"#, Change::Remove, &expect!["keep []"]);
        check("", Change::Remove, &expect!["keep []"]);
    }

    #[test]
    fn settings_that_claude_code_would_drop_are_refused() {
        check(
            "{\n  \"permissions\": {\n    // mine\n    \"allow\": []\n  }\n}",
            Change::Add,
            &expect![
                "refused: line 3, column 5: key must be a string; mend it, because Claude Code drops the whole file"
            ],
        );
        check(
            r#"{"permissions": {"allow": ["Read", 7], "deny": "Bash"}}"#,
            Change::Add,
            &expect![[
                r#"refused: expected a text at "/permissions/allow/1"; expected a list of texts at "/permissions/deny"; mend it, because Claude Code drops the whole file"#
            ]],
        );
        check(
            "[]",
            Change::Remove,
            &expect![[
                r#"refused: expected an object at ""; mend it, because Claude Code drops the whole file"#
            ]],
        );
    }

    #[test]
    fn a_rule_that_counts_before_ours_is_told() {
        check(
            r#"{"permissions":{"allow":["Bash(codex-advisor ask - *)","Bash(codex-advisor wait *)","Bash(codex-advisor runs *)"],"deny":["Bash"]}}"#,
            Change::Add,
            &expect![[
                r#"keep ["permissions.deny holds \"Bash\", which counts before these rules"]"#
            ]],
        );
    }
}
