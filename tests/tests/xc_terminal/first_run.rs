//! From nothing to the first answer, in both languages (XC-172, XC-174).

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use mock_model::Turn;
use serde_json::{Value, json};

use crate::screen::Place;

const KEY: &str = "sk-planted-wizard-77aa55cc33";

/// The texts of one language.
struct Words {
    lang: &'static str,
    no_key: &'static str,
    provider: &'static str,
    key: &'static str,
    page: &'static str,
    model: &'static str,
    recommended: &'static str,
    saved: &'static str,
    variable: &'static str,
    ready: &'static str,
    permit: &'static str,
    class: &'static str,
    changed: &'static str,
}

const CHINESE: Words = Words {
    lang: "zh_CN.UTF-8",
    no_key: "未检测到 API Key，请先配置一个模型提供商。",
    provider: "? 选择提供商:",
    key: "? 输入你的 DeepSeek API Key:",
    page: "获取地址: https://platform.deepseek.com/api_keys",
    model: "? 选择默认模型:",
    recommended: "deepseek-chat (推荐)",
    saved: "✓ 配置已保存到 ~/.xcode/config.json",
    variable: "提示: 也可通过环境变量 DEEPSEEK_API_KEY 配置",
    ready: "Ready! 输入你的第一个问题开始...",
    permit: "允许执行吗？",
    class: "edit [写入]",
    changed: "修改: add.sh；命令: 1；未运行测试",
};

const ENGLISH: Words = Words {
    lang: "C.UTF-8",
    no_key: "No API key found. Choose a model provider first.",
    provider: "? Choose a provider:",
    key: "? Enter your DeepSeek API key:",
    page: "Get one at: https://platform.deepseek.com/api_keys",
    model: "? Choose the default model:",
    recommended: "deepseek-chat (recommended)",
    saved: "✓ Saved to ~/.xcode/config.json",
    variable: "You can also set DEEPSEEK_API_KEY",
    ready: "Ready! Type your first question...",
    permit: "Allow this?",
    class: "edit [write]",
    changed: "Changed: add.sh; commands: 1; no tests run",
};

async fn first_run(words: &Words) {
    let edit = json!({"filePath": "add.sh", "oldString": "$1 - $2", "newString": "$1 + $2"});
    let place = Place::with_turns([
        Turn::text("I look at it.\n").and_call("readFile", &json!({"filePath": "add.sh"})),
        Turn::call("edit", &edit),
        Turn::call("shell", &json!({"command": "sh add.sh 2 3"})),
        Turn::text("It adds now; 它现在做加法。\n"),
    ])
    .await
    .without_key(words.lang);
    place.write("add.sh", "echo $(($1 - $2))\n");
    let home = place.folder.home();
    fs::create_dir_all(home.join(".xcode")).unwrap();
    let settings = json!({"providers": {"deepseek": {"baseURL": place.mock.base_url()}}});
    let file = home.join(".xcode/config.json");
    fs::write(&file, settings.to_string()).unwrap();

    let mut screen = place.start(&[]);
    let shown = screen.wait(&[words.provider, words.no_key, "Welcome to X-Code!"]);
    for name in ["Anthropic (Claude)", "OpenAI (GPT)", "Moonshot AI（Kimi）"] {
        assert!(shown.contains(name), "{shown}");
    }
    screen.typed("\x1b[B\x1b[B\x1b[B\x1b[B");
    screen.wait(&["❯ 5. DeepSeek"]);
    screen.typed("\r");
    screen.wait(&[words.key, words.page]);
    screen.typed(&format!("\x1b[200~{KEY}\x1b[201~"));
    screen.wait(&["> sk-***"]);
    screen.typed("\r");
    screen.wait(&[words.model, words.recommended, "2. deepseek-reasoner"]);
    screen.typed("\r");
    screen.wait(&[words.saved, words.variable, words.ready, "deepseek:deepseek-chat"]);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let saved: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(saved["providers"]["deepseek"]["apiKey"], KEY);
    assert_eq!(saved["model"], "deepseek:deepseek-chat");

    screen.say("make it add");
    let shown = screen.wait(&[words.permit, words.class, "✓ readFile add.sh"]);
    assert!(shown.contains("-echo $(($1 - $2))\n+echo $(($1 + $2))"), "{shown}");
    screen.typed("y");
    screen.wait(&["✓ edit add.sh", "shell ["]);
    assert_eq!(place.read("add.sh"), "echo $(($1 + $2))\n");
    screen.typed("y");
    let shown = screen.wait(&["│ 5\n", "它现在做加法。", words.changed, " tokens <$0.01"]);
    assert!(shown.contains("deepseek:deepseek-chat"), "{shown}");
    assert!(!screen.raw().contains("planted"), "the key is shown");
    screen.typed("\x04");
    assert_eq!(screen.ended().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn from_the_wizard_to_the_first_answer_in_chinese() {
    first_run(&CHINESE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_the_wizard_to_the_first_answer_in_english() {
    first_run(&ENGLISH).await;
}

/// XC-44.
#[tokio::test(flavor = "multi_thread")]
async fn an_aborted_wizard_writes_nothing() {
    for keys in ["\x03", "\x1b[B\r\x03", "\x1b"] {
        let place = Place::with_turns([]).await.without_key("C.UTF-8");
        let mut screen = place.start(&[]);
        screen.wait(&[ENGLISH.provider, ENGLISH.no_key]);
        screen.typed(keys);
        assert_eq!(screen.ended().code(), Some(3), "{keys:?}");
        assert!(screen.raw().contains("nothing was written"));
        assert!(!place.folder.home().join(".xcode/config.json").exists());
    }
}
