//! Hints for the user about a provider's failure, by its class.

use contract::xc::FailureClass;
use llm::ModelId;

use crate::config::Config;
use crate::models::{Chosen, usable};
use crate::words::{self, Language};

/// The facts that hints are made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hints {
    id: ModelId,
    /// The source of the model's choice.
    chosen: String,
    /// The source of its key.
    key: String,
    /// The other providers that have a key.
    others: Vec<&'static str>,
}

impl Hints {
    /// Hints for the model in use.
    pub(crate) fn new(config: &Config, chosen: &Chosen) -> Self {
        let provider = config.provider(chosen.id.provider());
        let key = provider.key.as_ref().map(|key| key.source().to_string()).unwrap_or_default();
        let others = usable(config).filter(|other| *other != provider.provider);
        let others = others.map(|other| other.word()).collect();
        Self { id: chosen.id.clone(), chosen: chosen.source.to_string(), key, others }
    }

    /// Hints when nothing else is known.
    #[cfg(test)]
    pub(crate) fn none(id: ModelId) -> Self {
        Self { id, chosen: String::new(), key: String::new(), others: Vec::new() }
    }

    /// The hint for a failure, if the user can do something.
    pub(crate) fn line(&self, words: Language, class: FailureClass) -> Option<String> {
        let Self { id, chosen, key, others } = self;
        match class {
            FailureClass::Auth => {
                let values = [("provider", id.provider().word()), ("key", key)];
                Some(words.fill(&words::HINT_AUTH, &values))
            }
            FailureClass::ModelUnknown => {
                let values = [("model", &*id.to_string()), ("chosen", chosen)];
                Some(words.fill(&words::HINT_MODEL, &values))
            }
            FailureClass::Quota
            | FailureClass::RateLimited
            | FailureClass::Overloaded
            | FailureClass::Server => (!others.is_empty())
                .then(|| words.fill(&words::HINT_OTHERS, &[("others", &others.join(", "))])),
            FailureClass::ContextLength => Some(words.say(&words::HINT_LENGTH).to_owned()),
            FailureClass::Network => Some(words.say(&words::HINT_NETWORK).to_owned()),
            FailureClass::BadRequest
            | FailureClass::Refused
            | FailureClass::Cut
            | FailureClass::Timeout
            | FailureClass::Unreadable => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FailureClass, Hints, Language};

    #[test]
    fn each_class_names_what_can_be_done() {
        let id = "openai:gpt-4.1".parse().unwrap();
        let (chosen, key) = ("--model".to_owned(), "OPENAI_API_KEY".to_owned());
        let hints = Hints { id, chosen, key, others: vec!["anthropic", "deepseek"] };
        for (class, told) in [
            (FailureClass::Auth, "the key of openai is from OPENAI_API_KEY"),
            (FailureClass::ModelUnknown, "openai:gpt-4.1 was chosen by --model"),
            (FailureClass::Overloaded, "other providers with a key: anthropic, deepseek"),
            (FailureClass::ContextLength, "begin a new session"),
        ] {
            assert!(hints.line(Language::En, class).unwrap().contains(told), "{class:?}");
        }
        assert_eq!(hints.line(Language::En, FailureClass::Cut), None);
        let alone = Hints { others: Vec::new(), ..hints };
        assert_eq!(alone.line(Language::En, FailureClass::Overloaded), None);
    }
}
