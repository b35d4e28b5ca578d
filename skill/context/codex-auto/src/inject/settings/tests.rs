//! Changes of settings, and settings that are not changed.

use expect_test::{Expect, expect};

use super::*;

fn hook() -> Hook<'static> {
    Hook {
        program: Path::new("/home/me/.claude/hooks/context-inject-global.sh"),
        old_name: Path::new("/home/me/.claude/hooks/augment-context-global.sh"),
        home: Path::new("/home/me"),
    }
}

fn check(before: &str, change: Change, expected: &Expect) {
    let text = match edit(Some(before).filter(|text| !text.is_empty()), &hook(), change) {
        Ok(Edit::Keep) => "keep".to_owned(),
        Ok(Edit::Delete) => "delete".to_owned(),
        Ok(Edit::Write(text)) => text,
        Err(fault) => format!("refused: {fault}"),
    };
    expected.assert_eq(&text);
}

#[test]
fn the_hook_is_added_and_everything_else_stays_in_its_order() {
    check(
        "",
        Change::Add,
        &expect![[r#"
            {
              "hooks": {
                "UserPromptSubmit": [
                  {
                    "hooks": [
                      {
                        "type": "command",
                        "command": "/home/me/.claude/hooks/context-inject-global.sh",
                        "args": [],
                        "timeout": 30
                      }
                    ]
                  }
                ]
              }
            }
        "#]],
    );
    check(
        "{\n\t\"zeta\": 1.5,\n\t\"hooks\": {\"Stop\": [], \"UserPromptSubmit\": [{\"hooks\": [{\"type\": \"http\", \"url\": \"http://127.0.0.1:9/\"}]}]},\n\t\"alpha\": \"ü\"\n}",
        Change::Add,
        &expect![[r#"
            {
            	"zeta": 1.5,
            	"hooks": {
            		"Stop": [],
            		"UserPromptSubmit": [
            			{
            				"hooks": [
            					{
            						"type": "http",
            						"url": "http://127.0.0.1:9/"
            					}
            				]
            			},
            			{
            				"hooks": [
            					{
            						"type": "command",
            						"command": "/home/me/.claude/hooks/context-inject-global.sh",
            						"args": [],
            						"timeout": 30
            					}
            				]
            			}
            		]
            	},
            	"alpha": "ü"
            }"#]],
    );
}

#[test]
fn a_hook_that_is_there_in_any_spelling_is_not_added_again() {
    for command in [
        "/home/me/.claude/hooks/context-inject-global.sh",
        "~/.claude/hooks/context-inject-global.sh",
        "bash $HOME/.claude/hooks/augment-context-global.sh",
        "\\\"${HOME}\\\"/.claude/hooks/context-inject-global.sh --format hook",
    ] {
        let text = format!(
            r#"{{"hooks":{{"UserPromptSubmit":[{{"hooks":[{{"type":"command","command":"{command}"}}]}}]}}}}"#
        );
        check(&text, Change::Add, &expect!["keep"]);
        check(&text, Change::Remove, &expect!["delete"]);
    }
    let other = r#"{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"/opt/context-inject-global.sh"}]}]}}"#;
    check(other, Change::Remove, &expect!["keep"]);
}

#[test]
fn the_hook_is_removed_with_what_is_empty_without_it() {
    let ours = r#"{"type":"command","command":"/home/me/.claude/hooks/context-inject-global.sh"}"#;
    let theirs = r#"{"type":"command","command":"mine"}"#;
    check(
        &format!(
            r#"{{"hooks":{{"UserPromptSubmit":[{{"matcher":"","hooks":[{theirs},{ours}]}},{{"hooks":[{ours}]}},{{"hooks":[]}}]}},"model":"opus"}}"#
        ),
        Change::Remove,
        &expect![[r#"
            {
              "hooks": {
                "UserPromptSubmit": [
                  {
                    "matcher": "",
                    "hooks": [
                      {
                        "type": "command",
                        "command": "mine"
                      }
                    ]
                  },
                  {
                    "hooks": []
                  }
                ]
              },
              "model": "opus"
            }"#]],
    );
    check("{\"model\": \"opus\"}", Change::Remove, &expect!["keep"]);
    check("", Change::Remove, &expect!["keep"]);
}

#[test]
fn settings_that_claude_code_would_drop_are_refused() {
    check(
        "{ // mine\n}",
        Change::Add,
        &expect![
            "refused: line 1, column 3: key must be a string; mend it, because Claude Code drops the whole file"
        ],
    );
    check(
        r#"{"hooks":{"Stop":{},"UserPromptSubmit":[{"command":"x"},{"hooks":[{"type":"shell"},{"type":"command","timeout":"5"}]}]}}"#,
        Change::Add,
        &expect![[
            r#"refused: expected a list at "/hooks/Stop"; expected a list at "/hooks/UserPromptSubmit/0/hooks"; expected a kind of hook, such as "command" at "/hooks/UserPromptSubmit/1/hooks/0/type"; expected a text at "/hooks/UserPromptSubmit/1/hooks/1/command"; expected a number at "/hooks/UserPromptSubmit/1/hooks/1/timeout"; mend it, because Claude Code drops every hook of the file"#
        ]],
    );
    check(
        "[]",
        Change::Remove,
        &expect![[
            r#"refused: expected an object at ""; mend it, because Claude Code drops every hook of the file"#
        ]],
    );
}

#[test]
fn what_keeps_a_hook_from_running_is_seen() {
    let Ok(Edit::Write(text)) = edit(None, &hook(), Change::Add) else { panic!() };
    assert_eq!(look(&text, &hook()), Ok(Registered::Yes));
    let off = text.replacen('{', "{\"disableAllHooks\": true,", 1);
    assert_eq!(look(&off, &hook()), Ok(Registered::Disabled));
    assert_eq!(look("", &hook()), Ok(Registered::No));
    assert!(
        is_same("{\"a\":1}", "{ \"a\": 1 }\n") && !is_same("{}", "{\"a\":1}") && !is_same("{", "{")
    );
}
