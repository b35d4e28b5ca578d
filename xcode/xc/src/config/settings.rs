//! All settings, merged from flag, environment, the user's file and the project's file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use agent::{Places as Folders, RuleFault, Rules};
use host::Environment;
use llm::{Provider, Proxy};

use super::aids::AidsConfig;
use super::fault::Fault;
use super::file::{self, File, OnDisk, OpenTo};
use super::project::{self, ProjectFile};
use super::provider::{self, KeyFrom, ProviderConfig};
use super::sandbox::SandboxConfig;
use super::source::{Source, Sourced};
use super::web::WebConfig;
use crate::terminal::Notify;
use crate::words::Language;

/// All settings.
#[derive(Debug)]
pub(crate) struct Config {
    /// The path of the user's file, whether it exists or not.
    pub(crate) path: PathBuf,
    /// The home folder.
    pub(crate) home: PathBuf,
    /// The model's alias or id as configured; none to use the provider of the first key.
    pub(crate) model: Option<Sourced<String>>,
    /// The language of the interface.
    pub(crate) language: Sourced<Language>,
    /// Models that are tried in order when the first one fails.
    pub(crate) fallback: Sourced<Vec<String>>,
    /// The user's own aliases.
    pub(crate) aliases: Vec<(String, String)>,
    /// Each provider, in the order of [`Provider::ALL`].
    pub(crate) providers: Vec<ProviderConfig>,
    /// The model of `custom`, used when none is named.
    pub(crate) custom_model: Option<Sourced<String>>,
    /// How the user is notified when something waits.
    pub(crate) notify: Sourced<Notify>,
    /// After how many days a fact is deleted.
    pub(crate) memory_evict_days: Sourced<u64>,
    /// The share of the context window at which a conversation is compacted; 0 for never.
    pub(crate) compaction_threshold: Sourced<f64>,
    /// The share of the window that is kept then.
    pub(crate) keep_share: Sourced<f64>,
    /// The permission rules of both files.
    pub(crate) rules: Rules,
    /// Rules that allow calls.
    pub(crate) allow: Sourced<Vec<String>>,
    /// Rules that require a question to the user.
    pub(crate) ask: Sourced<Vec<String>>,
    /// Rules that deny calls.
    pub(crate) deny: Sourced<Vec<String>>,
    /// Code context and advisor.
    pub(crate) aids: AidsConfig,
    /// Web access.
    pub(crate) web: WebConfig,
    /// The sandbox of commands.
    pub(crate) sandbox: SandboxConfig,
    /// The default timeout of a command.
    pub(crate) shell_timeout: Sourced<Duration>,
    /// The longest timeout of a command.
    pub(crate) shell_max_timeout: Sourced<Duration>,
    /// Variables that are withheld from commands.
    pub(crate) shell_exclude: Sourced<Vec<String>>,
    /// How long a provider may send nothing.
    pub(crate) silence: Sourced<Duration>,
    /// The cost limit of a session, in US dollars, by estimate.
    pub(crate) max_cost_usd: Option<Sourced<f64>>,
    /// The proxy to the providers.
    pub(crate) proxy: Option<Sourced<String>>,
    /// The hosts that are reached without the proxy.
    pub(crate) no_proxy: Option<Sourced<String>>,
    /// The key of the web search, masked like the others.
    pub(crate) search_key: Option<String>,
    /// Messages for the user, one per line.
    pub(crate) notes: Vec<String>,
}

/// Where settings are read from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places<'p> {
    /// The root of the workspace.
    pub(crate) root: &'p Path,
    /// The file that `--config` names.
    pub(crate) named: Option<&'p Path>,
    /// The language that `--lang` names.
    pub(crate) language: Option<Language>,
}

impl Config {
    /// The default share of the window at which a conversation is compacted.
    pub(crate) const COMPACTION_THRESHOLD: f64 = 0.8;
    /// The default share of the window that is kept then.
    pub(crate) const KEEP_SHARE: f64 = 0.3;

    /// The proxy to the providers, with its exceptions.
    pub(crate) fn proxy(&self) -> Option<Proxy> {
        let address = self.proxy.as_ref()?.value.clone();
        let except = self.no_proxy.as_ref().map(|except| except.value.clone()).unwrap_or_default();
        Some(Proxy { address, except })
    }

    /// Reads all settings.
    ///
    /// # Errors
    /// All faults of files and variables.
    pub(crate) fn read(environment: &Environment, places: Places<'_>) -> Result<Self, Vec<Fault>> {
        let mut faults = Vec::new();
        let mut notes = Vec::new();
        let home = environment.folder(host::environment::HOME);
        if home.is_none() {
            faults.push(whole("HOME", "it does not name a folder"));
        }
        let home = home.unwrap_or_else(|| PathBuf::from("/"));
        let usual = home.join(Folders::GLOBAL).join("config.json");
        // What the model is told as the user's own words lies there too.
        if let Err(error) = host::own::check_settings_folder(&home.join(Folders::GLOBAL)) {
            faults.push(whole("~/.xcode", &error.to_string()));
        }
        let path = places.named.map_or_else(|| usual.clone(), |named| places.root.join(named));
        let place = shown_path(&path, &home);
        let file = match file::read_object(file::open(&path), &place) {
            OnDisk::Absent if places.named.is_some() => {
                faults.push(whole(&place, "there is no such file"));
                File::default()
            }
            OnDisk::Absent => File::default(),
            OnDisk::Object(object, open_to) => {
                let file = File::read(&place, object, &mut faults);
                let holds_keys = file.providers.iter().any(|(_, said)| said.key.is_some());
                if open_to == OpenTo::Others && (holds_keys || path == usual) {
                    notes.push(format!("{place} can be read by others; mend: chmod 600 {place}"));
                }
                file
            }
            OnDisk::Fault(fault) => {
                faults.push(fault);
                File::default()
            }
        };
        let project = project::read(places.root, &mut faults);
        if !project.ignored.is_empty() {
            let ignored = project.ignored.join(", ");
            notes.push(format!("{}: ignored, a project cannot set it: {ignored}", project::PLACE));
        }
        let rules = rules(&file, &place, &project, &mut faults);
        let mut config =
            Self::merged(environment, places.language, (path, home), file, project, notes);
        config.rules = rules;
        provider::check_keys(&config.providers, &place, &mut faults);
        provider::check_addresses(&config.providers, &place, &mut faults);
        provider::check_proxy(config.proxy.as_ref(), &mut faults);
        if config.shell_timeout.value > config.shell_max_timeout.value {
            let mut fault = whole(&place, "it is longer than shell.maxTimeoutMs");
            fault.key = "shell.timeoutMs".to_owned();
            faults.push(fault);
        }
        if faults.is_empty() { Ok(config) } else { Err(faults) }
    }

    /// Every key that is known without running a command: they are masked everywhere.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let key = |one: &ProviderConfig| match &one.key {
            Some(KeyFrom::Text(text, _)) => Some(text.trim().to_owned()),
            Some(KeyFrom::Command(_)) | None => None,
        };
        self.providers.iter().filter_map(key).chain(self.search_key.clone()).collect()
    }

    /// The settings of `provider`.
    ///
    /// # Panics
    /// Never: each provider has its entry.
    pub(crate) fn provider(&self, provider: Provider) -> &ProviderConfig {
        let mut all = self.providers.iter();
        all.find(|config| config.provider == provider).expect("each provider has an entry")
    }

    fn merged(
        environment: &Environment,
        typed: Option<Language>,
        (path, home): (PathBuf, PathBuf),
        mut file: File,
        project: ProjectFile,
        notes: Vec<String>,
    ) -> Self {
        let variable = |name: &'static str| {
            let value = environment.text(name)?.trim();
            let value = (!value.is_empty()).then(|| value.to_owned())?;
            Some(Sourced { value, source: Source::Variable(name) })
        };
        let in_file =
            |value: Option<String>| value.map(|value| Sourced { value, source: Source::File });
        let custom = file.providers.iter_mut().find(|(name, _)| *name == Provider::Custom);
        let custom_name = custom.and_then(|(_, said)| said.name.take());
        let custom_model =
            variable(provider::CUSTOM_MODEL_VARIABLE).or_else(|| in_file(custom_name));
        let millis = |value: Option<u64>, default| {
            Sourced::or_default(value.map(Duration::from_millis), Duration::from_millis(default))
        };
        let proxy = ["HTTPS_PROXY", "https_proxy"].into_iter().find_map(variable);
        let no_proxy = ["NO_PROXY", "no_proxy"].into_iter().find_map(variable);
        let language = language(environment, typed, file.language, project.language);
        Self {
            path,
            home,
            model: variable(provider::MODEL_VARIABLE).or_else(|| in_file(file.model)),
            language,
            fallback: Sourced::or_default(file.fallback, Vec::new()),
            aliases: file.aliases,
            custom_model,
            providers: provider::merged(environment, file.providers),
            notify: Sourced::or_default(file.notify, Notify::Bell),
            memory_evict_days: Sourced::or_default(file.memory_evict_days, 90),
            compaction_threshold: chosen(
                project.threshold,
                file.threshold,
                Self::COMPACTION_THRESHOLD,
            ),
            keep_share: chosen(project.keep_share, file.keep_share, Self::KEEP_SHARE),
            rules: Rules::default(),
            allow: Sourced::or_default(file.allow, Vec::new()),
            ask: both(file.ask, project.ask),
            deny: both(file.deny, project.deny),
            aids: AidsConfig::of(file.aids, project.context),
            web: WebConfig::of(file.web),
            sandbox: SandboxConfig::of(file.sandbox),
            shell_timeout: millis(file.shell_timeout_ms, 30_000),
            shell_max_timeout: millis(file.shell_max_timeout_ms, 600_000),
            shell_exclude: Sourced::or_default(file.shell_exclude, Vec::new()),
            silence: millis(file.silence_ms, 120_000),
            max_cost_usd: file.max_cost_usd.map(|value| Sourced { value, source: Source::File }),
            proxy,
            no_proxy,
            search_key: environment.text(provider::SEARCH_VARIABLE).map(str::to_owned),
            notes,
        }
    }
}

/// The language of the interface, in order of precedence: flag, user's file, project's file, environment;
/// `auto` is the environment's.
fn language(
    environment: &Environment,
    typed: Option<Language>,
    own: Option<String>,
    project: Option<String>,
) -> Sourced<Language> {
    let own = own.map(|word| (word, Source::File));
    let set = own.or_else(|| project.map(|word| (word, Source::Project)));
    let set = set.and_then(|(word, source)| Some((Language::named(&word)?, source)));
    let said = || Language::said(environment).map(|(value, name)| (value, Source::Variable(name)));
    let typed = typed.map(|value| (value, Source::Flag("--lang")));
    let (value, source) = typed.or(set).or_else(said).unwrap_or((Language::En, Source::Default));
    Sourced { value, source }
}

/// The rules of the user's file, made stricter by the project's.
fn rules(file: &File, place: &str, project: &ProjectFile, faults: &mut Vec<Fault>) -> Rules {
    let list = |rules: &Option<Vec<String>>| rules.clone().unwrap_or_default();
    let hosts = file.web.allow.iter().flatten().map(|host| format!("fetch({host})"));
    let allow: Vec<String> = list(&file.allow).into_iter().chain(hosts).collect();
    let own = Rules::parse(&allow, &list(&file.ask), &list(&file.deny));
    let theirs = Rules::parse(&[], &project.ask, &project.deny);
    let mut read = |parsed: Result<Rules, Vec<RuleFault>>, place: &str| {
        parsed.unwrap_or_else(|found| {
            faults.extend(found.iter().map(|fault| whole(place, &fault.to_string())));
            Rules::default()
        })
    };
    let own = read(own, place);
    own.stricter(read(theirs, project::PLACE))
}

/// The user's value, else the project's, else the default.
fn chosen(project: Option<f64>, file: Option<f64>, default: f64) -> Sourced<f64> {
    match (file, project) {
        (None, Some(value)) => Sourced { value, source: Source::Project },
        (file, _) => Sourced::or_default(file, default),
    }
}

/// The rules of both files.
fn both(file: Option<Vec<String>>, project: Vec<String>) -> Sourced<Vec<String>> {
    let source = match (&file, project.is_empty()) {
        (None, true) => Source::Default,
        (Some(_), true) => Source::File,
        (None, false) => Source::Project,
        (Some(_), false) => Source::Both,
    };
    let mut value = file.unwrap_or_default();
    value.extend(project);
    Sourced { value, source }
}

/// A path as the user would write it, with `~` for the home folder.
fn shown_path(path: &Path, home: &Path) -> String {
    match path.strip_prefix(home) {
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => path.display().to_string(),
    }
}

fn whole(place: &str, what: &str) -> Fault {
    let (place, what) = (place.to_owned(), what.to_owned());
    Fault { place, key: String::new(), what, nearest: None }
}
