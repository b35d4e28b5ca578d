//! Adds our rules to Claude Code's settings, or removes them. [`claude_hooks::settings`] edits the
//! file.

use claude_hooks::settings::{Change, Edit, Part, Settings, SettingsFault};

use super::{RULES, WIDER};

/// An edit, with warnings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edited {
    pub(super) text: Edit,
    pub(super) warnings: Vec<String>,
}

/// The settings with our rules added or removed; in both cases without the wider rules of earlier
/// versions.
///
/// # Errors
/// Those of [`Settings::parse`].
pub(super) fn edit(before: Option<&str>, change: Change) -> Result<Edited, SettingsFault> {
    let mut settings = Settings::parse(before, Part::Permissions)?;
    let mut warnings = Vec::new();
    match change {
        Change::Add => {
            warnings = refused(&settings);
            // Add first: a list that is empty in between would be removed.
            RULES.iter().for_each(|rule| settings.allow(rule));
        }
        Change::Remove => RULES.iter().for_each(|rule| settings.disallow(rule)),
    }
    WIDER.iter().for_each(|rule| settings.disallow(rule));
    Ok(Edited { text: settings.edit(), warnings })
}

/// Rules of the user that override ours.
fn refused(settings: &Settings) -> Vec<String> {
    let counts = |rule: &&str| *rule == "Bash" || WIDER.contains(rule) || RULES.contains(rule);
    let refused = settings.rules().filter(|(list, rule)| *list != "allow" && counts(rule));
    refused
        .map(|(list, rule)| {
            format!("permissions.{list} holds {rule:?}, which counts before these rules")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde_json::{Value, json};

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
