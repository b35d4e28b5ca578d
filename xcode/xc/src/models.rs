//! Chooses the model among those whose provider has a key. Order of precedence: flag, variable, file, then the
//! first key that is found.

mod key_command;

use std::sync::Arc;

use llm::{Catalogue, InvalidAddress, Key, Model, ModelId, Provider, RemoteModel, Settings, Times};

use crate::config::{Config, KeyFrom, Source, Sourced, nearest};
pub(crate) use key_command::{KeyCommandError, Shell};

/// A model, and the source of the choice.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chosen {
    pub(crate) id: ModelId,
    /// The source of the choice.
    pub(crate) source: Source,
    /// A message for the user about it.
    pub(crate) note: Option<String>,
}

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoModel {
    /// There is no such alias or provider.
    #[error("{place}: there is no model `{text}`; the nearest are {}", .nearest.join(", "))]
    Unknown {
        /// The source of the name.
        place: Source,
        /// The name as given.
        text: String,
        /// The three most similar known names.
        nearest: Vec<String>,
    },
    /// The model's provider has no key.
    #[error("{id} needs a key: set {variable}, or {file}")]
    NoKey {
        id: ModelId,
        /// The variable that holds the key.
        variable: &'static str,
        /// Its setting.
        file: String,
    },
    /// No provider has a key.
    #[error("no API key was found; set one of {}", .variables.join(", "))]
    NoKeyAtAll { variables: Vec<&'static str> },
    /// `custom` has no address.
    #[error("{id} needs an address: set OPENAI_COMPATIBLE_BASE_URL")]
    NoAddress { id: ModelId },
    /// `custom` has no model.
    #[error("the first key found is that of `custom`: name its model with OPENAI_COMPATIBLE_MODEL")]
    NoName,
    /// The address cannot be used.
    #[error("{id} cannot be reached: {source}")]
    Address { id: ModelId, source: InvalidAddress },
    /// The command that prints the key failed.
    #[error("{id} has no key: {source}")]
    KeyCommand { id: ModelId, source: KeyCommandError },
}

impl NoModel {
    /// Whether the given name is wrong, as opposed to a missing key.
    pub(crate) const fn is_misuse(&self) -> bool {
        matches!(self, Self::Unknown { .. })
    }
}

/// The model that `flag` or the configuration names, else the model of the first key.
///
/// # Errors
/// All variants of [`NoModel`] except those of the key's command.
pub(crate) fn choose(config: &Config, flag: Option<&str>) -> Result<Chosen, NoModel> {
    let flag = flag.map(|text| Sourced { value: text.to_owned(), source: Source::Flag("--model") });
    match flag.or_else(|| config.model.clone()) {
        Some(Sourced { value, source }) => named(config, &value, source),
        None => default(config),
    }
}

/// The model for a name: one of the user's aliases, one of the catalogue's, or an id.
///
/// # Errors
/// [`NoModel::Unknown`], [`NoModel::NoKey`] and [`NoModel::NoAddress`].
pub(crate) fn named(config: &Config, text: &str, source: Source) -> Result<Chosen, NoModel> {
    let catalogue = Catalogue::built_in();
    let own = config.aliases.iter().find(|(alias, _)| alias == text);
    let text = own.map_or(text, |(_, id)| id);
    let alias = catalogue.aliases().find(|(alias, _)| *alias == text).map(|(_, id)| id);
    let Some(id) = alias.or_else(|| text.parse().ok()) else {
        let own = config.aliases.iter().map(|(alias, _)| &**alias);
        let mut like: Vec<String> = nearest(text, own).into_iter().collect();
        like.extend(catalogue.nearest(text));
        like.truncate(3);
        return Err(NoModel::Unknown { place: source, text: text.to_owned(), nearest: like });
    };
    let provider = config.provider(id.provider());
    if provider.key.is_none() {
        let file = format!("providers.{}.apiKey in ~/.xcode/config.json", id.provider());
        return Err(NoModel::NoKey { id, variable: provider.key_variable, file });
    }
    if !provider.is_usable() {
        return Err(NoModel::NoAddress { id });
    }
    let note = note(config, &id);
    Ok(Chosen { id, source, note })
}

/// A message when the context window is assumed.
fn note(config: &Config, id: &ModelId) -> Option<String> {
    let limits = Catalogue::built_in().limits(id);
    let is_assumed = limits.is_assumed && config.provider(id.provider()).window.is_none();
    is_assumed.then(|| {
        let window = limits.window;
        format!(
            "{id} is not in the catalogue: a window of {window} tokens is assumed, and no price"
        )
    })
}

/// The usable providers, in the order in which the first one is chosen.
pub(crate) fn usable(config: &Config) -> impl Iterator<Item = Provider> {
    config.providers.iter().filter(|one| one.is_usable()).map(|one| one.provider)
}

/// The ids of the catalogue's usable models.
pub(crate) fn names(config: &Config) -> Vec<String> {
    let usable: Vec<Provider> = usable(config).collect();
    let models = Catalogue::built_in().models().filter(|id| usable.contains(&id.provider()));
    models.map(|id| id.to_string()).collect()
}

fn default(config: &Config) -> Result<Chosen, NoModel> {
    let catalogue = Catalogue::built_in();
    let mut is_nameless = false;
    for provider in usable(config) {
        let name = match provider {
            Provider::Custom => config.custom_model.as_ref().map(|name| &*name.value),
            _ => catalogue.provider(provider).default_model.as_deref(),
        };
        match name.and_then(|name| ModelId::new(provider, name).ok()) {
            Some(id) => {
                let note = note(config, &id);
                return Ok(Chosen { id, source: Source::FirstKey, note });
            }
            None => is_nameless = true,
        }
    }
    if is_nameless {
        return Err(NoModel::NoName);
    }
    let variables = config.providers.iter().map(|one| one.key_variable).collect();
    Err(NoModel::NoKeyAtAll { variables })
}

/// A usable model and its key, which must be masked everywhere.
pub(crate) struct Ready {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) secret: String,
}

/// Prepares a model: reads its key, without connecting.
///
/// # Errors
/// [`NoModel::NoKey`], [`NoModel::KeyCommand`] and [`NoModel::Address`].
pub(crate) fn ready(config: &Config, id: &ModelId, shell: Shell<'_>) -> Result<Ready, NoModel> {
    let provider = config.provider(id.provider());
    let no_key = || NoModel::NoKey {
        id: id.clone(),
        variable: provider.key_variable,
        file: format!("providers.{}.apiKey in ~/.xcode/config.json", id.provider()),
    };
    let secret = match provider.key.as_ref().ok_or_else(no_key)? {
        KeyFrom::Text(text, _) => text.trim().to_owned(),
        KeyFrom::Command(command) => key_command::run(command, shell)
            .map_err(|source| NoModel::KeyCommand { id: id.clone(), source })?,
    };
    let key = Key::new(secret.clone()).map_err(|_| no_key())?;
    let settings = Settings {
        id: id.clone(),
        key,
        base_url: provider.base_url.as_ref().map(|url| url.value.clone()),
        window: provider.window,
        times: Times { silence: config.silence.value, ..Times::USUAL },
        proxy: config.proxy(),
    };
    let model =
        RemoteModel::new(settings).map_err(|source| NoModel::Address { id: id.clone(), source })?;
    Ok(Ready { model: Arc::new(model), secret })
}

#[cfg(test)]
mod tests;
