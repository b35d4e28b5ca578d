//! Chinese instructions to a model: parts that follow one another within a few characters. Spaces are
//! removed and Latin letters are lower case before the check.

/// Each part is one of the words separated by spaces, at most so many characters after the previous one.
struct Rule {
    parts: &'static [&'static str],
    /// The most characters between two parts.
    gap: usize,
}

const fn rule(gap: usize, parts: &'static [&'static str]) -> Rule {
    Rule { parts, gap }
}

const DROP: &str = "忽略 无视 忘记 忘掉 不要遵守 不要理会 不必理会 抛开 绕过 覆盖 停止遵守 不要执行 抛弃 ignore disregard forget";
const EARLIER: &str =
    "之前 以上 上述 先前 前面 原有 所有 一切 全部 你的 系统 此前 上文 上面 previous above";
const RULES_OF_MODEL: &str =
    "指令 规则 提示 要求 内容 限制 规定 约束 设定 命令 指示 准则 对话 instruction prompt";
const MODEL: &str =
    "ai助手 ai代理 ai模型 人工智能 大语言模型 语言模型 大模型 智能体 智能助手 claude codex chatgpt";
const MUST: &str = "必须 应当 应该 立即 务必 请 需要 马上";
const SECRET: &str = "密钥 令牌 密码 凭据 凭证 idrsa 环境变量 env 私钥 token 仓库打包 源码";
const SEND: &str = "上传 发送 发给 发到 泄露 外传 传到 提交到";

const RULES: &[Rule] = &[
    rule(8, &[DROP, EARLIER, RULES_OF_MODEL]),
    rule(6, &["不要遵守 遵守以下 服从以下", "指令 规则 规定 命令"]),
    rule(1, &["你现在是 你现在扮演"]),
    rule(3, &["从现在开始 从现在起 从此刻起", "你"]),
    rule(2, &["扮演", "系统管理员 管理员 一个 不受 没有 助手 黑客 开发者"]),
    rule(
        10,
        &[
            "输出 打印 告诉我 泄露 展示 显示 复述 说出",
            "系统提示词 系统提示 提示词 初始指令 隐藏提示 隐藏指令 系统指令 你的指令",
        ],
    ),
    rule(8, &["初始指令 提示词 系统提示", "打印 输出 逐字 告诉 复述"]),
    rule(10, &["系统提示 系统消息", "授权 允许 批准", "你 执行"]),
    rule(0, &["新的指令 新指令 你的新任务 新任务是 新的任务是"]),
    rule(10, &["不要 别 勿 不得 无需 不必", "告诉 告知 透露 提醒 通知", "用户 人类 使用者"]),
    rule(8, &["不要 别 勿 不得", "用户 人类", "提及 提到 说明 透露 告知 提起"]),
    rule(0, &["对用户保密 瞒着用户 背着用户 不让用户知道 向用户隐瞒"]),
    rule(14, &[MODEL, MUST]),
    rule(2, &["助手 模型 代理", "必须 务必", "服从 执行 批准 跳过 遵守"]),
    rule(
        5,
        &[
            "如果你是 若你是 假如你是",
            "人工智能 ai 语言模型 大语言模型 助手 模型 智能体 claude codex",
        ],
    ),
    rule(6, &["立即 马上 立刻", "执行 运行", "以下 下面 curl wget rm bash 命令"]),
    rule(8, &["执行 运行", "以下 下面 如下", "命令 脚本", "rm curl wget bash"]),
    rule(2, &["rmrf", "~ /"]),
    rule(14, &[SECRET, SEND, "http 地址 服务器 com 邮箱 接口 attacker"]),
    rule(10, &[SEND, SECRET, "http 地址 服务器 com 邮箱 attacker"]),
    rule(14, &["idrsa 私钥 密钥 令牌 凭据", "发给 上传 发到 发送到"]),
    rule(10, &["把", SECRET, "发送 发给 上传 发到"]),
    rule(4, &["仓库 代码库 源码 项目", "打包 全部", "上传 发送 外传"]),
    rule(4, &["进入 启用 开启 激活", "开发者模式 越狱模式 越狱 无限制模式"]),
    rule(4, &["不再需要 不需要 无需 不必", "遵守 服从", "规则 限制 规定 准则"]),
    rule(2, &["没有任何限制 不受约束 不受任何限制 没有限制 不受限制", "的 。 你 助手"]),
    rule(4, &["关闭 禁用", "内容过滤 安全过滤 安全检查 安全限制"]),
    rule(
        6,
        &[
            "以上 之前 先前 上述 你的 原有 此前",
            "规则 指示 指令 规定 要求 提示",
            "作废 失效 无效 不再适用 取消",
        ],
    ),
    rule(4, &["停止 放弃 中止", "当前任务 手头任务 现在的任务 阅读", "转而 改为 并 执行"]),
    rule(3, &["不要 别 停止", "回答 理会 遵循", "用户"]),
    rule(2, &["无论用户 不管用户 每当用户 当用户要求 当用户问"]),
    rule(
        10,
        &[
            "已经批准 已经同意 已批准 已同意 已授权 已经授权 已经确认",
            "跳过 无需 直接 立即 不必 不用",
        ],
    ),
    rule(10, &["当作 视为 看作", "系统指令 系统消息 命令 指令"]),
    rule(3, &["必须 务必", "服从 听从", "本 这 每 所有 以下"]),
    rule(6, &["回答 审查 评审 回复", "写上 加上 包含 注明", "通过 批准 同意 安全"]),
];

/// Whether the line, without spaces, is an instruction to a model.
pub(super) fn is_instruction(compact: &str) -> bool {
    let is_ours = compact.chars().any(|char| ('\u{4e00}'..='\u{9fff}').contains(&char));
    is_ours && RULES.iter().any(|rule| rule.matches(compact))
}

impl Rule {
    fn matches(&self, text: &str) -> bool {
        self.parts[0].split(' ').any(|part| {
            text.match_indices(part).any(|(at, _)| self.follows(&text[at + part.len()..], 1))
        })
    }

    fn follows(&self, rest: &str, part: usize) -> bool {
        let Some(wanted) = self.parts.get(part) else { return true };
        wanted.split(' ').any(|word| {
            rest.match_indices(word)
                .take_while(|(at, _)| rest[..*at].chars().count() <= self.gap)
                .any(|(at, _)| self.follows(&rest[at + word.len()..], part + 1))
        })
    }
}
