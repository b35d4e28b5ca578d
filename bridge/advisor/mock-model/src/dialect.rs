//! How the providers that say "OpenAI-compatible" differ from OpenAI: each switch is a hazard that
//! was seen in a recording or a report of a provider, each constant a provider.

/// The deviations of one provider of the `chat` protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// Where the tokens are told.
    pub usage: UsagePlace,
    /// Which pieces of a call carry its id.
    pub ids: Ids,
    /// Whether the pieces of a call say which call they belong to.
    pub index: Index,
    /// Into how many pieces a call is cut.
    pub pieces: Pieces,
    /// Whether reasoning is shown as `reasoning_content`.
    pub reasoning: Reasoning,
    /// Whether the output tokens count those of the reasoning.
    pub reasoning_tokens: ReasoningTokens,
    /// What is refused beside calls without results.
    pub refuses: Refuses,
    /// The words for a conversation that is too long.
    pub too_long: &'static str,
}

/// Where the tokens are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsagePlace {
    /// In a last chunk with empty `choices`, if the request asks for it.
    LastChunkIfAsked,
    /// In a last chunk with empty `choices`, always.
    LastChunk,
    /// In the chunk with the reason to stop.
    WithFinish,
    /// In `choices[0].usage` of the chunk with the reason to stop, and again at its top.
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
    /// None: the first says `"id":""`.
    Empty,
    /// None: there is no such field.
    Missing,
}

/// Whether the pieces of a call say which call they belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Index {
    /// By `index`.
    Given,
    /// Only the place in the list counts: each chunk lists every call so far, those that have
    /// nothing new with empty arguments.
    Missing,
}

/// Into how many pieces a call is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pieces {
    /// Name first, then the arguments as the script has them.
    Scripted,
    /// One: name and arguments at once.
    Whole,
    /// As scripted, but the pieces of several calls take turns.
    Interleaved,
}

/// Whether reasoning is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reasoning {
    /// It costs tokens and is not shown.
    Hidden,
    /// As `reasoning_content`.
    Shown,
}

/// Whether the output tokens count those of the reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReasoningTokens {
    /// They do.
    Within,
    /// Only the total does.
    Apart,
}

/// What is refused beside calls without results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refuses {
    /// Nothing.
    Nothing,
    /// `max_tokens`, by `o3`, `o4-*` and `gpt-5*`.
    MaxTokens,
    /// Calls in the conversation whose arguments are no JSON.
    BrokenArguments,
    /// By `kimi-k*`: calls that come back without their `reasoning_content`, a temperature, and
    /// `tool_choice: "required"`.
    LostReasoning,
}

impl Dialect {
    /// Each provider's dialect, by the name of the provider.
    pub const NAMED: [(&str, Self); 7] = [
        ("openai", Self::OPENAI),
        ("xai", Self::XAI),
        ("deepseek", Self::DEEPSEEK),
        ("alibaba", Self::ALIBABA),
        ("zhipu", Self::ZHIPU),
        ("moonshotai", Self::MOONSHOT),
        ("custom", Self::CUSTOM),
    ];

    /// The dialect of the provider of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(each, _)| *each == name).map(|(_, dialect)| *dialect)
    }

    /// OpenAI itself: usage if asked for, reasoning hidden.
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

    /// DeepSeek: usage with the reason to stop.
    pub const DEEPSEEK: Self = Self {
        usage: UsagePlace::WithFinish,
        reasoning: Reasoning::Shown,
        refuses: Refuses::Nothing,
        ..Self::OPENAI
    };

    /// Alibaba (Qwen): later pieces of a call have an empty id, broken arguments are refused.
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

    /// xAI: whole calls, reasoning tokens apart.
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

    /// Zhipu (GLM): OpenAI's form with usage beside the reason to stop; no recording of it is known.
    pub const ZHIPU: Self = Self {
        usage: UsagePlace::WithFinish,
        reasoning: Reasoning::Shown,
        refuses: Refuses::Nothing,
        ..Self::OPENAI
    };

    /// The worst of any server that calls itself compatible: no ids, calls that take turns.
    pub const CUSTOM: Self = Self {
        usage: UsagePlace::LastChunk,
        ids: Ids::Missing,
        pieces: Pieces::Interleaved,
        refuses: Refuses::Nothing,
        ..Self::OPENAI
    };
}
