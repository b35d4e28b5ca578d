//! Classifies standard input: a call of Claude Code's hook, a wrapper's JSON, or plain
//! text. Bounded, and never panics.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use claude_hooks::call::CALL_MAX;
use claude_hooks::{Call, Unreadable};
use host::environment::Environment;
use orchestration::exit::Exit;
use orchestration::report::Client;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::question::Question;

/// The kind of input.
#[derive(Debug)]
pub(super) enum Input {
    /// A hook call of any event.
    Hook(Box<Call>),
    /// A prompt.
    Question(Question, Shape),
    /// The input requests to run a tool, which only the orchestrator does.
    Tool,
}

/// The format of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// JSON, as from hooks and wrappers.
    Object,
    /// Plain text.
    Words,
}

/// Why an input was rejected.
#[derive(Debug, thiserror::Error)]
pub(super) enum InputError {
    /// The input is empty, and standard input is a terminal.
    #[error("nothing to read: use --prompt TEXT, or give a prompt on standard input; see --help")]
    Nothing,
    /// Reading standard input failed.
    #[error("standard input cannot be read")]
    Broken(#[source] io::Error),
    /// It is longer than [`CALL_MAX`].
    #[error("the input is longer than {CALL_MAX} bytes")]
    TooLong,
    /// It is not UTF-8.
    #[error("the input is no UTF-8 text")]
    Encoding,
    /// Malformed JSON.
    #[error("the input is no JSON object: {0}")]
    Syntax(#[source] serde_json::Error),
    /// A hook call without a required field.
    #[error(transparent)]
    Call(#[from] Unreadable),
    /// A wrapper's object without a prompt.
    #[error(
        "the input has no `prompt`: expected {{\"prompt\": TEXT, \"cwd\"?: FOLDER, \"session_id\"?: ID}}"
    )]
    NoPrompt,
}

/// The key that identifies a hook call; a long prompt is skipped.
#[derive(Deserialize)]
struct Named {
    hook_event_name: Option<IgnoredAny>,
}

/// A wrapper's object; unknown keys are ignored.
#[derive(Deserialize)]
struct Wrapper {
    prompt: Option<String>,
    cwd: Option<PathBuf>,
    session_id: Option<String>,
    tool: Option<IgnoredAny>,
    tools: Option<IgnoredAny>,
}

impl InputError {
    /// The exit code for it.
    pub(super) fn exit(&self) -> Exit {
        match self {
            Self::Nothing => Exit::Misconfigured,
            _ => Exit::Unreadable,
        }
    }
}

impl Input {
    /// The same for another folder, if given.
    pub(super) fn at(self, folder: Option<&Path>, working_dir: &Path) -> Self {
        let Some(folder) = folder else { return self };
        let cwd = working_dir.join(folder);
        match self {
            Self::Hook(call) => Self::Hook(Box::new(Call { cwd, ..*call })),
            Self::Question(question, shape) => Self::Question(Question { cwd, ..question }, shape),
            Self::Tool => Self::Tool,
        }
    }
}

/// Variable with the folder of a prompt that has none, for wrappers that cannot start us there.
const WORKING_DIRECTORY: &str = "WORKING_DIRECTORY";

/// The folder of a prompt that has none.
pub(super) fn folder(environment: &Environment) -> PathBuf {
    let named = environment.folder(WORKING_DIRECTORY);
    named.unwrap_or_else(|| environment.working_dir().to_owned())
}

/// Reads an input to its end.
///
/// # Errors
/// [`InputError`], by cause.
pub(super) fn read(input: impl Read, working_dir: &Path) -> Result<Input, InputError> {
    let mut bytes = Vec::new();
    input.take(CALL_MAX + 1).read_to_end(&mut bytes).map_err(InputError::Broken)?;
    if bytes.len() as u64 > CALL_MAX {
        return Err(InputError::TooLong);
    }
    let question = |prompt: String, cwd: Option<PathBuf>, session_id| {
        let cwd = working_dir.join(cwd.unwrap_or_default());
        Question { prompt, client: Client::codex_cli(session_id), cwd, context_max: None }
    };
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        let text = String::from_utf8(bytes).map_err(|_| InputError::Encoding)?;
        return Ok(Input::Question(question(text, None, None), Shape::Words));
    }
    let named: Named = serde_json::from_slice(&bytes).map_err(InputError::Syntax)?;
    if named.hook_event_name.is_some() {
        return Ok(Input::Hook(Box::new(Call::parse(&bytes)?)));
    }
    let wrapper: Wrapper = serde_json::from_slice(&bytes).map_err(InputError::Syntax)?;
    if wrapper.tool.is_some() || wrapper.tools.is_some() {
        return Ok(Input::Tool);
    }
    let prompt = wrapper.prompt.ok_or(InputError::NoPrompt)?;
    let question = question(prompt, wrapper.cwd, wrapper.session_id);
    Ok(Input::Question(question, Shape::Object))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(input: &str, expected: &Expect) {
        let text = match read(input.as_bytes(), Path::new("/here")) {
            Ok(Input::Hook(call)) => {
                format!("hook {} in {}", call.event.name(), call.cwd.display())
            }
            Ok(Input::Question(question, shape)) => format!(
                "{shape:?} {:?} in {} for {:?}",
                question.prompt,
                question.cwd.display(),
                question.client.session_id
            ),
            Ok(Input::Tool) => "tool".to_owned(),
            Err(error) => format!("{}: {error}", error.exit().code()),
        };
        expected.assert_eq(&text);
    }

    #[test]
    fn a_hook_a_wrapper_and_plain_text_are_told_apart() {
        let call = include_str!(
            "../../../../../bridge/base/claude-hooks/tests/fixtures/hooks/UserPromptSubmit.unicode.json"
        );
        check(call, &expect!["hook UserPromptSubmit in /home/user/proj"]);
        let call =
            include_str!("../../../../../bridge/base/claude-hooks/tests/fixtures/hooks/Stop.json");
        check(call, &expect!["hook Stop in /home/user/proj"]);
        check(r#"{"prompt":"fix it"}"#, &expect![[r#"Object "fix it" in /here/ for None"#]]);
        check(
            r#" {"prompt":"fix it","cwd":"shop","session_id":"t1","later":[1]}"#,
            &expect![[r#"Object "fix it" in /here/shop for Some("t1")"#]],
        );
        check("修复登录错误\n", &expect![[r#"Words "修复登录错误\n" in /here/ for None"#]]);
        check("", &expect![[r#"Words "" in /here/ for None"#]]);
        check(r#"{"tool":"search","prompt":"x"}"#, &expect!["tool"]);
        check(r#"{"tools":[],"prompt":"x"}"#, &expect!["tool"]);
    }

    #[test]
    fn what_cannot_be_read_says_what_is_wrong() {
        check(
            r#"{"prompt":"fix"#,
            &expect![
                "30: the input is no JSON object: EOF while parsing a string at line 1 column 14"
            ],
        );
        check(
            r#"{"prompt":7}"#,
            &expect![
                "30: the input is no JSON object: invalid type: integer `7`, expected a string at line 1 column 11"
            ],
        );
        check(
            "{}",
            &expect![[
                r#"30: the input has no `prompt`: expected {"prompt": TEXT, "cwd"?: FOLDER, "session_id"?: ID}"#
            ]],
        );
        check(
            r#"{"hook_event_name":"UserPromptSubmit"}"#,
            &expect!["30: the hook's input has no `prompt`"],
        );
        let error = read(&b"\xff\xfe"[..], Path::new("/")).unwrap_err();
        assert!(matches!(error, InputError::Encoding), "{error}");
    }
}
