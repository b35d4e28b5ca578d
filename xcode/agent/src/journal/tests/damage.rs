//! Neither truncation nor noise makes a journal unreadable, except in its header.

use std::fs;

use contract::id::SessionId;
use contract::xc::{Call, CallStatus, EndReason, Entry, Header, Line};
use llm::{Message, Part};
use proptest::prelude::*;
use serde_json::json;

use super::{Continuing, Journal, JournalError, Past, Somewhere, asks, begun, result, said, user};
use crate::journal::past::Reading;
use crate::journal::read::Reader;
use crate::journal::{json_line, now};

/// What a file with these bytes says; none where its header cannot be read.
fn past(bytes: &[u8]) -> Option<Past> {
    let (_, mut reader) = Reader::new(bytes).unwrap()?;
    let mut reading = Reading::default();
    while let Some(found) = reader.next().unwrap() {
        reading.take(found);
    }
    Some(reading.finish())
}

fn header() -> Vec<u8> {
    json_line(&Header::new(SessionId::generate(), "/p".into(), "0.1.0".into(), now()))
}

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    let id = || prop::sample::select(vec!["a", "b", "c"]);
    let text = || ".{0,12}";
    let call = (id(), text()).prop_map(|(id, path)| Call {
        id: id.into(),
        tool: "edit".into(),
        input: json!({ "path": path }),
    });
    let calls = prop::collection::vec(call, 0..3);
    let signed = json!([{ "part": "reasoning", "value": 1 }, { "part": "text" }]);
    let entry = prop_oneof![
        (text(), text()).prop_map(|(text, told)| Entry::User { text, told }),
        (text(), calls, any::<bool>()).prop_map(move |(text, calls, is_signed)| {
            let (model, reasoning) = ("a:b".into(), is_signed.then(|| "so".into()));
            let opaque = is_signed.then(|| signed.clone());
            Entry::Assistant { model, text, reasoning, opaque, calls }
        }),
        id().prop_map(begun),
        (id(), text()).prop_map(|(id, text)| result(id, CallStatus::Ok, &text)),
        (text(), 0u64..12).prop_map(|(summary, kept_from)| {
            Entry::Compact { summary, before: 1, after: 1, kept_from }
        }),
        Just(Entry::End { reason: EndReason::Interrupted }),
    ];
    prop::collection::vec(entry, 0..12)
}

/// A journal, and where its lines begin.
fn file(entries: Vec<Entry>) -> (Vec<u8>, usize) {
    let mut bytes = header();
    let begins = bytes.len();
    for (n, entry) in (1..).zip(entries) {
        bytes.extend(json_line(&Line { n, at: now(), entry }));
    }
    (bytes, begins)
}

/// A conversation that a provider takes: it begins with the user, and no answer is empty. That each call
/// has its result is in the type.
fn is_sound(past: &Past) -> bool {
    let begins = past.messages.first().is_none_or(|first| matches!(first, Message::User(_)));
    let is_empty = |said: &Message| matches!(said, Message::Answer(parts) if parts.is_empty());
    begins && !past.messages.iter().any(is_empty) && past.lines.len() == past.messages.len()
}

proptest! {
    #[test]
    fn any_prefix_of_any_journal_is_a_conversation(entries in entries()) {
        let (bytes, begins) = file(entries);
        for end in 0..=bytes.len() {
            let cut = past(&bytes[..end]);
            if end < begins {
                prop_assert_eq!(cut, None);
                continue;
            }
            let mut cut = cut.unwrap();
            prop_assert!(is_sound(&cut));
            // It is what its whole lines say, and a note where one was cut.
            let whole = bytes[..end].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
            prop_assert_eq!(cut.notes.is_empty(), whole == end);
            cut.notes.clear();
            prop_assert_eq!(Some(cut), past(&bytes[..whole]));
        }
    }

    #[test]
    fn noise_in_a_journal_is_left_out(
        entries in entries(),
        noise in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let (mut bytes, begins) = file(entries);
        for (place, byte) in noise {
            if bytes.len() > begins {
                let at = begins + place.index(bytes.len() - begins);
                bytes[at] = byte;
            }
        }
        prop_assert!(is_sound(&past(&bytes).unwrap()));
    }
}

#[test]
fn a_cut_last_line_is_dropped_and_the_session_goes_on_behind_it() {
    let somewhere = Somewhere::new();
    let mut journal = somewhere.begin();
    super::append_all(&mut journal, [user("one"), user("two")]);
    let path = journal.path();
    drop(journal);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 4]).unwrap();
    let (journal, past) = somewhere.go_on().unwrap();
    assert_eq!(past.messages, [said("one")]);
    assert_eq!(past.notes, ["The last line of the journal was cut and is left out."]);
    drop(journal);
    // The part is gone from the file, and the journal says so.
    let lines = super::lines(&path);
    assert_eq!((lines.len(), &lines[2]["n"]), (3, &json!(2)));
    assert!(lines[2]["text"].as_str().unwrap().contains("was cut"), "{}", lines[2]);
    assert_eq!(somewhere.go_on().unwrap().1.notes, [""; 0]);
}

#[test]
fn lines_that_cannot_be_read_are_named_and_the_rest_is_kept() {
    let somewhere = Somewhere::new();
    let mut journal = somewhere.begin();
    let done = result("a", CallStatus::Ok, "done");
    super::append_all(&mut journal, [user("one"), asks(&[("a", "shell")]), done, user("two")]);
    let path = journal.path();
    drop(journal);
    let bytes = fs::read(&path).unwrap();
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    // The answer is lost, and with it the call that the result is of.
    lines[2] = b"\xff\xfe{";
    fs::write(&path, lines.join(&b'\n')).unwrap();
    let (_journal, past) = somewhere.go_on().unwrap();
    assert_eq!(past.messages, [said("one"), said("two")]);
    assert_eq!(past.notes, ["Line 3 of the journal cannot be read and is left out."]);

    let noise = [header(), b"\n\nx\n{}\n[]\n1\n\n".to_vec()].concat();
    let note = "Lines 2, 3, 4, 5, 6 and 2 more of the journal cannot be read and are left out.";
    assert_eq!(self::past(&noise).unwrap().notes, [note]);
}

#[test]
fn a_beginning_that_is_lost_is_told_to_the_model() {
    let (bytes, _) = file(vec![asks(&[])]);
    let messages = past(&bytes).unwrap().messages;
    assert_eq!(messages[0], said("[The beginning of this session cannot be read.]"));
    let Message::Answer(parts) = &messages[1] else { panic!("{messages:?}") };
    assert!(matches!(parts.as_slice(), [Part::Text { .. }]));
}

#[test]
fn a_journal_of_a_newer_format_is_refused_with_words() {
    let somewhere = Somewhere::new();
    let mut journal = somewhere.begin();
    journal.append(user("one")).unwrap();
    let (id, path) = (journal.id(), journal.path());
    drop(journal);
    let newer = fs::read_to_string(&path).unwrap().replace("xc-session/1", "xc-session/2");
    fs::write(&path, &newer).unwrap();
    let resume = |id, continuing| {
        let redactor = redact::Redactor::new();
        Journal::resume(&somewhere.places(), id, continuing, "0.1.0", redactor).unwrap_err()
    };
    for named in [None, Some(id)] {
        for continuing in [Continuing::Same, Continuing::Fork] {
            let refused = resume(named, continuing);
            assert!(matches!(refused, JournalError::Newer { .. }), "{refused}");
            assert!(refused.to_string().contains("a newer version of xc"), "{refused}");
        }
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), newer, "it is not touched");
    fs::write(&path, "no journal\n").unwrap();
    assert!(matches!(resume(Some(id), Continuing::Same), JournalError::NoHeader { .. }));
}
