//! Commands of a run in the sandbox of this system, through the whole program.

use mock_model::Turn;
use serde_json::{Value, json};
use supervise::{Confinement, Guard};

use crate::fixture::{Place, Said, XC, shell};

/// What this system has; none where it has nothing, which is said.
async fn here() -> Option<&'static str> {
    match Guard::new(XC.into()).confinement().await {
        Confinement::LandlockAndMounts => Some("landlock+mounts"),
        Confinement::Landlock => Some("landlock"),
        Confinement::None => {
            skipping::impossible("this kernel has no Landlock");
            None
        }
    }
}

/// The first event.
fn start(said: &Said) -> Value {
    serde_json::from_str(said.out.lines().next().unwrap()).unwrap()
}

/// A folder that no sandbox of a run may write.
fn outside() -> tempfile::TempDir {
    tests::xc::lasting_folder(env!("CARGO_TARGET_TMPDIR").as_ref()).unwrap()
}

#[tokio::test]
async fn a_run_says_what_confines_its_commands_and_holds_them_to_it() {
    let Some(here) = here().await else { return };
    for (words, settings, expected) in [
        (&[][..], json!({}), here),
        (&["--sandbox", "require"][..], json!({}), here),
        (&["--sandbox", "off"][..], json!({}), "none"),
        (&[][..], json!({"sandbox": {"mode": "off"}}), "none"),
        (&["--sandbox", "auto"][..], json!({"sandbox": {"mode": "off"}}), here),
    ] {
        let outside = outside();
        let file = outside.path().join("out");
        let place = Place::with_turns([shell("sh try.sh"), Turn::text("Tried.")]).await;
        // A script of the project: what it writes is not seen before it runs.
        place.write("try.sh", &format!("echo x > '{}'; echo done > inside", file.display()));
        place.settings(&settings);
        let mut all = vec!["-p", "-t", "--output-format", "stream-json"];
        all.extend(words);
        all.push("try");
        let said = place.run(&all).await;
        assert_eq!(start(&said)["sandbox"], expected, "{words:?} {}", said.err);
        let system = place.bodies()[0]["messages"][0].to_string();
        assert_eq!(system.contains("Sandbox: shell commands can write in"), expected != "none");
        let result = place.mock.requests()[1].results()[0].clone();
        assert_eq!(file.exists(), expected == "none", "{words:?}: {result}");
        assert!(place.project().join("inside").exists(), "{words:?}: {result}");
    }
}

#[tokio::test]
async fn a_command_outside_of_the_sandbox_is_denied_without_a_user() {
    if here().await.is_none() {
        return;
    }
    let call = Turn::call("shell", &json!({"command": "touch here", "unsandboxed": true}));
    let place = Place::with_turns([call, Turn::text("I may not.")]).await;
    place.settings(&json!({"permissions": {"allow": ["shell(*)"], "sandboxed": "allow"}}));
    let said = place.run(&["-p", "-t", "try"]).await;
    assert_eq!(said.out, "I may not.\n", "{}", said.err);
    assert!(said.err.contains("denied (L2, shell.unsandboxed)"), "{}", said.err);
    assert!(!place.project().join("here").exists());
}

#[tokio::test]
async fn in_a_sandbox_ordinary_commands_run_where_the_settings_say_so() {
    if here().await.is_none() {
        return;
    }
    let place = Place::with_turns([shell("touch here"), Turn::text("Done.")]).await;
    place.settings(&json!({"permissions": {"sandboxed": "allow"}}));
    let said = place.run(&["-p", "do it"]).await;
    assert_eq!(said.out, "Done.\n", "{}", said.err);
    assert!(place.project().join("here").exists(), "{}", said.err);
    // Without the sandbox it is asked about, and nobody is there.
    let place = Place::with_turns([shell("touch here"), Turn::text("No.")]).await;
    place.settings(&json!({"permissions": {"sandboxed": "allow"}}));
    place.run(&["-p", "--sandbox", "off", "do it"]).await;
    assert!(!place.project().join("here").exists());
}

#[tokio::test]
async fn hosts_that_the_users_words_name_are_fetched_and_others_denied() {
    let call = |url: &str| Turn::call("webFetch", &json!({ "url": url }));
    let turns = [
        call("http://nobody.invalid/x")
            .and_call("webFetch", &json!({"url": "http://other.invalid/"})),
        Turn::text("Done."),
    ];
    let place = Place::with_turns(turns).await;
    let said = place.run(&["-p", "read http://nobody.invalid/start, please"]).await;
    assert_eq!(said.out, "Done.\n", "{}", said.err);
    let results = place.mock.requests()[1].results();
    // Its name leads nowhere, but it was looked up.
    assert!(results[0].contains("nobody.invalid has no address"), "{results:?}");
    assert!(results[1].starts_with("Permission denied by user. No user is present"), "{results:?}");
}
