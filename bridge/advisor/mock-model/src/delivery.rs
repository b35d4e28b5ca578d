//! Sends the events of an answer: applies faults, and splits the body into chunks.

use std::time::Duration;

use bytes::Bytes;

use crate::event::{Event, Events};
use crate::fault::{At, Fault, LineEnd, Trouble};
use crate::provider_error::ProviderError;

/// A body to be sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    /// The parts, each sent after its pause.
    pub(crate) parts: Vec<(Duration, Bytes)>,
    /// What follows the last part.
    pub(crate) then: Then,
}

/// What follows the last part of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// The end of the body.
    Complete,
    /// The connection is closed.
    Close,
    /// Nothing, with the connection open.
    Silence,
}

/// How a body is split into chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chunks {
    /// The size of each; 0 counts as 1.
    pub(crate) bytes: usize,
    /// The pause before each.
    pub(crate) every: Duration,
}

/// How a body is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Way {
    /// The faults.
    pub(crate) faults: Vec<Fault>,
    pub(crate) lines: LineEnd,
    /// The chunks; sent at once if none.
    pub(crate) chunks: Option<Chunks>,
}

impl Way {
    /// Without faults.
    pub(crate) const SMOOTH: Self = Self { faults: Vec::new(), lines: LineEnd::Lf, chunks: None };
}

/// The body of these events, sent in this way, with errors in the form that `error_event` gives.
pub(crate) fn deliver(
    events: Events,
    way: &Way,
    error_event: &dyn Fn(&ProviderError) -> String,
) -> Sent {
    let (mut events, then) = spoil(events, &way.faults, error_event);
    for event in &mut events {
        event.text = way.lines.applied(&event.text);
    }
    let mut parts = joined(events);
    if let Some(chunks) = way.chunks {
        parts = parts.into_iter().flat_map(|(pause, bytes)| cut(pause, &bytes, chunks)).collect();
    }
    Sent { parts, then }
}

/// The events after the faults are applied.
fn spoil(
    events: Events,
    faults: &[Fault],
    error_event: &dyn Fn(&ProviderError) -> String,
) -> (Vec<Event>, Then) {
    let Events { list, before_end } = events;
    let count = list.len();
    let place = |fault: &Fault| match fault.at {
        At::Event(place) => place.min(count),
        At::End => before_end,
    };
    let mut sent = Vec::new();
    let mut rest = list.into_iter();
    for index in 0..=count {
        let mut late = Duration::ZERO;
        for fault in faults.iter().filter(|fault| place(fault) == index) {
            match &fault.trouble {
                Trouble::Cut => return (sent, Then::Close),
                Trouble::Stop => return (sent, Then::Complete),
                Trouble::Silence => return (sent, Then::Silence),
                Trouble::Error(error) => {
                    sent.push(Event { pause: late, text: error_event(error) });
                    return (sent, Then::Complete);
                }
                Trouble::Malformed => {
                    let text = "data: {\"type\": \"broken\n\n".to_owned();
                    sent.push(Event { pause: Duration::ZERO, text });
                }
                Trouble::Pause(pause) => late += *pause,
            }
        }
        if let Some(event) = rest.next() {
            sent.push(Event { pause: event.pause + late, text: event.text });
        } else if !late.is_zero() {
            // Only the end itself can be sent late.
            sent.push(Event { pause: late, text: String::new() });
        }
    }
    (sent, Then::Complete)
}

/// Joins events without a pause between them into one part.
fn joined(events: Vec<Event>) -> Vec<(Duration, Bytes)> {
    let mut texts: Vec<(Duration, String)> = Vec::new();
    for event in events {
        match texts.last_mut() {
            Some((_, text)) if event.pause.is_zero() => text.push_str(&event.text),
            _ => texts.push((event.pause, event.text)),
        }
    }
    texts.into_iter().map(|(pause, text)| (pause, Bytes::from(text))).collect()
}

/// Splits a part into chunks; the first also has the part's own pause.
fn cut(pause: Duration, bytes: &Bytes, chunks: Chunks) -> Vec<(Duration, Bytes)> {
    let cut = bytes.chunks(chunks.bytes.max(1)).enumerate();
    cut.map(|(place, chunk)| {
        let pause = if place == 0 { pause } else { Duration::ZERO };
        (pause + chunks.every, Bytes::copy_from_slice(chunk))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider_error::ErrorKind;

    const EVERY: Duration = Duration::from_millis(3);

    fn events() -> Events {
        let mut events = Events::default();
        for text in ["a\n\n", "龙\n\n", "end\n\n"] {
            events.push(Duration::ZERO, text.to_owned());
        }
        events.before_end = 2;
        events
    }

    fn sent(faults: &[Fault]) -> (Vec<(u64, String)>, Then) {
        let way = Way { faults: faults.to_vec(), ..Way::SMOOTH };
        let sent = deliver(events(), &way, &|error| format!("{:?}\n\n", error.kind));
        let parts = sent.parts.into_iter().map(|(pause, bytes)| {
            (
                u64::try_from(pause.as_millis()).unwrap(),
                String::from_utf8_lossy(&bytes).into_owned(),
            )
        });
        (parts.collect(), sent.then)
    }

    #[test]
    fn each_fault_spoils_the_stream_at_its_place() {
        let error = || Trouble::Error(ErrorKind::Overloaded.into());
        for (fault, text, then) in [
            (Fault::after(0, Trouble::Cut), "", Then::Close),
            (Fault::after(1, Trouble::Cut), "a\n\n", Then::Close),
            (Fault::after(9, Trouble::Cut), "a\n\n龙\n\nend\n\n", Then::Close),
            (Fault::before_end(Trouble::Stop), "a\n\n龙\n\n", Then::Complete),
            (Fault::before_end(Trouble::Silence), "a\n\n龙\n\n", Then::Silence),
            (Fault::after(1, error()), "a\n\nOverloaded\n\n", Then::Complete),
            (
                Fault::after(1, Trouble::Malformed),
                "a\n\ndata: {\"type\": \"broken\n\n龙\n\nend\n\n",
                Then::Complete,
            ),
        ] {
            let (parts, found) = sent(std::slice::from_ref(&fault));
            let all: String = parts.into_iter().map(|(_, text)| text).collect();
            assert_eq!((all.as_str(), found), (text, then), "{fault:?}");
        }
    }

    #[test]
    fn a_pause_parts_what_is_else_sent_at_once() {
        let pauses =
            [Fault::after(1, Trouble::Pause(EVERY)), Fault::after(3, Trouble::Pause(EVERY))];
        let parts = |texts: &[(u64, &str)]| -> Vec<(u64, String)> {
            texts.iter().map(|(pause, text)| (*pause, (*text).to_owned())).collect()
        };
        assert_eq!(sent(&[]).0, parts(&[(0, "a\n\n龙\n\nend\n\n")]));
        let expected = parts(&[(0, "a\n\n"), (3, "龙\n\nend\n\n"), (3, "")]);
        assert_eq!(sent(&pauses).0, expected);
    }

    #[test]
    fn chunks_cut_inside_a_character_and_lose_no_byte() {
        let whole = events().text();
        for bytes in [1, 2, 5, 100] {
            let way = Way { chunks: Some(Chunks { bytes, every: EVERY }), ..Way::SMOOTH };
            let sent = deliver(events(), &way, &|_| String::new());
            let all: Vec<u8> = sent.parts.iter().flat_map(|(_, part)| part.to_vec()).collect();
            assert_eq!(String::from_utf8(all).unwrap(), whole);
            assert!(sent.parts.iter().all(|(pause, part)| *pause == EVERY && part.len() <= bytes));
            assert_eq!(sent.parts.len(), whole.len().div_ceil(bytes));
        }
    }

    #[test]
    fn lines_end_as_the_script_wants() {
        for (lines, expected) in [
            (LineEnd::Lf, "a\n\n龙\n\nend\n\n"),
            (LineEnd::CrLf, "a\r\n\r\n龙\r\n\r\nend\r\n\r\n"),
            (LineEnd::Cr, "a\r\r龙\r\rend\r\r"),
        ] {
            let sent = deliver(events(), &Way { lines, ..Way::SMOOTH }, &|_| String::new());
            assert_eq!(sent.parts, [(Duration::ZERO, Bytes::from(expected))]);
        }
    }
}
