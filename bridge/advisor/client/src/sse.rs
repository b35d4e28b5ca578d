//! Server-sent events, as far as the daemon uses them: `id`, `event`, `data`, comments.

use serde_json::Value;

/// Longest event that is kept, in bytes: an outcome has some kilobytes.
const EVENT_MAX_BYTES: usize = 8 << 20;

/// One entry of a run's event log.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Position in the log, from 1.
    pub id: u64,
    /// `queued`, `started`, `thread`, `progress`, `retry`, `report` or `failure`.
    pub name: String,
    /// What it says.
    pub data: Value,
}

impl Event {
    /// What happens now, in a few words for people; `None` where the event says nothing new.
    #[must_use]
    pub fn stage(&self) -> Option<String> {
        let word = |key: &str| self.data.get(key).and_then(Value::as_str);
        Some(match (self.name.as_str(), word("stage")) {
            ("queued", _) => "waiting for a free worker".to_owned(),
            ("started", _) => "starting Codex".to_owned(),
            ("thread", _) => "Codex is ready".to_owned(),
            ("retry", _) => {
                format!("trying again after {}", word("code").unwrap_or("a failure"))
            }
            ("progress", Some("attempt")) => {
                match self.data.get("attempt").and_then(Value::as_u64) {
                    Some(number) if number > 1 => format!("starting Codex, attempt {number}"),
                    _ => "starting Codex".to_owned(),
                }
            }
            ("progress", Some("turn")) => "Codex thinks".to_owned(),
            ("progress", Some("item")) => match word("item") {
                Some("agent_message") => "Codex writes its advice".to_owned(),
                Some(_) | None => "Codex thinks".to_owned(),
            },
            ("progress", Some("reconnecting")) => "Codex reconnects to its model".to_owned(),
            ("progress", Some("answered")) => "checking the answer".to_owned(),
            _ => return None,
        })
    }

    /// Whether nothing follows it.
    pub(crate) fn is_last(&self) -> bool {
        matches!(self.name.as_str(), "report" | "failure")
    }
}

/// Cuts a stream into events.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    text: Vec<u8>,
}

impl Reader {
    /// Takes the next bytes. Says whether they still are events of ours.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> bool {
        self.text.extend_from_slice(bytes);
        self.text.len() <= EVENT_MAX_BYTES
    }

    /// The next whole event. Comments, and blocks that are none of ours, are passed over.
    pub(crate) fn next(&mut self) -> Option<Event> {
        loop {
            let end = self.text.windows(2).position(|pair| pair == b"\n\n")?;
            let block: Vec<u8> = self.text.drain(..end + 2).collect();
            let event = std::str::from_utf8(&block).ok().and_then(event);
            if event.is_some() {
                return event;
            }
        }
    }
}

fn event(block: &str) -> Option<Event> {
    let field = |name: &str| {
        let rest = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        Some(rest.strip_prefix(' ').unwrap_or(rest))
    };
    Some(Event {
        id: field("id")?.parse().ok()?,
        name: field("event")?.to_owned(),
        data: serde_json::from_str(field("data")?).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_however_the_stream_is_cut() {
        let stream = ": alive\n\nid: 1\nevent: queued\ndata: {}\n\nid:2\nevent:progress\n\
                      data:{\"stage\":\"turn\",\"who\":\"ä\"}\n\nnonsense\n\nid: 3\nevent: rep";
        for size in [1, 2, 3, 7, stream.len()] {
            let mut reader = Reader::default();
            let mut events = Vec::new();
            for piece in stream.as_bytes().chunks(size) {
                assert!(reader.feed(piece));
                events.extend(std::iter::from_fn(|| reader.next()));
            }
            let found: Vec<_> =
                events.iter().map(|event| (event.id, event.name.as_str())).collect();
            assert_eq!(found, [(1, "queued"), (2, "progress")], "pieces of {size}");
            assert_eq!(events[1].stage().as_deref(), Some("Codex thinks"));
        }
    }

    #[test]
    fn an_event_without_an_end_is_given_up() {
        let mut reader = Reader::default();
        assert!(reader.feed(&vec![b'x'; EVENT_MAX_BYTES]));
        assert!(!reader.feed(b"x"));
    }
}
