//! Sessions that go on, and a prompt that comes through a pipe.

use std::fs;
use std::io::Write as _;

use mock_model::Turn;
use serde_json::json;

use crate::screen::Place;

const ID: &str = "0199a213-81c0-7800-8aa1-bbab2a035a53";

/// XC-12: data through the pipe, keys from the terminal.
#[tokio::test(flavor = "multi_thread")]
async fn with_a_pipe_keys_come_from_the_terminal() {
    let place = Place::with_turns([Turn::text("It broke."), Turn::text("Twice.")]).await;
    let mut screen = place.start_with(&["why?"], Some("error: piped-in-data\n"));
    screen.wait(&["It broke.", "Ask something"]);
    let body = place.bodies()[0].to_string();
    assert!(body.contains("piped-in-data") && body.contains("why?"), "{body}");
    screen.say("and again?");
    screen.wait(&["Twice."]);
}

/// XC-180: the end of the conversation is shown, and the model knows all of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_conversation_shows_its_end_and_goes_on() {
    let place =
        Place::with_turns([Turn::text("My name is Scripted."), Turn::text("As I said.")]).await;
    let mut screen = place.start(&["who are you?"]);
    screen.wait(&["My name is Scripted.", "Ask something"]);
    screen.typed("\x04");
    screen.ended();
    let mut screen = place.start(&["--resume"]);
    screen.wait(&["Going on with session", "> who are you?", "My name is Scripted."]);
    screen.say("again?");
    screen.wait(&["As I said."]);
    assert!(place.bodies()[1].to_string().contains("who are you?"));
}

/// XC-169: what a turn did can be taken back by the program that goes on with its session, and that can be undone.
#[tokio::test(flavor = "multi_thread")]
async fn a_turn_of_the_program_before_can_be_taken_back() {
    let edit = json!({"filePath": "add.sh", "oldString": "$1 - $2", "newString": "$1 + $2"});
    let command = json!({"command": "printf made > made.txt; mv notes.md kept.md"});
    let place = Place::with_turns([
        Turn::call("readFile", &json!({"filePath": "add.sh"})),
        Turn::call("edit", &edit),
        Turn::call("shell", &command),
        Turn::text("It adds now."),
    ])
    .await;
    place.write("add.sh", "echo $(($1 - $2))\n");
    place.write("notes.md", "all of it\n");
    let mut screen = place.start(&["make it add"]);
    screen.wait(&["Allow this?", "edit ["]);
    screen.typed("y");
    screen.wait(&["✓ edit add.sh", "shell [", "Allow this?"]);
    screen.typed("y");
    screen.wait(&["It adds now.", "Ask something"]);
    let is_there = |path: &str| place.folder.work().join(path).exists();
    assert!(is_there("made.txt") && !is_there("notes.md"));
    screen.typed("\x04");
    screen.ended();

    let mut screen = place.start(&["--resume"]);
    let shown = screen.wait(&["Going on with session", "It adds now.", "Ask something"]);
    // What was told the model behind the prompt is no word of the user's.
    assert!(place.bodies()[0].to_string().contains("repository-context"));
    assert!(shown.contains("> make it add\n") && !shown.contains("repository-context"), "{shown}");
    screen.say("/undo");
    screen.wait(&["would take back", "~ add.sh", "~ notes.md", "- made.txt", "- kept.md"]);
    assert!(is_there("made.txt"), "looking changes nothing");
    screen.say("/undo yes");
    screen.wait(&["Taken back", "/undo back takes that back"]);
    assert_eq!(place.read("add.sh"), "echo $(($1 - $2))\n");
    assert_eq!(place.read("notes.md"), "all of it\n");
    assert!(!is_there("made.txt"));
    screen.say("/undo back");
    screen.wait(&["Made again"]);
    assert_eq!(place.read("add.sh"), "echo $(($1 + $2))\n");
    assert!(is_there("made.txt") && !is_there("notes.md"));
    screen.typed("\x04");
    screen.ended();
}

/// XC-130: an empty conversation, a new session, the program goes on.
#[tokio::test(flavor = "multi_thread")]
async fn clear_begins_an_empty_session() {
    let place = Place::with_turns([Turn::text("One."), Turn::text("Two.")]).await;
    let mut screen = place.start(&["remember-me"]);
    screen.wait(&["One.", "Ask something"]);
    screen.say("/clear");
    screen.wait(&["The conversation is empty"]);
    screen.say("what now");
    screen.wait(&["Two."]);
    assert!(!place.bodies()[1].to_string().contains("remember-me"));
}

/// XC-164: only where work is open is it asked about; with a yes its summary goes along, and not what was said.
#[tokio::test(flavor = "multi_thread")]
async fn open_work_is_offered_at_the_start() {
    let place = Place::with_replies([
        mock_model::Reply::Hang(mock_model::Hang::MidStream),
        Turn::text("Going on.").into(),
    ])
    .await;
    let mut screen = place.start(&["the open task"]);
    place.asked(1).await;
    screen.typed("\x04");
    screen.ended();
    let mut screen = place.start(&[]);
    screen.wait(&[
        "Last session: \"the open task\" (in progress, 1 open)",
        "- Open: ",
        "Continue? (Y/n)",
    ]);
    screen.typed("\r");
    screen.wait(&["The summary of \"the open task\" goes along.", "xc --resume "]);
    screen.say("go on");
    screen.wait(&["Going on."]);
    let messages = place.bodies()[1]["messages"].clone();
    let [system, prompt] = messages.as_array().unwrap().as_slice() else { panic!("{messages}") };
    let system = system["content"].to_string();
    let (_, previous) = system.split_once("### Previous Session").unwrap();
    assert!(previous.contains("the open task") && previous.contains("Left to do:"), "{previous}");
    assert!(!prompt.to_string().contains("the open task"), "{prompt}");
    screen.typed("\x04");
    screen.ended();
    // It is done: nothing is asked about.
    let screen = place.start(&[]);
    screen.wait(&["X-Code ", "Ask something"]);
    assert!(!screen.raw().contains("Last session"));
}

/// Design 14: a journal of 10 MB is gone on with.
#[tokio::test(flavor = "multi_thread")]
async fn a_journal_of_10_mb_goes_on() {
    let place = Place::with_turns([Turn::text("I have read it all.")]).await;
    let folder = place.folder.work().join(".x-code/sessions");
    fs::create_dir_all(&folder).unwrap();
    let cwd = place.folder.work().canonicalize().unwrap();
    let at = "2026-11-22T20:15:00.123Z";
    let header =
        json!({"schema": "xc-session/1", "id": ID, "cwd": cwd, "version": "0.1.0", "at": at});
    let mut journal = fs::File::create(folder.join(format!("{ID}.jsonl"))).unwrap();
    writeln!(journal, "{header}").unwrap();
    for turn in 0..1_000 {
        let n = turn * 3 + 1;
        let text = format!("prompt {turn} {}", "word ".repeat(1_000));
        let said = format!("answer {turn} {}", "word ".repeat(1_000));
        let user = json!({"n": n, "at": at, "kind": "user", "text": text});
        let model = "custom:scripted";
        let calls = json!([]);
        let answer = json!({"n": n + 1, "at": at, "kind": "assistant", "model": model, "text": said, "calls": calls});
        let end = json!({"n": n + 2, "at": at, "kind": "end", "reason": "answered"});
        writeln!(journal, "{user}\n{answer}\n{end}").unwrap();
    }
    tests::xc::begun(&place.folder, ID).unwrap();
    let length = journal.metadata().unwrap().len();
    assert!(length > 10_000_000, "{length}");
    let screen = place.start(&["--resume"]);
    screen.wait(&["answer 999", "Ask something"]);
}
