//! Parses server-sent events from bytes in pieces of any size. Independent of the protocol; never fails.

/// Maximum size of an event, in bytes: one answer with all its arguments in one piece is
/// far smaller. A larger one is dropped and counted.
const MAX_EVENT_BYTES: usize = 16 << 20;

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Event {
    /// The value of its `event` field; empty if it has none.
    pub(crate) name: String,
    /// Its `data` lines, joined by line feeds.
    pub(crate) data: String,
}

/// An incremental parser. Lines end in LF, CRLF or CR; characters and line ends may be split anywhere.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    line: Vec<u8>,
    event: Event,
    has_data: bool,
    /// The last byte was a CR: a following LF belongs to it.
    after_cr: bool,
    /// The first line was read: only there a byte order mark is removed.
    begun: bool,
    is_too_large: bool,
    dropped: usize,
}

impl Reader {
    /// Processes `bytes` and returns the events that are now complete. Text after the last empty
    /// line is not an event, also at the end of the stream.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.extend(&rest[..end]);
            events.extend(self.end_line());
            let is_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
            if is_cr {
                self.after_cr = rest.is_empty();
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
        }
        self.extend(rest);
        events
    }

    /// Number of events dropped because of their size.
    pub(crate) const fn dropped(&self) -> usize {
        self.dropped
    }

    fn extend(&mut self, bytes: &[u8]) {
        if self.line.len() + self.event.data.len() + bytes.len() > MAX_EVENT_BYTES {
            self.is_too_large = true;
            self.line = Vec::new();
            self.event = Event::default();
        }
        if !self.is_too_large {
            self.line.extend_from_slice(bytes);
        } else if self.line.is_empty() && !bytes.is_empty() {
            // One byte stands for the line, so that it does not count as empty.
            self.line.push(b':');
        }
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let mut line = &*line;
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            return self.end_event();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            "event" => value.clone_into(&mut self.event.name),
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<Event> {
        let event = std::mem::take(&mut self.event);
        let has_data = std::mem::take(&mut self.has_data);
        if std::mem::take(&mut self.is_too_large) {
            self.dropped += 1;
            return None;
        }
        has_data.then_some(event)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Event, MAX_EVENT_BYTES, Reader};

    const STREAM: &str = "\u{feff}event: one\ndata: {\"t\":\"你\"}\n\n: ping\n\nevent: two\r\n\
        data:a\r\ndata:  b\r\n\r\ndata\rid: 7\r\rretry: 3\n\nevent: three\n\ndata: [DONE]\n\ndata: cut";

    fn event(name: &str, data: &str) -> Event {
        Event { name: name.into(), data: data.into() }
    }

    fn read<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> Vec<Event> {
        let mut reader = Reader::default();
        pieces.into_iter().flat_map(|piece| reader.push(piece)).collect()
    }

    #[test]
    fn events_are_the_same_however_the_bytes_are_cut() {
        let expected = [
            event("one", r#"{"t":"你"}"#),
            event("two", "a\n b"),
            event("", ""),
            event("", "[DONE]"),
        ];
        let bytes = STREAM.as_bytes();
        assert_eq!(read([bytes]), expected);
        assert_eq!(read(bytes.chunks(1)), expected);
        for at in 0..bytes.len() {
            let (one, other) = bytes.split_at(at);
            assert_eq!(read([one, other]), expected, "cut at {at}");
        }
    }

    #[test]
    fn an_event_without_bounds_is_dropped_and_the_next_is_read() {
        let mut reader = Reader::default();
        let piece = vec![b'x'; 1 << 20];
        assert!(reader.push(b"data: ").is_empty());
        for _ in 0..=MAX_EVENT_BYTES >> 20 {
            assert!(reader.push(&piece).is_empty());
            assert!(reader.line.len() <= MAX_EVENT_BYTES);
        }
        assert!(reader.push(b"\ndata: more\n\n").is_empty());
        assert_eq!(reader.dropped(), 1);
        assert_eq!(reader.push(b"data: small\n\n"), [event("", "small")]);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_fail(pieces: Vec<Vec<u8>>) {
            let joined: Vec<u8> = pieces.concat();
            prop_assert_eq!(read(pieces.iter().map(Vec::as_slice)), read([&joined[..]]));
        }
    }
}
