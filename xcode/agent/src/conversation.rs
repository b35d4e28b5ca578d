//! The messages of a session as the model gets them, their size in tokens, and where they may be cut.

use llm::{Content, Message, Part, Usage, estimate};

/// The heading of the summary in the message that replaces what was summarised.
pub(crate) const SUMMARY_HEAD: &str = "[Previous conversation summary]\n";

/// The heading of the user's latest prompt in that message, if it is not kept behind it.
const PROMPT_HEAD: &str = "\n\n[The user's latest prompt, word for word]\n";

/// The tokens of a message, a call or a result in addition to its text, as in `llm::estimate`.
const FRAME: u64 = 4;

/// A reported usage below half of the estimate is ignored: no tokenizer is that much better than
/// a third of the bytes over a whole conversation. Some proxies leave out cached
/// tokens, and scripted models report any number.
const BELIEVED_FROM: u64 = 2;

/// The conversation. Messages are only appended, except by [`Conversation::replace`].
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    messages: Vec<Message>,
    /// The journal line of each message.
    lines: Vec<u64>,
    /// The user's latest prompt; none in a resumed session until the user sends one.
    prompt: Option<String>,
    /// The reported tokens of the last request and its answer, and how many messages these were.
    reported: Option<(u64, usize)>,
}

/// Where a conversation is cut.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cut {
    /// Messages before this one are summarised.
    pub(crate) at: usize,
    /// The journal line of the first message that is kept.
    pub(crate) kept_from: u64,
    /// Whether the user's latest prompt is before the cut.
    takes_prompt: bool,
}

impl Conversation {
    /// The conversation of a resumed session.
    pub(crate) fn resumed(messages: Vec<Message>, lines: Vec<u64>) -> Self {
        Self { messages, lines, prompt: None, reported: None }
    }

    /// The messages for a request.
    pub(crate) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Appends a prompt: the whole message, and the user's own words in it.
    pub(crate) fn push_prompt(&mut self, text: String, prompt: String, line: u64) {
        self.messages.push(Message::User(vec![Content::Text(text)]));
        self.lines.push(line);
        self.prompt = Some(prompt);
    }

    /// Appends a step: an answer with the results of its calls.
    pub(crate) fn push_step(&mut self, parts: Vec<Part>, line: u64) {
        self.messages.push(Message::Answer(parts));
        self.lines.push(line);
    }

    /// Records the usage of the request whose answer was appended last.
    pub(crate) fn report(&mut self, usage: &Usage) {
        self.reported = (usage.input > 0).then_some((usage.total(), self.messages.len()));
    }

    /// The approximate size of the next request in tokens, with `fixed` for system prompt and tools.
    ///
    /// It is the provider's last report plus an estimate of the later messages; the estimate alone if
    /// nothing was reported, or an implausible number.
    pub(crate) fn tokens(&self, fixed: u64) -> u64 {
        let estimated = fixed + sum(&self.messages);
        let Some((reported, count)) = self.reported else { return estimated };
        let answered = self.messages[..count].last();
        let since = results(answered) + sum(&self.messages[count..]);
        let grown = reported + since;
        if grown < estimated / BELIEVED_FROM { estimated } else { grown }
    }

    /// Where the conversation may be cut so that the newest steps are kept: as many as take `keep` tokens,
    /// at least one. None if nothing would be summarised.
    pub(crate) fn cut(&self, keep: u64) -> Option<Cut> {
        let is_step = |message: &Message| matches!(message, Message::Answer(_));
        let newest = self.messages.iter().rposition(is_step)?;
        let mut at = newest;
        let mut kept = sum(&self.messages[newest..]);
        while let Some(before) = at.checked_sub(1) {
            kept += estimate::message(&self.messages[before]);
            if kept > keep {
                break;
            }
            at = before;
        }
        if !self.messages[..at].iter().any(is_step) {
            return None;
        }
        let is_prompt = |message: &Message| matches!(message, Message::User(_));
        let takes_prompt = !self.messages[at..].iter().any(is_prompt);
        Some(Cut { at, kept_from: self.lines[at], takes_prompt })
    }

    /// The message that replaces everything before `cut`: the summary, and the user's latest prompt
    /// if that was before the cut.
    pub(crate) fn replacement(&self, cut: &Cut, summary: &str) -> String {
        match &self.prompt {
            Some(prompt) if cut.takes_prompt => {
                format!("{SUMMARY_HEAD}{summary}{PROMPT_HEAD}{prompt}")
            }
            _ => format!("{SUMMARY_HEAD}{summary}"),
        }
    }

    /// The approximate size of the next request after `replacement`, in tokens.
    pub(crate) fn tokens_after(&self, cut: &Cut, replacement: &str, fixed: u64) -> u64 {
        fixed + estimate::text(replacement) + FRAME + sum(&self.messages[cut.at..])
    }

    /// Replaces everything before `cut` by `replacement`; `line` is its journal line.
    pub(crate) fn replace(&mut self, cut: &Cut, replacement: String, line: u64) {
        let replacement = Message::User(vec![Content::Text(replacement)]);
        self.messages.splice(..cut.at, [replacement]);
        self.lines.splice(..cut.at, [line]);
        self.reported = None;
    }
}

fn sum(messages: &[Message]) -> u64 {
    messages.iter().map(estimate::message).sum()
}

/// The tokens of a step's results, which are not part of the answer.
fn results(step: Option<&Message>) -> u64 {
    let Some(Message::Answer(parts)) = step else { return 0 };
    let of = |part: &Part| match part {
        Part::Call(call) => estimate::text(call.result.text()) + FRAME,
        Part::Text { .. } | Part::Reasoning { .. } => 0,
    };
    parts.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use llm::{Call, CallResult, Content, Message, Part, Usage};
    use serde_json::Map;

    use super::{Conversation, PROMPT_HEAD, SUMMARY_HEAD};

    fn step(result: &str) -> Vec<Part> {
        vec![Part::Call(Call {
            id: "c".into(),
            name: "t".into(),
            arguments: Map::new(),
            opaque: None,
            result: CallResult::Done(result.into()),
        })]
    }

    fn push_prompt(conversation: &mut Conversation, text: String, line: u64) {
        conversation.push_prompt(text.clone(), text, line);
    }

    /// Messages as letters: `p` a prompt, `s` a step of some 100 tokens.
    fn conversation(kinds: &str) -> Conversation {
        let mut conversation = Conversation::default();
        for (line, kind) in (1..).zip(kinds.chars()) {
            match kind {
                'p' => push_prompt(&mut conversation, format!("prompt {line}"), line),
                's' => conversation.push_step(step(&"x".repeat(270)), line),
                other => panic!("{other}"),
            }
        }
        conversation
    }

    /// Summaries as `S`, prompts by their line, steps as `s`.
    fn shape(conversation: &Conversation) -> String {
        let letter = |message: &Message| match message {
            Message::Answer(_) => "s".to_owned(),
            Message::User(contents) => match &contents[..] {
                [Content::Text(text)] => text
                    .replace(SUMMARY_HEAD, "S")
                    .replace(PROMPT_HEAD, " ")
                    .replace("prompt ", "p"),
                other => panic!("{other:?}"),
            },
        };
        conversation.messages().iter().map(letter).collect::<Vec<_>>().join(" ")
    }

    fn compacted(conversation: &mut Conversation, keep: u64) -> String {
        let Some(cut) = conversation.cut(keep) else { return "nothing".to_owned() };
        let replacement = conversation.replacement(&cut, "words");
        conversation.replace(&cut, replacement, 99);
        format!("{} from {}", shape(conversation), cut.kept_from)
    }

    #[test]
    fn a_cut_falls_between_steps_and_keeps_the_latest_prompt() {
        for (kinds, keep, expected) in [
            // One long turn: at least one step stays, and the prompt.
            ("pssss", 0, "Swords p1 s from 5"),
            ("pssss", 250, "Swords p1 s s from 4"),
            // The prompt lies in what stays.
            ("psspss", 250, "Swords p4 s s from 4"),
            ("psspss", 150, "Swords p4 s from 6"),
            ("pspsp", 0, "Swords s p5 from 4"),
            // Nothing would be summarised.
            ("ps", 0, "nothing"),
            ("p", 0, "nothing"),
            ("pss", 1_000, "nothing"),
            ("", 0, "nothing"),
        ] {
            assert_eq!(compacted(&mut conversation(kinds), keep), expected, "{kinds} {keep}");
        }
    }

    #[test]
    fn what_was_summarised_once_is_summarised_again_with_more_steps_only() {
        let mut conversation = conversation("pssss");
        assert_eq!(compacted(&mut conversation, 0), "Swords p1 s from 5");
        assert_eq!(compacted(&mut conversation, 0), "nothing");
        conversation.push_step(step("x"), 6);
        assert_eq!(compacted(&mut conversation, 0), "Swords p1 s from 6");
        push_prompt(&mut conversation, "prompt 7".into(), 7);
        conversation.push_step(step("x"), 8);
        assert_eq!(compacted(&mut conversation, 0), "Swords p7 s from 8");
    }

    #[test]
    fn a_session_that_goes_on_is_cut_as_one_that_never_ended() {
        let (messages, lines) = (conversation("pssss").messages, vec![3, 4, 9, 14, 20]);
        let mut resumed = Conversation::resumed(messages, lines);
        assert_eq!(compacted(&mut resumed, 0), "Swords s from 20");
    }

    #[test]
    fn tokens_are_what_was_reported_and_the_estimate_of_what_came_since() {
        let mut conversation = conversation("p");
        assert_eq!(conversation.tokens(50), 50 + 7);
        conversation.push_step(step(&"x".repeat(300)), 2);
        let usage = Usage { input: 1_000, output: 20, ..Usage::default() };
        conversation.report(&usage);
        assert_eq!(conversation.tokens(50), 1_020 + 104, "the result was in no request yet");
        push_prompt(&mut conversation, "x".repeat(30), 3);
        assert_eq!(conversation.tokens(50), 1_020 + 104 + 14);
        // Nothing reported, or a thing that cannot be.
        for input in [0, 1] {
            conversation.report(&Usage { input, ..Usage::default() });
            assert!(conversation.tokens(50_000) > 50_000);
        }
    }
}
