//! Parses the question, JSON or YAML, and checks it here, so that its faults are reported without a daemon.
//! Messages about a text that is not a question quote nothing of it: see [`words`].

use contract::failure::{Failure, FailureCode, Violation};
use contract::id::SessionId;
use contract::input::{AdvisorInput, InputFault, Phase, parse_input};
use contract::limits::BODY_MAX_BYTES;
use serde_json::{Value, json};
use serde_saphyr::{DuplicateKeyPolicy, MergeKeyPolicy};

use crate::words;

/// The hint on how to write a valid question.
const HINT: &str = "`codex-advisor template` prints an example to fill in";

/// The fields that the command line replaces in the question.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Replacements {
    pub(crate) phase: Option<Phase>,
    /// The session to continue.
    pub(crate) session_id: Option<SessionId>,
}

impl Replacements {
    fn apply(self, input: AdvisorInput) -> AdvisorInput {
        AdvisorInput {
            phase: self.phase.unwrap_or(input.phase),
            session_id: self.session_id.or(input.session_id),
            ..input
        }
    }

    fn members(self) -> impl Iterator<Item = (&'static str, Value)> {
        let phase = self.phase.map(|phase| ("phase", json!(phase)));
        let session = self.session_id.map(|session| ("session_id", json!(session)));
        phase.into_iter().chain(session)
    }
}

/// A parsed question, and its text as JSON for further checks.
#[derive(Debug)]
pub(crate) struct Question {
    /// The question. Only its types are checked; see [`Question::check`].
    pub(crate) input: AdvisorInput,
    body: Vec<u8>,
}

impl Question {
    /// Parses a question: JSON if it begins with a brace, a bracket or a quote, else
    /// YAML. A question with wrong types is checked at once; others by the daemon, with
    /// the same rules, or by [`Question::check`] if there is no daemon.
    ///
    /// # Errors
    /// `invalid_json` with line and column, `contract_violation` with all faults, or
    /// `body_too_large`.
    pub(crate) fn read(text: &[u8], replacements: Replacements) -> Result<Self, Failure> {
        let body = body(text)?;
        let typed = serde_json::from_slice(&body).ok();
        let input = match typed {
            Some(input) => replacements.apply(input),
            None => checked(&body, replacements)?,
        };
        Ok(Self { input, body })
    }

    /// Checks all rules of the contract. Preparing the rules takes some milliseconds, so this is only
    /// done when needed.
    ///
    /// # Errors
    /// As [`Question::read`].
    pub(crate) fn check(&self, replacements: Replacements) -> Result<(), Failure> {
        checked(&self.body, replacements).map(drop)
    }
}

/// The text as JSON.
fn body(text: &[u8]) -> Result<Vec<u8>, Failure> {
    let first = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start().first();
    let body = match first {
        None => return Err(invalid("the question is empty", None)),
        Some(b'{' | b'[' | b'"') => text.to_vec(),
        Some(_) => from_yaml(text)?,
    };
    if body.len() > BODY_MAX_BYTES {
        return Err(too_large());
    }
    Ok(body)
}

/// The question, checked by all rules of the contract.
fn checked(body: &[u8], replacements: Replacements) -> Result<AdvisorInput, Failure> {
    let found = match parse_input(body) {
        Err(InputFault::InvalidJson { line, column, message }) => {
            let message = format!("the question is not JSON: {message}");
            return Err(invalid(&message, Some((line, column))));
        }
        other => other,
    };
    let replaced: Vec<_> = replacements.members().collect();
    if replaced.is_empty() {
        return found.map_err(|fault| violations(body, fault));
    }
    // Replaced fields are valid; all others may still be wrong.
    if let Err(InputFault::Violations(mut rest)) = found {
        let is_replaced = |path: &str| {
            replaced.iter().any(|(name, _)| path.strip_prefix('/').is_some_and(|key| key == *name))
        };
        rest.retain(|violation| !is_replaced(&violation.path));
        if !rest.is_empty() {
            return Err(violations(body, InputFault::Violations(rest)));
        }
    }
    let mut question: Value = serde_json::from_slice(body).unwrap_or_default();
    if let Some(members) = question.as_object_mut() {
        members.extend(replaced.into_iter().map(|(name, value)| (name.to_owned(), value)));
    }
    let body = question.to_string().into_bytes();
    parse_input(&body).map_err(|fault| violations(&body, fault))
}

/// Converts YAML to JSON.
fn from_yaml(text: &[u8]) -> Result<Vec<u8>, Failure> {
    let text = std::str::from_utf8(text).map_err(|error| {
        let before = String::from_utf8_lossy(&text[..error.valid_up_to()]);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
        invalid("the question is not UTF-8", Some((line, column)))
    })?;
    let options = serde_saphyr::options! {
        strict_booleans: true,
        with_snippet: false,
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
    };
    let value: Value = serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let place = error.location().and_then(|location| {
            let number = |value: u64| usize::try_from(value).ok();
            Some((number(location.line())?, number(location.column())?))
        });
        match words::of_yaml(&error.to_string()) {
            Some(words) => invalid(&format!("the question is not YAML: {words}"), place),
            None => invalid("the question is not YAML", place),
        }
    })?;
    Ok(value.to_string().into_bytes())
}

fn invalid(message: &str, place: Option<(usize, usize)>) -> Failure {
    let message = match place {
        Some((line, column)) => format!("{message} at line {line} column {column}"),
        None => message.to_owned(),
    };
    let violation = Violation::new("", message.clone()).with_hint(HINT);
    Failure::new(FailureCode::InvalidJson, message).with_details(vec![violation])
}

fn violations(body: &[u8], fault: InputFault) -> Failure {
    match fault {
        InputFault::Violations(details) => {
            let document = serde_json::from_slice(body).unwrap_or_default();
            let details = words::of_violations(&document, details);
            let message = match details.as_slice() {
                // An object with all fields of a question but of another type.
                [] => "the text is no question".to_owned(),
                details => InputFault::Violations(details.to_vec()).to_string().replacen(
                    "the body",
                    "the question",
                    1,
                ),
            };
            Failure::new(FailureCode::ContractViolation, message).with_details(details)
        }
        fault @ InputFault::InvalidJson { .. } => {
            let message = fault.to_string().replacen("the body", "the question", 1);
            Failure::new(FailureCode::InvalidJson, message)
        }
    }
}

/// The failure for a text longer than any question.
pub(crate) fn too_large() -> Failure {
    let message = format!(
        "the question is longer than {BODY_MAX_BYTES} bytes; name files and say what matters in them \
         instead of quoting them whole"
    );
    Failure::new(FailureCode::BodyTooLarge, message)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// The result of all rules for a question, with a check that the quick check accepts no other question.
    fn parse(text: &[u8], replacements: Replacements) -> Result<AdvisorInput, Failure> {
        let question = Question::read(text, replacements)?;
        question.check(replacements)?;
        assert_eq!(Ok(&question.input), checked(&question.body, replacements).as_ref());
        Ok(question.input)
    }

    fn check(text: &str, expected: Expect) {
        let told = match parse(text.as_bytes(), Replacements::default()) {
            Ok(input) => format!("{}\n", serde_json::to_string(&input).unwrap()),
            Err(failure) => serde_json::to_string_pretty(&failure).unwrap() + "\n",
        };
        expected.assert_eq(&told);
    }

    #[test]
    fn yaml_and_json_give_the_same_question() {
        let yaml = "# why not\nproblem: Which queue?\ncontext: |\n  three services\n  no: cloud\n\
                    candidate_plans:\n  - {name: no, description: \"it's: fine\"}\nphase: initial\n";
        let json = r#"{"problem":"Which queue?","context":"three services\nno: cloud\n",
            "candidate_plans":[{"name":"no","description":"it's: fine"}],"phase":"initial"}"#;
        let of = |text: &str| parse(text.as_bytes(), Replacements::default()).unwrap();
        assert_eq!(of(yaml), of(json));
        assert_eq!(of(&format!("\u{feff}{json}")), of(json));
    }

    #[test]
    fn what_is_broken_is_placed() {
        check(
            "{\"problem\": \"x\",\n \"context\" \"y\"}",
            expect![[r#"
            {
              "error": {
                "type": "input_error",
                "code": "invalid_json",
                "message": "the question is not JSON: expected `:` at line 2 column 12",
                "retryable": false,
                "details": [
                  {
                    "path": "",
                    "message": "the question is not JSON: expected `:` at line 2 column 12",
                    "hint": "`codex-advisor template` prints an example to fill in"
                  }
                ]
              }
            }
        "#]],
        );
        check(
            "problem: x\ncontext: \"never closed\nphase: initial\n",
            expect![[r#"
            {
              "error": {
                "type": "input_error",
                "code": "invalid_json",
                "message": "the question is not YAML: invalid indentation in multiline quoted scalar at line 3 column 1",
                "retryable": false,
                "details": [
                  {
                    "path": "",
                    "message": "the question is not YAML: invalid indentation in multiline quoted scalar at line 3 column 1",
                    "hint": "`codex-advisor template` prints an example to fill in"
                  }
                ]
              }
            }
        "#]],
        );
        check(
            "problem: x\nproblem: y\n",
            expect![[r#"
                {
                  "error": {
                    "type": "input_error",
                    "code": "invalid_json",
                    "message": "the question is not YAML: duplicate mapping key at line 2 column 1",
                    "retryable": false,
                    "details": [
                      {
                        "path": "",
                        "message": "the question is not YAML: duplicate mapping key at line 2 column 1",
                        "hint": "`codex-advisor template` prints an example to fill in"
                      }
                    ]
                  }
                }
            "#]],
        );
        check(
            "problem: x\n  context: y\n",
            expect![[r#"
            {
              "error": {
                "type": "input_error",
                "code": "invalid_json",
                "message": "the question is not YAML: mapping values are not allowed in this context at line 2 column 10",
                "retryable": false,
                "details": [
                  {
                    "path": "",
                    "message": "the question is not YAML: mapping values are not allowed in this context at line 2 column 10",
                    "hint": "`codex-advisor template` prints an example to fill in"
                  }
                ]
              }
            }
        "#]],
        );
        check(
            " \n",
            expect![[r#"
            {
              "error": {
                "type": "input_error",
                "code": "invalid_json",
                "message": "the question is empty",
                "retryable": false,
                "details": [
                  {
                    "path": "",
                    "message": "the question is empty",
                    "hint": "`codex-advisor template` prints an example to fill in"
                  }
                ]
              }
            }
        "#]],
        );
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        check(
            "problem: 42\ncandidate_plans:\nphase: second\nproblems: x\n",
            expect![[r#"
            {
              "error": {
                "type": "input_error",
                "code": "contract_violation",
                "message": "the question breaks the input contract in 5 places",
                "retryable": false,
                "details": [
                  {
                    "path": "/candidate_plans",
                    "message": "expected a list with at least one plan, found null",
                    "hint": "a plan is an object such as {\"name\": \"PlanA\", \"description\": \"...\"}"
                  },
                  {
                    "path": "/context",
                    "message": "expected a text (stack, constraints, structure), found nothing"
                  },
                  {
                    "path": "/phase",
                    "message": "expected `initial` or `final`, found the text `second`"
                  },
                  {
                    "path": "/problem",
                    "message": "expected a text that is not blank (the problem in one to three sentences), found the number 42"
                  },
                  {
                    "path": "/problems",
                    "message": "unknown field `problems`",
                    "hint": "did you mean `problem`?"
                  }
                ]
              }
            }
        "#]],
        );
    }

    #[test]
    fn the_command_line_replaces_phase_and_session() {
        let session_id: SessionId = "0199a213-81c0-7800-8aa1-bbab2a035a53".parse().unwrap();
        let replacements = Replacements { phase: Some(Phase::Final), session_id: Some(session_id) };
        let text = "problem: x\ncontext: y\ncandidate_plans: [{name: a, description: b}]\n\
                    phase: nonsense\n";
        let input = parse(text.as_bytes(), replacements).unwrap();
        assert_eq!((input.phase, input.session_id), (Phase::Final, Some(session_id)));
        let failure = parse(b"context: y\nphase: 3\n", replacements).unwrap_err();
        let paths: Vec<_> = failure.error.details.iter().map(|each| each.path.as_str()).collect();
        assert_eq!(paths, ["/candidate_plans", "/problem"]);
    }
}
