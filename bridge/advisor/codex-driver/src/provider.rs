//! The provider of the user's own Codex: the part of the user's configuration that the advisor needs to reach the
//! same API.
//!
//! Read from `config.toml` of the user's own CODEX_HOME only. A project's `.codex/config.toml` is
//! never read. The table of the active provider and the model are used. Not
//! used: commands that create credentials, MCP servers, hooks, notifications, retries, sandboxes.
//! A secret in the table is passed to Codex in its environment; it is in no file of
//! ours, on no command line, and not in [`Debug`] output.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::Path;

use toml::{Table, Value};

use crate::home::Credentials;

/// Codex's provider if its configuration sets none (codex 0.169).
const BUILT_IN: &str = "openai";

/// The keys of a provider's table with its API's location and protocol (codex 0.169).
const TAKEN: [&str; 4] = ["name", "base_url", "wire_api", "query_params"];

/// The keys of a table that create credentials in unsupported ways (codex 0.169).
const NOT_CARRIED: [&str; 3] = ["auth", "aws", "gateway_oauth"];

/// Maximum size of a configuration, in bytes.
const CONFIG_MAX_BYTES: u64 = 1 << 20;

/// Headers whose names contain one of these carry secrets; others carry teams, users, versions.
const SECRET_HEADERS: [&str; 5] = ["key", "auth", "token", "secret", "cookie"];

/// Prefix of the variables that carry secrets of the table.
const CARRIED: &str = "CODEX_BRIDGE_PROVIDER";

/// The used part of the user's configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserConfig {
    /// The provider; `None` if it is the unchanged built-in one.
    pub provider: Option<Provider>,
    /// The model set in the configuration.
    pub model: Option<String>,
}

/// A provider of the user.
#[derive(Clone, PartialEq, Eq)]
pub struct Provider {
    id: String,
    /// The table for the private home, without retries and limits, for which the bridge has its own.
    table: BTreeMap<String, String>,
    credentials: Credentials,
    /// Variable with the key, which must be set.
    key: Option<String>,
    /// The variables that the table refers to.
    named: Vec<String>,
    /// Headers and the token of the table, each with the variable that carries it.
    carried: Vec<(String, String)>,
    /// The variables whose values are secrets.
    secret: Vec<String>,
}

/// Why the user's configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// It is not TOML, or has a form that Codex would not accept.
    #[error("your Codex configuration ({path}) cannot be read: {problem}")]
    Unreadable {
        /// The file.
        path: String,
        /// The problem, without text of the file.
        problem: String,
    },
    /// The active provider has no table.
    #[error(
        "your Codex configuration names the provider `{id}`, of which it has no table; set `codex.base_url` to use another"
    )]
    Unknown {
        /// The provider's id.
        id: String,
    },
    /// The provider's credentials are created in an unsupported way.
    #[error(
        "the provider `{id}` of your Codex configuration makes its credentials with `{key}`, which the advisor does not take over; set `codex.base_url` and `codex.api_key_env`"
    )]
    NotCarried {
        /// The provider's id.
        id: String,
        /// The key of its table.
        key: &'static str,
    },
}

/// Reads the configuration in a CODEX_HOME. A missing one is treated as empty.
///
/// # Errors
/// [`ProviderError`], by cause.
pub fn read(home: &Path) -> Result<UserConfig, ProviderError> {
    let path = home.join("config.toml");
    let unreadable = |problem: &str| ProviderError::Unreadable {
        path: path.display().to_string(),
        problem: problem.to_owned(),
    };
    let Ok(found) = fs::metadata(&path) else { return Ok(UserConfig::default()) };
    if !found.is_file() || found.len() > CONFIG_MAX_BYTES {
        return Err(unreadable("it is no file of at most 1 MiB"));
    }
    let text = fs::read_to_string(&path).map_err(|error| unreadable(&error.kind().to_string()))?;
    // The parser's error quotes the line, which may contain a secret.
    let config: Table = text.parse().map_err(|_| unreadable("it is not TOML"))?;
    of_config(&config)
}

fn of_config(config: &Table) -> Result<UserConfig, ProviderError> {
    let text = |table: &Table, key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
    // Versions before 0.169 have profiles in the file; newer ones reject the key.
    let profile = text(config, "profile")
        .and_then(|name| config.get("profiles")?.get(&name)?.as_table().cloned())
        .unwrap_or_default();
    let in_force = |key: &str| text(&profile, key).or_else(|| text(config, key));
    let model = in_force("model");
    let id = in_force("model_provider").unwrap_or_else(|| BUILT_IN.to_owned());
    let table = config.get("model_providers").and_then(|all| all.get(&id)?.as_table());
    let provider = match (table, id.as_str()) {
        // The built-in provider may have another URL, such as that of a proxy.
        (_, BUILT_IN) => in_force("openai_base_url").map(moved),
        (Some(table), _) => Some(of_table(&id, table)?),
        (None, _) => return Err(ProviderError::Unknown { id }),
    };
    Ok(UserConfig { provider, model })
}

/// The built-in provider with another URL.
fn moved(base_url: String) -> Provider {
    let texts = [("name", "OpenAI"), ("wire_api", "responses"), ("base_url", &base_url)];
    let quoted = |text: &str| Value::from(text).to_string();
    let table = texts.map(|(key, text)| (key.to_owned(), quoted(text)));
    Provider {
        id: BUILT_IN.to_owned(),
        table: table.into_iter().chain([signed_in()]).collect(),
        credentials: Credentials::SignIn,
        key: None,
        named: Vec::new(),
        carried: Vec::new(),
        secret: Vec::new(),
    }
}

fn signed_in() -> (String, String) {
    ("requires_openai_auth".to_owned(), "true".to_owned())
}

fn of_table(id: &str, from: &Table) -> Result<Provider, ProviderError> {
    if let Some(key) = NOT_CARRIED.into_iter().find(|key| from.contains_key(*key)) {
        return Err(ProviderError::NotCarried { id: id.to_owned(), key });
    }
    let mut provider = Provider {
        id: id.to_owned(),
        table: BTreeMap::new(),
        credentials: Credentials::None,
        key: None,
        named: Vec::new(),
        carried: Vec::new(),
        secret: Vec::new(),
    };
    for key in TAKEN {
        if let Some(value) = from.get(key) {
            provider.table.insert(key.to_owned(), value.to_string());
        }
    }
    provider.take_headers(from);
    if let Some(name) = from.get("env_key").and_then(Value::as_str) {
        provider.sign_with(name.to_owned());
        provider.named.push(name.to_owned());
    } else if let Some(token) = from.get("experimental_bearer_token").and_then(Value::as_str) {
        let name = format!("{CARRIED}_TOKEN");
        provider.carried.push((name.clone(), token.to_owned()));
        provider.sign_with(name);
    } else if from.get("requires_openai_auth").and_then(Value::as_bool) == Some(true) {
        provider.table.extend([signed_in()]);
        provider.credentials = Credentials::SignIn;
    }
    Ok(provider)
}

impl Provider {
    /// Its name in the user's configuration.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Credentials of requests.
    #[must_use]
    pub fn credentials(&self) -> Credentials {
        self.credentials
    }

    /// The variable with the key, as set in the user's table.
    #[must_use]
    pub fn key_variable(&self) -> Option<&str> {
        self.key.as_deref().filter(|name| self.named.iter().any(|named| named == name))
    }

    /// Its secrets, as far as set: the key, and headers that carry one.
    #[must_use]
    pub fn secrets(&self, lookup: impl Fn(&str) -> Option<OsString>) -> Vec<String> {
        let variables = self.variables(lookup).into_iter();
        let secret = |(name, value): (OsString, OsString)| {
            let is_secret = self.secret.iter().any(|secret| name == secret.as_str());
            value.into_string().ok().filter(|_| is_secret)
        };
        variables.filter_map(secret).collect()
    }

    /// The variables that Codex needs for it, as far as set.
    #[must_use]
    pub fn variables(
        &self,
        lookup: impl Fn(&str) -> Option<OsString>,
    ) -> Vec<(OsString, OsString)> {
        let named = named_variables(&self.named, lookup);
        let carried = self.carried.iter().map(|(name, value)| (name.into(), value.into()));
        named.into_iter().chain(carried).collect()
    }

    /// The variables that the user's own Codex needs for it: those that its table refers to.
    #[must_use]
    pub fn users_variables(
        &self,
        lookup: impl Fn(&str) -> Option<OsString>,
    ) -> Vec<(OsString, OsString)> {
        named_variables(&self.named, lookup)
    }

    /// The lines of the private configuration, below `model_providers.bridge`.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (&str, &str)> {
        self.table.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    fn sign_with(&mut self, variable: String) {
        self.table.insert("env_key".to_owned(), Value::from(variable.as_str()).to_string());
        self.credentials = Credentials::ApiKey;
        self.secret.push(variable.clone());
        self.key = Some(variable);
    }

    fn note_secret(&mut self, header: &str, variable: &str) {
        let header = header.to_ascii_lowercase();
        if SECRET_HEADERS.iter().any(|word| header.contains(word)) {
            self.secret.push(variable.to_owned());
        }
    }

    /// Headers with values in the table are passed by variables, like those that refer to variables.
    fn take_headers(&mut self, from: &Table) {
        let texts = |key: &str| {
            let table = from.get(key).and_then(Value::as_table).cloned().unwrap_or_default();
            let texts = table.into_iter();
            texts.filter_map(|(header, value)| Some((header, value.as_str()?.to_owned())))
        };
        let mut headers = Table::new();
        for (position, (header, value)) in texts("http_headers").enumerate() {
            let name = format!("{CARRIED}_HEADER_{position}");
            self.carried.push((name.clone(), value));
            self.note_secret(&header, &name);
            headers.insert(header, name.into());
        }
        for (header, name) in texts("env_http_headers") {
            self.named.push(name.clone());
            self.note_secret(&header, &name);
            headers.insert(header, name.into());
        }
        if !headers.is_empty() {
            self.table.insert("env_http_headers".to_owned(), Value::from(headers).to_string());
        }
    }
}

/// Prints the type only, no content.
impl fmt::Debug for Provider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Provider").field("id", &self.id).finish_non_exhaustive()
    }
}

fn named_variables(
    names: &[String],
    lookup: impl Fn(&str) -> Option<OsString>,
) -> Vec<(OsString, OsString)> {
    let names = names.iter().filter(|name| !crate::environment::is_ours(name));
    names.filter_map(|name| Some((name.into(), lookup(name)?))).collect()
}

#[cfg(test)]
mod tests;
