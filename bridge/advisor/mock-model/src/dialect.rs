//! How "OpenAI-compatible" providers differ from OpenAI: each switch is a difference that
//! was seen in a recording or a report of a provider, each constant is a provider.

/// The dialect of one provider of the `chat` protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// Where the token usage is reported.
    pub usage: UsagePlace,
    /// Which pieces of a call carry its id.
    pub ids: Ids,
    /// Whether the pieces of a call have its index.
    pub index: Index,
    /// Into how many pieces a call is split.
    pub pieces: Pieces,
    /// Whether reasoning is shown as `reasoning_content`.
    pub reasoning: Reasoning,
    /// Whether the output tokens include those of the reasoning.
    pub reasoning_tokens: ReasoningTokens,
    /// What is refused besides calls without results.
    pub refuses: Refuses,
    /// The error message for a conversation that is too long.
    pub too_long: &'static str,
}

/// Where the token usage is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsagePlace {
    /// In a last chunk with empty `choices`, if the request asks for it.
    LastChunkIfAsked,
    /// In a last chunk with empty `choices`, always.
    LastChunk,
    /// In the chunk with the finish reason.
    WithFinish,
    /// In `choices[0].usage` of the chunk with the finish reason, and again at its top level.
    InChoice,
}

/// Which pieces of a call carry its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ids {
    /// The first; later ones have no such field.
    First,
    /// The first; later ones carry `"id":""` and the type again, and an empty piece ends the call.
    ThenEmpty,
    /// Each piece carries the whole id.
    Each,
    /// None: the first has `"id":""`.
    Empty,
    /// None: there is no such field.
    Missing,
}

/// Whether the pieces of a call have its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Index {
    /// They have `index`.
    Given,
    /// They do not; the position in the list identifies the call: each chunk lists every call so far, those without
    /// new content with empty arguments.
    Missing,
}

/// Into how many pieces a call is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pieces {
    /// The name first, then the arguments as in the script.
    Scripted,
    /// One: name and arguments together.
    Whole,
    /// As in the script, with the pieces of several calls interleaved.
    Interleaved,
}

/// Whether reasoning is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reasoning {
    /// It uses tokens and is not shown.
    Hidden,
    /// As `reasoning_content`.
    Shown,
}

/// Whether the output tokens include those of the reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReasoningTokens {
    /// They do.
    Within,
    /// Only the total includes them.
    Apart,
}

/// What is refused besides calls without results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refuses {
    /// Nothing.
    Nothing,
    /// `max_tokens`, by `o3`, `o4-*` and `gpt-5*`.
    MaxTokens,
    /// Calls in the conversation whose arguments are not JSON.
    BrokenArguments,
    /// For `kimi-k*`: calls that come back without their `reasoning_content`, a temperature, and
    /// `tool_choice: "required"`.
    LostReasoning,
}

impl Dialect {
    /// All dialects, by the name of the provider.
    pub const NAMED: [(&str, Self); 7] = [
        ("openai", Self::OPENAI),
        ("xai", Self::XAI),
        ("deepseek", Self::DEEPSEEK),
        ("alibaba", Self::ALIBABA),
        ("zhipu", Self::ZHIPU),
        ("moonshotai", Self::MOONSHOT),
        ("custom", Self::CUSTOM),
    ];

    /// The dialect of the provider with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(each, _)| *each == name).map(|(_, dialect)| *dialect)
    }

    /// OpenAI itself: usage on request, reasoning hidden.
    pub const OPENAI: Self = Self {
        usage: UsagePlace::LastChunkIfAsked,
        ids: Ids::First,
        index: Index::Given,
        pieces: Pieces::Scripted,
        reasoning: Reasoning::Hidden,
        reasoning_tokens: ReasoningTokens::Within,
        refuses: Refuses::MaxTokens,
        too_long: "This model's maximum context length is 128000 tokens. However, your messages \
                   resulted in 130000 tokens. Please reduce the length of the messages.",
    };

    /// DeepSeek: usage with the finish reason.
    pub const DEEPSEEK: Self = Self {
        usage: UsagePlace::WithFinish,
        reasoning: Reasoning::Shown,
        refuses: Refuses::Nothing,
        ..Self::OPENAI
    };

    /// Alibaba (Qwen): later pieces of a call have an empty id, and broken arguments are refused.
    pub const ALIBABA: Self = Self {
        usage: UsagePlace::LastChunk,
        ids: Ids::ThenEmpty,
        reasoning: Reasoning::Shown,
        refuses: Refuses::BrokenArguments,
        too_long: "<400> InternalError.Algo.InvalidParameter: Range of input length should be \
                   [1, 30720]",
        ..Self::OPENAI
    };

    /// Moonshot (Kimi): calls without an index, usage in the choice.
    pub const MOONSHOT: Self = Self {
        usage: UsagePlace::InChoice,
        index: Index::Missing,
        reasoning: Reasoning::Shown,
        refuses: Refuses::LostReasoning,
        ..Self::OPENAI
    };

    /// xAI: whole calls, reasoning tokens counted separately.
    pub const XAI: Self = Self {
        usage: UsagePlace::LastChunk,
        pieces: Pieces::Whole,
        reasoning: Reasoning::Shown,
        reasoning_tokens: ReasoningTokens::Apart,
        refuses: Refuses::Nothing,
        too_long: "This model's maximum prompt length is 131072 but the request contains 136973 \
                   tokens.",
        ..Self::OPENAI
    };

    /// Zhipu (GLM): OpenAI's form with usage beside the finish reason; no recording of it is known.
    pub const ZHIPU: Self = Self {
        usage: UsagePlace::WithFinish,
        reasoning: Reasoning::Shown,
        refuses: Refuses::Nothing,
        ..Self::OPENAI
    };

    /// The worst case of a server that calls itself compatible: no ids, interleaved calls.
    pub const CUSTOM: Self = Self {
        usage: UsagePlace::LastChunk,
        ids: Ids::Missing,
        pieces: Pieces::Interleaved,
        refuses: Refuses::Nothing,
        ..Self::OPENAI
    };
}
