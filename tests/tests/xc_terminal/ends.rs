//! How a conversation ends, and that the terminal is as it was then.

use mock_model::{Hang, Reply, Turn};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::screen::Place;

fn summary(place: &Place) -> Value {
    serde_json::from_str(&place.read(".x-code/sessions/latest.json")).unwrap()
}

/// D-11, D-10, XC-163: idle, Ctrl+C saves in the model's words and leaves; with a text it clears that.
#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_clears_the_input_then_saves_and_leaves() {
    let place = Place::with_turns([Turn::text("Hello.")]).await;
    let mut screen = place.start(&["hi"]);
    screen.wait(&["Hello.", "Ask something"]);
    // Until the turn has ended, Ctrl+C interrupts it.
    screen.wait_gone("Thinking...");
    screen.typed("some text");
    screen.wait(&["> some text"]);
    screen.typed("\x03");
    screen.wait(&["Ask something"]);
    screen.typed("\x03");
    assert_eq!(screen.ended().code(), Some(0));
    assert_eq!(summary(&place)["summary"], "In its words.");
    assert!(screen.raw().contains("xc --resume "));
}

/// D-11: the first interrupts, a second one within two seconds saves and leaves.
#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_interrupts_and_again_it_leaves() {
    let hang = || Reply::Hang(Hang::MidStream);
    let place = Place::with_replies([Turn::text("Hello.").into(), hang(), hang()]).await;
    let mut screen = place.start(&["hi"]);
    screen.wait(&["Hello.", "Ask something"]);
    screen.say("again");
    place.asked(2).await;
    screen.typed("\x1b");
    screen.wait(&["Interrupted; what was done stays.", "Ask something"]);
    screen.say("once more");
    place.asked(3).await;
    screen.typed("\x03\x03");
    assert_eq!(screen.ended().code(), Some(0));
    let summary = summary(&place);
    assert_eq!(
        (&summary["summary"], &summary["status"]),
        (&json!("In its words."), &json!("in_progress"))
    );
}

/// XC-51: an interrupt ends what a command started.
#[tokio::test(flavor = "multi_thread")]
async fn esc_ends_a_command_and_all_it_started() {
    let run = json!({"command": "sleep 300 & echo begun; wait"});
    let place = Place::with_turns([Turn::call("shell", &run)]).await;
    let mut screen = place.start(&["--trust", "wait"]);
    screen.wait(&["│ begun"]);
    screen.typed("\x1b");
    screen.wait(&["✗ shell", "interrupted, ", "Interrupted; what was done stays."]);
    screen.typed("\x04");
    assert_eq!(screen.ended().code(), Some(0));
}

/// SIGTERM, SIGHUP and SIGINT of others: the summary of code is there, and the terminal is as it was.
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_it_and_gives_the_terminal_back() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 143), (Signal::INT, 130)] {
        let place =
            Place::with_replies([Turn::text("Hello.").into(), Reply::Hang(Hang::MidStream)]).await;
        let mut screen = place.start(&["hi"]);
        screen.wait(&["Hello.", "Ask something"]);
        screen.say("again");
        place.asked(2).await;
        screen.signal(signal);
        assert_eq!(screen.ended().code(), Some(code), "{signal:?}");
        assert_eq!(summary(&place)["title"], "hi");
    }
}

/// A panic that ends nothing says its word, and the terminal is taken again at once, also where nothing moves.
#[tokio::test(flavor = "multi_thread")]
async fn after_a_panic_beside_it_the_conversation_goes_on() {
    let place = Place::with_turns([Turn::text("Hello."), Turn::text("Again.")]).await;
    let file = place.folder.temp().join("panic");
    let place = place.with("PANIC_WHEN_THERE", &file);
    let mut screen = place.start(&["hi"]);
    screen.wait(&["Hello.", "Ask something"]);
    std::fs::write(file, "").unwrap();
    screen.wait(&["a planted fault", "Hello.", "> Ask something"]);
    screen.say("once more");
    screen.wait(&["Again.", "Ask something"]);
    screen.typed("\x04");
    assert_eq!(screen.ended().code(), Some(0));
}

/// XC-67: a refused key is asked for there, and the conversation goes on with the new one.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_key_is_replaced_in_place() {
    let refused = || Reply::error(401, "invalid_api_key", "Incorrect API key provided");
    let place = Place::with_replies([refused(), Turn::text("It works.").into()])
        .await
        .without_key("C.UTF-8");
    let folder = place.folder.home().join(".xcode");
    std::fs::create_dir_all(&folder).unwrap();
    let provider = json!({"apiKey": "sk-planted-old-000111", "baseURL": place.mock.base_url()});
    let settings = json!({"providers": {"deepseek": provider}});
    std::fs::write(folder.join("config.json"), settings.to_string()).unwrap();
    let mut screen = place.start(&["hi"]);
    screen.wait(&["Enter a new deepseek API key"]);
    screen.typed("\x1b[200~sk-planted-new-222333\x1b[201~");
    screen.wait(&["> sk-***"]);
    screen.typed("\r");
    screen.wait(&["The new key is saved", "Ask something"]);
    screen.say("once more");
    screen.wait(&["It works."]);
    let requests = place.mock.requests();
    let key = requests.last().unwrap().header("authorization").unwrap();
    assert_eq!(key, "Bearer sk-planted-new-222333");
    assert!(!screen.raw().contains("planted"));
}
