//! What runs without a user, and what is said of what does not. XC-14, D-3, D-27.

use mock_model::Turn;
use serde_json::{Value, json};

use crate::fixture::{Place, shell};

#[tokio::test]
async fn without_trust_nothing_is_changed_and_the_way_is_told() {
    let write = Turn::call("writeFile", &json!({ "filePath": "new.txt", "content": "x" }));
    let place = Place::with_turns([write, Turn::text("I may not.")]).await;
    let said = place.run(&["-p", "write it"]).await;
    assert_eq!((said.code, said.out.as_str()), (Some(0), "I may not.\n"), "{}", said.err);
    assert!(!place.project().join("new.txt").exists());
    assert!(
        said.err.contains("writeFile new.txt: denied (L1, tool.write); -t lets"),
        "{}",
        said.err
    );
    assert!(place.bodies()[1]["messages"].to_string().contains("Permission denied by user."));
}

#[tokio::test]
async fn what_only_reads_runs_without_trust() {
    let place = Place::with_turns([shell("cat plan.md"), Turn::text("Read.")]).await;
    place.write("plan.md", "step one\n");
    let said = place.run(&["-p", "read it"]).await;
    assert_eq!(said.out, "Read.\n", "{}", said.err);
    assert!(place.bodies()[1]["messages"].to_string().contains("step one"));
}

#[tokio::test]
async fn trust_does_not_reach_what_is_dangerous() {
    let place =
        Place::with_turns([shell("rm -rf notes"), Turn::text("I was not allowed to.")]).await;
    place.write("notes/plan.md", "all of it\n");
    let said = place.run(&["-p", "-t", "--output-format", "json", "clean up"]).await;
    let result: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert_eq!(result["denied"][0]["tool"], "shell");
    assert!(result["denied"][0]["rule"].is_string(), "{result}");
    assert_eq!(place.read("notes/plan.md"), "all of it\n");
    assert!(said.err.contains("denied ("), "{}", said.err);
}

#[tokio::test]
async fn rules_of_the_settings_allow_and_a_project_denies() {
    let place = Place::with_turns([shell("touch one"), Turn::text("Done.")]).await;
    place.settings(&json!({ "permissions": { "allow": ["shell(touch)"] } }));
    let said = place.run(&["-p", "touch it"]).await;
    assert_eq!(said.out, "Done.\n", "{}", said.err);
    assert!(place.project().join("one").exists(), "{}", said.err);

    let place = Place::with_turns([shell("touch one"), Turn::text("Denied.")]).await;
    place.settings(&json!({ "permissions": { "allow": ["shell(touch)"] } }));
    place.write(".x-code/config.json", r#"{"permissions": {"deny": ["shell(touch)"]}}"#);
    let said = place.run(&["-p", "-t", "touch it"]).await;
    assert_eq!(said.out, "Denied.\n", "{}", said.err);
    assert!(!place.project().join("one").exists());
}

/// D-3: a question has no answer, and the model is told so.
#[tokio::test]
async fn a_question_to_the_user_says_that_there_is_none() {
    let offer = |label: &str| json!({ "label": label, "description": label });
    let ask = json!({ "question": "Which one?", "options": [offer("A"), offer("B")] });
    let place = Place::with_turns([Turn::call("askUser", &ask), Turn::text("I took A.")]).await;
    let said = place.run(&["-p", "choose"]).await;
    assert_eq!(said.out, "I took A.\n", "{}", said.err);
    let told = "No user is present; decide yourself and say what you assumed.";
    assert!(place.bodies()[1]["messages"].to_string().contains(told));
}
