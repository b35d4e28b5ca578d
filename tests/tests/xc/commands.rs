//! The commands that ask no model, and the start.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use mock_model::Turn;
use serde_json::{Value, json};

use crate::fixture::{KEY, Place, ended};

#[tokio::test]
async fn version_and_help_are_on_standard_output() {
    let place = Place::with_turns([]).await;
    let said = place.run(&["--version"]).await;
    assert_eq!((said.code, said.out), (Some(0), format!("xc {}\n", release::VERSION)));
    let help = place.run(&["--help"]).await.out;
    for word in [
        "--print",
        "--trust",
        "--max-turns",
        "--resume",
        "--output-format",
        "sessions",
        "config",
        "doctor",
        "demo",
        "completions",
        "X_CODE_MODEL",
        "OPENAI_COMPATIBLE_BASE_URL",
        "DEEPSEEK_API_KEY",
        "Exit codes",
    ] {
        assert!(help.contains(word), "{word}: {help}");
    }
    let said = place.run(&["completions", "bash"]).await;
    assert!(said.code == Some(0) && said.out.contains("_xc"), "{}", said.err);
}

/// XC-21, XC-36: each setting with its source; keys are never shown.
#[tokio::test]
async fn config_shows_sources_and_masks_keys() {
    let place = Place::with_turns([]).await;
    place.settings(&json!({ "providers": { "openai": { "apiKey": KEY } }, "compaction": { "threshold": 0.7 } }));
    let said = place.run(&["config", "--json"]).await;
    assert_eq!(said.code, Some(0), "{}", said.err);
    let shown: Value = serde_json::from_str(&said.out).unwrap();
    let settings = shown["settings"].as_array().unwrap();
    let source =
        |key: &str| settings.iter().find(|one| one["key"] == key).unwrap()["source"].clone();
    assert_eq!(source("providers.openai.apiKey"), "your file");
    assert_eq!(source("providers.custom.apiKey"), "OPENAI_COMPATIBLE_API_KEY");
    assert_eq!(source("compaction.threshold"), "your file");
    assert_eq!(source("compaction.keepShare"), "default");
    let text = place.run(&["config"]).await.out;
    assert!(!said.out.contains(KEY) && !text.contains(KEY) && text.contains("set ("), "{text}");
}

#[tokio::test]
async fn doctor_names_what_is_wrong_and_how_to_mend_it() {
    let place = Place::with_turns([]).await;
    let said = place.run(&["doctor", "--json"]).await;
    let told: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.code, &told["ok"]), (Some(0), &json!(true)), "{}", said.out);
    let names: Vec<&str> = told["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| check["name"].as_str().unwrap())
        .collect();
    for name in
        ["configuration", "key", "model", "network", "folder", "run guard", "sandbox", "terminal"]
    {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    place.settings(&json!({ "model": "opus" }));
    let path = place.folder.home().join(".xcode/config.json");
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
    let said = place.run(&["doctor"]).await;
    assert_eq!(said.code, Some(1), "{}", said.out);
    for told in ["chmod 600 ~/.xcode/config.json", "needs a key: set ANTHROPIC_API_KEY"] {
        assert!(said.out.contains(told), "{told}: {}", said.out);
    }
}

/// XC-13, D-1: an option wins over the variable, and that over the file.
#[tokio::test]
async fn the_model_that_is_asked_is_the_one_that_is_named_nearest() {
    for (words, variable, asked) in [
        (&["-p", "q"][..], None, "from-file"),
        (&["-p", "q"], Some("custom:from-variable"), "from-variable"),
        (&["-p", "-m", "custom:typed:latest", "q"], Some("custom:from-variable"), "typed:latest"),
        (&["-p", "-m", "fast", "q"], None, "aliased"),
    ] {
        let place = Place::with_turns([Turn::text("answered")]).await;
        place.settings(
            &json!({ "model": "custom:from-file", "aliases": { "fast": "custom:aliased" } }),
        );
        let mut command = place.xc(words);
        if let Some(variable) = variable {
            command.env("X_CODE_MODEL", variable);
        }
        let said = ended(command.spawn().unwrap()).await;
        assert_eq!(said.code, Some(0), "{}", said.err);
        assert_eq!(place.bodies()[0]["model"], asked);
    }
    let place = Place::with_turns([]).await;
    let said = place.run(&["-p", "-m", "sonet", "q"]).await;
    assert!(said.code == Some(2) && said.err.contains("the nearest are sonnet, "), "{}", said.err);
}

/// XC-17, D-17: a command's name behind two hyphens is a prompt.
#[tokio::test]
async fn a_prompt_may_be_the_name_of_a_command() {
    let place = Place::with_turns([Turn::text("a prompt")]).await;
    let said = place.run(&["-p", "--", "doctor"]).await;
    assert_eq!(said.out, "a prompt\n", "{}", said.err);
}

/// XC-12: what is printed goes into a pipe, so there is nobody to hold a conversation with.
#[tokio::test]
async fn without_a_terminal_to_show_it_a_run_is_as_with_print() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    for words in [&[][..], &["fix it"]] {
        let place = Place::with_turns([Turn::text("fixed")]).await;
        let mut command = place.xc(words);
        command.stdin(
            fs::File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap(),
        );
        let said = ended(command.spawn().unwrap()).await;
        if words.is_empty() {
            assert_eq!((said.code, said.out.as_str()), (Some(2), ""));
            assert!(said.err.contains("xc -p 'what to do'"), "{}", said.err);
        } else {
            assert_eq!((said.code, said.out.as_str()), (Some(0), "fixed\n"), "{}", said.err);
        }
    }
}
