//! A newcomer's first commands.

use std::fs;

use mock_model::Turn;
use serde_json::json;

use crate::fixture::{Place, shell};

/// A program with a fault, and the test that shows it.
pub(crate) fn faulty(place: &Place) {
    place.write("add.sh", "echo $(($1 - $2))\n");
    place.write("test.sh", "[ \"$(sh add.sh 2 3)\" = 5 ] && echo passed\n");
}

/// Reads, runs the test, edits, runs it again, answers.
pub(crate) fn mending() -> [Turn; 5] {
    let change = json!({ "filePath": "add.sh", "oldString": "$1 - $2", "newString": "$1 + $2" });
    [
        Turn::text("I look.")
            .and_call("readFile", &json!({ "filePath": "add.sh" }))
            .and_call("readFile", &json!({ "filePath": "test.sh" })),
        shell("sh test.sh"),
        Turn::text("It subtracts.").and_call("edit", &change),
        shell("sh test.sh"),
        Turn::text("It adds now. 测试通过。"),
    ]
}

/// XC-1: a task from its beginning to its end, with nothing set but a key.
#[tokio::test]
async fn a_failing_test_is_read_mended_and_run() {
    let place = Place::with_turns(mending()).await;
    faulty(&place);
    let said = place.run(&["-p", "-t", "make the test pass"]).await;
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(0), "It adds now. 测试通过。\n"),
        "{}",
        said.err
    );
    assert_eq!(place.read("add.sh"), "echo $(($1 + $2))\n");
    for told in [
        "custom:scripted",
        "readFile add.sh: ok",
        "edit add.sh: ok",
        "Changed: add.sh",
        "commands: 2",
    ] {
        assert!(said.err.contains(told), "{told}: {}", said.err);
    }
    assert_eq!(place.mock.refusals(), Vec::<String>::new(), "calls and results are not in pairs");
    let bodies = place.bodies();
    assert_eq!(bodies.len(), 5);
    assert!(bodies.iter().all(|body| body["model"] == "scripted"));
    let results = bodies[4]["messages"].to_string();
    assert!(results.contains("exit code: 1") && results.contains("exit code: 0"), "{results}");
    assert!(place.sessions().iter().any(|path| path.extension().is_some_and(|it| it == "jsonl")));
    let ignored = fs::read_to_string(place.project().join(".x-code/.gitignore")).unwrap();
    assert!(ignored.contains("sessions/"));
}

/// XC-190: `xc demo` needs no account, shows each step, and leaves nothing.
#[tokio::test]
async fn the_demo_plays_to_its_end_without_an_account() {
    let place = Place::with_turns([]).await;
    let mut command = place.xc(&["demo"]);
    for name in
        ["OPENAI_COMPATIBLE_API_KEY", "OPENAI_COMPATIBLE_BASE_URL", "OPENAI_COMPATIBLE_MODEL"]
    {
        command.env_remove(name);
    }
    let said = crate::fixture::ended(command.spawn().unwrap()).await;
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    for seen in [
        "no model is asked",
        "exit code 1: test failed: 2 + 3 gave -1",
        "exit code 0: test passed",
        "- echo $(($1 - $2))",
        "+ echo $(($1 + $2))",
        "打印两个数的和",
        "notes/plan.md is still there",
        "killed while its command ran",
        "may or may not have run",
        "All of it was seen",
    ] {
        assert!(said.out.contains(seen), "{seen}: {}", said.out);
    }
    assert_eq!(fs::read_dir(place.folder.temp()).unwrap().count(), 0, "the demo leaves a folder");
    assert_eq!(place.mock.request_count(), 0);
}

/// Two runs in one folder at the same time both end well, each in a session of its own.
#[tokio::test]
async fn two_runs_at_once_do_not_disturb_one_another() {
    let place = Place::new(mock_model::Reply::Text("done".into())).await;
    let (one, other) = tokio::join!(place.run(&["-p", "one"]), place.run(&["-p", "other"]));
    for said in [one, other] {
        assert_eq!((said.code, said.out.as_str()), (Some(0), "done\n"), "{}", said.err);
    }
    let journals = place.sessions();
    let journals = journals.iter().filter(|path| path.extension().is_some_and(|it| it == "jsonl"));
    assert_eq!(journals.count(), 2);
}
