//! The conversation in a real terminal, with the real Codex and a scripted provider.

use std::fs;

use mock_model::{Hang, MockModel, Reply, Script};
use rustix::process::{Pid, Signal, kill_process};
use tests::harness::{codex_bin, wait_until};

use crate::fixture::{Installed, LIMIT, LOST};
use crate::terminal::Terminal;

/// An installation with the real Codex; `None` where there is none, or no terminal.
async fn fixture(script: impl Into<Script>) -> Option<(MockModel, Installed)> {
    let codex = codex_bin().filter(|_| Terminal::is_there())?;
    let mock = MockModel::local(script).await.unwrap();
    let installed = Installed::real(&codex, &mock).finds("found: src/login.rs");
    Some((mock, installed))
}

/// Numbered answers: `Answer 1.`, `Answer 2.`, ...
fn numbered() -> Script {
    let mut count = 0;
    Script::choose(move |_| {
        count += 1;
        Reply::Text(format!("Answer {count}."))
    })
}

/// What the user said in the newest request that is about one of these words.
fn said(mock: &MockModel, words: &[&str]) -> Vec<String> {
    let texts = mock.requests().pop().unwrap().user_texts();
    texts.into_iter().filter(|text| words.iter().any(|word| text.ends_with(word))).collect()
}

#[tokio::test]
async fn three_turns_are_one_conversation_and_the_next_day_it_goes_on() {
    let Some((mock, installed)) = fixture(numbered()).await else { return };
    let words = ["first", "second", "third", "fourth"];
    let terminal = Terminal::open(&installed, &[]).await;
    terminal.shows("a new conversation").await;
    terminal.ask("first", "Answer 1.").await;
    let thread = installed.thread().unwrap();
    terminal.ask("second", "Answer 2.").await;
    terminal.ask("third", "Answer 3.").await;
    let told = said(&mock, &words);
    assert_eq!(told.len(), 3, "the model sees every turn: {told:#?}");
    assert!(told.iter().all(|text| text.contains("found: src/login.rs")), "{told:#?}");
    assert!(!terminal.screen().contains(LOST), "{}", terminal.screen());

    terminal.ask("/usage", "3 turns    300 tokens in (30 cached), 60 out").await;
    terminal.ask("/context", "[Results] src/login.rs:12-40").await;
    terminal.ask("/session", &format!("thread  {thread}")).await;
    terminal.ask("/help", "Alt-Enter").await;
    terminal.ask("/nwe", "there is no /nwe").await;
    terminal.key("C-d");
    assert_eq!(terminal.end().await, 0, "{}", terminal.screen());
    drop(terminal);
    installed.is_clean().await;

    let terminal = Terminal::open(&installed, &[]).await;
    terminal.shows(&format!("goes on in {thread}")).await;
    terminal.ask("fourth", "Answer 4.").await;
    assert_eq!(said(&mock, &words).len(), 4);
    assert_eq!(installed.thread(), Some(thread.clone()));

    terminal.ask("/new", "begins a new conversation").await;
    terminal.ask("first", "Answer 5.").await;
    assert_eq!(said(&mock, &words).len(), 1, "the model sees nothing of before");
    assert_ne!(installed.thread(), Some(thread));
    terminal.enter("/exit");
    assert_eq!(terminal.end().await, 0, "{}", terminal.screen());
    drop(terminal);
    installed.is_clean().await;
}

#[tokio::test]
async fn another_model_is_asked_and_a_prompt_once_more() {
    if !Terminal::is_there() {
        return;
    }
    let Some((mock, installed)) = fixture(numbered()).await else { return };
    let model = || mock.requests().pop().unwrap().json()["model"].clone();
    let terminal = Terminal::open(&installed, &["--model", "gpt-5.5"]).await;
    terminal.ask("/retry", "there was no prompt yet").await;
    terminal.ask("first", "Answer 1.").await;
    assert_eq!(model(), "gpt-5.5");
    terminal.ask("/model gpt-5.4", "the next prompt asks gpt-5.4").await;
    terminal.ask("/retry", "Answer 2.").await;
    assert_eq!(model(), "gpt-5.4");
    assert_eq!(said(&mock, &["first"]).len(), 2, "the same prompt, in the same thread");
    terminal.ask("/model default", "asks the model of your Codex").await;
    terminal.ask("the key is ghp_0123456789abcdefghijABCDEFGHIJ012345", "Answer 3.").await;
    assert_ne!(model(), "gpt-5.4");
    terminal.key("C-d");
    assert_eq!(terminal.end().await, 0, "{}", terminal.screen());
    drop(terminal);
    let history = installed.folder.state().join("codex-auto-history.txt");
    let text = std::fs::read_to_string(&history).unwrap();
    assert!(text.contains("the key is") && !text.contains("ghp_"), "{text}");
}

#[tokio::test]
async fn ctrl_c_ends_the_turn_and_not_the_program() {
    let script = Script::sequence(
        [Reply::Text("Answer one.".into()), Reply::Hang(Hang::BeforeHeaders)],
        Reply::Text("Answer two.".into()),
    );
    let Some((mock, installed)) = fixture(script).await else { return };
    let terminal = Terminal::open(&installed, &[]).await;
    terminal.ask("first", "Answer one.").await;
    let thread = installed.thread();
    terminal.enter("hang");
    assert!(wait_until(LIMIT, || mock.request_count() == 2).await);
    terminal.key("C-c");
    terminal.shows("cancelled").await;
    terminal.prompt().await;
    // At the prompt it only clears the line.
    terminal.clear_line().await;
    terminal.ask("second", "Answer two.").await;
    assert_eq!(installed.thread(), thread, "the conversation goes on");
    terminal.key("C-d");
    assert_eq!(terminal.end().await, 0, "{}", terminal.screen());
    drop(terminal);
    installed.is_clean().await;
}

/// The model says something, calls a tool that reads, and goes on.
fn says_and_looks(text: &str) -> Reply {
    let arguments = r#"{"cmd":"echo looked"}"#.to_owned();
    Reply::TextThenToolCall { text: text.to_owned(), name: "exec_command".to_owned(), arguments }
}

#[tokio::test]
async fn what_codex_says_on_its_way_is_shown_as_it_comes_and_the_answer_once() {
    let on_the_way = [says_and_looks("First I look."), says_and_looks("Now I check.")];
    let script = Script::sequence(on_the_way.clone(), Reply::Hang(Hang::BeforeHeaders));
    let Some((mock, installed)) = fixture(script).await else { return };
    // A model that has the tool (codex 0.169).
    let terminal = Terminal::open(&installed, &["--model", "gpt-5.5"]).await;
    terminal.enter("where is it?");
    // The turn goes on, for ever.
    terminal.shows("First I look.").await;
    terminal.key("C-c");
    terminal.shows("cancelled").await;
    terminal.prompt().await;
    mock.set_script(Script::sequence(on_the_way.clone(), Reply::Text("It is there.".into())));
    terminal.ask("where is it then?", "It is there.").await;
    let screen = terminal.screen();
    let then = screen.split_once("where is it then?").unwrap().1;
    for text in ["First I look.", "Now I check.", "It is there."] {
        assert_eq!(then.matches(text).count(), 1, "{text}\n{screen}");
    }
    assert!(then.find("Now I check.") < then.find("It is there."), "{screen}");
    terminal.key("C-d");
    assert_eq!(terminal.end().await, 0, "{}", terminal.screen());
    drop(terminal);

    // In a pipe standard output has the answer and nothing else.
    mock.set_script(Script::sequence(on_the_way, Reply::Text("It is there.".into())));
    let told = installed.tell(&["--model", "gpt-5.5", "where is it?"], "").await;
    assert_eq!((told.code, told.stdout.as_str()), (Some(0), "It is there.\n"), "{told:#?}");
    let (first, now) = (told.stderr.find("First I look."), told.stderr.find("Now I check."));
    assert!(first.is_some() && first < now, "{told:#?}");
    installed.is_clean().await;
}

#[tokio::test]
async fn a_killed_conversation_leaves_nothing_and_can_be_gone_on_with() {
    let script = Script::sequence(
        [Reply::Text("Answer one.".into()), Reply::Hang(Hang::MidStream)],
        Reply::Text("Answer two.".into()),
    );
    let Some((mock, installed)) = fixture(script).await else { return };
    let terminal = Terminal::open(&installed, &[]).await;
    terminal.ask("first", "Answer one.").await;
    let thread = installed.thread();
    terminal.enter("hang");
    assert!(wait_until(LIMIT, || mock.request_count() == 2).await);
    kill_process(Pid::from_raw(terminal.pid()).unwrap(), Signal::KILL).unwrap();
    // 128 and SIGKILL.
    assert_eq!(terminal.end().await, 137);
    drop(terminal);
    installed.is_clean().await;

    let terminal = Terminal::open(&installed, &[]).await;
    terminal.ask("second", "Answer two.").await;
    assert_eq!(installed.thread(), thread);
    terminal.key("C-d");
    assert_eq!(terminal.end().await, 0);
}

#[tokio::test]
async fn a_session_file_that_is_damaged_between_two_turns_is_said_and_replaced() {
    let Some((mock, installed)) = fixture(numbered()).await else { return };
    let terminal = Terminal::open(&installed, &[]).await;
    terminal.ask("first", "Answer 1.").await;
    let thread = installed.thread();
    fs::write(installed.session_file(), "{{{").unwrap();
    terminal.ask("second", "Answer 2.").await;
    terminal.shows(LOST).await;
    terminal.shows("the session file is damaged").await;
    assert_eq!(said(&mock, &["first", "second"]).len(), 1, "a new thread");
    assert!(installed.thread().is_some() && installed.thread() != thread);

    // A thread whose record is gone.
    fs::remove_dir_all(installed.folder.home().join(".codex/sessions")).unwrap();
    terminal.ask("third", "Answer 3.").await;
    assert_eq!(terminal.screen().matches(LOST).count(), 2, "{}", terminal.screen());
    terminal.ask("fourth", "Answer 4.").await;
    assert_eq!(said(&mock, &["third", "fourth"]).len(), 2, "and it goes on");
    terminal.key("C-d");
    assert_eq!(terminal.end().await, 0);
}

#[tokio::test]
async fn a_paste_of_several_lines_is_one_prompt() {
    let Some((mock, installed)) = fixture(numbered()).await else { return };
    let terminal = Terminal::open(&installed, &[]).await;
    terminal.paste("fix this:\n  one\n\n  two");
    terminal.shows("two").await;
    assert_eq!(mock.request_count(), 0, "a line end in a paste sends nothing");
    terminal.key("Enter");
    terminal.shows("Answer 1.").await;
    let told = said(&mock, &["two"]);
    assert!(told.len() == 1 && told[0].ends_with("fix this:\n  one\n\n  two"), "{told:#?}");
    terminal.prompt().await;
    // The history has it as one entry.
    terminal.key("Up");
    terminal.shows("Answer 1.").await;
    terminal.key("Enter");
    terminal.shows("Answer 2.").await;
    assert_eq!(said(&mock, &["two"]).len(), 2);
    terminal.prompt().await;
    terminal.key("C-d");
    assert_eq!(terminal.end().await, 0);
}
