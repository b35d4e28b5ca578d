//! Our own texts on the pages, each in both languages. Not here: untrusted text.

macro_rules! words {
    ($($name:ident: $en:literal, $zh:literal;)*) => {
        /// All texts in one language.
        pub(crate) struct Words {
            $(pub(crate) $name: &'static str,)*
        }

        pub(crate) const EN: Words = Words { $($name: $en,)* };
        pub(crate) const ZH: Words = Words { $($name: $zh,)* };

        #[cfg(test)]
        const ALL: &[(&str, &str, &str)] = &[$((stringify!($name), $en, $zh),)*];
    };
}

words! {
    language: "English", "中文";
    skip: "Skip to the content", "跳到正文";
    pages: "Pages", "页面";
    now: "Now", "当前";
    runs: "Runs", "历史";
    usage: "Usage", "用量";
    health: "Health", "健康";
    leave: "Sign out", "退出";
    times_utc: "Times are UTC.", "时间为 UTC。";
    times_local: "Times are those of this browser; the UTC time is in the tooltip.", "时间为浏览器本地时间；悬停可看 UTC 时间。";

    well: "All is well", "一切正常";
    not_well: "Something is wrong", "存在问题";
    mend_it: "How to fix it", "如何修复";
    workers: "Running", "工作中";
    queue: "Queued", "排队";
    at_work: "Running now", "正在运行";
    nothing_runs: "Nothing is running. Ask a question with", "没有正在运行的任务。提问请使用";
    recent: "Recently finished", "最近结束";
    no_runs: "No run has finished yet.", "还没有结束的运行。";
    all_runs: "All runs", "全部历史";
    attempt: "attempt", "第几次尝试：";
    cancel: "Cancel", "取消";
    elapsed: "Elapsed", "已用时";
    since_event: "Since last event", "距上个事件";
    so_far: "Progress", "进展";
    event_one: "event", "个事件";
    event_many: "events", "个事件";
    character_one: "character", "个字符";
    character_many: "characters", "个字符";

    result: "Result", "结果";
    question: "Question", "问题";
    model: "Model", "模型";
    tokens: "Tokens", "Token 数";
    took: "Duration", "耗时";
    accepted: "Accepted", "接受时间";
    round: "Round", "轮次";
    turn: "Turn", "回合";
    advice: "Advice", "建议";
    not_kept_short: "Text not kept", "未保留文本";

    filters: "Filters", "筛选";
    search: "Text in question or answer", "问题或回答中的文字";
    state: "State", "状态";
    failure: "Failure", "失败代码";
    kind: "Kind", "类型";
    from_day: "From (UTC)", "起始日 (UTC)";
    to_day: "To (UTC)", "截止日 (UTC)";
    all: "all", "全部";
    show: "Show", "查看";
    clear: "Clear", "清除";
    unread: "Not understood and ignored", "无法识别，已忽略";
    nothing_found: "No run matches.", "没有符合条件的运行。";
    pages_of_runs: "Pages of runs", "历史分页";
    page: "Page", "页";
    found: "found", "共找到";
    newer: "Newer", "较新";
    older: "Older", "较旧";

    queued: "queued", "排队中";
    running: "running", "运行中";
    succeeded: "answered", "已回答";
    failed: "failed", "失败";
    cancelled: "cancelled", "已取消";
    interrupted: "interrupted", "已中断";

    run: "Run", "运行";
    session: "Session", "会话";
    facts: "Facts", "详情";
    driver: "Driver", "驱动";
    attempts: "Attempts", "尝试次数";
    waited: "Waited in queue", "等待空闲工作位";
    first_event: "Time to first event", "模型首个事件";
    tokens_in: "Input tokens", "输入 Token 数";
    tokens_cached: "of which cached", "其中命中缓存";
    tokens_out: "Output tokens", "输出 Token 数";
    tokens_reasoning: "of which reasoning", "其中用于推理";
    project: "Project", "项目";
    thread: "Codex thread", "Codex 线程";
    masked: "Masked", "已遮盖";
    nothing: "nothing", "无";
    weaker: "Degraded", "低于所求";
    timeline: "Timeline", "时间线";
    not_kept: "Questions and answers are not kept (store.bodies is off).", "未保留问题与回答（store.bodies 已关闭）。";
    answer: "Answer", "回答";
    what_to_do: "What to do", "怎么办";
    details: "Details", "细节";
    codex_said: "What Codex said", "Codex 的说法";
    context: "Context", "背景";
    plans: "Candidate plans", "候选方案";
    assumptions: "Assumptions", "假设";
    suspicions: "Suspicions", "疑虑";
    asked_first: "Questions to answer first", "优先回答";
    non_goals: "Out of scope", "不在讨论范围";

    recommendation: "Recommendation", "推荐";
    no_plan: "None of the plans", "均不推荐";
    confidence: "Confidence", "把握";
    low: "low", "低";
    medium: "medium", "中";
    high: "high", "高";
    tradeoffs: "Trade-offs", "权衡";
    maintainability: "Maintainability", "可维护性";
    risk: "Risk", "风险";
    performance: "Performance", "性能";
    consistency: "Consistency", "一致性";
    complexity: "Complexity", "复杂度";
    plausible: "plausible", "合理";
    risky: "risky", "有风险";
    invalid: "invalid", "不成立";
    questions: "Questions for you", "需要你回答的问题";
    alternatives: "Alternatives", "备选方案";
    applicable: "Applicable when", "适用情形";
    followups: "Follow-ups", "接下来看什么";
    summary: "Summary", "总结";

    opened: "Opened", "开启于";
    expires: "Expires", "到期于";
    rounds_left: "Rounds left", "剩余轮次";
    changed: "What changed", "变化";
    preferred: "Preferred plan", "首选方案";
    kept: "kept", "保留";
    gone: "removed", "移除";
    new: "new", "新增";
    reworded: "reworded", "改写";
    other_tries: "Runs without advice", "未得到建议的运行";

    days: "days", "天";
    runs_total: "Runs", "运行数";
    failures_total: "Failed", "失败数";
    spend: "Spend", "花费";
    tokens_only: "tokens only", "仅统计 Token 数";
    unpriced: "Not included in the spend (no price configured)", "因未配置价格而未计入花费";
    per_day_runs: "Runs per day", "每日运行";
    per_day_tokens: "Tokens per day", "每日 Token 数";
    as_table: "As a table", "表格形式";
    day: "Day (UTC)", "日期 (UTC)";
    most: "daily maximum", "单日最多";
    input_errors: "invalid request", "请求有误";
    bridge_failures: "bridge failed", "桥接故障";
    codex_failures: "model failed", "模型故障";
    sent_anew: "input", "输入";
    from_cache: "cached input", "缓存输入";
    received: "output", "输出";
    latency: "Latency", "等待时间";
    stage: "Stage", "阶段";
    runs_counted: "Runs counted", "统计运行数";
    queue_stage: "In the queue", "等到空闲工作位";
    first_stage: "To the first event of the model", "等到模型首个事件";
    whole_stage: "In total", "直到结束";
    plan: "Plan", "套餐";
    plan_window: "Window", "窗口";
    used: "Used", "已用";
    resets: "resets", "重置于";
    reported: "reported", "报告于";
    no_plan_known: "Codex has reported no limits of a plan.", "Codex 未报告套餐限额。";

    prompts: "Prompts", "提示";
    prompts_text: "The last prompts about code to Claude Code and codex-auto, masked, with what was found for each. They are kept in", "最近发给 Claude Code 与 codex-auto 的代码相关提示（已遮盖），以及为每条提示找到的内容。保存于";
    prompts_hidden: "You are signed in with the advisor's token, which may not see prompts.", "此窗口以顾问令牌打开，无权查看提示。";
    no_prompts: "None yet. The plugin for code context keeps the prompts of the user it runs as; with CI_AUTO_TOOLS_KEEP=0 it keeps none.", "暂无。由代码上下文插件为其运行用户保存；设置 CI_AUTO_TOOLS_KEEP=0 则不保存。";
    prompt_not_repeated: "(The prompt was not kept, because it was not masked.)", "（提示未经遮盖，因此未保存。）";
    prompt_cut: "The report holds only the beginning of the prompt.", "提示比报告中重复的部分更长。";
    prompt: "Prompt", "提示";
    tool: "Tool", "工具";
    tools: "Tools", "工具";
    tools_chosen: "Tools run", "选用的工具";
    tool_found: "Found", "发现";
    why: "Why", "原因";
    cut: "cut", "已截断";
    found_code: "code found", "找到代码";
    found_nothing: "nothing added", "未添加";
    found_less: "partial", "低于所求";
    timed_out: "timed out", "超时";
    signals: "Signals", "识别到的信号";
    signal_explicit: "explicit request", "明确要求";
    signal_implicit: "verb or vague word", "动词或含糊用语";
    signal_historical: "history", "历史缘由";
    signal_code: "code", "代码";
    left_out: "Left out or degraded", "遗漏或低于所求";
    model_got: "Context added before the prompt", "模型在提示之前收到的内容";

    projects: "Projects", "项目";
    projects_text: "Projects in which a session of Claude Code was started with the court's plugin. They are recorded in", "已有 Claude Code 会话（含 court 插件）的项目。记录于";
    projects_hidden: "You are signed in with the advisor's token, which may not see projects.", "此窗口以顾问令牌打开，无权查看项目。";
    no_projects: "None yet. The court's plugin records a project when a session starts there, for the user it runs as.", "暂无。court 插件会在会话开始时为其运行用户记录项目。";
    projects_of_service: "This daemon is a system service. It runs as its own user and cannot read your home folder, so it shows none of your projects, and nothing can be approved here.", "此守护进程是系统服务，以其专用用户运行，无权读取你的主目录，因此不显示你的任何项目，也无法在此审批。";
    projects_own_service: "To see them here, run the daemon as a service of your own user:", "若要在此查看，请以你自己用户的服务运行守护进程：";
    projects_at_terminal: "In a terminal, in the project, the court lists what is waiting and takes your decision:", "在项目目录的终端中，court 会直接告知等待的请求并接受你的决定：";
    court_unasked: "The court could not be run", "无法询问 court";
    waiting: "Waiting", "等待";
    risks_open: "Risks", "风险";
    tasks: "Tasks", "任务";
    decisions: "Decisions", "决定";
    phase: "Phase", "阶段";
    not_accepted: "not accepted by you", "你尚未接受";
    last_session: "Last session", "最近会话";
    older_left_out: "older, not shown", "条较旧的未显示";
    approver: "Approver", "审批人";
    approver_absent: "None. To approve here, create a key in a terminal:", "无。要在此审批，请先在终端生成密钥：";
    approver_pinned: "pinned by root", "由 root 担保";
    approver_own: "trusted by your own files", "由你自己的文件担保";
    approver_broken: "Not trusted, so none of your approvals counts", "不可信，因此你的批准均无效";
    request_waits_one: "request is waiting for your decision in", "个请求等待你决定：";
    request_waits_many: "requests are waiting for your decision in", "个请求等待你决定：";
    other_project_one: "more project", "个其他项目";
    other_project_many: "more projects", "个其他项目";
    waiting_for_you: "Waiting for you", "等待你审批";
    nothing_waits: "Nothing is waiting.", "没有等待审批的请求。";
    folder: "Folder", "目录";
    rules: "Rules", "规则";
    asked_by: "Requested by", "请求者";
    main_agent: "the main agent", "主代理";
    sub_agent: "a sub-agent", "子代理";
    in_session: "in session", "会话";
    files_read: "Files read to judge it", "为此读取的文件";
    gate_reads: "How the gate reads it", "门禁的解读";
    may_run_once: "May run once until", "可运行一次，截至";
    passphrase: "Passphrase of the approver", "审批人口令";
    approve_once: "Approve once", "批准一次";
    refuse: "Refuse", "拒绝";
    not_done: "Not done", "未执行";
    not_stopped: "The passphrase is passed to the court and is not stored. It does not stop a program of your own user that rewrites all of your files, unless root pins the key (sudo court approver pin), nor one that reads the keyboard or the daemon's memory.", "口令仅交给 court，不会保存。它无法阻止以你的身份改写你全部文件的程序（除非由 root 为密钥担保：sudo court approver pin），也无法阻止读取键盘或守护进程内存的程序。";
    degraded: "Degraded", "低于应有水平";
    ledger: "Ledger", "台账";
    ledger_empty: "The ledger is empty.", "台账为空。";
    from_project: "from the project: has no effect", "随项目而来，不作数";
    kind_decision: "decision", "决定";
    kind_risk: "risk", "风险";
    kind_task: "task", "任务";
    last_turns: "Last turns", "最近回合";
    no_turns: "No turn has ended yet.", "还没有结束的回合。";
    calls: "Calls", "调用";
    ended: "Ended", "结束时间";
    last_words: "The model's last message", "模型最后的话";

    to_mend: "To fix", "待修复";
    to_look_at: "To check", "待查看";
    started: "started", "启动于";
    mend: "Fix", "修复方法";
    level_ok: "ok", "正常";
    level_skip: "skipped", "跳过";
    level_warn: "warning", "注意";
    level_fail: "failed", "失败";

    stage_queued: "in the queue", "排队中";
    stage_starting: "starting Codex", "正在启动 Codex";
    stage_ready: "Codex is ready", "Codex 已就绪";
    stage_asked: "request sent to the model", "已向模型提问";
    stage_waiting: "waiting for the model", "等待模型响应";
    stage_thinking: "thinking", "思考中";
    stage_writing: "writing the answer", "正在写回答";
    stage_quiet: "quiet", "暂无动静";
    stage_working: "Codex is working", "Codex 正在工作";
    stage_retry: "retrying", "正在重试";
    stage_reconnecting: "reconnecting", "正在重新连接";
    stage_answered: "answered", "已回答";
    stage_report: "ended with an answer", "以回答结束";
    stage_failure: "ended without an answer", "未得到回答即结束";

    enter_title: "Open the window", "打开窗口";
    enter_text: "This link works once. Continue only if you asked for it yourself, with codex-bridge open.", "此链接只能使用一次。请仅在你自己运行 codex-bridge open 后继续。";
    enter_button: "Open", "打开";
    left_title: "Signed out", "已退出";
    left_text: "To sign in again, run:", "要重新进入，请运行：";
    sign_in_title: "Sign in", "登录";
    sign_in_text: "To sign in, run:", "要登录，请运行：";
    code_title: "This link no longer works", "此链接已失效";
    code_text: "A link works once, within 60 seconds. For a new one, run:", "链接只能在 60 秒内使用一次。要获取新链接，请运行：";
    forbidden_title: "Refused", "已拒绝";
    forbidden_text: "The request did not come from a page of this window. Go back, reload the page and try again.", "该请求不是由本窗口的页面发出的。请返回，重新加载页面后再试。";
    not_found_title: "Not found", "未找到";
    not_found_text: "There is no such page, run or session. Runs are kept for a limited time.", "没有这个页面、运行或会话。运行记录只保留一段时间。";
    too_many_title: "Too many windows", "窗口过多";
    too_many_text: "The maximum number of windows is open. Close one, or sign out elsewhere.", "已打开的窗口达到上限。请关闭一个，或在别处退出登录。";
    fault_title: "The store could not be read", "无法读取存储";
    fault_text: "Try again. If the error persists, see the daemon's log.", "请重试。如果仍然如此，请查看守护进程的日志。";
}

#[cfg(test)]
mod tests {
    use super::ALL;

    fn is_han(char: char) -> bool {
        matches!(char, '\u{4e00}'..='\u{9fff}')
    }

    #[test]
    fn every_word_has_both_languages() {
        for (name, en, zh) in ALL {
            assert!(en.chars().any(char::is_alphabetic), "{name}: no English");
            assert!(!en.chars().any(is_han), "{name}: Chinese in the English: {en}");
            assert!(zh.chars().any(is_han), "{name}: no Chinese: {zh}");
        }
    }
}
