//! The user's file, `~/.xcode/config.json`, with each setting checked. Not here: environment and flags.

use std::fs;
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use llm::Provider;
use serde_json::{Map, Value};

use super::fault::Fault;
use super::fields::{Fields, PROVIDERS};
use super::{aids, sandbox, web};
use crate::terminal::Notify;

/// The largest file that is read, in bytes; a handwritten one has a few thousand.
const MAX_BYTES: u64 = 1 << 20;

/// The values in the file; a setting that is not in it is absent.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct File {
    pub(super) model: Option<String>,
    pub(super) language: Option<String>,
    pub(super) fallback: Option<Vec<String>>,
    pub(super) aliases: Vec<(String, String)>,
    /// The providers in the file, in the order of [`Provider::ALL`].
    pub(super) providers: Vec<(Provider, InFile)>,
    pub(super) memory_evict_days: Option<u64>,
    pub(super) notify: Option<Notify>,
    pub(super) threshold: Option<f64>,
    pub(super) keep_share: Option<f64>,
    pub(super) allow: Option<Vec<String>>,
    pub(super) ask: Option<Vec<String>>,
    pub(super) deny: Option<Vec<String>>,
    pub(super) shell_timeout_ms: Option<u64>,
    pub(super) shell_max_timeout_ms: Option<u64>,
    pub(super) shell_exclude: Option<Vec<String>>,
    pub(super) silence_ms: Option<u64>,
    pub(super) max_cost_usd: Option<f64>,
    pub(super) sandbox: sandbox::InFile,
    pub(super) web: web::InFile,
    pub(super) aids: aids::InFile,
}

/// A provider's settings in the file.
#[derive(Clone, PartialEq, Default)]
pub(super) struct InFile {
    pub(super) key: Option<String>,
    pub(super) key_command: Option<String>,
    pub(super) base_url: Option<String>,
    pub(super) window: Option<u64>,
    /// Of `custom` only: the model's name.
    pub(super) name: Option<String>,
}

/// Prints which fields are set; keys have no text form.
impl std::fmt::Debug for InFile {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { key, base_url, window, name, .. } = self;
        let mut shown = formatter.debug_struct("InFile");
        shown.field("has_key", &key.is_some()).field("base_url", base_url);
        shown.field("window", window).field("name", name).finish_non_exhaustive()
    }
}

/// The state of a file on disk.
pub(super) enum OnDisk {
    /// It does not exist.
    Absent,
    /// An object, and whether others than its owner can read it.
    Object(Map<String, Value>, OpenTo),
    /// It cannot be used, and why.
    Fault(Fault),
}

/// Who can read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenTo {
    Owner,
    /// Others, too.
    Others,
}

/// Reads the object of a file.
pub(super) fn read_object(opened: io::Result<fs::File>, place: &str) -> OnDisk {
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return OnDisk::Absent,
        Err(error) => return unusable(place, format!("cannot be opened: {error}")),
    };
    let metadata = match file.metadata() {
        Ok(metadata) if metadata.is_file() => metadata,
        Ok(_) => return unusable(place, "not a plain file".to_owned()),
        Err(error) => return unusable(place, format!("cannot be read: {error}")),
    };
    let mut text = String::new();
    if let Err(error) = file.take(MAX_BYTES + 1).read_to_string(&mut text) {
        return unusable(place, format!("cannot be read: {error}"));
    }
    if text.len() as u64 > MAX_BYTES {
        return unusable(place, format!("longer than {MAX_BYTES} bytes"));
    }
    let open_to =
        if metadata.permissions().mode() & 0o077 == 0 { OpenTo::Owner } else { OpenTo::Others };
    match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(Value::Object(object)) => OnDisk::Object(object, open_to),
        Ok(_) => unusable(place, "not a JSON object".to_owned()),
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            unusable(place, format!("line {line}, column {column}: not JSON"))
        }
    }
}

/// Opens a file that the user named, through links, and waits for no other end of a pipe. One that another user could have
/// written is refused: it names commands, and where keys are sent.
pub(super) fn open(path: &Path) -> io::Result<fs::File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = fs::File::from(rustix::fs::open(path, flags, Mode::empty())?);
    host::own::check_settings(&file, path)?;
    Ok(file)
}

impl File {
    /// The settings of the object of `place`.
    pub(super) fn read(place: &str, object: Map<String, Value>, faults: &mut Vec<Fault>) -> Self {
        let mut top = Fields::new(place, object, faults);
        let model = top.text("model");
        let language = language(&mut top);
        let fallback = top.texts("fallback");
        let aliases = top.named_texts("aliases").unwrap_or_default();
        let memory_evict_days = top.whole("memoryEvictDays", 1..=36_500);
        let notify = top.word("notify", &Notify::WORDS);
        let mut inner = top.object(PROVIDERS);
        let providers = providers(&mut inner);
        inner.finish();
        let mut inner = top.object("compaction");
        let (threshold, keep_share) = compaction(&mut inner);
        inner.finish();
        let mut inner = top.object("permissions");
        let (allow, ask, deny) = (inner.texts("allow"), inner.texts("ask"), inner.texts("deny"));
        let commands = sandbox::InFile::read_commands(&mut inner);
        inner.finish();
        let sandbox = sandbox::InFile::read(&mut top, commands);
        let web = web::InFile::read(&mut top);
        let aids = aids::InFile::read(&mut top);
        let mut inner = top.object("shell");
        let shell_timeout_ms = inner.whole("timeoutMs", 1..=86_400_000);
        let shell_max_timeout_ms = inner.whole("maxTimeoutMs", 1..=86_400_000);
        let mut env = inner.object("env");
        let shell_exclude = env.texts("exclude");
        env.finish();
        inner.finish();
        let mut inner = top.object("llm");
        let silence_ms = inner.whole("silenceMs", 1_000..=3_600_000);
        inner.finish();
        let mut inner = top.object("budget");
        let max_cost_usd = inner.number("maxCostUsd", 0.0..=f64::INFINITY);
        inner.finish();
        top.finish();
        Self {
            model,
            language,
            fallback,
            aliases,
            providers,
            memory_evict_days,
            notify,
            threshold,
            keep_share,
            allow,
            ask,
            deny,
            shell_timeout_ms,
            shell_max_timeout_ms,
            shell_exclude,
            silence_ms,
            max_cost_usd,
            sandbox,
            web,
            aids,
        }
    }
}

/// Reads when a conversation is compacted, and how much of it is kept.
pub(super) fn compaction(fields: &mut Fields<'_>) -> (Option<f64>, Option<f64>) {
    (fields.number("threshold", 0.0..=1.0), fields.number("keepShare", 0.0..=1.0))
}

/// Reads the language of the interface: `auto`, `zh` or `en`.
pub(super) fn language(fields: &mut Fields<'_>) -> Option<String> {
    fields.one_of("language", &["auto", "zh", "en"])
}

fn providers(fields: &mut Fields<'_>) -> Vec<(Provider, InFile)> {
    let mut found = Vec::new();
    for provider in Provider::ALL {
        let mut inner = fields.object(provider.word());
        let said = InFile {
            key: inner.secret("apiKey"),
            key_command: inner.secret("apiKeyCommand"),
            base_url: inner.text("baseURL"),
            window: inner.whole("contextWindow", 1_000..=100_000_000),
            name: (provider == Provider::Custom).then(|| inner.text("name")).flatten(),
        };
        inner.finish();
        if said != InFile::default() {
            found.push((provider, said));
        }
    }
    found
}

fn unusable(place: &str, what: String) -> OnDisk {
    OnDisk::Fault(Fault { place: place.to_owned(), key: String::new(), what, nearest: None })
}
