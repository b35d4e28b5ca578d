//! The steps of the wizard, and what they show.

use super::*;

/// What each step shows, for the page of the screens.
pub(crate) fn screens(words: Language) -> [String; 4] {
    let mut wizard = Wizard::new(words, 80);
    let provider = lines(&mut wizard, &[]);
    let down = || key(Code::Down);
    let pasted = Input::Paste("sk-planted-0123456789".into());
    let chosen = [down(), down(), down(), down(), key(Code::Enter), pasted];
    let asked = lines(&mut wizard, &chosen);
    let model = lines(&mut wizard, &[key(Code::Enter)]);
    let done = lines(&mut wizard, &[key(Code::Enter)]);
    let saved = text(&saved(Provider::Deepseek, "~/.xcode/config.json", words));
    [provider, asked, model, done + &saved]
}

fn text(lines: &[Line<'_>]) -> String {
    lines.iter().map(|line| format!("{}\n", line.to_string().trim_end())).collect()
}

fn key(code: Code) -> Input {
    Input::Key(Key::of(code))
}

fn lines(wizard: &mut Wizard, inputs: &[Input]) -> String {
    inputs.iter().for_each(|input| wizard.input(input));
    text(&std::mem::take(&mut wizard.finished)) + &text(&wizard.live(80).lines)
}

/// XC-42, to the letter.
#[test]
fn the_steps_are_those_of_the_seed() {
    let mut wizard = Wizard::new(Language::Zh, 80);
    let shown = lines(&mut wizard, &[]);
    assert!(shown.contains(" Welcome to X-Code! "), "{shown}");
    assert!(shown.contains("未检测到 API Key，请先配置一个模型提供商。"), "{shown}");
    for (line, name) in [
        "Anthropic (Claude)",
        "OpenAI (GPT)",
        "Google (Gemini)",
        "xAI (Grok)",
        "DeepSeek",
        "Alibaba Qwen（通义千问）",
        "Zhipu AI（智谱 GLM）",
        "Moonshot AI（Kimi）",
        "自定义 OpenAI 兼容 API",
    ]
    .into_iter()
    .enumerate()
    {
        assert!(shown.contains(&format!("{}. {name}\n", line + 1)), "{name}: {shown}");
    }
    let down = || key(Code::Down);
    let shown = lines(&mut wizard, &[down(), down(), down(), down(), key(Code::Enter)]);
    assert!(shown.contains("? 选择提供商: DeepSeek\n"), "{shown}");
    assert!(shown.contains("? 输入你的 DeepSeek API Key:\n"), "{shown}");
    assert!(shown.contains("  获取地址: https://platform.deepseek.com/api_keys\n"), "{shown}");
    let shown = lines(&mut wizard, &[Input::Paste("sk-planted-0123456789".into())]);
    assert!(shown.contains("  > sk-***\n") && !shown.contains("planted"), "{shown}");
    let shown = lines(&mut wizard, &[key(Code::Enter)]);
    assert!(shown.contains("? 选择默认模型:\n"), "{shown}");
    assert!(shown.contains("1. deepseek-chat (推荐)\n"), "{shown}");
    assert!(shown.contains("2. deepseek-reasoner\n"), "{shown}");
    lines(&mut wizard, &[key(Code::Enter)]);
    let Step::Done(first) = &wizard.step else { panic!("{:?}", wizard.step) };
    assert_eq!(
        (first.model.as_str(), first.key.as_str()),
        ("deepseek:deepseek-chat", "sk-planted-0123456789")
    );
}

/// XC-43.
#[test]
fn an_endpoint_of_ones_own_is_asked_for_its_address_and_model() {
    let mut wizard = Wizard::new(Language::En, 80);
    let shown = lines(&mut wizard, &[key(Code::Char('9')), key(Code::Enter)]);
    assert!(shown.contains("? Enter the URL of the endpoint:\n"), "{shown}");
    let paste = |text: &str| Input::Paste(text.to_owned());
    let shown = lines(&mut wizard, &[paste("http://example.com/v1"), key(Code::Enter)]);
    assert!(shown.contains("That cannot be used: "), "a key is not sent in the open: {shown}");
    let shown = lines(&mut wizard, &[paste("http://127.0.0.1:8080/v1"), key(Code::Enter)]);
    assert!(shown.contains("? Enter the name of the model:\n"), "{shown}");
    let shown = lines(&mut wizard, &[paste("mine"), key(Code::Enter)]);
    assert!(shown.contains("API key:\n") && !shown.contains("Get one at"), "{shown}");
    lines(&mut wizard, &[paste("k-123456"), key(Code::Enter)]);
    let Step::Done(first) = &wizard.step else { panic!("{:?}", wizard.step) };
    let endpoint = ("http://127.0.0.1:8080/v1".to_owned(), "mine".to_owned());
    assert_eq!((first.endpoint.as_ref(), first.model.as_str()), (Some(&endpoint), "custom:mine"));
}

/// XC-45.
#[test]
fn each_provider_has_its_page_and_its_models() {
    for provider in PROVIDERS.into_iter().filter(|provider| *provider != Provider::Custom) {
        let entry = Catalogue::built_in().provider(provider);
        assert!(entry.key_page.as_deref().is_some_and(|page| page.starts_with("https://")));
        assert_eq!(models(provider).first(), entry.default_model.as_ref(), "{provider}");
    }
}
