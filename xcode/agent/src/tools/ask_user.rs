//! `askUser`: the model asks the user a question. Not here: how it is shown.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};

use crate::action::Action;
use crate::host::{Choice, Offer, Question};
use crate::tool::{Outcome, Running, Tool};

/// The result for the model if there is no user.
const NOBODY: &str = "No user is present; decide yourself and say what you assumed.";

/// The tool `askUser`.
#[must_use]
pub fn ask_user_tool() -> Arc<dyn Tool> {
    Arc::new(AskUser)
}

struct AskUser;

impl Tool for AskUser {
    fn definition(&self) -> llm::Tool {
        llm::Tool {
            name: "askUser".to_owned(),
            description:
                "Ask the user a clarifying question with multiple-choice options. Use when you \
                          need user input to decide between approaches."
                    .to_owned(),
            schema: json!({
                "type": "object",
                "properties": {
                    "question": { "type": "string", "description": "The question to ask" },
                    "options": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "label": {
                                    "type": "string",
                                    "description": "Option label (1-5 words)"
                                },
                                "description": {
                                    "type": "string",
                                    "description": "What this option means"
                                }
                            },
                            "required": ["label", "description"],
                            "additionalProperties": false
                        },
                        "minItems": 2,
                        "maxItems": 4,
                        "description": "Choices (an \"Other\" option is auto-appended)"
                    }
                },
                "required": ["question", "options"],
                "additionalProperties": false
            }),
        }
    }

    /// Not concurrent: one question at a time.
    fn is_reading(&self) -> bool {
        false
    }

    fn action(&self, _: &Map<String, Value>) -> Action {
        Action::Nothing
    }

    fn run<'a>(&'a self, call: Running<'a>) -> BoxFuture<'a, Outcome> {
        Box::pin(ask(call))
    }
}

async fn ask(call: Running<'_>) -> Outcome {
    let text = |value: &Value, field: &str| {
        value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let offer = |offer: &Value| Offer {
        label: text(offer, "label"),
        description: text(offer, "description"),
    };
    let offers = call.arguments.get("options").and_then(Value::as_array);
    let offers: Vec<Offer> = offers.into_iter().flatten().map(offer).collect();
    let question = call.arguments.get("question").and_then(Value::as_str).unwrap_or_default();
    let question = Question { question: question.to_owned(), offers: offers.clone() };
    let choice = tokio::select! {
        () = call.cancel.cancelled() => {
            let status = contract::xc::CallStatus::Interrupted;
            return Outcome { status, ..Outcome::ok("Interrupted by user.") };
        }
        choice = call.host.choose(question) => choice,
    };
    match choice {
        Choice::Offered(place) => match offers.get(place) {
            Some(offer) => Outcome::ok(&offer.label),
            None => Outcome::error(NOBODY),
        },
        Choice::Own(words) => Outcome::ok(words),
        Choice::Nobody => Outcome::error(NOBODY),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use contract::xc::{CallStatus, What};
    use llm::Cancel;

    use super::*;
    use crate::host::{Answer, Ask, Host};

    /// A user who gives one answer, or is never done.
    struct User {
        choice: Option<Choice>,
        asked: Mutex<Vec<Question>>,
    }

    impl Host for User {
        fn tell(&self, what: What) {
            panic!("{what:?}");
        }

        fn permit(&self, ask: Ask) -> BoxFuture<'_, Answer> {
            panic!("{ask:?}");
        }

        fn choose(&self, question: Question) -> BoxFuture<'_, Choice> {
            self.asked.lock().unwrap().push(question);
            match self.choice.clone() {
                Some(choice) => Box::pin(async { choice }),
                None => Box::pin(std::future::pending()),
            }
        }
    }

    async fn asked(choice: Option<Choice>, cancel: &Cancel) -> (Outcome, Vec<Question>) {
        let user = User { choice, asked: Mutex::default() };
        let arguments = json!({
            "question": "数据库用哪个方案？",
            "options": [
                { "label": "PostgreSQL", "description": "关系型，适合复杂查询" },
                { "label": "SQLite", "description": "轻量级，无需服务器" }
            ]
        });
        let tool = ask_user_tool();
        let arguments = arguments.as_object().unwrap();
        assert!(jsonschema::is_valid(&tool.definition().schema, &json!(arguments)));
        assert_eq!(tool.action(arguments), Action::Nothing);
        let action = &Action::Nothing;
        let outcome = tool
            .run(Running { id: "1", arguments, action, instead: None, host: &user, cancel })
            .await;
        (outcome, user.asked.into_inner().unwrap())
    }

    #[tokio::test]
    async fn the_answer_goes_back_to_the_model() {
        let never = Cancel::new();
        let (outcome, questions) = asked(Some(Choice::Offered(1)), &never).await;
        assert_eq!((outcome.status, outcome.text.as_str()), (CallStatus::Ok, "SQLite"));
        let [question] = questions.as_slice() else { panic!("{questions:?}") };
        assert_eq!(question.question, "数据库用哪个方案？");
        assert_eq!(question.offers[0].description, "关系型，适合复杂查询");
        let (outcome, _) = asked(Some(Choice::Own("neither".to_owned())), &never).await;
        assert_eq!(outcome.text, "neither");
    }

    #[tokio::test]
    async fn without_a_user_the_model_decides_and_says_so() {
        for choice in [Choice::Nobody, Choice::Offered(9)] {
            let (outcome, _) = asked(Some(choice), &Cancel::new()).await;
            assert_eq!(outcome.status, CallStatus::Error);
            assert_eq!(
                outcome.text,
                "No user is present; decide yourself and say what you assumed."
            );
        }
    }

    #[tokio::test]
    async fn an_interrupt_ends_the_question() {
        let cancel = Cancel::new();
        cancel.cancel();
        let (outcome, _) = asked(None, &cancel).await;
        assert_eq!(outcome.status, CallStatus::Interrupted);
    }

    #[test]
    fn it_is_described_in_the_words_of_the_seed() {
        let llm::Tool { name, description, schema } = AskUser.definition();
        assert_eq!(
            (name.as_str(), description.as_str()),
            (
                "askUser",
                "Ask the user a clarifying question with multiple-choice options. Use when you need user \
                 input to decide between approaches."
            )
        );
        let options = &schema["properties"]["options"];
        assert_eq!(schema["properties"]["question"]["description"], "The question to ask");
        assert_eq!((&options["minItems"], &options["maxItems"]), (&json!(2), &json!(4)));
        assert_eq!(options["description"], "Choices (an \"Other\" option is auto-appended)");
        let offer = &options["items"]["properties"];
        assert_eq!(offer["label"]["description"], "Option label (1-5 words)");
        assert_eq!(offer["description"]["description"], "What this option means");
    }
}
