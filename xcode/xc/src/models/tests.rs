//! The choice of a model, and the messages if there is none.

use std::path::Path;

use host::Environment;
use llm::Catalogue;

use super::{Shell, choose, ready, usable};
use crate::config::{Config, Places};

fn config(variables: &[(&'static str, &str)]) -> Config {
    let start = Environment::default().with("HOME", "/nonexistent");
    let environment = variables.iter().fold(start, |all, (name, value)| all.with(*name, *value));
    Config::read(
        &environment,
        Places { root: Path::new("/nonexistent"), named: None, language: None },
    )
    .unwrap()
}

fn chosen(variables: &[(&'static str, &str)], flag: Option<&str>) -> Result<String, String> {
    choose(&config(variables), flag)
        .map(|chosen| format!("{} ({})", chosen.id, chosen.source))
        .map_err(|error| error.to_string())
}

/// XC-25: flag, variable, file, then the first key.
#[test]
fn what_is_typed_wins_over_a_variable_and_that_over_the_first_key() {
    let keys = [("ALIBABA_API_KEY", "k-1"), ("OPENAI_API_KEY", "k-2"), ("X_CODE_MODEL", "qwen")];
    let by = |flag| chosen(&keys, flag).unwrap();
    assert_eq!(by(Some("openai:o3")), "openai:o3 (--model)");
    assert_eq!(by(None), "alibaba:qwen-max (X_CODE_MODEL)");
    assert_eq!(chosen(&keys[..2], None).unwrap(), "openai:gpt-4.1 (first key found)");
}

/// XC-26: the order of the keys.
#[test]
fn the_first_key_decides() {
    let mut variables: Vec<(&'static str, &str)> = Catalogue::built_in()
        .providers()
        .iter()
        .map(|entry| (&*entry.key_variable, "k-0123456789"))
        .collect();
    let mut order = Vec::new();
    variables.push(("OPENAI_COMPATIBLE_BASE_URL", "http://127.0.0.1:1/v1"));
    variables.push(("OPENAI_COMPATIBLE_MODEL", "doubao-1.5-pro"));
    for _ in 0..9 {
        order.push(chosen(&variables, None).unwrap().replace(" (first key found)", ""));
        variables.remove(0);
    }
    assert_eq!(
        order,
        [
            "anthropic:claude-sonnet-4-5",
            "openai:gpt-4.1",
            "deepseek:deepseek-chat",
            "alibaba:qwen-max",
            "google:gemini-2.5-pro",
            "xai:grok-3",
            "zhipu:glm-4-plus",
            "moonshotai:kimi-k2.5",
            "custom:doubao-1.5-pro",
        ]
    );
    let error = chosen(&[], None).unwrap_err();
    for entry in Catalogue::built_in().providers() {
        assert!(error.contains(&entry.key_variable), "{error}");
    }
}

#[test]
fn what_cannot_be_asked_is_told_with_the_way_out() {
    let error = |variables: &[(&'static str, &str)], flag| chosen(variables, flag).unwrap_err();
    let unknown = error(&[("ANTHROPIC_API_KEY", "k-1")], Some("sonet"));
    let begin = "--model: there is no model `sonet`; the nearest are sonnet, ";
    assert_eq!(unknown.strip_prefix(begin).unwrap().split(", ").count(), 2, "{unknown}");
    assert_eq!(
        error(&[("ANTHROPIC_API_KEY", "k-1")], Some("gpt4")),
        "openai:gpt-4.1 needs a key: set OPENAI_API_KEY, or providers.openai.apiKey in ~/.xcode/config.json"
    );
    let custom = [("OPENAI_COMPATIBLE_API_KEY", "k-1")];
    assert_eq!(
        error(&custom, Some("custom:x")),
        "custom:x needs an address: set OPENAI_COMPATIBLE_BASE_URL"
    );
    let custom = [custom[0], ("OPENAI_COMPATIBLE_BASE_URL", "http://127.0.0.1:1")];
    assert!(error(&custom, None).contains("OPENAI_COMPATIBLE_MODEL"));
}

/// XC-28: the registry is made of the keys that exist.
#[test]
fn only_what_has_a_key_is_usable() {
    let keys = [
        ("GOOGLE_GENERATIVE_AI_API_KEY", "k"),
        ("DEEPSEEK_API_KEY", "k"),
        ("OPENAI_COMPATIBLE_API_KEY", "k"),
    ];
    let config = config(&keys);
    let words: Vec<&str> = usable(&config).map(|provider| provider.word()).collect();
    assert_eq!(words, ["deepseek", "google"]);
}

#[test]
fn a_model_that_no_catalogue_has_is_asked_and_said_to_be_assumed() {
    let config = config(&[("OPENAI_API_KEY", "k-0123456789")]);
    let chosen = choose(&config, Some("openai:gpt-9-next")).unwrap();
    assert!(chosen.note.unwrap().contains("128000"));
    let environment = Environment::default();
    let shell = Shell { environment: &environment, home: Path::new("/") };
    let ready = ready(&config, &chosen.id, shell).unwrap();
    assert_eq!((ready.model.id().name(), &*ready.secret), ("gpt-9-next", "k-0123456789"));
}

#[test]
fn a_key_is_what_a_command_prints_first() {
    let environment = Environment::default().with("PATH", "/usr/bin:/bin");
    let shell = Shell { environment: &environment, home: Path::new("/") };
    let run =
        |command: &str| super::key_command::run(command, shell).map_err(|error| error.to_string());
    assert_eq!(run("echo sk-1; echo noise").unwrap(), "sk-1");
    for failed in ["true", "echo sk-1; exit 1", "no-such-program-at-all"] {
        assert_eq!(run(failed).unwrap_err(), "apiKeyCommand printed no key, or failed");
    }
}
