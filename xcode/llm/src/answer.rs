//! Assembles events to one answer. A stream that did not end properly gives no answer.

use crate::arguments::Arguments;
use crate::event::{Event, Reason, Usage};
use crate::message::{Call, CallResult, Opaque, Part};

/// A complete answer of a model; its calls are not executed yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Its parts, in order.
    pub parts: Vec<Part<Asked>>,
    /// Token usage.
    pub usage: Usage,
    /// Why it ended.
    pub reason: Reason,
}

/// A call that waits for its result.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Its id, never empty.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as received.
    pub arguments: Arguments,
    /// Data that the provider needs back with the call.
    pub opaque: Option<Opaque>,
}

impl Asked {
    /// The call with its `result`, for the conversation. Malformed arguments are left out:
    /// the result must tell the model what it sent.
    pub fn with(self, result: CallResult) -> Call {
        let Self { id, name, arguments, opaque } = self;
        Call { id, name, arguments: arguments.object(), opaque, result }
    }
}

/// Collects events to an answer.
#[derive(Debug, Default)]
pub struct Collector {
    parts: Vec<Part<Open>>,
    usage: Usage,
    reason: Option<Reason>,
}

/// A call that is still being received.
#[derive(Debug)]
struct Open {
    index: usize,
    id: String,
    name: String,
    end: Option<(Arguments, Option<Opaque>)>,
}

impl Collector {
    /// Takes the next event of one stream.
    pub fn push(&mut self, event: Event) {
        match event {
            Event::Text { text, opaque } => self.text(text, opaque),
            Event::Reasoning { shown, opaque } => self.reasoning(&shown, opaque),
            Event::CallBegun { index, id, name } => {
                self.parts.push(Part::Call(Open { index, id, name, end: None }));
            }
            Event::CallPart { .. } => {}
            Event::CallEnded { index, arguments, opaque } => self.ended(index, arguments, opaque),
            Event::Usage(usage) => self.usage = usage,
            Event::End(reason) => self.reason = Some(reason),
        }
    }

    /// The answer; `None` if its end was not received.
    pub fn finish(self) -> Option<Answer> {
        let Self { parts, usage, reason } = self;
        let parts = parts.into_iter().filter_map(|part| match part {
            Part::Text { text, opaque } => Some(Part::Text { text, opaque }),
            Part::Reasoning { shown, opaque } => Some(Part::Reasoning { shown, opaque }),
            Part::Call(Open { id, name, end, .. }) => {
                let (arguments, opaque) = end?;
                Some(Part::Call(Asked { id, name, arguments, opaque }))
            }
        });
        Some(Answer { reason: reason?, parts: parts.collect(), usage })
    }

    fn text(&mut self, more: String, opaque: Option<Opaque>) {
        match self.parts.last_mut() {
            Some(Part::Text { text, opaque: None }) if opaque.is_none() => {
                text.push_str(&more);
            }
            _ if more.is_empty() && opaque.is_none() => {}
            _ => self.parts.push(Part::Text { text: more, opaque }),
        }
    }

    fn reasoning(&mut self, more: &str, closing: Option<Opaque>) {
        match self.parts.last_mut() {
            Some(Part::Reasoning { shown, opaque: opaque @ None }) => {
                shown.push_str(more);
                *opaque = closing;
            }
            _ if more.is_empty() && closing.is_none() => {}
            _ => {
                let part = Part::Reasoning { shown: more.to_owned(), opaque: closing };
                self.parts.push(part);
            }
        }
    }

    fn ended(&mut self, ended: usize, arguments: Arguments, opaque: Option<Opaque>) {
        let mut open = self.parts.iter_mut().filter_map(|part| match part {
            Part::Call(open) => Some(open),
            Part::Text { .. } | Part::Reasoning { .. } => None,
        });
        if let Some(open) = open.find(|open| open.index == ended) {
            open.end = Some((arguments, opaque));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::{Answer, Asked, Collector};
    use crate::arguments::Arguments;
    use crate::event::{Event, Reason, Usage};
    use crate::id::Provider;
    use crate::message::{CallResult, Opaque, Part};

    fn collect(events: &[Event]) -> Option<Answer> {
        let mut collector = Collector::default();
        events.iter().cloned().for_each(|event| collector.push(event));
        collector.finish()
    }

    fn text(text: &str, opaque: Option<Opaque>) -> Event {
        Event::Text { text: text.into(), opaque }
    }

    fn events() -> Vec<Event> {
        let opaque = Opaque { provider: Provider::Google, value: json!("sig") };
        vec![
            Event::Reasoning { shown: "Let ".into(), opaque: None },
            Event::Reasoning { shown: "me".into(), opaque: Some(opaque.clone()) },
            text("I ", None),
            text("look", None),
            text("", Some(opaque)),
            Event::CallBegun { index: 0, id: "a".into(), name: "read".into() },
            Event::CallPart { index: 0, text: "{}".into() },
            Event::CallEnded { index: 0, arguments: Arguments::read("{"), opaque: None },
            Event::Usage(Usage { input: 3, output: 2, ..Usage::default() }),
            Event::End(Reason::Calls),
        ]
    }

    #[test]
    fn pieces_are_joined_and_opaque_ones_stand_alone() {
        let answer = collect(&events()).unwrap();
        let opaque = || Some(Opaque { provider: Provider::Google, value: json!("sig") });
        let asked = Asked {
            id: "a".into(),
            name: "read".into(),
            arguments: Arguments::read("{"),
            opaque: None,
        };
        let expected = vec![
            Part::Reasoning { shown: "Let me".into(), opaque: opaque() },
            Part::Text { text: "I look".into(), opaque: None },
            Part::Text { text: String::new(), opaque: opaque() },
            Part::Call(asked.clone()),
        ];
        assert_eq!(answer.parts, expected);
        assert_eq!((answer.usage.total(), answer.reason), (5, Reason::Calls));
        let call = asked.with(CallResult::Failed("no JSON object".into()));
        assert_eq!(call.arguments, Map::new());
    }

    #[test]
    fn no_prefix_of_the_events_is_an_answer() {
        let events = events();
        for end in 0..events.len() {
            assert_eq!(collect(&events[..end]), None);
        }
    }
}
