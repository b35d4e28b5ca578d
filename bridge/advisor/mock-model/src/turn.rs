//! An answer of the model, independent of the protocol: each module of `wire` converts it into its
//! own form. Nothing here knows HTTP.

use std::time::Duration;

use serde_json::Value;

/// The default usage of each request. Codex adds these up over a thread.
pub const USAGE: Usage =
    Usage { input_tokens: 100, cached_input_tokens: 10, output_tokens: 20, reasoning_tokens: 5 };

/// Tokens of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Tokens sent, including those from the cache.
    pub input_tokens: u64,
    /// The part of them that came from the cache.
    pub cached_input_tokens: u64,
    /// Tokens received, including reasoning.
    pub output_tokens: u64,
    /// The part of them for reasoning.
    pub reasoning_tokens: u64,
}

/// One answer of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its texts and calls, in order.
    pub parts: Vec<Part>,
    /// Its usage.
    pub usage: Usage,
    /// Why it stops.
    pub end: End,
}

/// One part of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text, in the pieces in which it is sent.
    Text(Vec<Piece>),
    /// A refusal with this text. Protocols without a form for it send text and another finish reason.
    Refusal(String),
    /// Reasoning. `shown` is empty if it is hidden.
    Reasoning {
        /// The shown part, in pieces.
        shown: Vec<Piece>,
        /// Data that only the provider can read and must get back: a signature (`messages`, `gemini`) or
        /// encrypted reasoning (`responses`). `chat` has none.
        opaque: Option<String>,
    },
    /// A tool call; several calls run concurrently.
    Call {
        /// The tool.
        name: String,
        /// Its arguments as JSON text, in pieces; malformed if the script says so. `gemini`
        /// sends objects only: there, malformed arguments are sent as none.
        arguments: Vec<Piece>,
    },
    /// An event without content after this pause, as providers send them while a model reasons.
    KeepAlive(Duration),
    /// A comment line, which is not an event, after this pause.
    Comment(Duration),
}

/// Text that is sent at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// How long to wait before it.
    pub pause: Duration,
}

/// Why the model stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// It is complete, or waits for the results of its calls.
    Done,
    /// The limit of output tokens.
    Length,
    /// A filter of the provider.
    Filtered,
    /// Another reason with this exact name.
    Named(String),
}

impl Turn {
    /// A turn without content.
    #[must_use]
    pub fn empty() -> Self {
        Self { parts: Vec::new(), usage: USAGE, end: End::Done }
    }

    /// A text in one piece.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::empty().and_text(text)
    }

    /// A call with these arguments in one piece.
    #[must_use]
    pub fn call(name: &str, arguments: &Value) -> Self {
        Self::empty().and_call(name, arguments)
    }

    /// The same turn with a text after it.
    #[must_use]
    pub fn and_text(self, text: impl Into<String>) -> Self {
        self.and(Part::Text(vec![Piece::new(text)]))
    }

    /// The same turn with a call after it.
    #[must_use]
    pub fn and_call(self, name: &str, arguments: &Value) -> Self {
        self.and_raw_call(name, arguments.to_string())
    }

    /// The same turn with a call whose arguments are this text, which may not be JSON.
    #[must_use]
    pub fn and_raw_call(self, name: &str, arguments: impl Into<String>) -> Self {
        self.and(Part::Call { name: name.to_owned(), arguments: vec![Piece::new(arguments)] })
    }

    /// The same turn with reasoning after it; if `shown` is empty the reasoning is hidden.
    #[must_use]
    pub fn and_reasoning(self, shown: &str, opaque: Option<&str>) -> Self {
        let shown = if shown.is_empty() { Vec::new() } else { vec![Piece::new(shown)] };
        self.and(Part::Reasoning { shown, opaque: opaque.map(str::to_owned) })
    }

    /// The same turn with this part after it.
    #[must_use]
    pub fn and(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    /// The same turn with each piece split into pieces of at most so many characters; the first keeps
    /// its pause.
    ///
    /// # Panics
    /// `characters` is 0.
    #[must_use]
    pub fn in_pieces(mut self, characters: usize) -> Self {
        for part in &mut self.parts {
            let (Part::Text(pieces)
            | Part::Reasoning { shown: pieces, .. }
            | Part::Call { arguments: pieces, .. }) = part
            else {
                continue;
            };
            *pieces = pieces.iter().flat_map(|piece| piece.divided(characters)).collect();
        }
        self
    }

    /// The same turn with its texts in pieces of at most so many characters, each after this pause.
    ///
    /// # Panics
    /// `characters` is 0.
    #[must_use]
    pub fn written(self, characters: usize, every: Duration) -> Self {
        let mut turn = self.in_pieces(characters);
        for part in &mut turn.parts {
            if let Part::Text(pieces) = part {
                pieces.iter_mut().for_each(|piece| piece.pause = every);
            }
        }
        turn
    }

    /// The same turn with another usage.
    #[must_use]
    pub fn costing(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// The same turn with another reason to stop.
    #[must_use]
    pub fn ending(mut self, end: End) -> Self {
        self.end = end;
        self
    }

    /// Whether it contains a tool call.
    #[must_use]
    pub fn calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Call { .. }))
    }

    /// Whether it contains a refusal.
    #[must_use]
    pub fn refuses(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Refusal(_)))
    }
}

impl Piece {
    /// A piece that is sent without a pause.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), pause: Duration::ZERO }
    }

    fn divided(&self, characters: usize) -> Vec<Self> {
        let letters: Vec<char> = self.text.chars().collect();
        let mut pieces: Vec<Self> = letters
            .chunks(characters)
            .map(|chunk| Self::new(chunk.iter().collect::<String>()))
            .collect();
        if let Some(first) = pieces.first_mut() {
            first.pause = self.pause;
        }
        pieces
    }
}

/// The whole text of some pieces.
#[must_use]
pub fn whole(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| piece.text.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_divide_between_characters_and_lose_none() {
        let turn = Turn::empty()
            .and_reasoning("想一想", Some("signature"))
            .and_text("a龙b")
            .and_call("f", &serde_json::json!({"路": 1}))
            .in_pieces(2);
        let Part::Reasoning { shown, opaque } = &turn.parts[0] else { panic!("{turn:?}") };
        assert_eq!(
            (shown, opaque.as_deref()),
            (&vec![Piece::new("想一"), Piece::new("想")], Some("signature"))
        );
        assert_eq!(turn.parts[1], Part::Text(vec![Piece::new("a龙"), Piece::new("b")]));
        let Part::Call { arguments, .. } = &turn.parts[2] else { panic!("{turn:?}") };
        assert_eq!((arguments.len(), whole(arguments)), (4, r#"{"路":1}"#.to_owned()));
    }

    #[test]
    fn a_written_text_waits_before_each_piece() {
        let pause = Duration::from_millis(7);
        let piece = |text: &str| Piece { text: text.to_owned(), pause };
        let turn = Turn::text("a龙b").written(2, pause);
        assert_eq!(turn.parts, [Part::Text(vec![piece("a龙"), piece("b")])]);
    }
}
