//! The settings of each provider: its key, its address, its window. An environment variable
//! takes precedence over the file.

use host::Environment;
use llm::{Catalogue, InvalidAddress, Key, ModelId, Provider, Proxy, RemoteModel, Settings, Times};

use super::fault::Fault;
use super::fields::PROVIDERS;
use super::file::InFile;
use super::source::{Source, Sourced};

/// The variable that names the model.
pub(super) const MODEL_VARIABLE: &str = "X_CODE_MODEL";

/// The variable with the address of `custom`.
const CUSTOM_URL_VARIABLE: &str = "OPENAI_COMPATIBLE_BASE_URL";

/// The variable with the model of `custom`.
pub(super) const CUSTOM_MODEL_VARIABLE: &str = "OPENAI_COMPATIBLE_MODEL";

/// The optional key of the web search.
pub(super) const SEARCH_VARIABLE: &str = "TAVILY_API_KEY";

#[derive(Debug, Clone)]
pub(crate) struct ProviderConfig {
    pub(crate) provider: Provider,
    pub(crate) key_variable: &'static str,
    /// The source of its key; none if it has none.
    pub(crate) key: Option<KeyFrom>,
    /// An address that replaces the catalogue's.
    pub(crate) base_url: Option<Sourced<String>>,
    /// A context window that replaces the catalogue's, in tokens.
    pub(crate) window: Option<u64>,
}

/// The source of a key.
#[derive(Clone)]
pub(crate) enum KeyFrom {
    /// The key itself.
    Text(String, Source),
    /// A shell command prints it.
    Command(String),
}

/// Prints the source; a key has no text form.
impl std::fmt::Debug for KeyFrom {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("KeyFrom").field(&self.source()).finish()
    }
}

impl KeyFrom {
    /// The source of the setting.
    pub(crate) fn source(&self) -> Source {
        match self {
            Self::Text(_, source) => source.clone(),
            Self::Command(_) => Source::Command,
        }
    }
}

impl ProviderConfig {
    /// Whether the provider can be used: it has a key, and `custom` also an address.
    pub(crate) fn is_usable(&self) -> bool {
        let has_address = self.provider != Provider::Custom || self.base_url.is_some();
        self.key.is_some() && has_address
    }
}

/// Every variable that holds a key or a way to one: no child process gets any of them.
pub(crate) fn key_variables() -> Vec<&'static str> {
    let keys = Catalogue::built_in().providers().iter().map(|entry| &*entry.key_variable);
    let others = [CUSTOM_URL_VARIABLE, CUSTOM_MODEL_VARIABLE, MODEL_VARIABLE];
    keys.chain(others).chain([SEARCH_VARIABLE]).collect()
}

/// Each provider with its settings from file and environment.
pub(super) fn merged(
    environment: &Environment,
    mut in_file: Vec<(Provider, InFile)>,
) -> Vec<ProviderConfig> {
    let one = |provider: Provider| {
        let said = in_file.iter_mut().find(|(named, _)| *named == provider);
        let said = said.map(|(_, said)| std::mem::take(said)).unwrap_or_default();
        let key_variable = &*Catalogue::built_in().provider(provider).key_variable;
        let from_variable = environment.text(key_variable).filter(|key| !key.trim().is_empty());
        let from_variable =
            from_variable.map(|key| KeyFrom::Text(key.to_owned(), Source::Variable(key_variable)));
        let from_file = said.key.filter(|key| !key.trim().is_empty());
        let from_file = from_file.map(|key| KeyFrom::Text(key, Source::File));
        let key = from_variable.or(from_file).or(said.key_command.map(KeyFrom::Command));
        let url_variable = (provider == Provider::Custom)
            .then(|| environment.text(CUSTOM_URL_VARIABLE))
            .flatten()
            .map(|url| (url.to_owned(), Source::Variable(CUSTOM_URL_VARIABLE)));
        let base_url = url_variable.or(said.base_url.map(|url| (url, Source::File)));
        let base_url = base_url.map(|(value, source)| Sourced { value, source });
        ProviderConfig { provider, key_variable, key, base_url, window: said.window }
    };
    Provider::ALL.into_iter().map(one).collect()
}

/// Records a fault for each key that cannot be sent in a request.
pub(super) fn check_keys(providers: &[ProviderConfig], place: &str, faults: &mut Vec<Fault>) {
    for config in providers {
        let Some(KeyFrom::Text(text, source)) = &config.key else { continue };
        if let Err(error) = Key::new(text.clone()) {
            faults.push(fault(config, source, place, "apiKey", error.to_string()));
        }
    }
}

/// Records a fault for each address that no key may be sent to.
pub(super) fn check_addresses(providers: &[ProviderConfig], place: &str, faults: &mut Vec<Fault>) {
    for one in providers {
        let Some(Sourced { value, source }) = &one.base_url else { continue };
        if let Err(error) = reach(one.provider, value, None) {
            faults.push(fault(one, source, place, "baseURL", error.to_string()));
        }
    }
}

/// Records a fault for a proxy that cannot be used.
pub(super) fn check_proxy(proxy: Option<&Sourced<String>>, faults: &mut Vec<Fault>) {
    let Some(Sourced { value, source }) = proxy else { return };
    // The proxy is checked for any address that is not this machine's.
    let proxy = Proxy { address: value.clone(), except: String::new() };
    if let Err(error) = reach(Provider::Custom, "https://proxied.invalid", Some(proxy)) {
        let (place, what) = (source.to_string(), error.to_string());
        faults.push(Fault { place, key: String::new(), what, nearest: None });
    }
}

fn reach(provider: Provider, url: &str, proxy: Option<Proxy>) -> Result<(), InvalidAddress> {
    let id = ModelId::new(provider, "any").expect("the name is not empty");
    let key = Key::new("none".to_owned()).expect("the key is not empty");
    let base_url = Some(url.to_owned());
    RemoteModel::new(Settings { id, key, base_url, window: None, times: Times::USUAL, proxy })
        .map(drop)
}

fn fault(
    config: &ProviderConfig,
    source: &Source,
    place: &str,
    field: &str,
    what: String,
) -> Fault {
    let (place, key) = match source {
        Source::Variable(name) => ((*name).to_owned(), String::new()),
        _ => (place.to_owned(), format!("{PROVIDERS}.{}.{field}", config.provider)),
    };
    Fault { place, key, what, nearest: None }
}
