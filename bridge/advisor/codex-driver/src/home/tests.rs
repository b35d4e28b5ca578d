//! The content of a prepared home, and what a second preparation repairs.

use expect_test::expect;

use super::*;

fn settings() -> HomeSettings {
    HomeSettings {
        auth_home: None,
        base_url: None,
        api_key_env: None,
        model: None,
        shell: ShellAccess::Off,
        wants_summary: true,
        instructions: "Advise.".to_owned(),
        provider: None,
        version: Version::WITH_FORK,
        idle_timeout: Duration::from_secs(60),
    }
}

/// A user's home with a sign-in, and a place for ours.
fn folders() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let user = folder.path().join("user");
    fs::create_dir(&user).unwrap();
    fs::write(user.join(AUTH), "{}").unwrap();
    let ours = folder.path().canonicalize().unwrap().join("state/codex-home");
    (folder, user, ours)
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

/// The lines that depend on the settings.
fn chosen(home: &Home) -> String {
    let config = fs::read_to_string(home.path().join(CONFIG)).unwrap();
    let _: toml::Table = toml::from_str(&config).unwrap();
    config.strip_prefix(FIXED).unwrap().replace(&*home.path().to_string_lossy(), "HOME")
}

#[test]
fn a_new_home_is_private_and_complete() {
    let (_folder, _, ours) = folders();
    let home = Home::prepare(&ours, &settings()).unwrap();
    assert_eq!(home.path(), ours);
    assert_eq!(mode(&ours), 0o700);
    assert_eq!(mode(&ours.join(CONFIG)), 0o600);
    assert_eq!(fs::read_to_string(ours.join(INSTRUCTIONS)).unwrap(), "Advise.");
    let mut names: Vec<_> =
        fs::read_dir(&ours).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [CONFIG, INSTRUCTIONS]);
    expect![[r#"

        # What this bridge is configured to.
        model_instructions_file = "HOME/instructions.md"
        model_reasoning_summary = "auto"
        features.shell_tool = false
        features.code_mode_host = false
        model_providers.bridge.stream_idle_timeout_ms = 60000
        model_providers.bridge.name = "OpenAI"
        model_providers.bridge.wire_api = "responses"
    "#]]
    .assert_eq(&chosen(&home));
}

#[test]
fn every_setting_reaches_the_configuration_quoted() {
    let (_folder, user, ours) = folders();
    let settings = HomeSettings {
        auth_home: Some(user),
        base_url: Some("http://127.0.0.1:1/v1".to_owned()),
        api_key_env: Some("MY_KEY".to_owned()),
        model: Some("odd\"\nmodel".to_owned()),
        shell: ShellAccess::ReadOnly,
        ..settings()
    };
    let home = Home::prepare(&ours, &settings).unwrap();
    home.use_models("{}").unwrap();
    assert_eq!(home.credentials(), Credentials::ApiKey);
    assert!(fs::symlink_metadata(ours.join(AUTH)).is_err(), "a key takes the sign-in's place");
    expect![[r#"

        # What this bridge is configured to.
        model_instructions_file = "HOME/instructions.md"
        model_reasoning_summary = "auto"
        features.shell_tool = true
        features.code_mode_host = true
        model_providers.bridge.stream_idle_timeout_ms = 60000
        model = """
        odd"
        model"""
        model_catalog_json = "HOME/models.json"
        model_providers.bridge.name = "OpenAI"
        model_providers.bridge.wire_api = "responses"
        model_providers.bridge.base_url = "http://127.0.0.1:1/v1"
        model_providers.bridge.env_key = "MY_KEY"
    "#]]
    .assert_eq(&chosen(&home));
}

#[test]
fn the_sign_in_is_linked_and_never_copied() {
    let (_folder, user, ours) = folders();
    let settings = HomeSettings { auth_home: Some(user.clone()), ..settings() };
    let home = Home::prepare(&ours, &settings).unwrap();
    assert_eq!(fs::read_link(ours.join(AUTH)).unwrap(), user.join(AUTH));
    assert!(chosen(&home).contains("model_providers.bridge.requires_openai_auth = true"));
    // What Codex writes through it arrives at the user's.
    fs::write(ours.join(AUTH), "refreshed").unwrap();
    assert_eq!(fs::read_to_string(user.join(AUTH)).unwrap(), "refreshed");
}

#[test]
fn a_stale_link_is_replaced_or_removed() {
    let (folder, user, ours) = folders();
    let signed_in = HomeSettings { auth_home: Some(user.clone()), ..settings() };
    Home::prepare(&ours, &signed_in).unwrap();

    let other = folder.path().join("other");
    let moved = HomeSettings { auth_home: Some(other.clone()), ..settings() };
    let home = Home::prepare(&ours, &moved).unwrap();
    assert!(fs::symlink_metadata(ours.join(AUTH)).is_err(), "nobody signed in there");

    fs::create_dir(&other).unwrap();
    fs::write(other.join(AUTH), "{}").unwrap();
    home.link_sign_in().unwrap();
    assert_eq!(fs::read_link(ours.join(AUTH)).unwrap(), other.join(AUTH));

    Home::prepare(&ours, &settings()).unwrap();
    assert!(fs::symlink_metadata(ours.join(AUTH)).is_err(), "no sign-in is to be used");
    assert!(user.join(AUTH).exists() && other.join(AUTH).exists());
}

#[test]
fn a_sign_in_of_the_home_itself_is_left_alone() {
    let (_folder, user, ours) = folders();
    fs::create_dir_all(&ours).unwrap();
    fs::write(ours.join(AUTH), "own").unwrap();
    Home::prepare(&ours, &HomeSettings { auth_home: Some(user), ..settings() }).unwrap();
    assert_eq!(fs::read_to_string(ours.join(AUTH)).unwrap(), "own");
}

#[test]
fn an_open_home_is_closed_and_leftovers_do_not_matter() {
    let (_folder, _, ours) = folders();
    fs::create_dir_all(&ours).unwrap();
    fs::set_permissions(&ours, Permissions::from_mode(0o755)).unwrap();
    fs::write(ours.join(CONFIG), "broken = [").unwrap();
    let home = Home::prepare(&ours, &settings()).unwrap();
    let written = fs::read_to_string(ours.join(CONFIG)).unwrap();
    fs::write(home.staged(AUTH), "half").unwrap();
    fs::write(ours.join(".config.toml.0123456789abcdef.new"), "half").unwrap();
    let home = Home::prepare(&ours, &settings()).unwrap();
    assert_eq!(mode(home.path()), 0o700);
    assert_eq!(fs::read_to_string(ours.join(CONFIG)).unwrap(), written);
    assert!(!written.contains("broken"), "{written}");
}

#[test]
fn a_home_that_cannot_be_is_an_error_that_names_it() {
    let (folder, _, ours) = folders();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Home::prepare(&file, &settings()).unwrap_err();
    assert!(matches!(&error, HomeError::Folder { path, .. } if *path == file), "{error}");

    let itself = HomeSettings { auth_home: Some(ours.clone()), ..settings() };
    fs::create_dir_all(&ours).unwrap();
    let error = Home::prepare(&ours, &itself).unwrap_err();
    assert!(matches!(error, HomeError::SharesWithItself { .. }), "{error}");
}

#[test]
fn an_older_codex_is_given_no_key_that_it_does_not_know() {
    let (_folder, _, ours) = folders();
    let settings = HomeSettings { version: Version::MINIMUM, ..settings() };
    let home = Home::prepare(&ours, &settings).unwrap();
    let config = fs::read_to_string(home.path().join(CONFIG)).unwrap();
    let lost: Vec<_> = FIXED.lines().filter(|line| !config.lines().any(|it| it == *line)).collect();
    assert_eq!(
        lost,
        [
            "features.unbounded_connection_retries = false",
            "features.sleep_tool = false",
            "features.view_image = false",
        ]
    );
}
