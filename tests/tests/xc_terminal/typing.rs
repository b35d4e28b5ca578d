//! Typing is never blocked: pastes, and what is typed while the model works.

use std::time::Duration;

use mock_model::{Reply, Turn};
use serde_json::json;

use crate::screen::Place;

fn prompt(body: &serde_json::Value) -> String {
    let messages = body["messages"].as_array().unwrap();
    let last = messages.iter().rev().find(|message| message["role"] == "user").unwrap();
    last["content"].as_str().unwrap().to_owned()
}

/// XC-121: shown by its beginning, sent whole.
#[tokio::test(flavor = "multi_thread")]
async fn a_paste_of_5000_characters_is_sent_whole() {
    let place = Place::with_turns([Turn::text("Read.")]).await;
    let mut screen = place.start(&[]);
    screen.wait(&["Ask something"]);
    let text: String = (0..500).map(|n| format!("行 {n:06}\n")).collect();
    let text = text.trim_end();
    screen.typed(&format!("\x1b[200~{text}\x1b[201~"));
    screen.wait(&[&format!("({} characters)", text.chars().count())]);
    screen.typed(" and this");
    screen.wait(&["and this"]);
    screen.typed("\r");
    screen.wait(&["Read."]);
    assert_eq!(prompt(&place.bodies()[0]), format!("{text} and this"));
}

/// XC-56: queued behind the turn, editable, sent when the turn is over.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_while_the_model_works_is_queued() {
    let slow = Reply::from(Turn::text("one two three four five six"))
        .written(3, Duration::from_millis(300));
    let place = Place::with_replies([slow, Turn::text("The second answer.").into()]).await;
    let mut screen = place.start(&["first"]);
    screen.wait(&["Esc interrupts"]);
    screen.say("secnod");
    screen.wait(&["[queued] secnod"]);
    screen.typed("\x1b[A");
    screen.wait_gone("[queued]");
    screen.typed("\x15second");
    screen.wait(&["> second"]);
    screen.typed("\r");
    screen.wait(&["[queued] second"]);
    screen.wait(&["six", "The second answer."]);
    let bodies = place.bodies();
    assert_eq!((bodies.len(), prompt(&bodies[1])), (2, "second".to_owned()));
}

/// XC-56: `/steer` is said before the next step of the same turn.
#[tokio::test(flavor = "multi_thread")]
async fn steering_is_said_before_the_next_step() {
    let wait = json!({"command": "until [ -e go ]; do sleep 0.1; done"});
    let place = Place::with_turns([Turn::call("shell", &wait), Turn::text("Done so.")]).await;
    let mut screen = place.start(&["wait"]);
    // It only looks, so it runs by itself.
    screen.wait(&["until [ -e go ]", "Esc interrupts"]);
    screen.say("/steer use pnpm");
    screen.wait(&["[steering] use pnpm"]);
    place.write("go", "");
    screen.wait(&["> use pnpm", "Done so."]);
    assert_eq!(prompt(&place.bodies()[1]), "use pnpm");
}

/// XC-100, XC-127, XC-128, XC-134.
#[tokio::test(flavor = "multi_thread")]
async fn commands_and_files_of_the_users_own() {
    let place = Place::with_turns([Turn::text("I see both.")]).await;
    place.write("src/main.rs", "fn main() { attached(); }\n");
    let mut screen = place.start(&[]);
    screen.wait(&["Ask something"]);
    screen.say("/modle");
    screen.wait(&["There is no command /modle; the nearest is /model."]);
    screen.say("!echo from-the-$((40 + 2))");
    screen.wait(&["from-the-42", "exit code 0", "Join the output"]);
    screen.typed("y");
    screen.wait_gone("Join the output");
    screen.typed("what is @src/m\t");
    screen.wait(&["what is @src/main.rs"]);
    screen.typed("\r");
    screen.wait(&["Attached: src/main.rs", "I see both."]);
    let prompt = prompt(&place.bodies()[0]);
    assert!(prompt.contains("attached();") && prompt.contains("from-the-42"), "{prompt}");
    assert_eq!(place.bodies().len(), 1, "nothing else went to the model");
    screen.say("/usage");
    screen.wait(&["This session: "]);
}
