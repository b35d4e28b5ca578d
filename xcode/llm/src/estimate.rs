//! Estimates the number of tokens of a text, without a tokenizer.
//!
//! Bytes of UTF-8 divided by three: 26 % too many for Chinese prose, 18 % for Chinese with code, 10 % for
//! Rust, 12 % too few for a lock file (measured against o200k). Characters divided by four would be 63 %
//! too few for Chinese: a conversation would overflow before that is noticed.

use crate::message::{Call, Content, Message, Opaque, Part};
use crate::request::Request;

/// Tokens of an image: the maximum that the large providers document for one image of
/// usual size.
const IMAGE: u64 = 1_600;

/// Tokens of a message, a call or a tool besides its text.
const FRAME: u64 = 4;

/// The approximate number of tokens of `text`.
pub fn text(text: &str) -> u64 {
    of_bytes(text.len())
}

/// The approximate number of tokens of `message`.
pub fn message(message: &Message) -> u64 {
    let parts: u64 = match message {
        Message::User(contents) => contents.iter().map(content).sum(),
        Message::Answer(parts) => parts.iter().map(part).sum(),
    };
    parts + FRAME
}

/// The approximate number of tokens of `request`.
pub fn request(request: &Request) -> u64 {
    let tools = request.tools.iter().map(|tool| {
        let schema = tool.schema.to_string().len();
        of_bytes(tool.name.len() + tool.description.len() + schema) + FRAME
    });
    let messages = request.messages.iter().map(message);
    text(&request.system) + tools.sum::<u64>() + messages.sum::<u64>()
}

fn content(content: &Content) -> u64 {
    match content {
        Content::Text(said) => text(said),
        Content::Image { .. } => IMAGE,
    }
}

fn part(part: &Part) -> u64 {
    match part {
        Part::Text { text: said, opaque: kept } => text(said) + opaque(kept.as_ref()),
        // The opaque form is sent back; it includes the shown text, if there is any.
        Part::Reasoning { shown, opaque: kept } => text(shown).max(opaque(kept.as_ref())),
        Part::Call(Call { id, name, arguments, opaque: kept, result }) => {
            let arguments: usize = arguments
                .iter()
                .map(|(name, value)| name.len() + value.to_string().len() + 4)
                .sum();
            of_bytes(2 * id.len() + name.len() + arguments)
                + text(result.text())
                + opaque(kept.as_ref())
                + 2 * FRAME
        }
    }
}

fn opaque(opaque: Option<&Opaque>) -> u64 {
    opaque.map_or(0, |opaque| of_bytes(opaque.value.to_string().len()))
}

fn of_bytes(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(3)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{message, request, text};
    use crate::message::{Call, CallResult, Content, Message, Part};
    use crate::request::{Request, Tool};

    /// Measured: 2,611 characters of Chinese prose are 1,765 tokens of o200k.
    #[test]
    fn chinese_is_not_taken_for_a_quarter_of_its_characters() {
        let prose = "代码审查不是为了挑错，而是为了让下一个读到它的人少走弯路。".repeat(90);
        let chars = u64::try_from(prose.chars().count()).unwrap();
        assert_eq!(chars, 2_610);
        assert_eq!(text(&prose), 2_610);
        assert!(text(&prose) > 1_765, "an estimate below the truth comes too late");
    }

    #[test]
    fn each_part_of_a_request_counts() {
        let call = Call {
            id: "call_1".into(),
            name: "readFile".into(),
            arguments: json!({"filePath": "src/main.rs"}).as_object().unwrap().clone(),
            opaque: None,
            result: CallResult::Done("x".repeat(3_000)),
        };
        let messages = vec![
            Message::User(vec![Content::Text("你好".into())]),
            Message::Answer(vec![Part::Call(call)]),
        ];
        let tool = Tool {
            name: "readFile".into(),
            description: "Read.".into(),
            schema: json!({"type": "object"}),
        };
        let whole = Request {
            system: "a".repeat(300),
            tools: vec![tool],
            messages: messages.clone(),
            output_limit: None,
            thinking: None,
        };
        assert_eq!(message(&messages[0]), 6);
        assert!((1_000..1_050).contains(&message(&messages[1])));
        assert_eq!(request(&whole), 100 + 14 + message(&messages[0]) + message(&messages[1]));
    }
}
