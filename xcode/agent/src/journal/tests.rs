//! A journal can be resumed, whatever happened to the file.

mod damage;
mod masking;

use std::fs;
use std::io::Write as _;
use std::path::Path;

use contract::xc::{Call, CallStatus, EndReason, Entry, TokenUsage};
use llm::{Arguments, Asked, CallResult, Content, Message, ModelId, Opaque, Part, Provider};
use redact::Redactor;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Continuing, INTERRUPTED, Journal, JournalError, Past, PastTasks, answered};
use crate::places::Places;

/// A home folder and a workspace.
pub(crate) struct Somewhere {
    pub(crate) home: TempDir,
    pub(crate) root: TempDir,
}

impl Somewhere {
    pub(crate) fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap(), root: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn places(&self) -> Places {
        Places::new(self.home.path(), self.root.path())
    }

    pub(crate) fn begin(&self) -> Journal {
        Journal::create(&self.places(), "0.1.0", Redactor::new()).unwrap()
    }

    fn go_on(&self) -> Result<(Journal, Past), JournalError> {
        Journal::resume(&self.places(), None, Continuing::Same, "0.1.0", Redactor::new())
    }
}

pub(crate) fn user(text: &str) -> Entry {
    Entry::User { text: text.into(), told: String::new() }
}

fn asks(calls: &[(&str, &str)]) -> Entry {
    let call = |(id, tool): &(&str, &str)| Call {
        id: (*id).into(),
        tool: (*tool).into(),
        input: json!({ "path": "a" }),
    };
    Entry::Assistant {
        model: "openai:gpt-4.1".into(),
        text: "I look.".into(),
        reasoning: None,
        opaque: None,
        calls: calls.iter().map(call).collect(),
    }
}

fn begun(id: &str) -> Entry {
    Entry::Begun { id: id.into(), tool: "shell".into() }
}

fn result(id: &str, status: CallStatus, text: &str) -> Entry {
    let (id, text) = (id.into(), text.into());
    Entry::Result { id, status, text, truncated: false, changed: vec![], command: None }
}

fn said(text: &str) -> Message {
    Message::User(vec![Content::Text(text.into())])
}

fn answer(text: &str, calls: Vec<(&str, &str, CallResult)>) -> Message {
    let said = Part::Text { text: text.into(), opaque: None };
    let calls = calls.into_iter().map(|(id, name, result)| {
        let arguments = json!({ "path": "a" }).as_object().unwrap().clone();
        let (id, name) = (id.into(), name.into());
        Part::Call(llm::Call { id, name, arguments, opaque: None, result })
    });
    Message::Answer(std::iter::once(said).chain(calls).collect())
}

fn append_all(journal: &mut Journal, entries: impl IntoIterator<Item = Entry>) {
    for entry in entries {
        journal.append(entry).unwrap();
    }
}

/// The lines of a journal, each a JSON object.
fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_session_goes_on_where_it_ended() {
    let somewhere = Somewhere::new();
    let mut journal = somewhere.begin();
    let id = journal.id();
    let usage = TokenUsage { input: 10, cached: 4, output: 2 };
    append_all(
        &mut journal,
        [
            user("mend it"),
            asks(&[("a", "readFile"), ("b", "shell")]),
            Entry::Usage { usage, cost_usd: Some(0.25) },
            begun("a"),
            result("a", CallStatus::Ok, "text"),
            result("b", CallStatus::Denied, "Permission denied by user."),
            asks(&[]),
            Entry::Usage { usage, cost_usd: Some(0.25) },
            Entry::End { reason: EndReason::Answered },
            Entry::Model {
                from: "openai:gpt-4.1".into(),
                to: "xai:grok-3".into(),
                why: "x".into(),
            },
        ],
    );
    drop(journal);
    let (mut journal, past) = somewhere.go_on().unwrap();
    assert_eq!(journal.id(), id);
    let denied = CallResult::Failed("Permission denied by user.".into());
    let calls = vec![("a", "readFile", CallResult::Done("text".into())), ("b", "shell", denied)];
    let expected = Past {
        messages: vec![said("mend it"), answer("I look.", calls), answer("I look.", vec![])],
        lines: vec![1, 2, 7],
        said: vec![7, 0, 0],
        model: Some("xai:grok-3".into()),
        usage: TokenUsage { input: 20, cached: 8, output: 4 },
        cost_usd: Some(0.5),
        plan: None,
        unfinished: vec![],
        tasks: PastTasks::default(),
        notes: vec![],
    };
    assert_eq!(past, expected);
    // It says who has it now, and the numbers have no gap.
    assert_eq!(journal.append(user("more")).unwrap(), 12);
    let lines = lines(&journal.path());
    let numbers: Vec<_> = lines[1..].iter().map(|line| line["n"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=12).collect::<Vec<_>>());
    assert_eq!(lines[0]["pid"], json!(std::process::id()));
    assert_eq!(lines[11]["pid"], json!(std::process::id()));
}

/// The user is shown what was said; the model sees all of it.
#[test]
fn what_was_told_behind_a_prompt_is_not_shown_again() {
    let somewhere = Somewhere::new();
    let mut journal = somewhere.begin();
    let (text, told) = ("mend it".to_owned(), "\n\nwhat the code says".to_owned());
    append_all(&mut journal, [Entry::User { text, told }, asks(&[]), user("more")]);
    drop(journal);
    let (_journal, past) = somewhere.go_on().unwrap();
    let all = [said("mend it\n\nwhat the code says"), answer("I look.", vec![]), said("more")];
    assert_eq!(past.messages, all);
    assert_eq!(past.shown(9), [said("mend it"), answer("I look.", vec![]), said("more")]);
    assert_eq!(past.shown(2), past.shown(9)[1..]);
}

#[test]
fn a_call_without_a_result_may_or_may_not_have_run() {
    let somewhere = Somewhere::new();
    let mut journal = somewhere.begin();
    // Ids may come again in a later step: each result belongs to the call before it.
    append_all(
        &mut journal,
        [
            user("run it"),
            asks(&[("a", "shell")]),
            begun("a"),
            result("a", CallStatus::Ok, "first"),
            asks(&[("a", "shell"), ("b", "edit")]),
            begun("a"),
        ],
    );
    drop(journal);
    let (_journal, past) = somewhere.go_on().unwrap();
    let lost = || CallResult::Failed(INTERRUPTED.into());
    let expected = [
        said("run it"),
        answer("I look.", vec![("a", "shell", CallResult::Done("first".into()))]),
        answer("I look.", vec![("a", "shell", lost()), ("b", "edit", lost())]),
    ];
    assert_eq!(past.messages, expected);
    let unfinished: Vec<_> = past.unfinished.iter().map(|call| call.tool.as_str()).collect();
    assert_eq!(unfinished, ["shell", "edit"]);
}

#[test]
fn what_a_provider_wants_back_returns_part_by_part() {
    let signed = |value: Value| Some(Opaque { provider: Provider::Google, value });
    let call = |id: &str, opaque| {
        let arguments = Arguments::read(r#"{"path":"a"}"#);
        Part::Call(Asked { id: id.into(), name: "readFile".into(), arguments, opaque })
    };
    let text = |text: &str, opaque| Part::Text { text: text.into(), opaque };
    let thought = |shown: &str, opaque| Part::Reasoning { shown: shown.into(), opaque };
    let answers = [
        vec![text("plain", None)],
        vec![thought("so", None), text("plain", None), call("a", None), call("b", None)],
        vec![thought("so", signed(json!({ "signature": "c2ln" }))), call("a", None)],
        vec![text("one", None), call("a", signed(json!("sig"))), text("", signed(json!("end")))],
        vec![call("a", None), thought("late", None), text("x", None), thought("later", None)],
        vec![thought("", signed(json!([1, 2]))), thought("two", signed(json!(null)))],
    ];
    let somewhere = Somewhere::new();
    let mut journal = somewhere.begin();
    journal.append(user("go")).unwrap();
    let model: ModelId = "google:gemini-2.5-pro".parse().unwrap();
    for parts in &answers {
        journal.append(answered(&model, parts)).unwrap();
        for part in parts {
            if let Part::Call(asked) = part {
                journal.append(result(&asked.id, CallStatus::Ok, "done")).unwrap();
            }
        }
    }
    drop(journal);
    let (_journal, past) = somewhere.go_on().unwrap();
    let with_results = answers.map(|parts| {
        let parts = parts.into_iter().map(|part| match part {
            Part::Text { text, opaque } => Part::Text { text, opaque },
            Part::Reasoning { shown, opaque } => Part::Reasoning { shown, opaque },
            Part::Call(asked) => Part::Call(asked.with(CallResult::Done("done".into()))),
        });
        Message::Answer(parts.collect())
    });
    assert_eq!(past.messages[1..], with_results);
}

#[test]
fn what_a_summary_stands_for_is_left_out() {
    let somewhere = Somewhere::new();
    let mut journal = somewhere.begin();
    let compact = |summary: &str, kept_from| Entry::Compact {
        summary: summary.into(),
        before: 9,
        after: 3,
        kept_from,
    };
    append_all(
        &mut journal,
        [
            user("one"),
            asks(&[("a", "shell")]),
            result("a", CallStatus::Ok, "first"),
            compact("So far: one.", 4),
            user("two"),
            asks(&[("a", "shell")]),
            result("a", CallStatus::Ok, "second"),
            compact("So far: one, two.", 6),
            asks(&[]),
        ],
    );
    drop(journal);
    let (_journal, past) = somewhere.go_on().unwrap();
    let expected = [
        said("So far: one, two."),
        answer("I look.", vec![("a", "shell", CallResult::Done("second".into()))]),
        answer("I look.", vec![]),
    ];
    assert_eq!((past.messages.as_slice(), past.lines), (expected.as_slice(), vec![8, 6, 9]));
}

#[test]
fn a_session_that_is_open_is_refused_with_its_process_and_can_be_forked() {
    let somewhere = Somewhere::new();
    let mut journal = somewhere.begin();
    let id = journal.id();
    journal.append(user("one")).unwrap();
    let refused = somewhere.go_on().unwrap_err();
    let pid = Some(std::process::id());
    assert!(matches!(refused, JournalError::Live { id: live, pid: at } if live == id && at == pid));
    assert!(refused.to_string().contains("--fork"), "{refused}");

    let fork =
        |id| Journal::resume(&somewhere.places(), id, Continuing::Fork, "0.1.0", Redactor::new());
    let (mut copy, past) = fork(Some(id)).unwrap();
    assert_ne!(copy.id(), id);
    assert_eq!(past.messages, [said("one")]);
    // Both go on, and neither has a line of the other.
    journal.append(user("two")).unwrap();
    copy.append(user("three")).unwrap();
    let texts = |path: &Path| -> Vec<Value> {
        lines(path)[1..].iter().map(|line| line["text"].clone()).collect()
    };
    assert_eq!(texts(&journal.path()), ["one", "two"]);
    let note = format!("A copy of the session {id}.");
    assert_eq!(texts(&copy.path()), ["one", note.as_str(), "three"]);
    assert_eq!(lines(&copy.path())[0]["id"], json!(copy.id()));
}

#[test]
fn the_last_session_is_that_of_this_workspace_in_which_something_was_said() {
    let somewhere = Somewhere::new();
    assert!(matches!(somewhere.go_on().unwrap_err(), JournalError::NoSession));
    let mut journal = somewhere.begin();
    let id = journal.id();
    journal.append(user("one")).unwrap();
    drop(journal);
    drop(somewhere.begin());
    let brought = somewhere.begin();
    let theirs = fs::read_to_string(brought.path()).unwrap();
    let root = somewhere.places().cwd();
    let theirs = theirs.replace(&root, "/elsewhere")
        + "{\"n\":1,\"at\":\"x\",\"kind\":\"note\",\"text\":\"t\"}\n";
    fs::write(brought.path(), theirs).unwrap();
    assert_eq!(somewhere.go_on().unwrap().0.id(), id);
    // By its id it can be had.
    let named = Some(brought.id());
    drop(brought);
    let same = Continuing::Same;
    let resumed = Journal::resume(&somewhere.places(), named, same, "0.1.0", Redactor::new());
    assert_eq!(Some(resumed.unwrap().0.id()), named);
    let unknown = Some(contract::id::SessionId::generate());
    let resumed = Journal::resume(&somewhere.places(), unknown, same, "0.1.0", Redactor::new());
    assert!(matches!(resumed.unwrap_err(), JournalError::Unknown { id } if Some(id) == unknown));
}

#[test]
fn a_full_disk_is_told_and_what_is_missing_is_written_when_there_is_room() {
    let somewhere = Somewhere::new();
    let mut journal = somewhere.begin();
    journal.append(user("one")).unwrap();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let file = std::mem::replace(&mut journal.file.file, full);
    for entry in [begun("a"), result("a", CallStatus::Ok, "done")] {
        let refused = journal.append(entry).unwrap_err();
        assert!(matches!(refused, JournalError::Full { .. }), "{refused}");
    }
    journal.file.file = file;
    assert_eq!(journal.append(Entry::End { reason: EndReason::Failed }).unwrap(), 4);
    let lines = lines(&journal.path());
    let kinds: Vec<_> = lines[1..].iter().map(|line| line["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["user", "begun", "result", "end"]);
}

#[test]
fn a_write_that_broke_off_costs_no_line_but_its_own() {
    let somewhere = Somewhere::new();
    let mut journal = somewhere.begin();
    journal.append(user("one")).unwrap();
    // A part of a line is there that could not be taken back.
    let mut other = fs::OpenOptions::new().append(true).open(journal.path()).unwrap();
    other.write_all(b"{\"n\":2,\"at").unwrap();
    journal.file.is_torn = true;
    journal.append(user("two")).unwrap();
    let texts: Vec<_> =
        lines(&journal.path())[1..].iter().map(|line| line["text"].clone()).collect();
    assert_eq!(texts, ["one", "two"]);
}
