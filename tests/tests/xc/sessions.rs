//! Sessions go on, and are listed, shown and removed. XC-17, XC-165, XC-180 in part.

use mock_model::Turn;
use serde_json::Value;

use crate::fixture::{Place, Said, XC, ended, shell};

fn id(said: &Said) -> String {
    let result: Value = serde_json::from_str(&said.out).unwrap();
    result["session"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_session_goes_on_with_all_that_was_said() {
    let turns = ["one", "two", "three", "four"].map(|word| Turn::text(format!("answer {word}")));
    let place = Place::with_turns(turns).await;
    let json = |words: &[&'static str]| [&["-p", "--output-format", "json"], words].concat();
    let first = place.run(&json(&["first question"])).await;
    let second = place.run(&json(&["--resume", "second question"])).await;
    assert_eq!(id(&second), id(&first), "{second:?}");
    let asked = place.bodies()[1]["messages"].to_string();
    for said in ["first question", "answer one", "second question"] {
        assert!(asked.contains(said), "{said}: {asked}");
    }

    let first_id = id(&first);
    let words =
        ["-p", "--output-format", "json", "--resume", &first_id, "--fork", "third question"];
    let fork = place.run(&words).await;
    assert_ne!(id(&fork), first_id, "{fork:?}");
    assert!(place.bodies()[2]["messages"].to_string().contains("answer two"));
    let words = ["-p", "--output-format", "json", "--resume", &first_id, "fourth question"];
    assert_eq!(id(&place.run(&words).await), first_id);
    assert!(!place.bodies()[3]["messages"].to_string().contains("third question"));
    assert_eq!(place.mock.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn sessions_are_listed_shown_and_removed() {
    let place = Place::with_turns([Turn::text("It adds.")]).await;
    let said = place.run(&["sessions"]).await;
    assert_eq!((said.code, said.out.as_str()), (Some(0), "No session was begun in this folder.\n"));
    let id = id(&place.run(&["-p", "--output-format", "json", "what does add.sh do?"]).await);
    let said = place.run(&["sessions", "list"]).await;
    assert!(said.out.starts_with(&id) && said.out.contains("what does add.sh do?"), "{}", said.out);
    let listed: Value =
        serde_json::from_str(&place.run(&["sessions", "--json"]).await.out).unwrap();
    assert_eq!(listed["sessions"][0]["summary"]["id"], id);
    let said = place.run(&["sessions", "show", &id]).await;
    assert!(
        said.out.contains("user: what does") && said.out.contains("model: It adds."),
        "{}",
        said.out
    );
    let said = place.run(&["sessions", "rm", &id]).await;
    assert_eq!((said.code, said.out), (Some(0), format!("removed {id}\n")));
    let said = place.run(&["sessions", "show", &id]).await;
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""));
    assert!(said.err.contains(&id), "{}", said.err);
}

/// No file may grow beyond 4 KiB: the journal takes its first lines and no more.
#[tokio::test]
async fn a_journal_that_cannot_be_written_is_told_once_and_the_turn_goes_on() {
    let place = Place::with_turns([shell("cat plan.md"), Turn::text("Read.")]).await;
    place.write("plan.md", "step one\n");
    let limited = r#"trap "" XFSZ; ulimit -f 8; exec "$0" "$@""#;
    let prompt = "look ".repeat(2_000);
    let words = ["-c", limited, XC, "-p", &prompt];
    let (folder, url) = (&place.folder, place.mock.base_url());
    let said =
        ended(tests::xc::command("sh".as_ref(), &words, folder, &url).spawn().unwrap()).await;
    assert_eq!((said.code, said.out.as_str()), (Some(0), "Read.\n"), "{}", said.err);
    assert_eq!(said.err.matches("The journal cannot be written").count(), 1, "{}", said.err);
    assert!(place.bodies()[1]["messages"].to_string().contains("step one"));
}
