//! Model providers and the services around them.

use super::{Rule, token};

pub(super) const RULES: &[Rule] = &[
    // OpenAI: project, service account and admin keys; older keys have no second word.
    token(
        "openai-key",
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-none-"],
        32,
        r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}",
    ),
    token("openai-key", &["t3blbkfj"], 16, r"sk-[A-Za-z0-9_-]{16,}T3BlbkFJ[A-Za-z0-9_-]{8,}")
        .before(120),
    token("openai-session-key", &["sess-"], 40, r"sess-[A-Za-z0-9]{35,}"),
    token("anthropic-key", &["sk-ant-"], 32, r"sk-ant-[a-z]{2,8}[0-9]{2}-[A-Za-z0-9_-]{18,}"),
    token("openrouter-key", &["sk-or-v1-"], 64, r"sk-or-v1-[0-9a-f]{55,}"),
    token("langfuse-key", &["sk-lf-"], 40, r"sk-lf-[0-9a-f]{8}-[0-9a-f-]{27}"),
    // The same plain `sk-` form at DeepSeek, Moonshot, Qwen and others.
    token("sk-key", &["sk-"], 35, r"sk-[A-Za-z0-9]{32,}"),
    token("huggingface-token", &["hf_"], 34, r"hf_[A-Za-z0-9]{30,}"),
    token("huggingface-token", &["api_org_"], 38, r"api_org_[A-Za-z0-9]{30,}"),
    token("groq-key", &["gsk_"], 44, r"gsk_[A-Za-z0-9]{40,}"),
    token("xai-key", &["xai-"], 60, r"xai-[A-Za-z0-9]{56,}"),
    token("perplexity-key", &["pplx-"], 45, r"pplx-[A-Za-z0-9]{40,}"),
    token("nvidia-key", &["nvapi-"], 50, r"nvapi-[A-Za-z0-9_-]{44,}"),
    token("together-key", &["tgp_v1_"], 40, r"tgp_v1_[A-Za-z0-9_-]{33,}"),
    token("fireworks-key", &["fw_"], 27, r"fw_[A-Za-z0-9]{22,}").mixed(),
    token("cerebras-key", &["csk-"], 44, r"csk-[a-z0-9]{40,}"),
    token("replicate-token", &["r8_"], 38, r"r8_[A-Za-z0-9]{35,}"),
    token(
        "langsmith-key",
        &["lsv2_", "ls__"],
        36,
        r"(?:lsv2_(?:pt|sk)_|ls__)[0-9a-f]{32}(?:_[0-9a-f]{10})?",
    ),
    token("pinecone-key", &["pcsk_"], 50, r"pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,}"),
    token("tavily-key", &["tvly-"], 29, r"tvly-(?:dev-|prod-)?[A-Za-z0-9-]{24,}").mixed(),
    token("firecrawl-key", &["fc-"], 35, r"fc-[0-9a-f]{32}"),
    token("jina-key", &["jina_"], 50, r"jina_[0-9a-f]{32}[A-Za-z0-9_-]{20,}"),
    token("voyage-key", &["pa-"], 46, r"pa-[A-Za-z0-9_-]{43,}").mixed(),
    token("elevenlabs-key", &["sk_"], 51, r"sk_[0-9a-f]{48}"),
    token("wandb-key", &["wandb_v1_"], 40, r"wandb_v1_[A-Za-z0-9_-]{31,}"),
    token("letta-key", &["sk-let-"], 40, r"sk-let-[A-Za-z0-9+/=_-]{33,}"),
    token("llamacloud-key", &["llx-"], 44, r"llx-[A-Za-z0-9]{40,}"),
];
