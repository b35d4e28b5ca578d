//! Lets the model write the summary of a session: facts known to the code are kept, and what only a reader can tell is
//! added. Not here: when this is done, and the summary made by code ([`crate::summary`]).

use std::time::Duration;

use contract::xc::{SessionStatus, SessionSummary};
use llm::{Cancel, Content, Message, Request};
use redact::{Cut, Redactor};
use serde_json::Value;

use crate::compact;
use crate::host::Host;
use crate::state::State;
use crate::step::reply::{self, Audience};
use crate::step::words;
use crate::summary::{LINE_MAX, LINES_MAX};

/// The model's time limit: the user waits for the program to end.
const TIME: Duration = Duration::from_secs(5);

/// The instruction to the model.
const PROMPT: &str = "Write the record of the following session, in the language of its user. Answer with \
    one JSON object and nothing else: {\"title\": \"at most ten words\", \"summary\": \"two or three \
    sentences\", \"keyResults\": [\"...\"], \"pendingWork\": [\"what was asked for and is not done\"], \
    \"decisions\": [\"...\"]}. Leave a list empty where there is nothing for it.";

/// The longest answer, in tokens.
const ANSWER_MAX: u64 = 1_000;

/// The longest summary, in characters.
const SUMMARY_MAX: usize = 1_000;

/// Requests the summary and saves it. Returns whether there was one.
pub(crate) async fn summarise(session: &mut State, host: &dyn Host, cancel: &Cancel) -> bool {
    let messages = session.conversation.messages();
    if !messages.iter().any(|message| matches!(message, Message::Answer(_))) {
        return false;
    }
    let text = compact::whole(messages, session.model.limits().window);
    let request = Request {
        system: PROMPT.to_owned(),
        tools: Vec::new(),
        messages: vec![Message::User(vec![Content::Text(text)])],
        output_limit: Some(ANSWER_MAX),
        thinking: None,
    };
    let asked = reply::ask(session, &request, Audience::Nobody, host, cancel);
    let Ok(Ok(answer)) = tokio::time::timeout(TIME, asked).await else { return false };
    let said = words(&answer.parts);
    let Some(summary) = told(session.record.summary(), &said) else { return false };
    session.record.save(host, &summary);
    true
}

/// The summary extended by the model's text.
fn told(by_code: SessionSummary, said: &str) -> Option<SessionSummary> {
    let line = |text: &str, most| {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = Redactor::new().sanitize(&text, Cut::chars(most).marked()).text.into_owned();
        (!text.is_empty()).then_some(text)
    };
    let (from, to) = (said.find('{'), said.rfind('}'));
    let object = from.zip(to).and_then(|(from, to)| said.get(from..=to));
    let object: Option<Value> = object.and_then(|object| serde_json::from_str(object).ok());
    let Some(object) = object else {
        return Some(SessionSummary { summary: line(said, SUMMARY_MAX)?, ..by_code });
    };
    let lines = |name: &str| -> Option<Vec<String>> {
        let lines = object[name].as_array()?.iter().filter_map(Value::as_str);
        let lines: Vec<_> = lines.filter_map(|text| line(text, LINE_MAX)).take(LINES_MAX).collect();
        (!lines.is_empty()).then_some(lines)
    };
    let pending = lines("pendingWork");
    let status = match pending {
        Some(_) => SessionStatus::InProgress,
        None => by_code.status,
    };
    Some(SessionSummary {
        title: object["title"]
            .as_str()
            .and_then(|text| line(text, LINE_MAX))
            .unwrap_or(by_code.title),
        summary: line(object["summary"].as_str()?, SUMMARY_MAX)?,
        key_results: lines("keyResults").unwrap_or(by_code.key_results),
        pending_work: pending.unwrap_or(by_code.pending_work),
        decisions: lines("decisions").unwrap_or(by_code.decisions),
        status,
        ..by_code
    })
}

#[cfg(test)]
mod tests {
    use contract::xc::{SessionStatus, SessionSummary};
    use serde_json::json;

    use super::told;

    fn by_code() -> SessionSummary {
        serde_json::from_value(json!({
            "id": "0199a213-81c0-7800-8aa1-bbab2a035a53", "title": "fix it",
            "startedAt": "2026-11-22T20:15:00.123Z", "endedAt": "2026-11-22T20:16:00.123Z",
            "status": "completed", "summary": "1 prompt.", "keyResults": ["Done."],
            "pendingWork": [], "filesModified": ["a.rs"], "decisions": [],
            "journal": "x.jsonl", "model": null, "cost_usd": null, "costUsd": null
        }))
        .unwrap()
    }

    #[test]
    fn the_words_of_the_model_stand_beside_what_code_knows() {
        let said = "Here it is:\n```json\n{\"title\": \"登录\", \"summary\": \"Login\\nworks.\", \
                    \"pendingWork\": [\"refresh token\"], \"decisions\": [7]}\n```";
        let summary = told(by_code(), said).unwrap();
        assert_eq!((summary.title.as_str(), summary.summary.as_str()), ("登录", "Login works."));
        assert_eq!(summary.pending_work, ["refresh token"]);
        assert_eq!(summary.status, SessionStatus::InProgress);
        assert_eq!(
            (summary.key_results, summary.files_modified),
            (vec!["Done.".into()], vec!["a.rs".into()])
        );
    }

    #[test]
    fn words_that_are_no_object_are_the_summary_and_silence_is_none() {
        let summary = told(by_code(), "Login works.").unwrap();
        assert_eq!(
            (summary.summary.as_str(), summary.status),
            ("Login works.", SessionStatus::Completed)
        );
        assert_eq!(told(by_code(), " \n"), None);
        assert_eq!(told(by_code(), "{\"title\": \"no summary\"}"), None);
    }
}
