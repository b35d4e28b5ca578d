//! The known providers and models: endpoints, context windows, prices. One dated file, compiled in;
//! the configuration overrides it. Uses no network.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::event::Usage;
use crate::id::{ModelId, Provider};

/// Assumed context window of an unknown model, in tokens.
pub const ASSUMED_WINDOW: u64 = 128_000;

/// Maximum tokens of an answer, if a protocol requires a limit and the catalogue has none.
pub const ASSUMED_OUTPUT: u64 = 8_192;

/// The wire protocol of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Anthropic Messages.
    Messages,
    /// OpenAI Chat Completions.
    Chat,
    /// Gemini `streamGenerateContent`.
    Gemini,
    /// OpenAI Responses.
    Responses,
}

/// How reliable a model's tool calls are, as documented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolCalling {
    /// Calls are rarely malformed.
    High,
    /// Calls are occasionally malformed.
    Medium,
}

/// Deviations of a provider from its protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Quirks {
    /// The name of the output limit in Chat Completions.
    pub output_limit: OutputLimit,
    /// An answer with calls must be sent back with its `reasoning_content`.
    pub reasoning_returns: bool,
    /// An answer of another provider with calls needs some `reasoning_content`,
    /// too: the model rejects calls without any. Set by [`Catalogue::quirks`].
    #[serde(skip)]
    pub reasoning_stand_in: bool,
}

/// The name of the output limit in Chat Completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputLimit {
    /// `max_tokens`, what most endpoints know.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`: o3 and newer answer 400 to `max_tokens`.
    MaxCompletionTokens,
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Per uncached input token.
    pub input: f64,
    /// Per output token, reasoning included.
    pub output: f64,
    /// Per cached input token; `None` if the provider has no lower price.
    pub cached: Option<f64>,
    /// Per token written to the cache, if that costs more than `input`.
    pub cache_written: Option<f64>,
    /// Prices of long requests, if they are higher.
    pub long: Option<LongPrice>,
}

impl Price {
    /// The estimated cost of one request in US dollars, by the catalogue's prices.
    pub fn cost(&self, usage: &Usage) -> f64 {
        let long = self.long.filter(|long| usage.input > long.above);
        let (input, output, cached) = match long {
            Some(long) => (long.input, long.output, long.cached),
            None => (self.input, self.output, self.cached),
        };
        let fresh = usage.input.saturating_sub(usage.cached).saturating_sub(usage.cache_written);
        let parts = [
            (fresh, input),
            (usage.cached, cached.unwrap_or(input)),
            (usage.cache_written, self.cache_written.unwrap_or(input)),
            (usage.output, output),
        ];
        let million = |(tokens, price): (u64, f64)| {
            // Token counts are far below this limit.
            let tokens = u32::try_from(tokens).unwrap_or(u32::MAX);
            f64::from(tokens) * price / 1_000_000.0
        };
        parts.into_iter().map(million).sum()
    }
}

/// US dollars per million tokens of a request above a length.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongPrice {
    /// Requests with more tokens than this are long.
    pub above: u64,
    /// As in [`Price`].
    pub input: f64,
    /// As in [`Price`].
    pub output: f64,
    /// As in [`Price`].
    pub cached: Option<f64>,
}

/// Token limits of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Context window: request and answer together, in tokens.
    pub window: u64,
    /// Maximum answer, in tokens; `None` if unknown.
    pub output: Option<u64>,
    /// Whether images can be sent.
    pub images: bool,
    /// Whether the window is assumed, because the catalogue does not have the model.
    pub is_assumed: bool,
}

/// One provider of the catalogue.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderEntry {
    /// The provider's id.
    pub id: Provider,
    /// The name for people.
    pub name: String,
    /// Its protocol.
    pub protocol: Protocol,
    /// Its base URL; `None` for `custom`, whose URL the user sets.
    pub base_url: Option<String>,
    /// The environment variable with its key.
    pub key_variable: String,
    /// The web page where keys are issued; `None` for `custom`.
    pub key_page: Option<String>,
    /// The default model; `None` for `custom`.
    pub default_model: Option<String>,
    /// How reliable tool calls are; `None` if that is not documented.
    pub tool_calling: Option<ToolCalling>,
    #[serde(default)]
    quirks: Quirks,
    /// Name prefixes of models that reject calls without reasoning.
    #[serde(default)]
    reasoning_demanded_from: Vec<String>,
    /// Name prefixes of models that need the Responses protocol.
    #[serde(default)]
    responses_from: Vec<String>,
    models: Vec<ModelEntry>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelEntry {
    name: String,
    window: u64,
    output: Option<u64>,
    images: bool,
    price: Option<Price>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Alias {
    alias: String,
    model: String,
}

/// The providers, models, prices and aliases as of [`Catalogue::as_of`].
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// The date of the data, as `2026-07-31`.
    pub as_of: String,
    /// The source of the data.
    pub source: String,
    providers: Vec<ProviderEntry>,
    aliases: Vec<Alias>,
}

static BUILT_IN: LazyLock<Catalogue> = LazyLock::new(|| {
    serde_json::from_str(include_str!("catalogue.json")).expect("a test reads the catalogue")
});

impl Catalogue {
    /// The catalogue that is compiled in.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// All providers, in the order in which the first usable key decides the default model.
    pub fn providers(&self) -> &[ProviderEntry] {
        &self.providers
    }

    /// The entry of `provider`.
    ///
    /// # Panics
    /// Never: a test checks that each provider has an entry.
    pub fn provider(&self, provider: Provider) -> &ProviderEntry {
        let entry = self.providers.iter().find(|entry| entry.id == provider);
        entry.expect("each provider has an entry")
    }

    /// The ids of all known models.
    pub fn models(&self) -> impl Iterator<Item = ModelId> {
        self.providers.iter().flat_map(|entry| {
            entry.models.iter().filter_map(|model| ModelId::new(entry.id, &model.name).ok())
        })
    }

    /// The aliases and the ids they stand for.
    pub fn aliases(&self) -> impl Iterator<Item = (&str, ModelId)> {
        self.aliases
            .iter()
            .filter_map(|Alias { alias, model }| Some((&**alias, model.parse().ok()?)))
    }

    /// The protocol for `id`.
    pub fn protocol(&self, id: &ModelId) -> Protocol {
        let entry = self.provider(id.provider());
        if entry.responses_from.iter().any(|begin| id.name().starts_with(&**begin)) {
            return Protocol::Responses;
        }
        entry.protocol
    }

    /// The deviations of the provider of `id` for this model.
    pub fn quirks(&self, id: &ModelId) -> Quirks {
        let entry = self.provider(id.provider());
        let mut begins = entry.reasoning_demanded_from.iter();
        let reasoning_stand_in = begins.any(|begin| id.name().starts_with(&**begin));
        Quirks { reasoning_stand_in, ..entry.quirks }
    }

    /// The limits of `id`; with [`ASSUMED_WINDOW`] if it is unknown.
    pub fn limits(&self, id: &ModelId) -> Limits {
        match self.model(id) {
            Some(&ModelEntry { window, output, images, .. }) => {
                Limits { window, output, images, is_assumed: false }
            }
            None => {
                Limits { window: ASSUMED_WINDOW, output: None, images: false, is_assumed: true }
            }
        }
    }

    /// The price of `id`; `None` if unknown, which does not mean free.
    pub fn price(&self, id: &ModelId) -> Option<&Price> {
        self.model(id)?.price.as_ref()
    }

    /// The three known aliases and ids most similar to `text`, best first.
    pub fn nearest(&self, text: &str) -> Vec<String> {
        let known = self.aliases().map(|(alias, _)| alias.to_owned());
        let known = known.chain(self.models().map(|id| id.to_string()));
        let likeness = |known: &str| {
            let name = known.split_once(':').map_or(known, |(_, name)| name);
            strsim::jaro_winkler(text, known).max(strsim::jaro_winkler(text, name))
        };
        let mut known: Vec<_> = known.map(|known| (likeness(&known), known)).collect();
        known.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        known.into_iter().take(3).map(|(_, known)| known).collect()
    }

    fn model(&self, id: &ModelId) -> Option<&ModelEntry> {
        self.provider(id.provider()).models.iter().find(|model| model.name == id.name())
    }
}

#[cfg(test)]
mod tests;
