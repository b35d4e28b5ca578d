//! Which settings of a configuration are used, and which are not.

use expect_test::{Expect, expect};

use super::*;

fn lookup(name: &str) -> Option<OsString> {
    (name != "UNSET").then(|| format!("value of {name}").into())
}

fn check(config: &str, expected: Expect) {
    let config: Table = config.parse().unwrap();
    let shown = match of_config(&config) {
        Err(error) => format!("{error}\n"),
        Ok(UserConfig { provider, model }) => {
            let mut shown = format!("model {model:?}\n");
            if let Some(provider) = provider {
                shown += &format!("{} signs with {:?}\n", provider.id(), provider.credentials());
                provider.lines().for_each(|(key, value)| shown += &format!("  {key} = {value}\n"));
                for (name, value) in provider.variables(lookup) {
                    shown += &format!("  ${} = {}\n", name.display(), value.display());
                }
            }
            shown
        }
    };
    expected.assert_eq(&shown);
}

#[test]
fn a_gateway_with_a_key_and_headers() {
    check(
        r#"
        model = "gpt-5.5"
        model_provider = "gateway"
        notify = ["sh", "-c", "x"]
        [mcp_servers.x]
        command = "x"
        [model_providers.gateway]
        name = "Gateway"
        base_url = "https://llm.example.com/v1"
        env_key = "GATEWAY_KEY"
        env_key_instructions = "ask"
        wire_api = "responses"
        http_headers = { "x-team" = "sk-inline" }
        env_http_headers = { "x-user" = "GATEWAY_USER", "x-unset" = "UNSET" }
        request_max_retries = 99
        stream_idle_timeout_ms = 1
        supports_websockets = true
        "#,
        expect![[r#"
            model Some("gpt-5.5")
            gateway signs with ApiKey
              base_url = "https://llm.example.com/v1"
              env_http_headers = { x-team = "CODEX_BRIDGE_PROVIDER_HEADER_0", x-unset = "UNSET", x-user = "GATEWAY_USER" }
              env_key = "GATEWAY_KEY"
              name = "Gateway"
              wire_api = "responses"
              $GATEWAY_USER = value of GATEWAY_USER
              $GATEWAY_KEY = value of GATEWAY_KEY
              $CODEX_BRIDGE_PROVIDER_HEADER_0 = sk-inline
        "#]],
    );
}

#[test]
fn azure_with_a_version_in_the_query_and_a_key_in_a_header() {
    check(
        r#"
        model = "my-deployment"
        model_provider = "azure"
        [model_providers.azure]
        name = "Azure"
        base_url = "https://x.openai.azure.com/openai"
        query_params = { api-version = "2025-04-01-preview" }
        env_http_headers = { api-key = "AZURE_OPENAI_API_KEY" }
        "#,
        expect![[r#"
            model Some("my-deployment")
            azure signs with None
              base_url = "https://x.openai.azure.com/openai"
              env_http_headers = { api-key = "AZURE_OPENAI_API_KEY" }
              name = "Azure"
              query_params = { api-version = "2025-04-01-preview" }
              $AZURE_OPENAI_API_KEY = value of AZURE_OPENAI_API_KEY
        "#]],
    );
}

#[test]
fn a_profile_that_chooses_a_local_server() {
    check(
        r#"
        profile = "local"
        model = "gpt-5.5"
        [profiles.local]
        model = "qwen"
        model_provider = "mine"
        [model_providers.mine]
        name = "Mine"
        base_url = "http://127.0.0.1:8080/v1"
        "#,
        expect![[r#"
            model Some("qwen")
            mine signs with None
              base_url = "http://127.0.0.1:8080/v1"
              name = "Mine"
        "#]],
    );
}

#[test]
fn a_token_in_the_table_reaches_codex_in_its_environment() {
    check(
        r#"
        model_provider = "p"
        [model_providers.p]
        name = "P"
        base_url = "https://p.example.com"
        experimental_bearer_token = "sk-inline"
        "#,
        expect![[r#"
            model None
            p signs with ApiKey
              base_url = "https://p.example.com"
              env_key = "CODEX_BRIDGE_PROVIDER_TOKEN"
              name = "P"
              $CODEX_BRIDGE_PROVIDER_TOKEN = sk-inline
        "#]],
    );
}

#[test]
fn the_built_in_provider_and_what_cannot_be_taken_over() {
    check(
        "",
        expect![[r#"
        model None
    "#]],
    );
    check(
        "openai_base_url = \"https://proxy.example.com/v1\"",
        expect![[r#"
            model None
            openai signs with SignIn
              base_url = "https://proxy.example.com/v1"
              name = "OpenAI"
              requires_openai_auth = true
              wire_api = "responses"
        "#]],
    );
    check(
        "model_provider = \"ollama\"",
        expect![[r#"
            your Codex configuration names the provider `ollama`, of which it has no table; set `codex.base_url` to use another
        "#]],
    );
    check(
        "model_provider = \"p\"\n[model_providers.p]\nname = \"P\"\nauth = { command = \"secret-tool\" }",
        expect![[r#"
            the provider `p` of your Codex configuration makes its credentials with `auth`, which the advisor does not take over; set `codex.base_url` and `codex.api_key_env`
        "#]],
    );
}

#[test]
fn a_table_cannot_name_a_variable_that_is_ours() {
    let config: Table = "model_provider = \"p\"\n[model_providers.p]\nname = \"P\"\n\
         env_key = \"PATH\"\nenv_http_headers = { x = \"CODEX_HOME\" }"
        .parse()
        .unwrap();
    let provider = of_config(&config).unwrap().provider.unwrap();
    assert_eq!(provider.variables(lookup), []);
}

#[test]
fn no_secret_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let text = "model_provider = \"p\"\n[model_providers.p]\nname = \"P\"\n\
                experimental_bearer_token = \"sk-inline\"\nhttp_headers = { x-api-key = \"sk-header\", x-team = \"platform\" }\n";
    fs::write(folder.path().join("config.toml"), text).unwrap();
    let config = read(folder.path()).unwrap();
    assert_eq!(config.provider.as_ref().unwrap().secrets(lookup), ["sk-header", "sk-inline"]);
    assert!(!format!("{config:?}").contains("sk-"), "{config:?}");
    fs::write(folder.path().join("config.toml"), "token = sk-inline\n").unwrap();
    let error = read(folder.path()).unwrap_err();
    assert!(!error.to_string().contains("sk-"), "{error}");
    assert_eq!(read(&folder.path().join("gone")), Ok(UserConfig::default()));
}
