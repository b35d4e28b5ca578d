//! The two languages of files that xc creates: headings, and the names of findings. Both are recognised; a new file
//! is in the user's language. Not here: the program's own texts.

/// A language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Chinese.
    Zh,
    /// English.
    En,
}

/// A text in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Both {
    pub(crate) zh: &'static str,
    pub(crate) en: &'static str,
}

/// The heading of facts.
pub(crate) const MEMORY: Both = Both { zh: "自动记忆", en: "Auto Memory" };
/// The title of `knowledge.md`.
pub(crate) const TITLE: Both = Both { zh: "项目知识", en: "Project Knowledge" };
/// Its sections.
pub(crate) const OVERVIEW: Both = Both { zh: "概述", en: "Overview" };
pub(crate) const TECH_STACK: Both = Both { zh: "技术栈", en: "Tech Stack" };
pub(crate) const COMMANDS: Both = Both { zh: "常用命令", en: "Commands" };
pub(crate) const CONVENTIONS: Both = Both { zh: "代码约定", en: "Conventions" };
pub(crate) const CAUTIONS: Both = Both { zh: "注意事项", en: "Cautions" };

impl Language {
    /// The text in this language.
    pub(crate) fn of(self, both: Both) -> &'static str {
        match self {
            Self::Zh => both.zh,
            Self::En => both.en,
        }
    }
}

impl Both {
    /// Whether it is this text in either language.
    pub(crate) fn is(self, text: &str) -> bool {
        text == self.zh || text.eq_ignore_ascii_case(self.en)
    }
}
