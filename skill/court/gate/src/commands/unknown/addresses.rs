//! Addresses that a program is told of which nothing is known: what is executed or installed from there, sent there, or
//! fetched into a file that is executed later. Not here: programs whose way of fetching has a row (see `downloads`,
//! `transfers`).

use crate::commands::hosts::is_local;
use crate::commands::words::words;
use crate::judgement::Extent;
use crate::rules::{environment, execution, infrastructure, network, secrets};
use crate::shell::{Field, Io, Taint, Walker};

/// Verbs that execute what they are given.
const EXECUTES: &[&str] =
    words!("run exec execute x eval source load launch bootstrap invoke spawn");

/// Verbs that install what they are given, for others to use.
const INSTALLS: &[&str] = words!("install plugin plugins extension extensions ext addon sideload");

/// Where programs fetch from, and verbs that name one more.
const SOURCES: &[&str] = words!(
    "source sources repo repos repository repositories registry registries bucket tap feed feeds \
     mirror mirrors index channel channels"
);
const ADDS: &[&str] = words!("add set register a replace use");

/// Words of options whose value is executed before the work begins.
const LOADS: &[&str] =
    words!("script plugin preload require rcfile startup bootstrap loader extension");

/// Methods of HTTP that change something.
const METHODS: &[&str] = words!("POST PUT PATCH DELETE");

/// Parts of the names of options whose value is sent.
const SENT: &[&str] = words!("data body upload post payload send-file attach");

/// Parts of the names of options whose value is where something is put.
const OUTPUTS: &[&str] = words!("out dest target-dir to dir save path prefix");

/// Parts of the names of settings that say where things come from.
const ROUTES: &[&str] = words!(
    "proxy registry mirror nameserver dns insteadof index-url index_url repository endpoint"
);

/// The address in a word: as it stands, or as an option's or a setting's value.
fn address(text: &str) -> Option<&str> {
    let value = match text.split_once('=') {
        Some((name, value)) if !name.contains("://") => value,
        _ => text,
    };
    let value = value.trim_start_matches('@');
    let (scheme, rest) = value.split_once(':')?;
    let known = rest.starts_with("//")
        && scheme.len() < 16
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        || matches!(scheme, "github" | "gh" | "gitlab" | "bitbucket" | "gist")
            && rest.contains('/')
        || scheme.starts_with("git@");
    (known && scheme != "file" && !is_local(value)).then_some(value)
}

/// An address from which files are fetched, not that of a service such as a database.
fn is_files(address: &str) -> bool {
    let scheme = address.split(':').next().unwrap_or_default();
    let scheme = scheme.rsplit('+').next().unwrap_or_default();
    matches!(
        scheme,
        "http"
            | "https"
            | "ftp"
            | "ftps"
            | "sftp"
            | "s3"
            | "gs"
            | "git"
            | "ssh"
            | "github"
            | "gh"
            | "gitlab"
            | "bitbucket"
            | "gist"
    ) || scheme.starts_with("git@")
}

impl Walker<'_> {
    /// Notes what is done with addresses; whether there are any that files come from.
    pub(crate) fn told_addresses(&mut self, name: &str, words: &[Field], io: &Io<'_>) -> bool {
        if io.stdin.taint.network && feeds(name, words) {
            self.found(&execution::FETCHED_SCRIPT, name);
        }
        let told: Vec<&str> = words[1..].iter().filter_map(|word| address(&word.text)).collect();
        self.streams(name, words);
        let files = told.iter().any(|address| is_files(address));
        if !files {
            return false;
        }
        if io.stdin.taint.secret || words[1..].iter().any(|word| self.carries_secret(word)) {
            self.found(&secrets::EXFILTRATE, name);
        }
        self.acts_on(name, words);
        self.fetches_into(words, &told);
        true
    }

    /// `tool run https://..`: what is executed lies there.
    pub(super) fn runs_address(&mut self, name: &str, words: &[Field]) {
        self.loads_address(name, words);
        let mut operands =
            words[1..].iter().take_while(|word| word.text != "--").filter(|word| !word.is_option());
        for _ in 0..2 {
            let Some(verb) = operands.next() else { return };
            let next = operands.clone().next().map_or("", |next| next.text.as_str());
            let executes = EXECUTES.contains(&verb.text.as_str());
            if executes && address(next).is_some_and(|next| next.contains("://") && is_files(next))
            {
                self.found(&execution::FETCHED_SCRIPT, name);
            }
        }
    }

    /// `recorder -i screen rtmp://..`: what is recorded goes there.
    pub(crate) fn streams(&mut self, name: &str, words: &[Field]) {
        let [.., before, last] = words else { return };
        let scheme =
            address(&last.text).and_then(|to| to.split_once("://")).map(|(scheme, _)| scheme);
        let is_stream =
            matches!(scheme, Some("rtmp" | "rtmps" | "srt" | "rtsp" | "icecast" | "whip"));
        if is_stream && words.len() > 3 && before.text != "-i" {
            self.found(&network::SEND, name);
        }
    }

    /// `tool repo add x https://..`: what it installs comes from there from now on.
    pub(super) fn adds_source(&mut self, name: &str, words: &[Field]) {
        if !words[1..].iter().any(|word| address(&word.text).is_some_and(is_files)) {
            return;
        }
        let first = words[1..].iter().filter(|word| address(&word.text).is_none()).take(3);
        let first: Vec<&str> =
            first.flat_map(|word| word.text.split(['-', '_', ':', '.'])).collect();
        let has = |list: &[&str]| first.iter().any(|part| list.contains(part));
        if has(SOURCES) && has(ADDS) {
            self.found(&environment::ROUTE, name);
        }
    }

    /// `tool --init-script https://..`: what is executed lies there.
    fn loads_address(&mut self, name: &str, words: &[Field]) {
        for (at, word) in words.iter().enumerate().skip(1) {
            let Some(option) = word.text.strip_prefix('-') else { continue };
            let next = words.get(at + 1).map_or("", |next| next.text.as_str());
            let (option, value) = option.split_once('=').unwrap_or((option, next));
            let loads = option.split('-').any(|part| LOADS.contains(&part));
            if loads && value.contains("://") && address(value).is_some_and(is_files) {
                self.found(&execution::FETCHED_SCRIPT, name);
            }
        }
    }

    /// A word that is a secret, or the path of one.
    fn carries_secret(&self, word: &Field) -> bool {
        let text = word.text.as_str();
        let value = text.rsplit_once(['=', '@']).map_or(text, |(_, value)| value);
        word.taint.secret && !text.to_ascii_lowercase().starts_with("authorization")
            || !value.contains("://") && self.holds_secret(value)
    }

    fn acts_on(&mut self, name: &str, words: &[Field]) {
        let mut verbs = words[1..].iter().filter(|word| !word.is_option()).take(3);
        let mut first = verbs.clone().map(|word| word.text.as_str());
        self.runs_address(name, words);
        self.adds_source(name, words);
        let installs =
            |word: &Field| word.text.split(['.', ':']).any(|part| INSTALLS.contains(&part));
        if verbs.any(installs) {
            self.found(&infrastructure::FOREIGN_PACKAGE, name);
        }
        let apply = matches!(first.next(), Some("apply"));
        if apply {
            self.found(&infrastructure::CLOUD, name);
        }
        for (at, word) in words.iter().enumerate().skip(1) {
            let text = word.text.as_str();
            let next = words.get(at + 1).map_or("", |next| next.text.as_str());
            let method = METHODS.contains(&text)
                || text.split_once('=').is_some_and(|(_, value)| METHODS.contains(&value));
            let option = text.strip_prefix("--").map(|rest| {
                let (option, value) = rest.split_once('=').unwrap_or((rest, next));
                (option.to_ascii_lowercase(), value)
            });
            let sent = option.as_ref().is_some_and(|(option, value)| {
                !value.is_empty() && SENT.iter().any(|part| option.starts_with(part))
            });
            let attached = text.contains("=@") || text.starts_with('@') && !text.contains('/');
            if method || sent || attached && text.contains("=@") {
                self.found(&network::SEND, name);
            }
            let key = text.split_once('=').map_or(text, |(key, _)| key).to_ascii_lowercase();
            let value = text.split_once('=').map_or(next, |(_, value)| value);
            let set = words[1..]
                .iter()
                .take(3)
                .any(|word| matches!(word.text.as_str(), "set" | "config" | "settings" | "--set"));
            if set && ROUTES.iter().any(|part| key.contains(part)) && address(value).is_some() {
                self.found(&environment::ROUTE, text);
            }
        }
    }

    /// Files that may come from there: executed by the same call they are foreign.
    fn fetches_into(&mut self, words: &[Field], told: &[&str]) {
        let mut named = false;
        for (at, word) in words.iter().enumerate().skip(1) {
            let text = word.text.as_str();
            if address(text).is_some() {
                continue;
            }
            let output = text.strip_prefix('-').is_some_and(|option| {
                let option = option.trim_start_matches('-').to_ascii_lowercase();
                option == "o"
                    || option == "p"
                    || OUTPUTS.iter().any(|part| option.starts_with(part))
            });
            let value = text.split_once('=').map(|(_, value)| value);
            if let Some(place) = value.filter(|_| output) {
                named = true;
                self.brought(place, Extent::Tree);
            } else if let Some(next) = words.get(at + 1).filter(|_| output) {
                named = true;
                self.brought(&next.text, Extent::Tree);
            } else if !word.is_option() && text.contains(['/', '.']) {
                self.brought(text, Extent::File);
            }
        }
        for address in told.iter().filter(|_| !named) {
            let path = address.split(['?', '#']).next().unwrap_or_default();
            let file = crate::path::name(path.trim_end_matches('/'));
            if file.contains('.') {
                self.brought(file, Extent::File);
            }
        }
    }
}

/// Whether a program executes what it reads, as far as its name and its words tell: a shell of whatever name.
fn feeds(name: &str, words: &[Field]) -> bool {
    let shell = name.len() <= 6 && name.ends_with("sh");
    let first = words.get(1).map_or("", |word| word.text.as_str());
    shell && matches!(first, "" | "-" | "-s")
        || matches!(first, "eval" | "exec" | "run") && words.len() <= 3
}

/// What a program of which nothing is known writes: it may be what it fetched or read.
pub(crate) fn passed(fetched: bool, io: &Io<'_>) -> Taint {
    Taint { network: fetched || io.stdin.taint.network, ..io.stdin.taint }
}
