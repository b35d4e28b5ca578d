//! Model ids: `provider:model`. No look-ups; whether a model exists is decided by the
//! catalogue and finally by the provider.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

/// A provider: eight known ones, and any endpoint with OpenAI Chat Completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// Anthropic: Claude.
    Anthropic,
    /// OpenAI: GPT and the o series.
    Openai,
    /// DeepSeek.
    Deepseek,
    /// Alibaba: Qwen.
    Alibaba,
    /// Google: Gemini.
    Google,
    /// xAI: Grok.
    Xai,
    /// Zhipu: GLM.
    Zhipu,
    /// Moonshot: Kimi.
    Moonshotai,
    /// An endpoint that the user configured.
    Custom,
}

impl Provider {
    /// All nine, in the order in which the first usable key decides the default model.
    pub const ALL: [Self; 9] = [
        Self::Anthropic,
        Self::Openai,
        Self::Deepseek,
        Self::Alibaba,
        Self::Google,
        Self::Xai,
        Self::Zhipu,
        Self::Moonshotai,
        Self::Custom,
    ];

    /// The provider's name in an id.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Openai => "openai",
            Self::Deepseek => "deepseek",
            Self::Alibaba => "alibaba",
            Self::Google => "google",
            Self::Xai => "xai",
            Self::Zhipu => "zhipu",
            Self::Moonshotai => "moonshotai",
            Self::Custom => "custom",
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

/// A provider and the model's name there.
///
/// The name is everything after the first colon, byte for byte: `alibaba:qwen-max` is sent as
/// `qwen-max`, and `custom:foo:latest-high` as `foo:latest-high`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelId {
    provider: Provider,
    name: String,
}

/// Why a text is not a model id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidId {
    /// There is no colon.
    #[error("`{text}` is not of the form provider:model")]
    NoColon {
        /// The given text.
        text: String,
    },
    /// The word before the colon is not a provider.
    #[error("`{word}` is no provider")]
    UnknownProvider {
        /// The word before the colon.
        word: String,
    },
    /// The name after the colon is empty or contains control characters.
    #[error("`{text}` has no usable model name after the colon")]
    InvalidName {
        /// The given text, with control characters escaped.
        text: String,
    },
}

impl ModelId {
    /// The id of the model `name` of `provider`.
    ///
    /// # Errors
    /// [`InvalidId::InvalidName`] if `name` is empty or contains a control character.
    pub fn new(provider: Provider, name: &str) -> Result<Self, InvalidId> {
        if name.is_empty() || name.contains(char::is_control) {
            let text = format!("{provider}:{}", name.escape_debug());
            return Err(InvalidId::InvalidName { text });
        }
        Ok(Self { provider, name: name.to_owned() })
    }

    /// The provider.
    pub const fn provider(&self) -> Provider {
        self.provider
    }

    /// The model's name as sent to the provider.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl FromStr for ModelId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let Some((word, name)) = text.split_once(':') else {
            return Err(InvalidId::NoColon { text: text.escape_debug().to_string() });
        };
        let provider = Provider::ALL.into_iter().find(|provider| provider.word() == word);
        let unknown = || InvalidId::UnknownProvider { word: word.escape_debug().to_string() };
        Self::new(provider.ok_or_else(unknown)?, name)
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.provider, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::{InvalidId, ModelId, Provider};

    fn parts(text: &str) -> Result<(Provider, String), InvalidId> {
        text.parse::<ModelId>().map(|id| (id.provider(), id.name().to_owned()))
    }

    /// docs/MODELS.md, hazard 1: a library that guesses from suffixes sends `qwen-max` as `qwen`.
    #[test]
    fn hazard_1_a_name_is_kept_byte_for_byte() {
        for (provider, name) in [
            (Provider::Alibaba, "qwen-max"),
            (Provider::Custom, "foo-high"),
            (Provider::Custom, "org/Model:Q4_K_M-low "),
            (Provider::Openai, "o3-minimal"),
            (Provider::Custom, "豆包-1.5"),
        ] {
            let id: ModelId = format!("{provider}:{name}").parse().unwrap();
            assert_eq!((id.provider(), id.name()), (provider, name));
            assert_eq!(id.to_string(), format!("{provider}:{name}"));
        }
    }

    #[test]
    fn what_is_no_id_is_told_apart() {
        assert_eq!(parts("sonnet"), Err(InvalidId::NoColon { text: "sonnet".into() }));
        let unknown = InvalidId::UnknownProvider { word: "antropic".into() };
        assert_eq!(parts("antropic:claude"), Err(unknown));
        for text in ["openai:", "openai:a\nb", "openai:\u{1b}[1m"] {
            assert!(matches!(parts(text), Err(InvalidId::InvalidName { .. })), "{text:?}");
        }
    }
}
