//! Precedence, every fault, and the default file that holds the defaults.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use expect_test::{Expect, expect};
use tempfile::TempDir;

use super::key::Key;
use std::time::Duration;

use super::*;

const HOME: (&str, &str) = ("HOME", "/home/me");

fn environment(pairs: &[(&str, &str)]) -> Environment {
    [HOME].iter().chain(pairs).map(|(name, value)| (*name, *value)).collect()
}

/// A file below a folder of its own, mode 0600, and the flags that name it.
fn file(folder: &TempDir, text: &str) -> Flags {
    let path = folder.path().join("config.toml");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    Flags { config: Some(path), ..Flags::default() }
}

fn set(assignments: &[&str]) -> Flags {
    Flags { assignments: assignments.iter().map(ToString::to_string).collect(), ..Flags::default() }
}

/// The faults, with the folder's name taken out.
fn faults(flags: &Flags, environment: &Environment) -> String {
    let text = resolve(flags, environment).unwrap_err().to_string();
    match flags.config.as_ref().and_then(|path| path.parent()).map(Path::display) {
        Some(folder) => text.replace(&folder.to_string(), "FOLDER"),
        None => text,
    }
}

fn check_environment(pairs: &[(&str, &str)], expected: &Expect) {
    expected.assert_eq(&faults(&Flags::default(), &environment(pairs)));
}

fn check_file(text: &str, expected: &Expect) {
    let folder = TempDir::new().unwrap();
    expected.assert_eq(&faults(&file(&folder, text), &environment(&[])));
}

#[test]
fn the_default_file_holds_every_default() {
    let resolved = resolve(&Flags::default(), &environment(&[])).unwrap();
    expect![[r#"
        listen                     127.0.0.1:4517                      default
        socket                     -                                   not set
        state_dir                  /home/me/.local/state/codex-bridge  from $HOME
        token                      -                                   not set
        orchestrate_token          -                                   not set
        codex.bin                  -                                   not set
        codex.model                -                                   not set
        codex.base_url             -                                   not set
        codex.api_key_env          -                                   not set
        codex.api_key_file         -                                   not set
        codex.auth_home            /home/me/.codex                     from $HOME
        codex.shell                off                                 default
        codex.workspace_roots      []                                  default
        codex.orchestrate_sandbox  read-only                           default
        codex.allow_unproven       false                               default
        codex.driver               exec                                default
        codex.reasoning_summary    auto                                default
        limits.max_running         2                                   default
        limits.max_queued          32                                  default
        limits.deadline_ms         300000                              default
        limits.deadline_max_ms     590000                              default
        limits.turn_ms             3600000                             default
        limits.stall_ms            300000                              default
        limits.drain_ms            8000                                default
        session.ttl                24h                                 default
        store.retention            30 days                             default
        store.bodies               true                                default
        window.enabled             true                                default
        window.session_hours       12                                  default
        window.price               []                                  default
        log.format                 auto                                default
        log.level                  info                                default
    "#]]
    .assert_eq(&resolved.table());
    let config = resolved.config;
    assert_eq!(config.session_ttl, Duration::from_secs(24 * 60 * 60));
    assert_eq!(config.store.retention, Duration::from_secs(30 * 24 * 60 * 60));
    assert_eq!(config.limits.deadline, Duration::from_secs(300));
}

#[test]
fn the_default_file_names_every_setting_and_its_variable() {
    let mut at = 0;
    for key in Key::ALL {
        let last = key.name().rsplit('.').next().unwrap();
        let variable = format!("# Environment: {}", key.variable());
        at += default_file()[at..].find(&variable).unwrap_or_else(|| panic!("{variable}"));
        let line = default_file()[at..].lines().find(|line| line.contains(" = ")).unwrap();
        assert_eq!(line.trim_start_matches("# ").split(" = ").next(), Some(last));
    }
}

#[test]
fn the_commented_out_examples_of_the_default_file_are_valid() {
    let uncommented: String = default_file()
        .lines()
        // A key comes from a variable or from a file, not from both.
        .filter(|line| !line.contains("token =") && !line.contains("api_key_file ="))
        .map(|line| {
            let example = line.strip_prefix("# ").filter(|rest| {
                let name = rest.split(" = ").next().unwrap();
                rest.contains(" = ") && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
            });
            format!("{}\n", example.unwrap_or(line))
        })
        .collect();
    let folder = TempDir::new().unwrap();
    let environment = environment(&[("OPENAI_API_KEY", "sk-example")]);
    let resolved = resolve(&file(&folder, &uncommented), &environment).unwrap();
    assert_eq!(resolved.config.codex.model.as_deref(), Some("gpt-5.5"));
    assert_eq!(resolved.config.codex.base_url.as_deref(), Some("https://api.example.com/v1"));
}

#[test]
fn a_flag_wins_over_the_environment_over_the_file_over_the_default() {
    let folder = TempDir::new().unwrap();
    let mut flags = file(&folder, "[limits]\nmax_running = 3\nmax_queued = 3\nstall_ms = 3000\n");
    flags.named = vec![(Key::LimitsMaxRunning, "5".to_owned())];
    flags.assignments = vec!["limits.max_running=6".to_owned(), "log.level=debug".to_owned()];
    let environment =
        environment(&[("CODEX_BRIDGE_MAX_RUNNING", "4"), ("CODEX_BRIDGE_MAX_QUEUED", "4")]);
    let resolved = resolve(&flags, &environment).unwrap();
    let of = |key: Key| {
        let setting = resolved.settings.iter().find(|setting| setting.key == key).unwrap();
        let source = setting.source.to_string();
        (setting.value.to_string(), source.replace(&folder.path().display().to_string(), "FOLDER"))
    };
    let pair = |value: &str, source: &str| (value.to_owned(), source.to_owned());
    assert_eq!(of(Key::LimitsMaxRunning), pair("5", "flag --max-running"));
    assert_eq!(of(Key::LimitsMaxQueued), pair("4", "environment CODEX_BRIDGE_MAX_QUEUED"));
    assert_eq!(of(Key::LimitsStallMs), pair("3000", "file FOLDER/config.toml:4"));
    assert_eq!(of(Key::LimitsDrainMs), pair("8000", "default"));
    assert_eq!(of(Key::LogLevel), pair("\"debug\"", "flag --set"));
}

#[test]
fn every_word_of_a_choice_is_taken() {
    for (key, word) in
        Key::ALL.iter().flat_map(|key| key.words().iter().map(move |word| (key, word)))
    {
        let flags = set(&["codex.workspace_roots=/", &format!("{}={word}", key.name())]);
        let resolved = resolve(&flags, &environment(&[])).unwrap();
        let setting = resolved.settings.iter().find(|setting| setting.key == *key).unwrap();
        assert_eq!(setting.value, **word, "{}", key.name());
    }
}

#[test]
fn an_empty_variable_is_not_set() {
    let environment = environment(&[("CODEX_BRIDGE_LISTEN", ""), ("STATE_DIRECTORY", "")]);
    let resolved = resolve(&Flags::default(), &environment).unwrap();
    assert_eq!(resolved.config.listen.to_string(), "127.0.0.1:4517");
}

#[test]
fn the_state_folder_is_systemds_then_xdgs_then_the_homes() {
    let of = |pairs: &[(&str, &str)]| {
        let resolved = resolve(&Flags::default(), &environment(pairs)).unwrap();
        resolved.config.state_dir.display().to_string()
    };
    let xdg = ("XDG_STATE_HOME", "/xdg");
    assert_eq!(of(&[xdg, ("STATE_DIRECTORY", "/var/lib/a:/var/lib/b")]), "/var/lib/a");
    assert_eq!(of(&[xdg]), "/xdg/codex-bridge");
    assert_eq!(of(&[("XDG_STATE_HOME", "relative")]), "/home/me/.local/state/codex-bridge");
    assert_eq!(of(&[xdg, ("CODEX_BRIDGE_STATE_DIR", "~/mine")]), "/home/me/mine");
    let nobody = Environment::from_iter([("LANG", "C")]);
    expect![[r#"
        the configuration has a fault:
          state_dir (not set): there is no default for it: HOME, XDG_STATE_HOME and STATE_DIRECTORY are not set; set it or HOME"#]]
    .assert_eq(&faults(&Flags::default(), &nobody));
}

#[test]
fn a_relative_path_starts_where_it_was_written() {
    let folder = TempDir::new().unwrap();
    let flags = file(
        &folder,
        "state_dir = \"state\"\n[codex]\nworkspace_roots = [\".\"]\nshell = \"read-only\"",
    );
    let config = resolve(&flags, &environment(&[])).unwrap().config;
    assert_eq!(config.state_dir, folder.path().join("state"));
    assert_eq!(config.codex.workspace_roots, [folder.path().join(".")]);
}

#[test]
fn the_usual_file_is_read_where_it_exists() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("codex-bridge")).unwrap();
    fs::write(folder.path().join("codex-bridge/config.toml"), "[limits]\nmax_running = 7\n")
        .unwrap();
    let path = folder.path().to_str().unwrap();
    let usual = resolve(&Flags::default(), &environment(&[("XDG_CONFIG_HOME", path)])).unwrap();
    assert_eq!(usual.config.limits.max_running, 7);
    assert_eq!(usual.file, Some(folder.path().join("codex-bridge/config.toml")));
}

#[test]
fn a_named_file_must_exist() {
    let flags = Flags { config: Some("/nonexistent/config.toml".into()), ..Flags::default() };
    expect![[r#"
        the configuration has a fault:
          (configuration file) = /nonexistent/config.toml (flag --config): it cannot be read: No such file or directory (os error 2); name an existing, readable file; `codex-bridge config --default` prints one"#]]
    .assert_eq(&resolve(&flags, &environment(&[])).unwrap_err().to_string());
}

#[test]
fn all_faults_of_all_layers_come_together() {
    let folder = TempDir::new().unwrap();
    let mut flags = file(&folder, "max_running = 2\n[limit]\nx = 1\n[log]\nformat = \"jsn\"\n");
    flags.assignments = vec!["limits.max_queued".to_owned(), "token=abc".to_owned()];
    expect![[r#"
        the configuration has 6 faults:
          limits.max_queued (flag --set): there is no `=` in it; write --set KEY=VALUE, such as --set limits.max_running=4
          token (flag --set): a secret on the command line can be seen by every user; set CODEX_BRIDGE_TOKEN or use the token file
          limit (file FOLDER/config.toml:2): no such section; did you mean `[limits]`?
          max_running (file FOLDER/config.toml:1): no such setting; did you mean `limits.max_running`?
          limits.stall_ms = "2 min" (environment CODEX_BRIDGE_STALL_MS): expected a whole number from 1000 to 3600000; it is in milliseconds: write 120000
          log.format = "jsn" (file FOLDER/config.toml:5): expected "auto" or "json" or "pretty"; did you mean "json"?"#]]
    .assert_eq(&faults(&flags, &environment(&[("CODEX_BRIDGE_STALL_MS", "2 min")])));
}

#[test]
fn faults_of_addresses() {
    let pairs = |value| [("CODEX_BRIDGE_LISTEN", value)];
    check_environment(
        &pairs("0.0.0.0:4517"),
        &expect![[r#"
        the configuration has a fault:
          listen = "0.0.0.0:4517" (environment CODEX_BRIDGE_LISTEN): other machines could reach it; use a loopback address such as 127.0.0.1, or accept that with --allow-remote"#]],
    );
    check_environment(
        &pairs("4517"),
        &expect![[r#"
        the configuration has a fault:
          listen = "4517" (environment CODEX_BRIDGE_LISTEN): expected an IP address and a port; write "127.0.0.1:4517""#]],
    );
    check_environment(
        &pairs("::1"),
        &expect![[r#"
            the configuration has a fault:
              listen = "::1" (environment CODEX_BRIDGE_LISTEN): expected an IP address and a port; add the port: "[::1]:4517""#]],
    );
    check_environment(
        &pairs("example.com:80"),
        &expect![[r#"
        the configuration has a fault:
          listen = "example.com:80" (environment CODEX_BRIDGE_LISTEN): expected an IP address and a port; write "127.0.0.1:4517""#]],
    );
    for good in ["127.9.9.9:1", "[::1]:0", "localhost:4000"] {
        assert!(resolve(&Flags::default(), &environment(&pairs(good))).is_ok(), "{good}");
    }
    let remote = Flags { allow_remote: true, ..Flags::default() };
    assert!(resolve(&remote, &environment(&pairs("0.0.0.0:4517"))).is_ok());
}

#[test]
fn faults_of_numbers_and_switches() {
    check_file(
        "listen = 4517\n[limits]\nmax_running = 0\nmax_queued = \"32\"\ndeadline_ms = 999999\n\
         deadline_max_ms = 1.5\nstall_ms = -1\n[store]\nbodies = \"yes\"\n",
        &expect![[r#"
            the configuration has 7 faults:
              listen = 4517 (file FOLDER/config.toml:1): expected an IP address and a port; write "127.0.0.1:4517"
              limits.max_running = 0 (file FOLDER/config.toml:3): expected a whole number from 1 to 64; use at least 1
              limits.max_queued = "32" (file FOLDER/config.toml:4): expected a whole number from 0 to 10000; write it without quotes
              limits.deadline_ms = 999999 (file FOLDER/config.toml:5): expected a whole number from 1000 to 590000; use at most 590000
              limits.deadline_max_ms = 1.5 (file FOLDER/config.toml:6): expected a whole number from 1000 to 590000; write digits only
              limits.stall_ms = -1 (file FOLDER/config.toml:7): expected a whole number from 1000 to 3600000; write digits only
              store.bodies = "yes" (file FOLDER/config.toml:9): expected true or false; write true or false, without quotes"#]],
    );
}

#[test]
fn faults_of_durations() {
    check_file(
        "[session]\nttl = 24\n[store]\nretention = \"a while\"\n",
        &expect![[r#"
        the configuration has 2 faults:
          session.ttl = 24 (file FOLDER/config.toml:2): expected a duration with its unit; write it as "90s", "24h", "30 days" or "2 weeks"
          store.retention = "a while" (file FOLDER/config.toml:4): expected a duration with its unit; write it as "90s", "24h", "30 days" or "2 weeks""#]],
    );
    check_file(
        "[session]\nttl = \"30s\"\n[store]\nretention = \"99999 days\"\n",
        &expect![[r#"
            the configuration has 2 faults:
              session.ttl = "30s" (file FOLDER/config.toml:2): it is too short; use at least 1 minute(s)
              store.retention = "99999 days" (file FOLDER/config.toml:4): it is too long; use at most 3650 days"#]],
    );
    check_file(
        "[session]\nttl = \"2 days\"\n[store]\nretention = \"1 day\"\n",
        &expect![[r#"
        the configuration has a fault:
          store.retention = "1 day" (file FOLDER/config.toml:4): it is shorter than `session.ttl`: sessions would vanish before they expire; keep runs at least as long as sessions"#]],
    );
}

#[test]
fn faults_of_relations() {
    check_file(
        "[limits]\ndeadline_ms = 200000\ndeadline_max_ms = 100000\n",
        &expect![[r#"
        the configuration has a fault:
          limits.deadline_ms = 200000 (file FOLDER/config.toml:2): it is over `limits.deadline_max_ms`, which is 100000; lower it or raise the other"#]],
    );
    check_file(
        "[codex]\nshell = \"read-only\"\n",
        &expect![[r#"
        the configuration has a fault:
          codex.workspace_roots = [] (default): it is empty, so the read-only shell has nothing to read; name at least one folder, or set `codex.shell` to "off""#]],
    );
    check_file(
        "[codex]\nshell = \"readonly\"\nworkspace_roots = [\"/nonexistent\"]\n",
        &expect![[r#"
            the configuration has 2 faults:
              codex.shell = "readonly" (file FOLDER/config.toml:2): expected "off" or "read-only"; did you mean "read-only"?
              codex.workspace_roots = ["/nonexistent"] (file FOLDER/config.toml:3): /nonexistent is not a folder; name existing folders"#]],
    );
}

#[test]
fn a_secret_is_in_no_message() {
    let secret = "sk-verysecretverysecret";
    for variable in
        ["CODEX_BRIDGE_TOKEN", "CODEX_BRIDGE_CODEX_API_KEY_ENV", "CODEX_BRIDGE_CODEX_BASE_URL"]
    {
        let value = match variable {
            "CODEX_BRIDGE_CODEX_BASE_URL" => format!("https://me:{secret}@example.com/v1"),
            _ => secret.to_owned(),
        };
        let text = faults(&Flags::default(), &environment(&[(variable, &value)]));
        assert!(!text.contains(secret), "{text}");
    }
    check_environment(
        &[
            ("CODEX_BRIDGE_TOKEN", "short"),
            ("CODEX_BRIDGE_CODEX_API_KEY_ENV", "sk-secret"),
            ("CODEX_BRIDGE_CODEX_BASE_URL", "https://me:secret@example.com"),
        ],
        &expect![[r#"
            the configuration has 3 faults:
              token (environment CODEX_BRIDGE_TOKEN): expected 32 to 512 letters, digits and signs of `-._~+/=`; make one with `openssl rand -hex 32`, or leave it out to have one made
              codex.base_url (environment CODEX_BRIDGE_CODEX_BASE_URL): it holds credentials, a query or a fragment; give the key through `codex.api_key_env` and only the URL here
              codex.api_key_env (environment CODEX_BRIDGE_CODEX_API_KEY_ENV): it is not the name of an environment variable; put the key into a variable and give that variable's name, such as OPENAI_API_KEY"#]],
    );
    check_environment(
        &[("CODEX_BRIDGE_TOKEN", ""), ("CODEX_BRIDGE_CODEX_API_KEY_ENV", "MY_KEY")],
        &expect![[r#"
            the configuration has 2 faults:
              token (environment CODEX_BRIDGE_TOKEN): it is empty; unset it to use the token file, or give it a token
              codex.api_key_env = "MY_KEY" (environment CODEX_BRIDGE_CODEX_API_KEY_ENV): the variable of this name is not set; set it for the daemon, or leave this out to use your Codex sign-in"#]],
    );
}

#[test]
fn secrets_are_masked_in_the_table_and_in_json() {
    let token = "0123456789abcdef0123456789abcdef";
    let pairs = [
        ("CODEX_BRIDGE_TOKEN", token),
        ("CODEX_BRIDGE_CODEX_API_KEY_ENV", "MY_KEY"),
        ("MY_KEY", "sk-verysecret"),
    ];
    let resolved = resolve(&Flags::default(), &environment(&pairs)).unwrap();
    let all = format!("{}{}{:?}", resolved.table(), resolved.json(), resolved);
    assert!(!all.contains(token) && !all.contains("sk-verysecret"), "{all}");
    assert_eq!(resolved.config.token.unwrap().expose(), token);
    assert_eq!(resolved.config.codex.api_key.unwrap().expose(), "sk-verysecret");
}

#[test]
fn a_token_in_a_file_that_others_read_is_refused() {
    let folder = TempDir::new().unwrap();
    let flags = file(&folder, "token = \"0123456789abcdef0123456789abcdef\"\n");
    assert!(resolve(&flags, &environment(&[])).is_ok());
    let path = flags.config.clone().unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    expect![[r#"
        the configuration has a fault:
          token (file FOLDER/config.toml:1): other users may read the file (mode 644); run `chmod 600 FOLDER/config.toml`"#]].assert_eq(&faults(&flags, &environment(&[])));
}

#[test]
fn a_file_that_others_could_write_is_refused() {
    let folder = TempDir::new().unwrap();
    let flags = file(&folder, "[codex]\nbin = \"/tmp/evil\"\n");
    let path = flags.config.clone().unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o646)).unwrap();
    let told = faults(&flags, &environment(&[]));
    assert!(told.contains("other users may write to FOLDER/config.toml"), "{told}");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(resolve(&flags, &environment(&[])).is_ok());
}

#[test]
fn broken_toml_names_its_line() {
    check_file(
        "listen = \"127.0.0.1:1\"\n\n[limits\nmax_running = = 2\n",
        &expect![[r#"
        the configuration has 3 faults:
          (syntax) (file FOLDER/config.toml:3): unclosed table, expected `]`; see https://toml.io for the form
          (syntax) (file FOLDER/config.toml:4): extra `=`, expected nothing; see https://toml.io for the form
          (syntax) (file FOLDER/config.toml:4): unexpected key or value, expected newline, `#`; see https://toml.io for the form"#]],
    );
    check_file(
        "allow_remote = true\n",
        &expect![[r#"
        the configuration has a fault:
          allow_remote (file FOLDER/config.toml:1): no such setting; give --allow-remote on the command line"#]],
    );
}

#[test]
fn what_is_probably_not_meant_is_said() {
    let folder = TempDir::new().unwrap();
    let flags = file(&folder, "[codex]\nworkspace_roots = [\"/\"]\n");
    let pairs = [
        ("CODEX_BRIDGE_MAXRUNNING", "3"),
        ("CODEX_BRIDGE_URL", "http://127.0.0.1:1"),
        ("CODEX_BRIDGE_CODEX_API_KEY_ENV", "MY_KEY"),
        ("MY_KEY", "sk-verysecret"),
        ("CODEX_BRIDGE_CODEX_BASE_URL", "http://10.0.0.1/v1"),
    ];
    let resolved = resolve(&flags, &environment(&pairs)).unwrap();
    expect![[r#"
        the environment variable CODEX_BRIDGE_MAXRUNNING means nothing here; did you mean CODEX_BRIDGE_MAX_RUNNING?
        `codex.workspace_roots` has no effect: `codex.shell` is off
        `codex.base_url` sends the API key over the network unencrypted"#]].assert_eq(&resolved.warnings.join("\n"));
    assert!(resolve(&set(&["log.format=json"]), &environment(&[])).unwrap().warnings.is_empty());
}

/// A folder as systemd hands it over, with one credential in it.
fn handed_over(name: &str, content: &str) -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    // With an access list on it, the group's bits say what the list allows at most.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o440)).unwrap();
    let text = folder.path().to_str().unwrap().to_owned();
    (folder, text)
}

#[test]
fn credentials_of_the_service_manager_are_taken() {
    let strong = "0123456789abcdef0123456789abcdef";
    let (_folder, path) = handed_over("codex-bridge.token", &format!("{strong}\n"));
    let given = environment(&[("CREDENTIALS_DIRECTORY", &path)]);
    let resolved = resolve(&Flags::default(), &given).unwrap();
    assert_eq!(resolved.config.token.unwrap().expose(), strong);
    let setting = resolved.settings.iter().find(|setting| setting.key == Key::Token).unwrap();
    assert_eq!(setting.source, Source::Found("$CREDENTIALS_DIRECTORY"));
    assert_eq!(setting.value, "********");

    let other = "ffffffffffffffffffffffffffffffff";
    let given = environment(&[("CREDENTIALS_DIRECTORY", &path), ("CODEX_BRIDGE_TOKEN", other)]);
    let resolved = resolve(&Flags::default(), &given).unwrap();
    assert_eq!(resolved.config.token.unwrap().expose(), other, "what is said counts first");

    let (_folder, path) = handed_over("codex-bridge.token", "short");
    expect![[r#"
        the configuration has a fault:
          token (from $CREDENTIALS_DIRECTORY): expected 32 to 512 letters, digits and signs of `-._~+/=`; make one with `openssl rand -hex 32`, or leave it out to have one made"#]]
    .assert_eq(&faults(&Flags::default(), &environment(&[("CREDENTIALS_DIRECTORY", &path)])));
}

#[test]
fn an_api_key_may_lie_in_a_file() {
    let (_folder, path) = handed_over("codex-bridge.api-key", "sk-handed-over\n");
    let given = environment(&[("CREDENTIALS_DIRECTORY", &path)]);
    let codex = resolve(&Flags::default(), &given).unwrap().config.codex;
    assert_eq!(codex.api_key.unwrap().expose(), "sk-handed-over");
    assert_eq!(codex.api_key_env.as_deref(), Some("CODEX_API_KEY"));

    // A key that is named counts, and the credential is left alone.
    let named = [("CODEX_BRIDGE_CODEX_API_KEY_ENV", "MY_KEY"), ("MY_KEY", "sk-named")];
    let given = environment(&[named.as_slice(), &[("CREDENTIALS_DIRECTORY", &path)]].concat());
    let codex = resolve(&Flags::default(), &given).unwrap().config.codex;
    assert_eq!(codex.api_key.unwrap().expose(), "sk-named");

    let folder = TempDir::new().unwrap();
    let file = folder.path().join("key");
    let text = file.to_str().unwrap();
    let given = environment(&[("CODEX_BRIDGE_CODEX_API_KEY_FILE", text)]);
    let fault = || faults(&Flags::default(), &given).replace(text, "FILE");
    assert!(fault().contains("the file cannot be read: No such file"), "{}", fault());
    fs::write(&file, "sk-of-a-file\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(fault().contains("(mode 644); run `chmod 600 FILE`"), "{}", fault());
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let codex = resolve(&Flags::default(), &given).unwrap().config.codex;
    assert_eq!(codex.api_key.unwrap().expose(), "sk-of-a-file");
    fs::write(&file, "two words").unwrap();
    assert!(fault().contains("does not hold one word"), "{}", fault());
    assert!(!fault().contains("two words"), "{}", fault());

    let both = [named.as_slice(), &[("CODEX_BRIDGE_CODEX_API_KEY_FILE", text)]].concat();
    let fault = faults(&Flags::default(), &environment(&both));
    assert!(fault.contains("`codex.api_key_env` is set as well"), "{fault}");
}
