//! The output of `xc config`: each setting, its value, and its source. Keys are masked.

use serde::Serialize;

use super::fields::PROVIDERS;
use super::provider::KeyFrom;
use super::settings::Config;
use super::source::{Source, Sourced};

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Shown {
    /// Its name in the file.
    pub(crate) key: String,
    /// Its value, masked.
    pub(crate) value: String,
    /// The source of the value.
    pub(crate) source: String,
}

/// Every setting that has a value.
pub(crate) fn shown(config: &Config) -> Vec<Shown> {
    let mut all = Vec::new();
    match &config.model {
        Some(model) => all.push(line("model", model)),
        None => all.push(plain("model", "the default of the first key", &Source::Default)),
    }
    all.push(line("language", &config.language));
    all.push(list("fallback", &config.fallback));
    for (alias, id) in &config.aliases {
        all.push(plain(&format!("aliases.{alias}"), id, &Source::File));
    }
    for one in &config.providers {
        let key = |field: &str| format!("{PROVIDERS}.{}.{field}", one.provider);
        match &one.key {
            Some(from @ KeyFrom::Text(text, _)) => {
                all.push(plain(&key("apiKey"), &masked(text), &from.source()));
            }
            Some(from @ KeyFrom::Command(_)) => {
                all.push(plain(&key("apiKey"), "what apiKeyCommand prints", &from.source()));
            }
            None => {}
        }
        if let Some(url) = &one.base_url {
            all.push(line(&key("baseURL"), url));
        }
        if let Some(window) = one.window {
            all.push(plain(&key("contextWindow"), &window.to_string(), &Source::File));
        }
    }
    if let Some(name) = &config.custom_model {
        all.push(line(&format!("{PROVIDERS}.custom.name"), name));
    }
    let millis = |key, duration: &Sourced<std::time::Duration>| {
        plain(key, &duration.value.as_millis().to_string(), &duration.source)
    };
    all.push(line("compaction.threshold", &config.compaction_threshold));
    all.push(line("compaction.keepShare", &config.keep_share));
    all.push(list("permissions.allow", &config.allow));
    all.push(list("permissions.ask", &config.ask));
    all.push(list("permissions.deny", &config.deny));
    all.push(line("permissions.sandboxed", &config.sandbox.commands));
    all.push(line("sandbox.mode", &config.sandbox.mode));
    all.push(line("sandbox.network", &config.sandbox.network));
    all.push(list("sandbox.write", &config.sandbox.write));
    all.push(list("sandbox.hide", &config.sandbox.hide));
    all.push(line("context.enabled", &config.aids.context));
    all.push(line("advisor.enabled", &config.aids.advisor));
    all.push(millis("advisor.deadlineMs", &config.aids.deadline));
    all.push(line("plan.advisor", &config.aids.plan));
    all.push(list("webFetch.allow", &config.web.allow));
    all.push(millis("webFetch.timeoutMs", &config.web.timeout));
    all.push(line("webFetch.maxBytes", &config.web.max_bytes));
    all.push(millis("shell.timeoutMs", &config.shell_timeout));
    all.push(millis("shell.maxTimeoutMs", &config.shell_max_timeout));
    all.push(list("shell.env.exclude", &config.shell_exclude));
    all.push(millis("llm.silenceMs", &config.silence));
    if let Some(cost) = &config.max_cost_usd {
        all.push(line("budget.maxCostUsd", cost));
    }
    all.push(line("notify", &config.notify));
    all.push(line("memoryEvictDays", &config.memory_evict_days));
    if let Some(proxy) = &config.proxy {
        all.push(line("proxy", proxy));
    }
    if let Some(except) = &config.no_proxy {
        all.push(line("no proxy for", except));
    }
    all
}

/// A masked key: only that it is set.
fn masked(key: &str) -> String {
    format!("set ({} characters)", key.trim().chars().count())
}

fn line<T: ToString>(key: &str, value: &Sourced<T>) -> Shown {
    plain(key, &value.value.to_string(), &value.source)
}

fn list(key: &str, values: &Sourced<Vec<String>>) -> Shown {
    let shown = if values.value.is_empty() { "none".to_owned() } else { values.value.join(", ") };
    plain(key, &shown, &values.source)
}

fn plain(key: &str, value: &str, source: &Source) -> Shown {
    Shown { key: key.to_owned(), value: value.to_owned(), source: source.to_string() }
}
