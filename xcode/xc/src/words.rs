//! The catalogue of the texts that users read, in Chinese and English: one key per text, both forms side by
//! side. Not here: texts for the model, which are English, and where a text is shown.

mod catalogue;

use agent::knowledge;
use clap::ValueEnum;
use host::Environment;

pub(crate) use catalogue::*;

/// The language of what the user reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// Chinese
    Zh,
    /// English
    En,
}

impl std::fmt::Display for Language {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Zh => "zh",
            Self::En => "en",
        })
    }
}

/// The language of the files that xc creates, and of its messages in tool results.
impl From<Language> for knowledge::Language {
    fn from(language: Language) -> Self {
        match language {
            Language::Zh => Self::Zh,
            Language::En => Self::En,
        }
    }
}

/// A text in both languages. `{name}` in it is a placeholder for a value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Text {
    zh: &'static str,
    en: &'static str,
}

/// The variables that name a language, in order of precedence.
const VARIABLES: [&str; 3] = ["LC_ALL", "LC_MESSAGES", "LANG"];

impl Language {
    /// The language for a value of the setting; none for any other value, such as `auto`.
    pub(crate) fn named(word: &str) -> Option<Self> {
        match word {
            "zh" => Some(Self::Zh),
            "en" => Some(Self::En),
            _ => None,
        }
    }

    /// The language of the environment, and the variable that names it: `zh*` is Chinese, everything else English.
    pub(crate) fn said(environment: &Environment) -> Option<(Self, &'static str)> {
        VARIABLES.iter().find_map(|name| {
            let value = environment.text(name).map(str::trim).filter(|value| !value.is_empty())?;
            let is_chinese = value.to_ascii_lowercase().starts_with("zh");
            Some((if is_chinese { Self::Zh } else { Self::En }, *name))
        })
    }

    /// The language of the environment; English if it names none.
    pub(crate) fn of(environment: &Environment) -> Self {
        Self::said(environment).map_or(Self::En, |(language, _)| language)
    }

    /// A text in this language.
    pub(crate) const fn say(self, text: &Text) -> &'static str {
        match self {
            Self::Zh => text.zh,
            Self::En => text.en,
        }
    }

    /// A text in this language with `values` for the names in it.
    pub(crate) fn fill(self, text: &Text, values: &[(&str, &str)]) -> String {
        let mut filled = String::new();
        let mut rest = self.say(text);
        // From left to right, once: what a value holds is not filled again.
        while let Some(at) = rest.find('{') {
            let (before, behind) = rest.split_at(at);
            filled.push_str(before);
            let name = behind[1..].split('}').next().unwrap_or_default();
            let value = values.iter().find(|(known, _)| *known == name);
            match value {
                Some((_, value)) => filled.push_str(value),
                None => filled.push_str(&behind[..name.len() + 2]),
            }
            rest = &behind[name.len() + 2..];
        }
        filled.push_str(rest);
        filled
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use host::Environment;

    use super::*;

    fn names(text: &str) -> BTreeSet<&str> {
        text.split('{')
            .skip(1)
            .filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
            .collect()
    }

    #[test]
    fn every_key_has_both_forms_with_the_same_values() {
        assert!(ALL.len() > 50);
        for (key, text) in ALL {
            assert!(!text.zh.trim().is_empty() && !text.en.trim().is_empty(), "{key}");
            assert_eq!(names(text.zh), names(text.en), "{key}");
            let is_chinese = text.zh.chars().any(|char| ('\u{4e00}'..='\u{9fff}').contains(&char));
            assert!(is_chinese || text.zh == text.en, "{key}: {} is not Chinese", text.zh);
            assert!(
                text.en.is_ascii()
                    || text.en.chars().all(|char| !('\u{4e00}'..='\u{9fff}').contains(&char)),
                "{key}"
            );
        }
        let keys: BTreeSet<&str> = ALL.iter().map(|(key, _)| *key).collect();
        assert_eq!(keys.len(), ALL.len(), "a key stands twice");
    }

    /// XC-193, XC-194: to the letter.
    #[test]
    fn the_texts_of_the_seed_are_exact() {
        for (text, zh, en) in [
            (&WIZARD_TITLE, "Welcome to X-Code!", "Welcome to X-Code!"),
            (
                &WIZARD_NO_KEY,
                "未检测到 API Key，请先配置一个模型提供商。",
                "No API key found. Choose a model provider first.",
            ),
            (&WIZARD_PROVIDER, "选择提供商:", "Choose a provider:"),
            (&WIZARD_CUSTOM, "自定义 OpenAI 兼容 API", "Custom OpenAI-compatible API"),
            (&WIZARD_KEY, "输入你的 {provider} API Key:", "Enter your {provider} API key:"),
            (&WIZARD_PAGE, "获取地址: {url}", "Get one at: {url}"),
            (&WIZARD_MODEL, "选择默认模型:", "Choose the default model:"),
            (&WIZARD_RECOMMENDED, "(推荐)", "(recommended)"),
            (&WIZARD_SAVED, "配置已保存到 {path}", "Saved to {path}"),
            (
                &WIZARD_VARIABLE,
                "提示: 也可通过环境变量 {variable} 配置",
                "You can also set {variable}",
            ),
            (&READY, "Ready! 输入你的第一个问题开始...", "Ready! Type your first question..."),
            (&SELECT_FOOTER, "↑↓ 移动  Enter 确认", "↑↓ move  Enter choose"),
            (&OTHER, "其他（自定义输入）", "Other (type your own)"),
            (
                &USAGE_SESSION,
                "本次会话: {prompt} prompt + {completion} completion = {total} tokens",
                "This session: {prompt} prompt + {completion} completion = {total} tokens",
            ),
            (&USAGE_COST, "估算费用: {cost} ({model})", "Estimated cost: {cost} ({model})"),
            (&CLASS_READ, "只读", "read-only"),
            (&CLASS_WRITE, "写入", "write"),
            (&CLASS_DANGEROUS, "危险", "dangerous"),
            (&LOADING_CONTEXT, "加载上下文...", "Loading context..."),
            (
                &LAST_SESSION,
                "上次会话: \"{title}\" (进行中, {count} 项未完成)",
                "Last session: \"{title}\" (in progress, {count} open)",
            ),
            (&OPEN_WORK, "- 未完成: {work}", "- Open: {work}"),
            (&CONTINUE, "继续上次的工作？(Y/n)", "Continue? (Y/n)"),
            (&NO_TESTS, "未运行测试", "no tests run"),
            (&THINKING, "Thinking...", "Thinking..."),
        ] {
            assert_eq!((text.zh, text.en), (zh, en));
        }
    }

    #[test]
    fn the_first_variable_that_says_something_decides() {
        for (variables, expected) in [
            (&[][..], Language::En),
            (&[("LANG", "zh_CN.UTF-8")], Language::Zh),
            (&[("LANG", "zh_TW"), ("LC_ALL", "de_DE.UTF-8")], Language::En),
            (&[("LANG", "en_US"), ("LC_MESSAGES", "zh_CN"), ("LC_ALL", "")], Language::Zh),
            (&[("LANG", "C.UTF-8")], Language::En),
        ] {
            let start = Environment::default();
            let environment =
                variables.iter().fold(start, |all, (name, value)| all.with(*name, *value));
            assert_eq!(Language::of(&environment), expected, "{variables:?}");
        }
        assert_eq!(
            ["zh", "en", "auto", "fr"].map(Language::named),
            [Some(Language::Zh), Some(Language::En), None, None]
        );
    }

    #[test]
    fn a_value_is_filled_in_once() {
        let filled = Language::En.fill(&USAGE_COST, &[("cost", "{model}"), ("model", "a:b")]);
        assert_eq!(filled, "Estimated cost: {model} (a:b)");
    }
}
