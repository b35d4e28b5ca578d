//! The texts of the canned advice, in two languages. `{}` is a placeholder for a name.

use crate::question::Language;

/// The texts in one language.
pub(super) struct Words {
    pub(super) scripted: &'static str,
    pub(super) the_goal: &'static str,
    pub(super) questions: [&'static str; 3],
    pub(super) about_question: &'static str,
    pub(super) about_suspicion: &'static str,
    pub(super) plausible: &'static str,
    pub(super) risky: &'static str,
    pub(super) alternative_name: &'static str,
    pub(super) alternative_description: &'static str,
    pub(super) alternative_pros: [&'static str; 2],
    pub(super) alternative_cons: [&'static str; 1],
    pub(super) alternative_when: &'static str,
    pub(super) tradeoffs: [&'static str; 5],
    pub(super) others: &'static str,
    pub(super) separator: &'static str,
    pub(super) reason: &'static str,
    pub(super) followups: [&'static str; 2],
    pub(super) initial_summary: &'static str,
    pub(super) final_summary: &'static str,
}

/// The texts in a language.
pub(super) fn of(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    }
}

static ENGLISH: Words = Words {
    scripted: "Mock model: this answer is scripted, no model was asked.",
    the_goal: "the goal",
    questions: [
        "Which of the constraints would you give up first?",
        "What does a failure in the middle look like to a user?",
        "How will you know, in a month, that the choice was right?",
    ],
    about_question: "You ask: \"{}\" Which observation would settle it?",
    about_suspicion: "You suspect: \"{}\" What have you seen that points there?",
    plausible: "Nothing in the question speaks against it for \"{}\"; measure it all the same.",
    risky: "You have doubts about \"{}\" yourself: test this first.",
    alternative_name: "smallest-first",
    alternative_description: "Build the smallest slice of \"{}\" that can fail, measure it, then decide.",
    alternative_pros: ["Shows the largest risk early", "Cheap to throw away"],
    alternative_cons: ["Delays the final decision"],
    alternative_when: "When the assumptions can be tested in days rather than weeks.",
    tradeoffs: [
        "\"{}\" keeps the change in one place, as long as its boundary is written down.",
        "The risk of \"{}\" lies in what happens half way; rehearse the way back.",
        "\"{}\" costs one more step on the hot path; measure it under load.",
        "\"{}\" needs one owner for each fact; name the owner before you start.",
        "\"{}\" adds one moving part; it must replace at least one.",
    ],
    others: " Weighed against: {}.",
    separator: ", ",
    reason: "Mock model: \"{}\" is named because it comes first, not because it was judged.",
    followups: [
        "Write a test that fails when the first assumption does not hold.",
        "Decide who watches the first week in production, and what they watch.",
    ],
    initial_summary: "A real advisor would now question the plans; \"{}\" stands in as the \
                      preference so far. Answer the questions and come back with phase \"final\".",
    final_summary: "A real advisor would now weigh gains against risks; \"{}\" stands in as the \
                    recommendation. The decision is yours.",
};

static CHINESE: Words = Words {
    scripted: "模拟模型：本回答由脚本生成，未询问任何模型。",
    the_goal: "目标",
    questions: [
        "这些约束里，您会最先放弃哪一个？",
        "如果中途失败，用户会看到什么？",
        "一个月之后，您如何判断这个选择是对的？",
    ],
    about_question: "您问：“{}”哪一项观察能够给出结论？",
    about_suspicion: "您怀疑：“{}”是什么现象让您这样想？",
    plausible: "题目中没有与“{}”的这一假设相矛盾的内容，但仍应实测。",
    risky: "您自己对“{}”也有疑虑：请先验证这一点。",
    alternative_name: "最小切片先行",
    alternative_description: "先做“{}”中可能失败的最小切片，测量之后再决定。",
    alternative_pros: ["最大的风险最早暴露", "放弃的代价很低"],
    alternative_cons: ["最终决定会推迟"],
    alternative_when: "假设可以在几天而不是几周内验证时。",
    tradeoffs: [
        "只要边界写清楚，“{}”能把改动集中在一处。",
        "“{}”的风险在于中途状态，请先演练回退。",
        "“{}”在热路径上多一步，请在负载下测量。",
        "“{}”要求每个事实只有一个负责方，开工前先指定。",
        "“{}”增加一个部件，它至少应当替换掉一个。",
    ],
    others: "对照的方案：{}。",
    separator: "、",
    reason: "模拟模型：选“{}”只是因为它排在最前，并未经过判断。",
    followups: ["写一个在首要假设不成立时会失败的测试。", "确定上线第一周由谁观察、观察什么。"],
    initial_summary: "真正的顾问此时会质疑各个方案；目前以“{}”代表倾向。请回答问题，再以 phase \
                      \"final\" 发起第二轮。",
    final_summary: "真正的顾问此时会权衡收益与风险；这里以“{}”代表建议。最终由您决定。",
};
