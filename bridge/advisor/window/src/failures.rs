//! The meaning of each failure for a user, and what to do about it. The English text is that of
//! `docs/OPERATIONS.md` and of the contract; a test compares them.

use contract::failure::FailureCode;

use crate::lang::Lang;

/// The text for a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FailureWords {
    /// What happened, in one sentence.
    pub(crate) what: &'static str,
    /// What to do; `code` is put in backticks.
    pub(crate) todo: &'static str,
}

/// Code; what to do, in English; what happened and what to do, in Chinese.
const TABLE: &[(FailureCode, &str, &str, &str)] = &[
    (
        FailureCode::InvalidJson,
        "Send JSON; the message has line and column.",
        "请求体不是 JSON。",
        "请发送 JSON；消息中有行号和列号。",
    ),
    (
        FailureCode::UnsupportedMediaType,
        "Send `content-type: application/json`.",
        "请求体未声明为 JSON。",
        "请发送 `content-type: application/json`。",
    ),
    (
        FailureCode::BodyTooLarge,
        "Shorten the context; 768 KiB is the limit.",
        "请求体超过上限。",
        "请缩短背景；上限为 768 KiB。",
    ),
    (
        FailureCode::ContractViolation,
        "Mend every entry of `details`; `codex-bridge schema advisor-input` is the contract.",
        "请求体是 JSON，但不符合输入约定。",
        "修正 `details` 中的每一条；约定见 `codex-bridge schema advisor-input`。",
    ),
    (
        FailureCode::UnknownSession,
        "Begin a new session: leave `session_id` out, `phase: \"initial\"`.",
        "没有这个会话。",
        "开始新会话：不要填写 `session_id`，并使用 `phase: \"initial\"`。",
    ),
    (
        FailureCode::SessionExpired,
        "The same; `session.ttl` says how long a session lives.",
        "会话已过有效期。",
        "同样开始新会话；`session.ttl` 决定会话的有效期。",
    ),
    (
        FailureCode::SessionBusy,
        "Wait for the session's run (`GET /runs/ID?wait=60`), then ask again.",
        "会话中有一个运行尚未结束。",
        "等待该会话的运行结束（`GET /runs/ID?wait=60`），然后再问。",
    ),
    (
        FailureCode::PhaseOrder,
        "`initial` first, then `final`.",
        "阶段与会话的轮次不符。",
        "先 `initial`，后 `final`。",
    ),
    (
        FailureCode::RoundLimit,
        "Two rounds are all; decide, or begin a new session.",
        "会话的两轮都已用完。",
        "只有两轮；请作出决定，或开始新会话。",
    ),
    (
        FailureCode::IdempotencyConflict,
        "Use a new key for a new question.",
        "该幂等键已用于另一个请求体。",
        "新问题请使用新的键。",
    ),
    (
        FailureCode::Unauthorized,
        "Send the token that `codex-bridge token` prints; after `--rotate`, restart the daemon.",
        "令牌缺失或错误。",
        "发送 `codex-bridge token` 打印的令牌；`--rotate` 之后请重启守护进程。",
    ),
    (
        FailureCode::Forbidden,
        "Call 127.0.0.1 or localhost, and not from a web page; for `/orchestrate` send the token that `codex-bridge token --orchestrate` prints.",
        "Host 或 Origin 不属于本服务。",
        "请访问 127.0.0.1 或 localhost，且不要从网页发起；`/orchestrate` 需使用 `codex-bridge token --orchestrate` 打印的令牌。",
    ),
    (
        FailureCode::NotFound,
        "Look at the path and the id; runs are kept for `store.retention`.",
        "没有这个路由或运行。",
        "请检查路径和编号；运行记录保留 `store.retention` 所设的时间。",
    ),
    (
        FailureCode::MethodNotAllowed,
        "`Allow` in the answer names the methods.",
        "路由存在，但不支持该方法。",
        "回答中的 `Allow` 列出了可用的方法。",
    ),
    (
        FailureCode::Overloaded,
        "Try again after `Retry-After`. If it stays: raise `limits.max_running` or `limits.max_queued`.",
        "队列已满。",
        "按 `Retry-After` 稍后重试。若持续如此：调高 `limits.max_running` 或 `limits.max_queued`。",
    ),
    (
        FailureCode::Draining,
        "The daemon is being restarted; try again in 10 s.",
        "守护进程正在关闭。",
        "守护进程正在重启；10 秒后重试。",
    ),
    (
        FailureCode::CodexNotFound,
        "Install Codex (`npm install -g @openai/codex`, or `deploy/install.sh --codex`), or set `codex.bin`.",
        "未找到 Codex 可执行文件。",
        "安装 Codex（`npm install -g @openai/codex` 或 `deploy/install.sh --codex`），或设置 `codex.bin`。",
    ),
    (
        FailureCode::CodexIncompatible,
        "Codex failed the self-test (the message says what), or is older than 0.145. 0.155 is the least that passes. Install a tested version (`npm install -g @openai/codex@0.169.0`), or set `codex.allow_unproven`; every answer then says so.",
        "找到的 Codex 过旧，或拒绝我们的选项。",
        "Codex 未通过自检（消息中有原因），或早于 0.145。通过自检的最低版本是 0.155。请安装经过测试的版本（`npm install -g @openai/codex@0.169.0`），或设置 `codex.allow_unproven`；此后每个回答都会注明。",
    ),
    (
        FailureCode::CodexMisconfigured,
        "Codex refuses its settings; run `codex-bridge doctor`, and look at `codex.base_url` and `codex.model`.",
        "Codex 拒绝其配置。",
        "Codex 拒绝其设置；运行 `codex-bridge doctor`，并检查 `codex.base_url` 和 `codex.model`。",
    ),
    (
        FailureCode::CodexHomeUnusable,
        "Mend the folder `codex-home` below `state_dir`: owner, mode, free space.",
        "私有的 Codex 目录不可用。",
        "修复 `state_dir` 下的 `codex-home` 目录：所有者、权限、可用空间。",
    ),
    (
        FailureCode::SpawnFailed,
        "Look at the limits of processes and memory (`ulimit -u`, `TasksMax=`, `MemoryMax=`).",
        "无法启动进程。",
        "检查进程数和内存的限制（`ulimit -u`、`TasksMax=`、`MemoryMax=`）。",
    ),
    (
        FailureCode::StoreFailed,
        "The disk is full or not writable; mend it. Runs in flight are still answered.",
        "无法读写存储。",
        "磁盘已满或不可写，请修复。进行中的运行仍会得到回答。",
    ),
    (
        FailureCode::Interrupted,
        "The daemon died during the run, whose attempts may have been paid for; a person may ask again. If it repeats, its log says why.",
        "守护进程在运行期间终止。",
        "守护进程在运行期间终止，其尝试可能已经计费；可由人再次提问。若反复出现，其日志会说明原因。",
    ),
    (
        FailureCode::Internal,
        "A fault of ours; the log has the request's id. Report it.",
        "我们自身的故障。",
        "这是我们的故障；日志中有请求编号。请报告。",
    ),
    (
        FailureCode::BridgeUnreachable,
        "Said by the client: start the daemon, or look at its address and token (`codex-advisor status`). Where it says that another user listens, the port was taken by that user: start the daemon on another (`listen = \"127.0.0.1:0\"` takes a free one, which clients find).",
        "由客户端给出：守护进程没有应答。",
        "由客户端给出：启动守护进程，或检查其地址和令牌（`codex-advisor status`）。如果提示另一个用户在监听，说明端口被该用户占用：请在另一个端口启动守护进程（`listen = \"127.0.0.1:0\"` 会选择空闲端口，客户端能找到它）。",
    ),
    (
        FailureCode::Auth,
        "`codex login`, or renew the API key.",
        "未登录，或登录被拒绝。",
        "运行 `codex login`，或更新 API 密钥。",
    ),
    (
        FailureCode::Quota,
        "The plan or the budget is used up; wait or raise it.",
        "套餐的用量上限或配额已用完。",
        "套餐或预算已用完；请等待或提高额度。",
    ),
    (
        FailureCode::RateLimited,
        "Ask again in a minute; lower `limits.max_running`.",
        "请求过多。",
        "一分钟后再问；调低 `limits.max_running`。",
    ),
    (FailureCode::ContextLength, "Shorten the question.", "对话超出模型的容量。", "请缩短问题。"),
    (
        FailureCode::ModelUnavailable,
        "Set `codex.model` to one that your account has.",
        "模型不存在或已满载。",
        "把 `codex.model` 设为你的账户可用的模型。",
    ),
    (
        FailureCode::UpstreamError,
        "The provider failed, twice; ask again later.",
        "提供方出现故障。",
        "提供方两次出现故障；请稍后再问。",
    ),
    (
        FailureCode::Network,
        "Look at the network, proxy and certificates of the daemon's environment.",
        "无法连接到提供方。",
        "检查守护进程环境中的网络、代理和证书。",
    ),
    (
        FailureCode::BadRequest,
        "The provider refused the request; `summary` says why. Look at `codex.base_url` and `codex.model`.",
        "提供方拒绝了请求。",
        "提供方拒绝了请求；`summary` 说明了原因。请检查 `codex.base_url` 和 `codex.model`。",
    ),
    (
        FailureCode::Refused,
        "The model declined; ask in other words.",
        "模型或其策略拒绝回答。",
        "模型拒绝了；请换一种说法。",
    ),
    (
        FailureCode::BadOutput,
        "The answer broke the contract, also after one repair. `codex-advisor ask` of the same round gives this kept failure back for ten minutes (in a session always); `--again` asks anew. If it repeats, use another model.",
        "回答不符合输出约定。",
        "回答不符合约定，修复一次后仍不符合。同一轮的 `codex-advisor ask` 在十分钟内（会话中则始终）返回这个保留的失败；`--again` 会重新提问。若反复出现，请换用其他模型。",
    ),
    (
        FailureCode::OutputLimit,
        "Codex printed more than is read; ask for less.",
        "Codex 的输出超过单次运行的上限。",
        "Codex 的输出超过了读取上限；请少问一些。",
    ),
    (
        FailureCode::Crashed,
        "Codex died; `summary` has its last words. Memory limits are the usual cause.",
        "Codex 异常终止。",
        "Codex 异常终止；`summary` 中有其最后的输出。常见原因是内存限制。",
    ),
    (
        FailureCode::SessionLost,
        "Codex's thread is gone and could not be restated; begin a new session.",
        "第一轮的线程已丢失。",
        "Codex 的线程已丢失且无法重建；请开始新会话。",
    ),
    (
        FailureCode::Timeout,
        "Raise `options.timeout_ms` (at most 590 s; for a turn of `/orchestrate` at most `limits.turn_ms`) or ask for less.",
        "已过截止时间。",
        "调高 `options.timeout_ms`（最多 590 秒；`/orchestrate` 的回合最多为 `limits.turn_ms`），或少问一些。",
    ),
    (
        FailureCode::Stalled,
        "The provider sent no event for `limits.stall_ms`; ask again. A provider that sends only comment lines while a model thinks needs a higher `limits.stall_ms`.",
        "提供方没有动静。",
        "提供方在 `limits.stall_ms` 内没有发送任何事件；请再问一次。如果提供方在模型思考时只发送注释行，则需要更高的 `limits.stall_ms`。",
    ),
    (
        FailureCode::Cancelled,
        "The caller left or cancelled; nothing to do.",
        "调用方取消或离开了。",
        "调用方离开或取消了；无需处理。",
    ),
];

/// The text for a code.
pub(crate) fn failure(lang: Lang, code: FailureCode) -> FailureWords {
    let found = TABLE.iter().find(|(listed, ..)| *listed == code);
    let (_, todo, what_zh, todo_zh) = found.expect("a test finds each code in the table");
    match lang {
        Lang::En => FailureWords { what: code.what(), todo },
        Lang::Zh => FailureWords { what: what_zh, todo: todo_zh },
    }
}

#[cfg(test)]
mod tests {
    use contract::failure::FailureCode;

    use super::{TABLE, failure};
    use crate::lang::Lang;

    #[test]
    fn each_failure_has_words_in_both_languages_and_the_english_is_the_documents() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/OPERATIONS.md");
        let document = std::fs::read_to_string(path).unwrap();
        assert_eq!(TABLE.len(), FailureCode::ALL.len());
        for code in FailureCode::ALL {
            let (en, zh) = (failure(Lang::En, *code), failure(Lang::Zh, *code));
            let row = format!("| `{}` | {} |\n", code.as_str(), en.todo);
            assert!(document.contains(&row), "docs/OPERATIONS.md has not: {row}");
            let is_han = |char| matches!(char, '\u{4e00}'..='\u{9fff}');
            for text in [zh.what, zh.todo] {
                assert!(text.contains(is_han) && text.ends_with('。'), "{text}");
            }
        }
    }
}
