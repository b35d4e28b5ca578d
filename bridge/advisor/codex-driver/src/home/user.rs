//! The user's own CODEX_HOME, for turns of their own Codex: their sign-in, their settings, their
//! threads. Nothing in it is written by us; what the bridge must fix goes before it as overrides.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use contract::advice::Usage;
use contract::id::ThreadId;
use serde_json::Value;

use super::{Credentials, HomeError};
use crate::environment::{self, CODEX_HOME, Log};
use crate::provider::{self, Provider};

/// How deep the threads lie below `sessions`: year, month, day.
const DEPTH: usize = 3;

/// How much of a thread's end is read first to find its tokens; more is read where that holds none.
const TAIL_BYTES: u64 = 64 * 1024;

/// Most of a thread's end that is read. A turn whose output is longer has no tokens that we know.
const TAIL_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// What the operator decides beside the user's own configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserSettings {
    /// A Responses API other than the user's provider.
    pub base_url: Option<String>,
    /// Name of the variable that holds a key for it; takes the place of the sign-in.
    pub api_key_env: Option<String>,
    /// The model; the user's own when absent.
    pub model: Option<String>,
}

/// The user's own home.
#[derive(Debug, Clone)]
pub struct UserHome {
    path: PathBuf,
    credentials: Credentials,
    overrides: Vec<String>,
    variables: Vec<(OsString, OsString)>,
    /// The user's own provider, where it is the one in force.
    own: Option<Provider>,
}

impl UserHome {
    /// The home as it is, made where the user has none yet, as Codex itself would. `lookup` reads
    /// the environment.
    ///
    /// # Errors
    /// [`HomeError::Folder`].
    pub fn open(
        path: &Path,
        settings: &UserSettings,
        lookup: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, HomeError> {
        let folder = |source| HomeError::Folder { path: path.to_owned(), source };
        if !path.exists() {
            DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(folder)?;
        }
        let path = path.canonicalize().map_err(folder)?;
        // Theirs counts only where the operator has named none.
        let is_theirs = settings.api_key_env.is_none() && settings.base_url.is_none();
        let own = is_theirs.then(|| provider::read(&path));
        // Codex itself says what is wrong with a configuration that cannot be read.
        let is_unknown = matches!(own, Some(Err(_)));
        let own = own.and_then(Result::ok).and_then(|config| config.provider);
        let credentials = match (&settings.api_key_env, &settings.base_url) {
            (Some(_), _) => Credentials::ApiKey,
            (None, Some(_)) => Credentials::SignIn,
            (None, None) if is_unknown => Credentials::None,
            (None, None) => own.as_ref().map_or(Credentials::SignIn, Provider::credentials),
        };
        let variables = environment::OF_USER
            .iter()
            .filter_map(|name| Some(((*name).into(), lookup(name)?)))
            .chain(own.iter().flat_map(|provider| provider.users_variables(&lookup)))
            .collect();
        let overrides = overrides(settings, credentials);
        Ok(Self { path, credentials, overrides, variables, own })
    }

    /// The user's own provider, where it is the one in force.
    #[must_use]
    pub fn provider(&self) -> Option<&Provider> {
        self.own.as_ref()
    }

    /// The folder, absolute.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What requests are signed with, as far as that is known.
    #[must_use]
    pub fn credentials(&self) -> Credentials {
        self.credentials
    }

    /// The settings that go before the user's, as `-c` takes them.
    #[must_use]
    pub fn overrides(&self) -> &[String] {
        &self.overrides
    }

    /// The whole environment of a process in this home: this user's variables, and `extras`.
    #[must_use]
    pub fn environment(
        &self,
        temp_dir: &Path,
        extras: &[(OsString, OsString)],
    ) -> Vec<(OsString, OsString)> {
        let fixed: [(&str, &OsStr); 3] = [
            (CODEX_HOME, self.path.as_os_str()),
            ("TMPDIR", temp_dir.as_os_str()),
            ("RUST_LOG", OsStr::new(Log::Pulse.filter())),
        ];
        let fixed = fixed.into_iter().map(|(name, value)| (name.into(), value.to_owned()));
        fixed.chain(self.variables.iter().cloned()).chain(extras.iter().cloned()).collect()
    }
}

/// Codex must give up while the network is down. Its provider is the user's own choice, unless the
/// operator made one, which is then bounded as in the private home.
fn overrides(settings: &UserSettings, credentials: Credentials) -> Vec<String> {
    let text = |text: &str| toml::Value::from(text).to_string();
    // The log that is read for signs of life is not to hold the prompt.
    let mut overrides = vec![
        "features.unbounded_connection_retries=false".to_owned(),
        "otel.log_user_prompt=false".to_owned(),
    ];
    if let Some(model) = &settings.model {
        overrides.push(format!("model={}", text(model)));
    }
    if settings.base_url.is_none() && settings.api_key_env.is_none() {
        return overrides;
    }
    let mut provider = vec![
        "name=\"OpenAI\"".to_owned(),
        "wire_api=\"responses\"".to_owned(),
        "request_max_retries=0".to_owned(),
        "stream_max_retries=0".to_owned(),
    ];
    provider.extend(settings.base_url.as_deref().map(|url| format!("base_url={}", text(url))));
    match (&settings.api_key_env, credentials) {
        (Some(name), _) => provider.push(format!("env_key={}", text(name))),
        (None, Credentials::SignIn) => provider.push("requires_openai_auth=true".to_owned()),
        (None, Credentials::ApiKey | Credentials::None) => {}
    }
    overrides.push("model_provider=\"bridge\"".to_owned());
    overrides.push(format!("model_providers.bridge={{{}}}", provider.join(",")));
    overrides
}

/// Tokens of a thread so far, as its own record has them: Codex prints a thread's total (codex
/// 0.169), so a turn's own tokens are what lies between two of these. Nothing where the thread is
/// not there, or has no count at its end.
///
/// Reads files; not for an async task.
#[must_use]
pub fn usage_of_thread(home: &Path, thread: ThreadId) -> Option<Usage> {
    let record = record_of(home, thread)?;
    let mut file = File::open(record).ok()?;
    let length = file.metadata().ok()?.len();
    let mut window = TAIL_BYTES;
    loop {
        let tail = tail(&mut file, length.saturating_sub(window)).ok()?;
        let found = tail.split(|byte| *byte == b'\n').rev().find_map(total);
        if found.is_some() || window >= length || window >= TAIL_MAX_BYTES {
            return found;
        }
        window *= 8;
    }
}

/// The file that holds a thread.
pub(super) fn record_of(home: &Path, thread: ThreadId) -> Option<PathBuf> {
    find(&home.join("sessions"), DEPTH, &format!("-{thread}.jsonl"))
}

/// The file whose name ends so; the newest days are looked at first.
fn find(folder: &Path, depth: usize, end: &str) -> Option<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder).ok()?.flatten().collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.file_name()));
    entries.into_iter().find_map(|entry| {
        let kind = entry.file_type().ok()?;
        if kind.is_dir() && depth > 0 {
            return find(&entry.path(), depth - 1, end);
        }
        let is_it = kind.is_file() && entry.file_name().to_str()?.ends_with(end);
        is_it.then(|| entry.path())
    })
}

fn tail(file: &mut File, from: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The total in a `token_count` event.
fn total(line: &[u8]) -> Option<Usage> {
    // Most lines are long, and none of these.
    let mark = b"\"total_token_usage\"";
    if !line.windows(mark.len()).any(|window| window == mark) {
        return None;
    }
    let event: Value = serde_json::from_slice(line).ok()?;
    let payload = &event["payload"];
    if payload["type"] != "token_count" {
        return None;
    }
    let total = &payload["info"]["total_token_usage"];
    let count = |name: &str| total[name].as_u64().unwrap_or_default();
    total.is_object().then(|| Usage {
        input_tokens: count("input_tokens"),
        cached_input_tokens: count("cached_input_tokens"),
        output_tokens: count("output_tokens"),
        reasoning_output_tokens: count("reasoning_output_tokens"),
    })
}

#[cfg(test)]
mod tests;
