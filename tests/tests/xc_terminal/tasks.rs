//! `/tasks`: commands in the background are asked about, listed, shown and ended. XC-101.

use mock_model::Turn;
use serde_json::json;

use crate::screen::Place;

fn serve() -> Turn {
    Turn::call(
        "shell",
        &json!({ "command": "touch up; echo listening; sleep 600", "background": true }),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_listed_shown_and_ended() {
    let place = Place::with_turns([serve(), Turn::text("It serves."), Turn::text("Yes.")]).await;
    let mut screen = place.start(&["serve it"]);
    screen.wait(&[
        "Allow this?",
        "touch up; echo listening; sleep 600",
        "it runs in the background",
    ]);
    screen.typed("y");
    screen.wait(&["It serves."]);
    screen.say("/tasks");
    screen.wait(&["task 1 · runs, ", " s · touch up; echo listening; sleep 600"]);
    // It may be shown before it has said a word.
    let is_heard = (2..50).any(|times| {
        screen.say("/tasks 1");
        let answer = |shown: &str| shown.matches("task 1 · runs, ").count() >= times;
        screen.wait_until("the answer", answer).contains("\nlistening")
    });
    assert!(is_heard, "what it printed is not shown");
    screen.say("/tasks end 1");
    let ended = "Background task 1 has ended: it was ended (touch up; echo listening; sleep 600)";
    screen.wait(&["Ending task 1...", ended]);
    screen.say("/tasks");
    screen.wait(&["task 1 · it was ended · touch up; echo listening; sleep 600"]);
    // The model hears of it with the next prompt.
    screen.say("is it up?");
    screen.wait(&["Yes."]);
    let asked = String::from_utf8(place.mock.requests()[2].body.to_vec()).unwrap();
    assert!(
        asked.contains("[Background task 1 (touch up; echo listening; sleep 600): it was ended"),
        "{asked}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_end_with_their_session() {
    let place = Place::with_turns([serve(), Turn::text("在运行。")]).await;
    let mut screen = place.start(&["--lang", "zh", "-t", "serve it"]);
    screen.wait(&["在运行。"]);
    screen.say("/tasks");
    screen.wait(&["任务 1 · 运行中，"]);
    screen.say("/clear");
    screen.wait(&["后台任务随会话结束: 1 个"]);
    screen.say("/tasks");
    screen.wait(&["没有后台任务。"]);
}
