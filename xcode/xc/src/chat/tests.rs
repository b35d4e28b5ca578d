//! The effect of events on a conversation: each state, without a terminal and without a session.

mod screens;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use agent::{Answer, Ask, Change, Choice, Offer, Plan, PlanCheck, Question};
use contract::xc::{
    CallLevel, CallStatus, End, EndReason, FailureClass, PermitMode, SessionStatus, SessionSummary,
    TokenUsage, Verdict, What,
};
use llm::Provider;
use serde_json::json;

use super::event::{Effect, Event, Key as ApiKey, Loading, Opened};
use super::paint;
use super::slash::Consent;
use super::state::{State, When, Work};
use super::undo::Undo;
use super::update::update;
use crate::exit::Exit;
use crate::hints::Hints;
use crate::terminal::{Code, Input, Key, Size};
use crate::words::Language;

const ID: &str = "0199a213-81c0-7800-8aa1-bbab2a035a53";

/// A conversation, and its clock.
struct Talk {
    state: State,
    now: Instant,
}

impl Talk {
    /// One whose session is there.
    fn new(words: Language) -> Self {
        let mut talk = Self { state: State::new(words, Vec::new(), None), now: Instant::now() };
        assert_eq!(talk.take(opened(ID)), []);
        talk.printed();
        talk
    }

    /// One in which the model works on `hello`.
    fn working() -> Self {
        let mut talk = Self::new(Language::En);
        assert_eq!(talk.say("hello"), [Effect::Turn("hello".into())]);
        talk.told(What::Prompt { text: "hello".into() });
        talk.printed();
        talk.later(5_000);
        talk
    }

    fn take(&mut self, event: Event) -> Vec<Effect> {
        update(&mut self.state, event, self.now)
    }

    fn told(&mut self, what: What) {
        assert_eq!(self.take(Event::Told(what)), []);
    }

    fn key(&mut self, key: Key) -> Vec<Effect> {
        self.take(Event::Input(Input::Key(key)))
    }

    fn code(&mut self, code: Code) -> Vec<Effect> {
        self.key(Key::of(code))
    }

    fn typed(&mut self, text: &str) {
        for char in text.chars() {
            self.code(Code::Char(char));
        }
    }

    /// Types a text and sends it; what is remembered is left out.
    fn say(&mut self, text: &str) -> Vec<Effect> {
        self.typed(text);
        let effects = self.code(Code::Enter);
        effects.into_iter().filter(|effect| !matches!(effect, Effect::Remember(_))).collect()
    }

    fn ctrl_c(&mut self) -> Vec<Effect> {
        self.key(Key::ctrl('c'))
    }

    fn later(&mut self, ms: u64) {
        self.now += Duration::from_millis(ms);
    }

    fn ended(&mut self, reason: EndReason, exit: u8) -> Vec<Effect> {
        self.take(Event::Ended(Box::new(end(reason, exit))))
    }

    /// What was printed since the last call.
    fn printed(&mut self) -> String {
        self.state.take_finished().iter().map(|line| format!("{line}\n")).collect()
    }

    /// The region at the bottom.
    fn region(&mut self) -> String {
        let size = Size { columns: 80, rows: 24 };
        let live = paint::live(&mut self.state, size, self.now);
        live.lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// A new session that is there.
fn opened(id: &str) -> Event {
    Event::Opened(Box::new(Opened {
        id: id.parse().unwrap(),
        model: "deepseek:deepseek-chat".into(),
        cwd: "~/p".into(),
        sandbox: "none",
        mode: PermitMode::Ask,
        usage: TokenUsage { input: 0, cached: 0, output: 0 },
        cost_usd: Some(0.0),
        notes: Vec::new(),
        taken_over: None,
        before: Vec::new(),
        hints: Hints::none("deepseek:deepseek-chat".parse().unwrap()),
        redactor: redact::Redactor::with_values(vec!["planted-key-0123".to_owned()]),
    }))
}

fn end(reason: EndReason, exit: u8) -> End {
    End {
        reason,
        exit,
        answer: if reason == EndReason::Answered { "Done.".into() } else { String::new() },
        usage: TokenUsage { input: 0, cached: 0, output: 0 },
        cost_usd: None,
        changed: Vec::new(),
        commands: Vec::new(),
        denied: Vec::new(),
    }
}

fn ask(change: Option<Change>) -> Box<Ask> {
    Box::new(Ask {
        id: "c1".into(),
        tool: "shell".into(),
        input: json!({"command": "npm test"}),
        level: CallLevel::L1,
        reasons: vec!["It runs a program.".into()],
        is_grantable: true,
        change,
    })
}

/// That of a session with open work.
fn summary() -> SessionSummary {
    SessionSummary {
        id: ID.parse().unwrap(),
        title: "实现用户认证模块".into(),
        started_at: String::new(),
        ended_at: String::new(),
        status: SessionStatus::InProgress,
        summary: String::new(),
        key_results: Vec::new(),
        pending_work: vec!["JWT refresh token 逻辑".into(), "登录接口的错误处理".into()],
        files_modified: Vec::new(),
        decisions: Vec::new(),
        journal: String::new(),
        model: None,
        cost_usd: None,
    }
}

/// D-11, state by state.
#[test]
fn ctrl_c_does_in_each_state_what_was_decided() {
    // Idle and empty: it leaves; nothing was said, so nothing is saved.
    assert_eq!(Talk::new(Language::En).ctrl_c(), [Effect::Quit(Exit::Answered)]);
    // With a text it clears that; the next one leaves.
    let mut talk = Talk::new(Language::En);
    talk.typed("a text");
    assert_eq!(talk.ctrl_c(), []);
    assert!(talk.state.editor.is_empty());
    assert_eq!(talk.ctrl_c(), [Effect::Quit(Exit::Answered)]);
    // While the model works it interrupts, and the text stays.
    let mut talk = Talk::working();
    talk.typed("later");
    assert_eq!(talk.ctrl_c(), [Effect::Interrupt]);
    assert_eq!(talk.state.editor.text(), "later");
    assert_eq!(talk.ended(EndReason::Interrupted, 130), []);
    // After more than two seconds it is a first one again.
    talk.later(2_001);
    assert_eq!(talk.ctrl_c(), []);
    assert!(talk.state.editor.is_empty());
    // A second one within two seconds saves and leaves.
    let mut talk = Talk::working();
    assert_eq!(talk.ctrl_c(), [Effect::Interrupt]);
    talk.later(1_500);
    assert_eq!(talk.ctrl_c(), [Effect::Interrupt]);
    assert_eq!(talk.ended(EndReason::Interrupted, 130), [Effect::Quit(Exit::Answered)]);
    // While it saves, one more does not wait.
    let mut talk = Talk::working();
    talk.ended(EndReason::Answered, 0);
    assert_eq!(talk.ctrl_c(), [Effect::Summarise]);
    assert!(talk.region().contains("Saving the session's summary"));
    assert_eq!(talk.ctrl_c(), [Effect::Interrupt, Effect::Quit(Exit::Answered)]);
    // In a question of the agent it interrupts the turn.
    let mut talk = Talk::working();
    talk.take(Event::Asked(7, ask(None)));
    assert_eq!(talk.ctrl_c(), [Effect::Interrupt]);
    assert!(talk.state.dialogs.is_empty());
    // In a question of the program's it closes that.
    let mut talk = Talk::new(Language::En);
    talk.take(Event::Models(vec!["a:b".into()]));
    assert_eq!(talk.ctrl_c(), []);
    assert!(talk.state.dialogs.is_empty());
}

#[test]
fn leaving_saves_first_what_was_answered() {
    for leave in ["/exit", "\u{4}"] {
        let mut talk = Talk::working();
        talk.ended(EndReason::Answered, 0);
        let effects = match leave {
            "/exit" => talk.say("/exit"),
            _ => talk.key(Key::ctrl('d')),
        };
        assert_eq!(effects, [Effect::Summarise]);
        assert_eq!(talk.take(Event::Summarised(true)), [Effect::Quit(Exit::Answered)]);
    }
    // While the model works, the turn ends first; a tool that does not end is not waited for.
    let mut talk = Talk::working();
    assert_eq!(talk.key(Key::ctrl('d')), [Effect::Interrupt]);
    assert_eq!(talk.take(Event::Tick), []);
    talk.later(3_001);
    assert_eq!(talk.take(Event::Tick), [Effect::Quit(Exit::Answered)]);
    // A signal and a terminal that is gone wait for nothing.
    let mut talk = Talk::working();
    let terminated = [Effect::Quit(Exit::Terminated)];
    assert_eq!(talk.take(Event::Signal(Exit::Terminated)), terminated);
    assert_eq!(talk.take(Event::Input(Input::Closed)), terminated);
}

#[test]
fn esc_interrupts_and_what_is_queued_is_sent_then() {
    let mut talk = Talk::working();
    assert_eq!(talk.say("and then this"), []);
    assert!(talk.region().contains("[queued] and then this"));
    assert_eq!(talk.code(Code::Esc), [Effect::Interrupt]);
    assert!(talk.region().contains("Interrupting..."), "{}", talk.region());
    let effects = talk.ended(EndReason::Interrupted, 130);
    assert_eq!(effects, [Effect::Turn("and then this".into())]);
    assert!(talk.printed().contains("Interrupted; what was done stays."));
    // Esc does nothing to an empty input.
    let mut talk = Talk::new(Language::En);
    assert_eq!(talk.code(Code::Esc), []);
}

/// XC-56.
#[test]
fn what_is_typed_while_the_model_works_waits_is_editable_or_steers() {
    let mut talk = Talk::working();
    assert_eq!(talk.say("one"), []);
    talk.typed("two");
    let steer = Key { ctrl: true, ..Key::of(Code::Enter) };
    let effects = talk.key(steer);
    assert_eq!(effects[1..], [Effect::Steer(1, "two".into())]);
    assert_eq!(talk.say("/steer three"), [Effect::Steer(2, "three".into())]);
    assert!(talk.region().contains("[steering] three"));
    // The newest is taken back; the agent is told.
    assert_eq!(talk.code(Code::Up), [Effect::TakeBack(2)]);
    assert_eq!(talk.state.editor.text(), "three");
    talk.state.editor.clear();
    // The agent says what steered.
    talk.told(What::Prompt { text: "two".into() });
    assert!(talk.printed().contains("> two"));
    assert_eq!(talk.state.queue.len(), 1);
    // What came too late for a step is the next prompt.
    assert_eq!(talk.say("/steer late"), [Effect::Steer(3, "late".into())]);
    let effects = talk.ended(EndReason::Answered, 0);
    assert_eq!(effects, [Effect::TakeBack(3), Effect::Turn("one".into())]);
    assert_eq!(talk.state.queue[0].when, When::Next);
    // After a failure nothing is sent by itself.
    talk.told(What::Failure { class: FailureClass::Network, message: "gone".into() });
    assert_eq!(talk.ended(EndReason::Failed, 4), []);
    assert_eq!((talk.state.queue.len(), talk.state.work), (1, Work::Idle));
}

/// XC-107, XC-109.
#[test]
fn a_call_is_shown_and_answered() {
    for (inputs, expected) in [
        ("y", Answer::Once),
        ("s", Answer::Session),
        ("n", Answer::No(None)),
        ("wuse pnpm\n", Answer::No(Some("use pnpm".into()))),
    ] {
        let mut talk = Talk::working();
        talk.take(Event::Asked(7, ask(None)));
        let printed = talk.printed();
        assert!(printed.contains("shell [write]\nnpm test\nIt runs a program."), "{printed}");
        assert!(talk.region().contains("Allow this?"));
        let mut effects = Vec::new();
        for char in inputs.chars() {
            effects = talk.code(if char == '\n' { Code::Enter } else { Code::Char(char) });
        }
        assert_eq!(effects, [Effect::Permit(7, expected)], "{inputs}");
        assert!(talk.state.dialogs.is_empty());
    }
}

/// A question that comes while one types is not answered by a letter of the word.
#[test]
fn a_key_of_a_word_does_not_answer_a_question_that_just_came() {
    let mut talk = Talk::working();
    talk.typed("happ");
    talk.take(Event::Asked(7, ask(None)));
    talk.later(100);
    assert_eq!(talk.code(Code::Char('y')), []);
    assert_eq!(talk.state.editor.text(), "happy");
    assert!(talk.region().contains("happy"), "the word is still seen");
    talk.later(701);
    assert_eq!(talk.code(Code::Char('y')), [Effect::Permit(7, Answer::Once)]);
    assert_eq!(talk.state.editor.text(), "happy");
}

/// Nothing that is pasted is lost.
#[test]
fn a_paste_goes_to_the_input_where_a_question_takes_no_text() {
    let mut talk = Talk::working();
    talk.take(Event::Asked(7, ask(None)));
    let paste = |text: &str| Event::Input(Input::Paste(text.to_owned()));
    talk.take(paste("for later"));
    assert_eq!(talk.state.editor.text(), "for later");
    talk.later(1_000);
    talk.code(Code::Char('w'));
    talk.take(paste("use pnpm"));
    let no = Answer::No(Some("use pnpm".into()));
    assert_eq!(talk.code(Code::Enter), [Effect::Permit(7, no)]);
    assert_eq!(talk.state.editor.text(), "for later");
}

/// XC-125.
#[test]
fn hunks_are_taken_one_by_one() {
    let line = |n: usize, changed: &[usize]| match changed.contains(&n) {
        true => format!("new {n}\n"),
        false => format!("{n}\n"),
    };
    let text = |changed: &[usize]| (1..40).map(|n| line(n, changed)).collect::<String>();
    let change = |is_divisible| Change {
        path: "a.rs".into(),
        old: Some(text(&[])),
        new: text(&[3, 30]),
        is_divisible,
    };
    let mut talk = Talk::working();
    talk.take(Event::Asked(7, ask(Some(change(true)))));
    assert!(talk.printed().contains("a.rs (+2 -2)"));
    assert_eq!(talk.code(Code::Char('h')), []);
    assert_eq!(talk.code(Code::Char('n')), []);
    let taken = Answer::Hunks(BTreeSet::from([1]));
    assert_eq!(talk.code(Code::Char('y')), [Effect::Permit(7, taken)]);
    // With a masked secret in it, it cannot be parted.
    talk.take(Event::Asked(8, ask(Some(change(false)))));
    assert!(!talk.region().contains("hunk by hunk"));
}

#[test]
fn a_question_of_the_model_is_chosen_from_or_answered_in_words() {
    let offer = |label: &str| Offer { label: label.into(), description: String::new() };
    let question = || Question {
        question: "数据库用哪个方案？".into(),
        offers: vec![offer("PostgreSQL"), offer("SQLite")],
    };
    let mut talk = Talk::working();
    talk.state.words = Language::Zh;
    talk.take(Event::Question(3, question()));
    let region = talk.region();
    for text in ["? 数据库用哪个方案？", "PostgreSQL", "其他（自定义输入）", "↑↓ 移动  Enter 确认"]
    {
        assert!(region.contains(text), "{text}: {region}");
    }
    talk.code(Code::Down);
    assert_eq!(talk.code(Code::Enter), [Effect::Choose(3, Choice::Offered(1))]);
    talk.take(Event::Question(4, question()));
    talk.code(Code::Up);
    talk.typed("redb");
    assert_eq!(talk.code(Code::Enter), [Effect::Choose(4, Choice::Own("redb".into()))]);
}

#[test]
fn calls_are_shown_while_they_run_and_when_they_ended() {
    let mut talk = Talk::working();
    let call = json!({"command": "cargo test"});
    talk.told(What::Call { id: "c1".into(), tool: "shell".into(), input: call });
    let by = contract::xc::DecidedBy::User;
    let permission = |verdict| What::Permission {
        id: "c1".into(),
        verdict,
        level: CallLevel::L1,
        rule: None,
        by,
    };
    talk.told(permission(Verdict::Allow));
    let output = "running 3 tests\nok\n".to_owned();
    talk.told(What::Output { id: "c1".into(), stream: contract::xc::Stream::Stdout, text: output });
    talk.later(1_500);
    let region = talk.region();
    assert!(region.contains("shell cargo test") && region.contains("│ ok"), "{region}");
    let (id, status) = ("c1".to_owned(), CallStatus::Ok);
    talk.told(What::Result { id, status, chars: 3, truncated: false });
    let printed = talk.printed();
    assert!(printed.contains("✓ shell cargo test  1.5 s\n"), "{printed}");
    assert!(!talk.region().contains("cargo test"));
    talk.told(What::Usage { input: 12_450, cached: 0, output: 3_200, cost_usd: Some(0.08) });
    assert!(talk.region().contains("deepseek:deepseek-chat · 15,650 tokens $0.08 · ~/p"));
    talk.say("/usage");
    let printed = talk.printed();
    let expected = "This session: 12,450 prompt + 3,200 completion = 15,650 tokens\nEstimated cost: \
                    $0.08 (deepseek:deepseek-chat)\n";
    assert!(printed.starts_with(expected), "{printed}");
}

/// XC-134, XC-128 to XC-131.
#[test]
fn nothing_of_a_command_goes_to_the_model() {
    for (line, expected) in [
        ("/help", vec![]),
        ("/model", vec![Effect::ListModels]),
        ("/model qwen", vec![Effect::SetModel("qwen".into())]),
        ("/plan", vec![Effect::TogglePlan]),
        ("/compact the api", vec![Effect::Compact(Some("the api".into()))]),
        ("/clear", vec![Effect::Clear]),
        ("/session save", vec![Effect::Summarise]),
        ("/sessions", vec![Effect::ListSessions]),
        ("/context", vec![Effect::Measure]),
        ("/undo", vec![Effect::Undo(Undo::Look)]),
        ("/undo yes", vec![Effect::Undo(Undo::Turn)]),
        ("/undo back", vec![Effect::Undo(Undo::Back)]),
        ("/permissions", vec![Effect::ListRules]),
        ("/init", vec![Effect::Init]),
        ("/trust", vec![Effect::Trust(Consent::Look)]),
        ("/trust yes", vec![Effect::Trust(Consent::Yes)]),
        ("/modle", vec![]),
        ("/copy", vec![]),
    ] {
        let mut talk = Talk::new(Language::En);
        assert_eq!(talk.say(line), expected, "{line}");
    }
    let mut talk = Talk::new(Language::En);
    talk.say("/modle");
    assert!(talk.printed().contains("There is no command /modle; the nearest is /model."));
    // What needs the session waits for the model.
    let mut talk = Talk::working();
    for line in ["/model x", "/clear", "/compact", "/plan", "/undo yes", "/context"] {
        assert_eq!(talk.say(line), [], "{line}");
        assert!(talk.printed().contains("has to wait"), "{line}");
    }
}

#[test]
fn the_last_answer_or_its_code_is_copied() {
    let mut talk = Talk::working();
    let answer = "Look:\n```rust\nfn a() {}\n```\nand\n```\nb\n```\n".to_owned();
    let end = End { answer: answer.clone(), ..end(EndReason::Answered, 0) };
    talk.take(Event::Ended(Box::new(end)));
    assert_eq!(talk.say("/copy"), [Effect::Copy(answer)]);
    assert_eq!(talk.say("/copy code"), [Effect::Copy("b\n".into())]);
}

/// XC-100.
#[test]
fn a_command_of_the_users_own_is_joined_to_the_next_message_on_request() {
    for (key, expected) in [('y', true), ('n', false)] {
        let mut talk = Talk::new(Language::En);
        assert_eq!(talk.say("!ls"), [Effect::Run("ls".into())]);
        assert_eq!(talk.code(Code::Esc), [Effect::Interrupt]);
        talk.later(1_000);
        talk.take(Event::CommandEnded(Some(0), "exit code: 0\na.rs\n".into()));
        assert!(talk.region().contains("Join the output"));
        talk.code(Code::Char(key));
        let effects = talk.say("what is it?");
        let [Effect::Turn(prompt)] = &effects[..] else { panic!("{effects:?}") };
        assert_eq!(prompt.contains("a.rs"), expected, "{prompt}");
    }
}

/// XC-86.
#[test]
fn a_prompt_with_a_secret_is_asked_about() {
    let mut talk = Talk::new(Language::En);
    assert_eq!(talk.say("use planted-key-0123"), []);
    talk.later(1_000);
    assert!(talk.region().contains("seems to hold a secret"));
    assert_eq!(talk.code(Code::Esc), []);
    assert_eq!(talk.state.editor.text(), "use planted-key-0123");
    assert_eq!(talk.code(Code::Enter), []);
    talk.later(1_000);
    let text = || "use planted-key-0123".to_owned();
    assert_eq!(talk.code(Code::Enter), [Effect::Remember(text()), Effect::Turn(text())]);
    let printed = talk.printed();
    assert!(printed.contains("> use [REDACTED") && !printed.contains("planted"), "{printed}");
}

/// XC-67.
#[test]
fn a_refused_key_is_asked_for_there() {
    let mut talk = Talk::working();
    talk.told(What::Failure { class: FailureClass::Auth, message: "401".into() });
    assert_eq!(talk.ended(EndReason::Failed, 3), []);
    assert!(talk.region().contains("Enter a new deepseek API key"));
    talk.take(Event::Input(Input::Paste("sk-planted-new".into())));
    assert!(!talk.region().contains("planted"), "{}", talk.region());
    let effects = talk.code(Code::Enter);
    let key = ApiKey("sk-planted-new".into());
    assert_eq!(effects, [Effect::SaveKey(Provider::Deepseek, key)]);
    assert!(!format!("{effects:?}").contains("planted"));
    talk.take(Event::KeySaved(Ok(())));
    assert!(talk.printed().contains("The new key is saved"));
}

/// XC-111: what a folder brings is asked about before anything is loaded; a key that came too early is a no.
#[test]
fn what_a_folder_brings_is_asked_about_first() {
    for (codes, expected) in [
        (&[Code::Enter][..], Loading::Never),
        (&[Code::Char('x'), Code::Enter], Loading::Never),
        (&[Code::Down, Code::Enter], Loading::NotNow),
        (&[Code::Esc], Loading::NotNow),
        (&[Code::Char('3'), Code::Enter], Loading::Always),
    ] {
        let state = State::new(Language::En, Vec::new(), Some("hello".into()));
        let mut talk = Talk { state, now: Instant::now() };
        let parts = vec!["knowledge: AGENTS.md".into(), "rules: .x-code/rules/a.md".into()];
        talk.take(Event::Foreign("~/p".into(), parts));
        assert_eq!(
            talk.region(),
            "? This folder (~/p) brings what would guide xc. Is it to be loaded?\n  knowledge: AGENTS.md\n  rules: \
             .x-code/rules/a.md\n❯ 1. No  it is not loaded; asked again when it changes\n  2. Later  not this time; asked again \
             at the next start\n  3. Yes  loaded from now on, here and below\n↑↓ move  Enter choose\n"
        );
        let effects: Vec<Effect> = codes.iter().flat_map(|code| talk.code(*code)).collect();
        assert_eq!(effects, [Effect::Begin(expected)]);
    }
}

/// XC-126: once, and only a user who has typed nothing since.
#[test]
fn an_answer_or_a_question_that_waits_calls_the_user_once() {
    let mut talk = Talk::working();
    assert_eq!(talk.take(Event::Asked(1, ask(None))), []);
    talk.later(9_900);
    assert_eq!(talk.take(Event::Tick), []);
    talk.later(100);
    assert_eq!(talk.take(Event::Tick), [Effect::Call]);
    talk.later(60_000);
    assert_eq!(talk.take(Event::Tick), []);
    // The next question is another one.
    assert_eq!(talk.take(Event::Asked(2, ask(None))), []);
    talk.later(10_000);
    assert_eq!(talk.take(Event::Tick), [Effect::Call]);
    assert_eq!(talk.code(Code::Char('y')).len(), 1);
    assert_eq!(talk.code(Code::Char('y')).len(), 1);
    talk.later(20_000);
    assert_eq!(talk.take(Event::Tick), [], "the model works");
    assert_eq!(talk.ended(EndReason::Answered, 0), []);
    talk.later(9_000);
    talk.typed("a");
    talk.later(20_000);
    assert_eq!(talk.take(Event::Tick), [], "the user is there");
    talk.state.editor.clear();
    talk.say("more");
    assert_eq!(talk.ended(EndReason::Answered, 0), []);
    talk.later(10_000);
    assert_eq!(talk.take(Event::Tick), [Effect::Call]);
    assert_eq!(talk.state.attention.due(), None);
}

/// XC-164.
#[test]
fn open_work_is_asked_about_at_the_start() {
    for (code, expected) in [
        (Code::Enter, Effect::TakeOver(ID.parse().unwrap())),
        (Code::Char('n'), Effect::Abandon(ID.parse().unwrap())),
        (Code::Esc, Effect::Abandon(ID.parse().unwrap())),
    ] {
        let mut talk = Talk::new(Language::Zh);
        talk.take(Event::OpenWork(Box::new(summary())));
        let printed = talk.printed();
        let expected_text = "ℹ 上次会话: \"实现用户认证模块\" (进行中, 2 项未完成)\n  - 未完成: JWT refresh token 逻辑\n  \
                             - 未完成: 登录接口的错误处理\n";
        assert_eq!(printed, expected_text);
        assert!(talk.region().contains("> 继续上次的工作？(Y/n)"));
        assert_eq!(talk.code(code), [expected]);
    }
}

#[test]
fn a_path_is_completed_and_a_paste_is_sent_whole() {
    let mut talk = Talk::new(Language::En);
    talk.typed("why @s");
    assert_eq!(talk.code(Code::Char('r')), [Effect::FindPaths("sr".into())]);
    talk.take(Event::Paths(vec!["src/".into()]));
    talk.code(Code::Tab);
    assert_eq!(talk.state.editor.text(), "why @src/");
    talk.state.editor.clear();
    let long = "行\n".repeat(2_500);
    talk.take(Event::Input(Input::Paste(long.clone())));
    assert!(talk.region().contains("(5000 characters)"), "{}", talk.region());
    let effects = talk.code(Code::Enter);
    assert_eq!(effects[1], Effect::Turn(long.trim().to_owned()));
}

/// XC-140.
#[test]
fn a_plan_is_shown_with_what_the_advisor_says_of_it() {
    let risky = "**RISKY**: One database is enough. - Not for \u{1b}[31mreports.".to_owned();
    for (check, expected) in [
        (None, None),
        (Some(PlanCheck::Assumptions(Vec::new())), Some("顾问没有指出任何假设。")),
        (Some(PlanCheck::Assumptions(vec![risky])), Some("顾问对假设的检查:")),
        (Some(PlanCheck::Failed("no answer".into())), Some("顾问没有检查计划: no answer")),
    ] {
        let mut talk = Talk::new(Language::Zh);
        let is_listed = matches!(&check, Some(PlanCheck::Assumptions(lines)) if !lines.is_empty());
        let plan = Plan { path: ".x-code/plans/a.md".into(), text: "# 计划\n".into(), check };
        talk.take(Event::Review(1, plan));
        let printed = talk.printed();
        assert!(printed.starts_with("计划: .x-code/plans/a.md\n"), "{printed}");
        assert_eq!(printed.contains("顾问"), expected.is_some(), "{printed}");
        assert!(printed.contains(expected.unwrap_or_default()), "{printed}");
        assert_eq!(printed.contains("RISKY: One database is enough."), is_listed, "{printed}");
        assert!(!printed.contains('\u{1b}'));
        assert!(talk.region().contains("执行这个计划吗？"));
    }
}
