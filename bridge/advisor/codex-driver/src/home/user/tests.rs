//! The overrides of the user's settings, and the token counts in their threads.

use expect_test::{Expect, expect};

use super::*;

const THREAD: &str = "01a1fed2-256f-77d0-a14f-e512c55df4b7";

fn home(config: &str, settings: &UserSettings) -> UserHome {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config.toml"), config).unwrap();
    let lookup = |name: &str| (name == "PATH").then(|| OsString::from("/bin"));
    UserHome::open(folder.path(), settings, lookup).unwrap()
}

#[test]
fn the_users_provider_is_left_alone_unless_the_operator_names_one() {
    let check = |config: &str, settings: UserSettings, expected: Expect| {
        let home = home(config, &settings);
        expected.assert_eq(&format!("{:?}\n{}", home.credentials(), home.overrides().join("\n")));
    };
    let none = UserSettings::default;
    check(
        "",
        none(),
        expect![[r#"
            SignIn
            features.unbounded_connection_retries=false
            otel.log_user_prompt=false"#]],
    );
    check(
        "model_provider = \"azure\"",
        none(),
        expect![[r#"
            None
            features.unbounded_connection_retries=false
            otel.log_user_prompt=false"#]],
    );
    check(
        "model_provider = \"azure\"",
        UserSettings {
            base_url: Some("http://127.0.0.1:1/v1".into()),
            api_key_env: Some("KEY".into()),
            model: Some("a \"b\"".into()),
        },
        expect![[r#"
            ApiKey
            features.unbounded_connection_retries=false
            otel.log_user_prompt=false
            model='a "b"'
            model_provider="bridge"
            model_providers.bridge={name="OpenAI",wire_api="responses",request_max_retries=0,stream_max_retries=0,base_url="http://127.0.0.1:1/v1",env_key="KEY"}"#]],
    );
    check(
        "not toml",
        UserSettings { base_url: Some("https://api.example.com/v1".into()), ..none() },
        expect![[r#"
            SignIn
            features.unbounded_connection_retries=false
            otel.log_user_prompt=false
            model_provider="bridge"
            model_providers.bridge={name="OpenAI",wire_api="responses",request_max_retries=0,stream_max_retries=0,base_url="https://api.example.com/v1",requires_openai_auth=true}"#]],
    );
}

#[test]
fn a_home_that_is_missing_is_made_private() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/.codex");
    let home = UserHome::open(&path, &UserSettings::default(), |_| None).unwrap();
    assert_eq!(home.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    assert!(home.variables.is_empty());
    fs::write(folder.path().join("file"), "").unwrap();
    let file = folder.path().join("file/home");
    assert!(UserHome::open(&file, &UserSettings::default(), |_| None).is_err());
}

fn count(input: u64) -> String {
    format!(
        r#"{{"timestamp":"t","type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{input},"cached_input_tokens":1,"output_tokens":2,"reasoning_output_tokens":3,"total_tokens":9}},"last_token_usage":{{}}}}}}}}"#
    )
}

fn usage(record: &str) -> Option<Usage> {
    let home = tempfile::tempdir().unwrap();
    let day = home.path().join("sessions/2026/11/21");
    fs::create_dir_all(&day).unwrap();
    fs::create_dir_all(home.path().join("sessions/2026/12/01")).unwrap();
    fs::write(day.join(format!("rollout-2026-11-21T15-55-47-{THREAD}.jsonl")), record).unwrap();
    usage_of_thread(home.path(), THREAD.parse().unwrap())
}

#[test]
fn the_last_count_of_a_thread_is_its_total() {
    let expected = |input_tokens| {
        Some(Usage {
            input_tokens,
            cached_input_tokens: 1,
            output_tokens: 2,
            reasoning_output_tokens: 3,
        })
    };
    let noise = r#"{"payload":{"type":"message","text":"\"total_token_usage\""}}"#;
    assert_eq!(usage(&format!("{}\n{}\n{noise}\n{{\"cut", count(100), count(250))), expected(250));
    let long = "x".repeat(300_000);
    assert_eq!(usage(&format!("{}\n{long}\n", count(7))), expected(7), "far from the end");
    assert_eq!(usage(&format!("{noise}\n")), None);
    assert_eq!(usage(""), None);
    let home = tempfile::tempdir().unwrap();
    assert_eq!(usage_of_thread(home.path(), THREAD.parse().unwrap()), None);
}
