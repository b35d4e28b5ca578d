//! One answer of the model: requested, streamed to the user, retried, masked and recorded.

use std::collections::HashSet;
use std::mem;
use std::time::Duration;

use contract::xc::What;
use futures_util::StreamExt;
use llm::{
    Answer, Asked, Cancel, Collector, Decision, Effect, Event, Failure, Opaque, Part, Reason,
    Request, decide,
};
use redact::{Cut, Redactor, Stream};
use tokio::time::{Instant, timeout_at};

use super::failure::class;
use super::words;
use crate::host::Host;
use crate::state::State;

/// The longest tool name that providers accept in later requests, in characters.
const NAME_MAX: usize = 64;

/// How long the text of an incomplete line is held back; after that, the part that cannot belong to a secret is shown.
const HELD: Duration = Duration::from_millis(50);

/// The longest answer that is accepted, in bytes: twice the size of the largest answer in the
/// catalogue (384,000 tokens).
const ANSWER_MAX_BYTES: usize = 4 << 20;

/// Whom an answer is streamed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    User,
    /// No one: the program itself made the request.
    Nobody,
}

/// Requests an answer, and retries as [`decide`] says. The answer is masked, and counted; its
/// calls are not executed here, so a retry repeats no effect.
///
/// # Errors
/// The last failure. An answer with neither text nor call is [`Failure::Unreadable`], a
/// refusal is [`Failure::Refused`].
pub(crate) async fn ask(
    session: &mut State,
    request: &Request,
    audience: Audience,
    host: &dyn Host,
    cancel: &Cancel,
) -> Result<Answer, Failure> {
    let mut retries = 0;
    loop {
        let failure = match once(session, request, audience, host, cancel).await {
            Ok(answer) => return Ok(answer),
            Err(failure) => failure,
        };
        if cancel.is_cancelled() {
            return Err(Failure::Cancelled);
        }
        let Decision::Again(wait) = decide(&failure, retries, Effect::None) else {
            return Err(failure);
        };
        retries += 1;
        if let Some(class) = class(&failure) {
            let after_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            host.tell(What::Retry { class, after_ms, attempt: u64::from(retries) + 1 });
        }
        // Both arms are cancel safe.
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(Failure::Cancelled),
            () = tokio::time::sleep(wait) => {}
        }
    }
}

async fn once(
    session: &mut State,
    request: &Request,
    audience: Audience,
    host: &dyn Host,
    cancel: &Cancel,
) -> Result<Answer, Failure> {
    let mut voice = Voice::new(session.redactor.clone(), audience, host);
    let whole = async {
        let mut events = session.model.stream(request.clone(), cancel.clone()).await?;
        let mut collector = Collector::default();
        let mut bytes = 0;
        loop {
            let event = match voice.due {
                // Cancel safe: an event that was not received stays in the stream.
                Some(due) => match timeout_at(due, events.next()).await {
                    Ok(event) => event,
                    Err(_) => {
                        voice.pause();
                        continue;
                    }
                },
                None => events.next().await,
            };
            let Some(event) = event.transpose()? else { break };
            bytes += size(&event);
            if bytes > ANSWER_MAX_BYTES {
                let message = format!("it is longer than {} MiB", ANSWER_MAX_BYTES >> 20);
                return Err(Failure::Unreadable { message });
            }
            voice.tell(&event);
            collector.push(event);
        }
        let message = "the stream has no end".to_owned();
        collector.finish().ok_or(Failure::Cut { message })
    };
    // Dropping the stream ends the request and its connection.
    let whole = tokio::select! {
        biased;
        () = cancel.cancelled() => Err(Failure::Cancelled),
        whole = whole => whole,
    };
    voice.finish();
    let answer = masked(&session.redactor, whole?);
    session.count(&answer.usage, host);
    let said = words(&answer.parts);
    let has_calls = answer.parts.iter().any(|part| matches!(part, Part::Call(_)));
    if answer.reason == Reason::Refused {
        let message: String = said.chars().take(500).collect();
        return Err(Failure::Refused { message });
    }
    if said.is_empty() && !has_calls {
        let message = "the model answered without a word".to_owned();
        return Err(Failure::Unreadable { message });
    }
    Ok(answer)
}

/// The approximate memory of an event that is kept, in bytes.
fn size(event: &Event) -> usize {
    const FRAME: usize = 64;
    FRAME
        + match event {
            Event::Text { text, .. } | Event::CallPart { text, .. } => text.len(),
            Event::Reasoning { shown, .. } => shown.len(),
            Event::CallBegun { name, .. } => name.len(),
            Event::CallEnded { .. } | Event::Usage(_) | Event::End(_) => 0,
        }
}

/// Streams text to the user: complete lines at once, and safe words of an incomplete line after
/// [`HELD`], because a secret may continue in the next piece.
struct Voice<'h> {
    /// When the words of the incomplete line are shown, if there are some.
    due: Option<Instant>,
    text: Stream,
    reasoning: Stream,
    redactor: Redactor,
    audience: Audience,
    host: &'h dyn Host,
}

impl<'h> Voice<'h> {
    fn new(redactor: Redactor, audience: Audience, host: &'h dyn Host) -> Self {
        let stream = || Stream::new(redactor.clone());
        Self { text: stream(), reasoning: stream(), audience, host, redactor, due: None }
    }

    fn tell(&mut self, event: &Event) {
        match event {
            Event::Text { text, .. } => {
                self.end_reasoning();
                let delta = self.text.push(text.as_bytes());
                self.say(What::Text { delta });
                self.holds();
            }
            Event::Reasoning { shown, .. } => {
                self.end_text();
                let delta = self.reasoning.push(shown.as_bytes());
                self.say(What::Reasoning { delta });
                self.holds();
            }
            Event::CallBegun { .. } => {
                self.end_reasoning();
                self.end_text();
            }
            Event::CallPart { .. } | Event::CallEnded { .. } | Event::Usage(_) | Event::End(_) => {}
        }
    }

    /// Text arrived that may be held back: its safe words are shown after [`HELD`].
    fn holds(&mut self) {
        match self.due {
            Some(due) if due <= Instant::now() => self.pause(),
            Some(_) => {}
            None => self.due = Some(Instant::now() + HELD),
        }
    }

    /// Shows the safe words of the incomplete line. Only one of the two streams has one.
    fn pause(&mut self) {
        self.due = None;
        let delta = self.reasoning.pause();
        self.say(What::Reasoning { delta });
        let delta = self.text.pause();
        self.say(What::Text { delta });
    }

    fn finish(mut self) {
        self.end_reasoning();
        self.end_text();
    }

    fn end_text(&mut self) {
        let delta = mem::replace(&mut self.text, Stream::new(self.redactor.clone())).finish();
        self.say(What::Text { delta });
    }

    fn end_reasoning(&mut self) {
        let delta = mem::replace(&mut self.reasoning, Stream::new(self.redactor.clone())).finish();
        self.say(What::Reasoning { delta });
    }

    fn say(&self, what: What) {
        let (What::Text { delta } | What::Reasoning { delta }) = &what else { return };
        if !delta.is_empty() && self.audience == Audience::User {
            self.host.tell(what);
        }
    }
}

/// The answer with its secrets masked, for the journal and later requests, except for
/// the arguments of its calls, which are executed unchanged. Provider-specific data
/// is kept unchanged, unless it contains a secret; then it is left out, as in the journal.
fn masked(redactor: &Redactor, answer: Answer) -> Answer {
    let clean = |text: &str| redactor.sanitize(text, Cut::NONE).text.into_owned();
    let keyless = |opaque: Option<Opaque>| {
        opaque.filter(|opaque| {
            redactor.sanitize(&opaque.value.to_string(), Cut::NONE).counts.is_empty()
        })
    };
    let mut ids = HashSet::new();
    let part = |part: Part<Asked>| match part {
        Part::Text { text, opaque } => Part::Text { text: clean(&text), opaque: keyless(opaque) },
        Part::Reasoning { shown, opaque } => {
            Part::Reasoning { shown: clean(&shown), opaque: keyless(opaque) }
        }
        Part::Call(Asked { id, name, arguments, opaque }) => {
            let mut id = redactor.sanitize(&id, Cut::NONE).text.into_owned();
            while !ids.insert(id.clone()) {
                id.push('_');
            }
            let (name, opaque) = (plain_name(redactor, &name), keyless(opaque));
            Part::Call(Asked { id, name, arguments, opaque })
        }
    };
    let parts = answer.parts.into_iter().map(part).collect();
    Answer { parts, ..answer }
}

/// The name of a tool in a form that every provider accepts: other characters would make each later
/// request fail.
fn plain_name(redactor: &Redactor, name: &str) -> String {
    let name = redactor.sanitize(name, Cut::NONE).text;
    let plain = |char: char| {
        if char.is_ascii_alphanumeric() || matches!(char, '_' | '-') { char } else { '_' }
    };
    let name: String = name.chars().take(NAME_MAX).map(plain).collect();
    if name.is_empty() { "unknown".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use llm::{Answer, Arguments, Asked, Opaque, Part, Provider, Reason, Usage};
    use redact::Redactor;
    use serde_json::json;

    use super::masked;

    fn kept(parts: Vec<Part<Asked>>) -> Vec<Part<Asked>> {
        let usage = Usage::default();
        masked(&Redactor::new(), Answer { parts, usage, reason: Reason::Calls }).parts
    }

    fn call(id: &str, name: &str) -> Part<Asked> {
        let (id, name) = (id.to_owned(), name.to_owned());
        Part::Call(Asked { id, name, arguments: Arguments::read("{}"), opaque: None })
    }

    #[test]
    fn ids_are_distinct_and_names_are_those_that_providers_take_back() {
        let long = "x".repeat(80);
        let parts = vec![call("a", "look"), call("a", "rm -rf /"), call("a", ""), call("b", &long)];
        let expected = vec![
            call("a", "look"),
            call("a_", "rm_-rf__"),
            call("a__", "unknown"),
            call("b", &"x".repeat(64)),
        ];
        assert_eq!(kept(parts), expected);
    }

    /// The forms of Anthropic, Google and OpenAI, with values as long and as random as theirs.
    #[test]
    fn what_providers_sign_is_not_taken_for_a_secret() {
        let random = |seed: u64| -> String {
            let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
            let mut state = seed;
            let digit = |_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                char::from(digits[usize::try_from(state >> 58).unwrap()])
            };
            (0..2_000).map(digit).collect::<String>() + "=="
        };
        for seed in 0..50 {
            let blob = random(seed);
            for (provider, value) in [
                (
                    Provider::Anthropic,
                    json!({"type": "thinking", "thinking": "I look.", "signature": blob}),
                ),
                (Provider::Anthropic, json!({"type": "redacted_thinking", "data": blob})),
                (Provider::Google, json!(blob)),
                (Provider::Google, json!({"thoughtSignature": blob})),
                (
                    Provider::Openai,
                    json!({"type": "reasoning", "id": "rs_1", "encrypted_content": blob}),
                ),
            ] {
                let opaque = Some(Opaque { provider, value });
                let parts = vec![Part::Reasoning { shown: "I look.".into(), opaque }];
                assert_eq!(kept(parts.clone()), parts);
            }
        }
    }
}
