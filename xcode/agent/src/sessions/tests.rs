//! Sessions are listed as they were used, shown whole, and removed whole.

use std::fs;
use std::path::Path;

use contract::xc::{
    Call, CallStatus, CommandRun, EndReason, Entry, SessionStatus, SessionSummary, TokenUsage,
};
use redact::Redactor;
use serde_json::json;

use super::{list, open_work, remove, show};
use crate::journal::tests::{Somewhere, user};
use crate::journal::{Continuing, Journal, JournalError};
use crate::places::Places;

/// The end of a turn that went well.
const END: Entry = Entry::End { reason: EndReason::Answered };

fn latest(at: &Somewhere) -> SessionSummary {
    let path = at.root.path().join(".x-code/sessions/latest.json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn append_all(journal: &mut Journal, entries: impl IntoIterator<Item = Entry>) {
    for entry in entries {
        journal.append(entry).unwrap();
    }
}

fn says(text: &str, calls: Vec<Call>) -> Entry {
    let model = "deepseek:deepseek-chat".into();
    Entry::Assistant { model, text: text.into(), reasoning: None, opaque: None, calls }
}

fn result(id: &str, text: &str, changed: &[&str], command: Option<CommandRun>) -> Entry {
    Entry::Result {
        id: id.into(),
        status: CallStatus::Ok,
        text: text.into(),
        truncated: false,
        changed: changed.iter().map(|file| (*file).into()).collect(),
        command,
    }
}

/// The clock of a file system goes by some milliseconds at once.
fn make_newer(path: &Path) {
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(1);
    fs::File::options().append(true).open(path).unwrap().set_modified(later).unwrap();
}

#[test]
fn a_summary_is_made_of_what_happened() {
    let somewhere = Somewhere::new();
    let mut journal = somewhere.begin();
    let input = json!({ "question": "JWT or session?" });
    let question = Call { id: "q".into(), tool: "askUser".into(), input };
    let usage = TokenUsage { input: 9, cached: 0, output: 1 };
    let tested = Some(CommandRun { command: "cargo test".into(), exit: Some(0) });
    append_all(
        &mut journal,
        [
            user("\n  \u{1b}[1m实现用户认证模块\nwith all that belongs to it"),
            says("", vec![question]),
            Entry::Usage { usage, cost_usd: Some(0.125) },
            result("q", "JWT", &[], None),
            result("e", "Done.", &["src/auth.rs", "src/main.rs"], None),
            result("s", "exit code: 0", &["src/auth.rs"], tested),
            says("The login works.\n\nMore of it.", vec![]),
            END,
            user("and the refresh"),
            says("I begin.", vec![]),
            Entry::End { reason: EndReason::TurnLimit },
        ],
    );
    let summary = latest(&somewhere);
    let words = "2 prompts; 2 changed files and 1 command. The last turn did not end well: it reached \
                 the limit of its steps. The last answer: The login works.";
    let expected = SessionSummary {
        id: journal.id(),
        title: "实现用户认证模块".into(),
        started_at: summary.started_at.clone(),
        ended_at: summary.ended_at.clone(),
        status: SessionStatus::InProgress,
        summary: words.into(),
        key_results: vec!["The login works.".into()],
        pending_work: vec!["and the refresh (it reached the limit of its steps)".into()],
        files_modified: vec!["src/auth.rs".into(), "src/main.rs".into()],
        decisions: vec!["JWT or session? JWT".into()],
        journal: format!("{}.jsonl", journal.id()),
        model: Some("deepseek:deepseek-chat".into()),
        cost_usd: Some(0.125),
    };
    assert_eq!(summary, expected);
    assert!(summary.started_at <= summary.ended_at);
    append_all(&mut journal, [user("go on"), says("All done.", vec![]), END]);
    let summary = latest(&somewhere);
    assert_eq!((summary.status, summary.pending_work.len()), (SessionStatus::Completed, 0));
    assert_eq!(summary.key_results, ["The login works.", "All done."]);
}

#[test]
fn two_sessions_in_one_folder_lose_nothing_of_one_another() {
    let somewhere = Somewhere::new();
    std::thread::scope(|scope| {
        for session in 0..4 {
            let mut journal = somewhere.begin();
            scope.spawn(move || {
                for turn in 0..10 {
                    let text = format!("session {session}, turn {turn}");
                    append_all(&mut journal, [user(&text), says(&text, vec![]), END]);
                }
            });
        }
    });
    let listed = list(&somewhere.places()).unwrap();
    let mut titles: Vec<_> = listed.iter().map(|session| session.summary.title.clone()).collect();
    titles.sort();
    assert_eq!(titles, [0, 1, 2, 3].map(|session| format!("session {session}, turn 0")));
    for session in &listed {
        assert_eq!(session.summary.key_results.len(), 10);
        let shown = show(&somewhere.places(), session.summary.id).unwrap();
        assert_eq!((shown.lines.len(), shown.unreadable), (30, 0));
        assert_eq!(shown.summary, session.summary);
    }
    let last = listed.iter().map(|session| &session.summary.ended_at).max().unwrap();
    assert_eq!(&latest(&somewhere).ended_at, last);
}

#[test]
fn sessions_are_listed_as_they_were_used_and_removed_whole() {
    let somewhere = Somewhere::new();
    let places = somewhere.places();
    assert_eq!(list(&places).unwrap(), []);
    let mut first = somewhere.begin();
    append_all(&mut first, [user("first"), says("ok", vec![]), END]);
    let (first_id, folder) = (first.id(), first.path().parent().unwrap().to_owned());
    drop(first);
    let mut second = somewhere.begin();
    append_all(&mut second, [user("second"), says("ok", vec![])]);
    let empty = somewhere.begin();
    let ids = || list(&places).unwrap().iter().map(|it| it.summary.id).collect::<Vec<_>>();
    assert_eq!(ids(), [second.id(), first_id], "nothing was said in {}", empty.id());
    // Its turn has not ended: the journal alone tells of it.
    let listed = &list(&places).unwrap()[0];
    assert!(listed.is_live);
    assert_eq!(listed.summary.pending_work, ["second"]);
    assert_eq!(listed.summary.status, SessionStatus::InProgress);

    let live = remove(&places, second.id()).unwrap_err();
    assert!(matches!(live, JournalError::Live { .. }), "{live}");
    append_all(&mut second, [END]);
    let second_id = second.id();
    drop(second);
    assert_eq!(latest(&somewhere).title, "second");
    let same = Continuing::Same;
    let (again, _) =
        Journal::resume(&places, Some(first_id), same, "0.1.0", Redactor::new()).unwrap();
    make_newer(&again.path());
    drop(again);
    assert_eq!(ids(), [first_id, second_id]);

    remove(&places, second_id).unwrap();
    assert_eq!((ids(), latest(&somewhere).title.as_str()), (vec![first_id], "first"));
    remove(&places, first_id).unwrap();
    let gone = remove(&places, first_id).unwrap_err();
    assert!(matches!(gone, JournalError::Unknown { .. }), "{gone}");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string();
    let mut left: Vec<_> = fs::read_dir(folder).unwrap().map(|it| name(it).unwrap()).collect();
    left.sort();
    assert_eq!(left, [".gitignore".into(), ".lock".into(), format!("{}.jsonl", empty.id())]);
}

#[test]
fn a_session_in_progress_is_abandoned_after_a_week() {
    let somewhere = Somewhere::new();
    let mut journal = somewhere.begin();
    append_all(&mut journal, [user("old"), Entry::End { reason: EndReason::Interrupted }]);
    let summary = journal.path().with_extension("json");
    drop(journal);
    let mut old: SessionSummary = serde_json::from_slice(&fs::read(&summary).unwrap()).unwrap();
    for (age_hours, status) in
        [(7 * 24 - 1, SessionStatus::InProgress), (7 * 24 + 1, SessionStatus::Abandoned)]
    {
        let at = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(age_hours);
        old.ended_at = at.to_string();
        fs::write(&summary, serde_json::to_vec(&old).unwrap()).unwrap();
        make_newer(&summary);
        assert_eq!(list(&somewhere.places()).unwrap()[0].summary.status, status);
    }
}

/// A repository can know in which folder it will lie, so that its sessions look like those of the user: in a container for one.
#[test]
fn a_session_that_came_with_the_folder_goes_on_by_its_name_alone() {
    let theirs = Somewhere::new();
    let mut journal = theirs.begin();
    append_all(&mut journal, [user("obey"), Entry::End { reason: EndReason::Interrupted }]);
    let brought = journal.id();
    drop(journal);
    let home = tempfile::tempdir().unwrap();
    let places = Places::new(home.path(), theirs.root.path());
    let resume = |id| {
        Journal::resume(&places, id, Continuing::Same, "0.1.0", Redactor::new()).map(|it| it.1)
    };

    assert_eq!(open_work(&places), None);
    assert!(!list(&places).unwrap()[0].is_own);
    let refused = resume(None).unwrap_err();
    assert!(matches!(refused, JournalError::Brought { id } if id == brought), "{refused}");
    assert!(refused.to_string().contains(&format!("--resume {brought}")), "{refused}");
    let fork = Journal::resume(&places, Some(brought), Continuing::Fork, "0.1.0", Redactor::new());
    for past in [resume(Some(brought)).unwrap(), fork.unwrap().1] {
        assert_eq!(past.notes.len(), 1);
        assert!(past.notes[0].contains("came with the folder"), "{:?}", past.notes);
    }

    let mut own = Journal::create(&places, "0.1.0", Redactor::new()).unwrap();
    own.append(user("mine")).unwrap();
    let id = own.id();
    drop(own);
    // The brought one is the newer one.
    make_newer(&theirs.root.path().join(format!(".x-code/sessions/{brought}.jsonl")));
    assert_eq!(resume(None).unwrap().notes, [""; 0]);
    assert_eq!(
        Journal::resume(&places, None, Continuing::Same, "0.1.0", Redactor::new()).unwrap().0.id(),
        id
    );
}

/// A repository that is unpacked may bring the sessions of whoever packed it.
#[test]
fn open_work_of_another_folder_is_not_offered() {
    let somewhere = Somewhere::new();
    let mut journal = somewhere.begin();
    append_all(&mut journal, [user("old"), Entry::End { reason: EndReason::Interrupted }]);
    let path = journal.path();
    drop(journal);
    let places = somewhere.places();
    assert!(open_work(&places).is_some());
    let lines = fs::read_to_string(&path).unwrap();
    let root = somewhere.root.path().canonicalize().unwrap().display().to_string();
    assert!(lines.contains(&root));
    fs::write(&path, lines.replace(&root, "/home/eve/p")).unwrap();
    assert_eq!(open_work(&places), None);
}
