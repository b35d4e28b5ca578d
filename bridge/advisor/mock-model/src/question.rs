//! Finds the advisor's question in the text of a prompt. The prompt's wording is not
//! known here, so any JSON object with `candidate_plans` counts, wherever it is.

use serde_json::{Deserializer, Value};

/// How many opening braces are tried in one text, to limit the cost of a prompt full of braces.
const BRACES_MAX: usize = 4_096;

/// The longest name that is repeated in an answer, in characters.
const NAME_MAX_CHARS: usize = 200;

/// The parts of a question that the answer depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The problem.
    pub problem: String,
    /// The caller's plans; may be empty if the question cannot be parsed.
    pub plans: Vec<Plan>,
    /// The caller's questions.
    pub questions: Vec<String>,
    /// The round.
    pub round: Round,
    /// The language of the answer.
    pub language: Language,
}

/// One of the caller's plans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Its exact name, which the recommendation refers to.
    pub name: String,
    /// Its assumptions.
    pub assumptions: Vec<String>,
    /// Its suspicions.
    pub suspicions: Vec<String>,
}

/// The phase of the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Round {
    /// Round 1.
    Initial,
    /// Round 2.
    Final,
}

/// The language of the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Mostly Han characters.
    Chinese,
    /// Everything else.
    English,
}

impl Question {
    /// The latest question in a conversation's user messages. A message without one (such as a
    /// request to repair an answer) is skipped. If there is none at all, an empty question.
    #[must_use]
    pub fn find(user_texts: &[String]) -> Self {
        let found = user_texts.iter().rev().find_map(|text| last_question(text));
        found.unwrap_or_else(|| {
            let text = user_texts.last().map_or("", String::as_str);
            Self {
                problem: String::new(),
                plans: Vec::new(),
                questions: Vec::new(),
                round: Round::Initial,
                language: language(text),
            }
        })
    }
}

/// The last JSON object with `candidate_plans`: if the first round is repeated, the latest
/// question comes after it.
fn last_question(text: &str) -> Option<Question> {
    let mut found = None;
    let mut from = 0;
    for _ in 0..BRACES_MAX {
        let Some(offset) = text[from..].find('{') else { break };
        let start = from + offset;
        let mut stream = Deserializer::from_str(&text[start..]).into_iter::<Value>();
        from = match stream.next() {
            Some(Ok(value)) => {
                if value["candidate_plans"].is_array() {
                    found = Some(read(&value));
                }
                start + stream.byte_offset()
            }
            _ => start + 1,
        };
    }
    found
}

fn read(value: &Value) -> Question {
    let plans = value["candidate_plans"].as_array().into_iter().flatten();
    let plan = |plan: &Value| {
        let name = plan["name"].as_str().filter(|name| name.chars().count() <= NAME_MAX_CHARS)?;
        let assumptions = strings(&plan["assumptions"]);
        Some(Plan { name: name.to_owned(), assumptions, suspicions: strings(&plan["suspicions"]) })
    };
    let problem = value["problem"].as_str().unwrap_or_default();
    let context = value["context"].as_str().unwrap_or_default();
    Question {
        problem: problem.to_owned(),
        plans: plans.filter_map(plan).collect(),
        questions: strings(&value["questions_for_codex"]),
        round: if value["phase"] == "final" { Round::Final } else { Round::Initial },
        language: language(&format!("{problem}\n{context}")),
    }
}

fn strings(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Compares the numbers of Han characters and of Latin words: technical terms in a Chinese sentence are Latin.
fn language(text: &str) -> Language {
    let han = text.chars().filter(|each| matches!(each, '\u{4e00}'..='\u{9fff}')).count();
    let words = text
        .split(|each: char| !each.is_ascii_alphanumeric())
        .filter(|word| word.starts_with(|each: char| each.is_ascii_alphabetic()))
        .count();
    if han > words { Language::Chinese } else { Language::English }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> (Vec<String>, Round, Language) {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        let found = Question::find(&texts);
        (found.plans.into_iter().map(|plan| plan.name).collect(), found.round, found.language)
    }

    #[test]
    fn the_newest_question_is_found_wherever_it_stands() {
        let first = r#"{"problem":"p","candidate_plans":[{"name":"A"}],"phase":"initial"}"#;
        let second = r#"{"problem":"p","candidate_plans":[{"name":"B"}],"phase":"final"}"#;
        let fenced = format!("Rules {{ not json }}.\n```json\n{first}\n```\nAnswer {{now}}.");
        let restated = format!("Round 1 was:\n{first}\nNow:\n{second}");
        let (a, b) = (vec!["A".to_owned()], vec!["B".to_owned()]);
        for (texts, expected) in [
            (vec![fenced.as_str()], (a.clone(), Round::Initial)),
            (vec![first, second], (b.clone(), Round::Final)),
            (vec![restated.as_str()], (b.clone(), Round::Final)),
            (vec![second, "Mend your answer: {\"path\": 1}"], (b, Round::Final)),
            (vec!["no question"], (vec![], Round::Initial)),
            (vec![], (vec![], Round::Initial)),
        ] {
            let (names, round, _) = names(&texts);
            assert_eq!((names, round), expected, "{texts:?}");
        }
    }

    #[test]
    fn the_language_is_that_of_problem_and_context() {
        for (problem, expected) in [
            ("订单服务要不要拆分成 outbox 和 worker 两部分？", Language::Chinese),
            ("Should the order service be split? See 订单.", Language::English),
            ("", Language::English),
        ] {
            let question = serde_json::json!({ "problem": problem, "candidate_plans": [] });
            assert_eq!(names(&[&question.to_string()]).2, expected, "{problem}");
        }
    }

    #[test]
    fn a_prompt_made_of_braces_is_read_in_no_time() {
        let braces = "{\"a\":".repeat(100_000);
        assert_eq!(names(&[&braces]).0, Vec::<String>::new());
    }
}
