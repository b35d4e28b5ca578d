//! The texts: one key, the Chinese form, the English form. What the seed gives is to the letter (XC-193, XC-194).

use super::Text;

macro_rules! texts {
    ($($name:ident: $zh:literal, $en:literal;)*) => {
        $(pub(crate) const $name: Text = Text { zh: $zh, en: $en };)*

        /// Every text by its key.
        #[cfg(test)]
        pub(super) const ALL: &[(&str, Text)] = &[$((stringify!($name), $name)),*];
    };
}

texts! {
    // The wizard.
    WIZARD_TITLE: "Welcome to X-Code!", "Welcome to X-Code!";
    WIZARD_NO_KEY: "未检测到 API Key，请先配置一个模型提供商。", "No API key found. Choose a model provider first.";
    WIZARD_PROVIDER: "选择提供商:", "Choose a provider:";
    WIZARD_CUSTOM: "自定义 OpenAI 兼容 API", "Custom OpenAI-compatible API";
    WIZARD_ENDPOINT: "此端点的", "endpoint's";
    WIZARD_URL: "输入 API 端点 URL:", "Enter the URL of the endpoint:";
    WIZARD_NAME: "输入模型名:", "Enter the name of the model:";
    WIZARD_KEY: "输入你的 {provider} API Key:", "Enter your {provider} API key:";
    WIZARD_PAGE: "获取地址: {url}", "Get one at: {url}";
    WIZARD_MODEL: "选择默认模型:", "Choose the default model:";
    WIZARD_RECOMMENDED: "(推荐)", "(recommended)";
    WIZARD_SAVED: "配置已保存到 {path}", "Saved to {path}";
    WIZARD_VARIABLE: "提示: 也可通过环境变量 {variable} 配置", "You can also set {variable}";
    WIZARD_INVALID: "不可用: {why}", "That cannot be used: {why}";
    WIZARD_ABORTED: "已取消，没有写入任何内容。", "Cancelled; nothing was written.";
    READY: "Ready! 输入你的第一个问题开始...", "Ready! Type your first question...";

    // The screen.
    THINKING: "Thinking...", "Thinking...";
    WAITING: "{class}：第 {attempt} 次尝试，{seconds} 秒后", "{class}: attempt {attempt} in {seconds} s";
    ESC_INTERRUPTS: "Esc 中断", "Esc interrupts";
    INTERRUPTING: "正在中断...", "Interrupting...";
    INTERRUPTED: "已中断；已完成的工作保留。", "Interrupted; what was done stays.";
    COMPACTING: "正在压缩对话...", "Compacting...";
    SAVING: "正在保存会话摘要... (再按 Ctrl+C 立即退出)", "Saving the session's summary... (Ctrl+C again leaves at once)";
    PRESS_AGAIN: "再按一次 Ctrl+C 退出", "Press Ctrl+C again to leave";
    QUEUED: "排队", "queued";
    STEERING: "插话", "steering";
    QUEUE_HINT: "↑ 取回编辑", "↑ takes it back";
    PLACEHOLDER: "输入问题，/help 查看命令", "Ask something; /help lists the commands";
    GREETING: "X-Code {version} · {model} · {cwd}", "X-Code {version} · {model} · {cwd}";
    RESUMED: "继续会话 {id}", "Going on with session {id}";
    FAREWELL: "会话已保存。继续: xc --resume {id}", "The session is saved. Go on with: xc --resume {id}";
    SANDBOX: "沙箱: {kind}", "sandbox: {kind}";
    TRUSTED: "信任模式", "trust";
    PLANNING: "计划模式", "plan mode";

    // Calls.
    CALL_OK: "完成", "ok";
    CALL_FAILED: "失败", "failed";
    CALL_TIMEOUT: "超时", "timed out";
    CALL_INTERRUPTED: "已中断", "interrupted";
    CALL_DENIED: "已拒绝", "denied";
    DENIED_MANIFEST: "court 清单的当前阶段不允许", "the phase of the court's manifest does not allow it";
    DENIED_PLAN: "计划模式中不执行", "plan mode is active";
    EVIDENCE: "修改: {files}；命令: {commands}；{tests}", "Changed: {files}; commands: {commands}; {tests}";
    NOTHING_CHANGED: "无", "none";
    NO_TESTS: "未运行测试", "no tests run";
    TESTS_PASSED: "测试通过", "tests passed";
    TESTS_FAILED: "测试失败", "tests failed";
    TESTS_UNCLEAR: "运行了测试，结果不明", "tests ran, and how they ended is not clear";

    // What -p says on standard error.
    RUN_START: "{model} 在 {cwd}；{mode}", "{model} in {cwd}; {mode}";
    RUN_ASK: "不执行修改（-t 执行普通的修改）", "changes are not run (-t runs ordinary ones)";
    RUN_TRUST: "执行普通的修改，不执行危险的修改", "ordinary changes run, dangerous ones do not";
    RUN_PLAN: "不做任何修改", "nothing is changed";
    RUN_GOES_ON: "{to} 接替 {from}: {why}", "{to} goes on for {from}: {why}";
    RUN_PLAN_STATE: "计划模式: {state}", "plan mode: {state}";
    RUN_NOTE: "提示: {text}", "note: {text}";
    RUN_FAILED: "失败 ({class}): {message}", "failed ({class}): {message}";
    RUN_TURN_LIMIT: "已达到 --max-turns；已完成的工作保留", "stopped at --max-turns; what was done stays";
    RUN_COST_LIMIT: "已达到 --max-cost；已完成的工作保留", "stopped at --max-cost; what was done stays";
    RUN_DENIED: "已拒绝 ({why})；{way}", "denied ({why}); {way}";
    RUN_WAY_RULE: "-t 执行普通的修改；~/.xcode/config.json 的 permissions.allow 允许单项", "-t lets ordinary changes run; permissions.allow of ~/.xcode/config.json lets single ones";
    RUN_WAY_PERSON: "需要人的同意，而 -p 时没有人", "it needs a person's yes, and with -p there is none";
    RUN_WAY_NONE: "没有办法允许它", "nothing lets it run";
    RUN_USAGE: "{prompt} prompt（缓存 {cached}）+ {completion} completion = {total} tokens，{cost}", "{prompt} prompt ({cached} cached) + {completion} completion = {total} tokens, {cost}";
    RUN_COST: "约 {cost}", "about {cost}";
    RUN_COST_UNKNOWN: "费用未知", "cost n/a";
    RUN_PARTIAL: "已有的部分回答:", "what there is of an answer:";

    // What can be done about a failure of the provider.
    HINT_AUTH: "{provider} 的密钥来自 {key}: 请在那里检查，或用 --model 换一个模型", "the key of {provider} is from {key}: check it there, or ask another model with --model";
    HINT_MODEL: "{model} 由 {chosen} 选定；--model ID 可换另一个", "{model} was chosen by {chosen}; --model ID names another one";
    HINT_OTHERS: "其他有密钥的提供商: {others}；--model ID 使用其一，~/.xcode/config.json 的 `fallback` 会自动切换", "other providers with a key: {others}; --model ID asks one, `fallback` in ~/.xcode/config.json does it by itself";
    HINT_LENGTH: "对话过长: 请开始新会话", "the conversation is too long: begin a new session";
    HINT_NETWORK: "`xc doctor` 检查能否连接提供商", "`xc doctor` looks whether the provider can be reached";

    // The permission dialog.
    CLASS_READ: "只读", "read-only";
    CLASS_WRITE: "写入", "write";
    CLASS_DANGEROUS: "危险", "dangerous";
    PERMIT: "允许执行吗？", "Allow this?";
    PERMIT_YES: "是", "yes";
    PERMIT_SESSION: "是，本次会话内同类不再询问", "yes, and those like it in this session";
    PERMIT_NO: "否", "no";
    PERMIT_NO_BECAUSE: "否，并告诉模型", "no, and tell the model";
    PERMIT_HUNKS: "逐块选择", "hunk by hunk";
    PERMIT_HUNK: "采纳此块", "Take hunk";
    PERMIT_BACKGROUND: "在后台运行，直到结束或会话结束", "it runs in the background, until it ends or the session does";
    PERMIT_LINES: "行", "lines";

    // Questions.
    SELECT_FOOTER: "↑↓ 移动  Enter 确认", "↑↓ move  Enter choose";
    OTHER: "其他（自定义输入）", "Other (type your own)";
    SECRET_FOUND: "消息中似乎有密钥或密码，会以掩码发送给模型。发送吗？", "The message seems to hold a secret. The model gets it masked. Send it?";
    SECRET_SEND: "以掩码发送", "Send it masked";
    SECRET_BACK: "返回编辑", "Back to editing";
    NEW_KEY: "输入新的 {provider} API Key（Esc 取消）:", "Enter a new {provider} API key (Esc cancels):";
    KEY_SHADOWED: "环境变量 {variable} 优先于配置文件；请在那里更换。", "The variable {variable} wins over the file; change it there.";
    KEY_SAVED: "新的 API Key 已保存，请重新发送。", "The new key is saved; send your message again.";
    CHOOSE_MODEL: "选择模型:", "Choose a model:";
    MODEL_NOW: "当前", "now";
    MODEL_IS: "模型: {model}", "Model: {model}";
    CHOOSE_SESSION: "选择会话:", "Choose a session:";
    NO_SESSIONS: "此文件夹中没有其他会话。", "There is no other session in this folder.";

    PLAN_AT: "计划: {path}", "The plan: {path}";
    PLAN_CHECKED: "顾问对假设的检查:", "The advisor on its assumptions:";
    PLAN_UNASSUMING: "顾问没有指出任何假设。", "The advisor found no assumption in it.";
    PLAN_UNCHECKED: "顾问没有检查计划: {why}", "The advisor did not check the plan: {why}";
    PLAN_QUESTION: "执行这个计划吗？", "Carry this plan out?";
    PLAN_APPROVE: "同意", "Approve";
    PLAN_REJECT: "拒绝", "Reject";
    PLAN_REJECT_BECAUSE: "拒绝，并说明要修改什么", "Reject, and say what to change";

    // The start.
    LOADING_CONTEXT: "加载上下文...", "Loading context...";
    LAST_SESSION: "上次会话: \"{title}\" (进行中, {count} 项未完成)", "Last session: \"{title}\" (in progress, {count} open)";
    OPEN_WORK: "- 未完成: {work}", "- Open: {work}";
    CONTINUE: "继续上次的工作？(Y/n)", "Continue? (Y/n)";
    CONTINUED: "已带上上次会话的摘要: \"{title}\"。完整对话: xc --resume {id}", "The summary of \"{title}\" goes along. For all that was said: xc --resume {id}";
    CONTINUE_LATER: "本会话已经开始；继续上次的会话: xc --resume {id}", "This session has begun. To go on with the last one: xc --resume {id}";
    LOADED_KNOWLEDGE: "✓ 项目知识 ({path})", "✓ Project knowledge ({path})";
    LOADED_MEMORY: "✓ 自动记忆 ({path}, {count} 条)", "✓ Auto memory ({path}, {count} facts)";
    LOADED_RULES: "✓ 规则 ({path}, {count} 条)", "✓ Rules ({path}, {count})";
    LOADED_PREFERENCES: "✓ 个人偏好 ({path})", "✓ Preferences ({path})";
    RISK: "高风险警告: {risk} ({id})", "High risk: {risk} ({id})";
    RISK_FOREIGN: "高风险警告: {risk} ({id}；随项目而来，不是本机所记)", "High risk: {risk} ({id}; came with the project, not written on this machine)";
    RISKS_MORE: "另有 {count} 条；`court ledger` 列出全部。", "{count} more; `court ledger` lists them.";
    MANIFEST_PHASE: "court 清单的阶段 `{phase}` 约束本会话，只允许: {tools}", "Phase `{phase}` of the court's manifest binds this session; it allows: {tools}";
    MANIFEST_UNUSABLE: "无法读取 court 清单，因此只执行读取操作: {why}", "The court's manifest cannot be read, so nothing but reading runs: {why}";
    LEDGER_UNREADABLE: "无法读取项目账本: {why}", "The project's ledger cannot be read: {why}";
    LEDGER_UNWRITTEN: "无法写入项目账本: {why}", "The project's ledger cannot be written: {why}";

    // Usage.
    USAGE_SESSION: "本次会话: {prompt} prompt + {completion} completion = {total} tokens", "This session: {prompt} prompt + {completion} completion = {total} tokens";
    USAGE_COST: "估算费用: {cost} ({model})", "Estimated cost: {cost} ({model})";
    USAGE_CACHED: "缓存命中: {cached} ({share}%)", "From the cache: {cached} ({share}%)";
    USAGE_WINDOW: "上下文: {used} / {window} tokens", "Window: {used} of {window} tokens";

    // Slash commands.
    UNKNOWN_COMMAND: "没有命令 {command}；最接近的是 {nearest}。", "There is no command {command}; the nearest is {nearest}.";
    UNKNOWN_COMMAND_ALONE: "没有命令 {command}；/help 列出全部命令。", "There is no command {command}; /help lists them all.";
    NOT_WHILE_WORKING: "模型工作时不能执行 {command}；先按 Esc 中断。", "{command} has to wait until the model is done; Esc interrupts it.";
    COMPACTED: "已压缩: {before} -> {after} tokens", "Compacted: {before} tokens are now {after}";
    WAITS_FOR_YOU: "xc 在等你", "xc waits for you";
    TRUST_QUESTION: "此文件夹（{folder}）带来了会影响 xc 的内容，要加载吗？", "This folder ({folder}) brings what would guide xc. Is it to be loaded?";
    TRUST_NO: "否", "No";
    TRUST_NO_MEANS: "不加载；内容变化后再问", "it is not loaded; asked again when it changes";
    TRUST_NOT_NOW: "以后再说", "Later";
    TRUST_NOT_NOW_MEANS: "这次不加载；下次启动时再问", "not this time; asked again at the next start";
    TRUST_YES: "是", "Yes";
    TRUST_YES_MEANS: "从现在起加载此文件夹及其子文件夹的内容", "loaded from now on, here and below";
    TRUST_WAITING: "此文件夹带来的内容尚未加载，因为你还没有同意: {parts}。/trust yes 同意。", "Not loaded, because you have not agreed to it: {parts}. /trust yes agrees.";
    TRUST_NOTHING: "此文件夹没有等待同意的内容。", "Nothing of this folder waits for a yes.";
    TRUST_AGREED: "已同意加载: {parts}", "Agreed to: {parts}";
    TRUST_LATER: "从下一个会话起加载（/clear）。", "It is loaded from the next session on (/clear).";
    NOTHING_TO_COMPACT: "没有可压缩的内容。", "There is nothing to compact.";
    CLEARED: "对话已清空；新会话 {id}。", "The conversation is empty; this is session {id}.";
    SUMMARY_SAVED: "会话摘要已保存。", "The session's summary is saved.";
    SUMMARY_SAVED_PLAIN: "会话摘要已保存（没有模型的说明）。", "The session's summary is saved, without the model's words.";
    COPIED: "已复制（{count} 个字符）。", "Copied ({count} characters).";
    NOTHING_TO_COPY: "还没有可复制的回答。", "There is no answer to copy yet.";
    UNDO_WOULD: "/undo yes 将撤销（~ 恢复，- 删除，! 保持不变）:", "/undo yes would take back (~ restored, - removed, ! left):";
    UNDO_DID: "已撤销（~ 恢复，- 删除，! 保持不变）；/undo back 可取消:", "Taken back (~ restored, - removed, ! left); /undo back takes that back:";
    UNDO_AGAIN: "已恢复被撤销的修改（~ 恢复，- 删除，! 保持不变）:", "Made again (~ restored, - removed, ! left):";
    UNDO_LEFT: "{path}: {why}", "{path}: {why}";
    UNDO_NOTHING: "没有可撤销的修改。", "There is nothing to take back.";
    UNDO_FAILED: "无法撤销: {why}", "It cannot be taken back: {why}";
    MEMORY_EMPTY: "还没有记住任何事实。", "Nothing is remembered yet.";
    MEMORY_LINE: "{number}. [{kind}] {key}: {fact} ({path}, {days} 天前)", "{number}. [{kind}] {key}: {fact} ({path}, {days} days old)";
    MEMORY_HOW: "/memory show N | forget N | edit N 新内容；N 是编号或键", "/memory show N | forget N | edit N WORDS; N is its number or its key";
    MEMORY_USAGE: "用法: /memory，/memory show N，/memory forget N，/memory edit N 新内容", "Say /memory, /memory show N, /memory forget N or /memory edit N WORDS";
    MEMORY_UNKNOWN: "没有事实 {which}；/memory 列出全部。", "There is no fact {which}; /memory lists them.";
    MEMORY_SEVERAL: "有多个事实的键是 {which}；请用编号。", "More than one fact has the key {which}; use its number.";
    MEMORY_FORGOTTEN: "已忘记: {key}: {fact} ({path})", "Forgotten: {key}: {fact} ({path})";
    MEMORY_EDITED: "已修改: {key}: {fact} ({path})", "Changed: {key}: {fact} ({path})";
    MEMORY_FAILED: "{path} 无法修改: {why}", "{path} cannot be changed: {why}";
    MEMORY_NO_FACT: "事实是一行文字，最多 300 个字符。", "A fact is one line of at most 300 characters.";
    MEMORY_UNTRUSTED: "此文件夹的事实尚未同意，未列出；/trust 查看。", "The facts of this folder are not listed, because you have not agreed to them; see /trust.";
    MEMORY_NEXT: "当前会话仍按开始时的内容工作。", "This session goes on with what it was told at its beginning.";
    TASKS_NONE: "没有后台任务。", "There are no tasks in the background.";
    TASK_UNKNOWN: "没有任务 {task}。", "There is no task {task}.";
    TASK_LISTED: "任务 {task} · {state} · {command}", "task {task} · {state} · {command}";
    TASK_RUNS: "运行中，{seconds} 秒", "runs, {seconds} s";
    TASK_STOPPED: "已终止", "it was ended";
    TASK_SILENT: "（没有输出）", "(it printed nothing)";
    TASK_ENDING: "正在结束任务 {task}...", "Ending task {task}...";
    TASK_ENDED: "后台任务 {task} 已结束: {how} ({command})", "Background task {task} has ended: {how} ({command})";
    TASKS_LEFT: "后台任务随会话结束: {count} 个", "Tasks that end with their session: {count}";
    FACT_NOTHING: "本次会话中模型没有记住可撤销的事实。", "The model has kept no fact in this session that could be taken back.";
    FACT_GONE: "已撤销: {key} ({path})", "Taken back: {key} ({path})";
    FACT_AGAIN: "已撤销，恢复为 {key}: {fact} ({path})", "Taken back; again it is {key}: {fact} ({path})";
    FACT_LEFT: "{key} 之后被修改过，保持不变 ({path})", "{key} was changed since, and stays as it is ({path})";
    FACT_FAILED: "无法撤销: {why}", "It cannot be taken back: {why}";
    NOTHING_TO_STEER: "用法: /steer 要对模型说的话", "Say it behind it: /steer and what the model is to know";
    RULES: "权限规则: allow {allow}；ask {ask}；deny {deny}", "Rules: allow {allow}; ask {ask}; deny {deny}";
    RULES_NONE: "无", "none";
    RULES_MODE: "模式: {mode}", "Mode: {mode}";
    MODE_ASK: "询问", "ask";
    MODE_TRUST: "信任（危险操作仍会询问）", "trust (what is dangerous is still asked)";
    RULES_FILE: "规则在 {path} 的 permissions 中；项目只能收紧。", "They are in {path}, permissions; a project can only make them stricter.";
    ATTACHED: "已附加: {path}", "Attached: {path}";
    NOT_ATTACHED: "无法附加 {path}: {why}", "{path} cannot be attached: {why}";
    COMMAND_ENDED: "退出码 {code}", "exit code {code}";
    COMMAND_NOT_ENDED: "命令没有正常结束", "the command did not end by itself";
    JOIN_OUTPUT: "把输出附到下一条消息吗？(y/N)", "Join the output to your next message? (y/N)";
    HELP_KEYS: "按键", "Keys";
    HELP_COMMANDS: "命令", "Commands";

    // Keys, for /help.
    KEY_ENTER: "发送；模型工作时排队", "send; while the model works, queue";
    KEY_NEWLINE: "换行", "new line";
    KEY_STEER: "模型工作时插话，在它下一步之前", "while the model works: say it before its next step";
    KEY_ESC: "中断", "interrupt";
    KEY_CTRL_C: "中断；清空输入；空闲时退出", "interrupt; clear the input; leave when idle";
    KEY_CTRL_D: "输入为空时退出", "leave, where the input is empty";
    KEY_SHIFT_TAB: "切换计划模式", "plan mode on and off";
    KEY_CTRL_Z: "撤销模型最近记住或忘记的一条事实", "take the last fact back that the model kept or forgot";
    KEY_UP: "以前的输入；取回排队的消息", "earlier prompts; takes a queued message back";
    KEY_CTRL_R: "搜索以前的输入", "search earlier prompts";
    KEY_TAB: "补全 / 和 @路径", "complete / and @path";
    KEY_BANG: "自己运行命令，不经询问", "run a command yourself, without a question";
    KEY_AT: "附加文件", "attach a file";

    // xc init.
    INIT_BEGIN: "分析项目结构...", "Analysing the project...";
    INIT_FOUND: "检测到 {name}: {value}", "found {name}: {value}";
    INIT_INFERRED: "推断{name}: {value}", "inferred {name}: {value}";
    INIT_PACKAGES: "检测到 包: {packages}", "found packages: {packages}";
    INIT_NOTHING: "没有识别出项目文件", "no file of a project that is known";
    INIT_MADE: "已生成:", "Made:";
    INIT_KEPT: "已存在，未修改:", "There already, not changed:";
    INIT_WOULD_ADD: "可以补充:", "it could say too:";
    INIT_UP_TO_DATE: "无需补充", "nothing to add";
    INIT_MORE: "{count} 行未显示", "{count} lines are not shown";
    INIT_KNOWLEDGE: "含以上分析结果，可手动补充业务上下文", "what was found; add what only you know";
    INIT_MEMORY: "初始自动记忆（包管理器、框架、命令等）", "first facts (package manager, frameworks, commands)";
    INIT_RULES: "空目录，可按需添加路径规则", "empty; for rules by path";
    INIT_LOCAL: "个人配置目录（已添加到 .gitignore）", "your own preferences (kept out of git)";

    // What the commands do, for /help and the completion.
    HELP_HELP: "列出命令和按键", "list commands and keys";
    HELP_MODEL: "切换模型，或列出可用模型", "switch the model, or list those with a key";
    HELP_PLAN: "进入或离开计划模式", "enter or leave plan mode";
    HELP_COMPACT: "立即压缩对话，可说明要保留什么", "compact now; say what is to be kept";
    HELP_USAGE: "token 用量和费用", "tokens and cost";
    HELP_CLEAR: "清空对话，开始新会话", "empty the conversation; a new session begins";
    HELP_SESSION: "/session save: 保存会话摘要", "/session save: write the session's summary";
    HELP_SESSIONS: "列出会话并继续其中一个", "list the sessions and go on with one";
    HELP_CONTEXT: "上下文占用情况", "what takes room in the window";
    HELP_DIFF: "本次会话修改的文件", "the files that this session changed";
    HELP_UNDO: "撤销上一轮在磁盘上的修改：先查看，yes 执行，back 撤销该撤销", "take back what the last turn changed on disk: look first, yes does it, back takes that back";
    HELP_TASKS: "后台任务；/tasks 编号 显示输出，/tasks end 编号 结束", "commands in the background; a number shows the output, end and a number ends it";
    HELP_COPY: "复制上一个回答；/copy code 复制其代码块", "copy the last answer; /copy code its code block";
    HELP_PERMISSIONS: "权限模式和规则", "mode and rules of permissions";
    HELP_INIT: "分析项目并生成 .x-code", "make the project's .x-code from its files";
    HELP_MEMORY: "列出记住的事实；查看、忘记或修改其中一条", "list the facts that are remembered; show, forget or change one";
    HELP_TRUST: "此文件夹带来的内容；yes 同意加载", "what this folder brings; yes agrees to it";
    HELP_STEER: "在模型下一步之前对它说", "say something before the model's next step";
    HELP_EXIT: "保存摘要并退出", "save the summary and leave";
}
