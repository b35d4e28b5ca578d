//! From nothing to the first answer, in both languages (XC-172, XC-174).

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use mock_model::Turn;
use serde_json::{Value, json};

use crate::screen::{Place, Screen};

const KEY: &str = "sk-planted-wizard-77aa55cc33";

/// Where a user sits: sees what is shown, and types.
pub(crate) trait Seat {
    /// Waits until all of these are shown, and returns what is shown.
    async fn wait(&mut self, texts: &[&str]) -> String;

    /// Types a text.
    fn typed(&mut self, text: &str);

    /// Whether a text is shown in a colour, as a number of SGR.
    fn is_shown_in(&mut self, text: &str, colour: &str) -> bool;

    /// Waits for the end, and returns the exit code.
    async fn exit_code(&mut self) -> Option<i32>;
}

impl Seat for Screen {
    async fn wait(&mut self, texts: &[&str]) -> String {
        Self::wait(self, texts)
    }

    fn typed(&mut self, text: &str) {
        Self::typed(self, text);
    }

    fn is_shown_in(&mut self, text: &str, colour: &str) -> bool {
        self.raw().contains(&format!("\x1b[0;{colour}m{text}"))
    }

    async fn exit_code(&mut self) -> Option<i32> {
        self.ended().code()
    }
}

/// The colours of a diff, as numbers of SGR.
const RED: &str = "31";
const GREEN: &str = "32";

/// The texts of one language.
pub(crate) struct Words {
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

pub(crate) const CHINESE: Words = Words {
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

pub(crate) const ENGLISH: Words = Words {
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

/// A home without a key, and a project with a fault that the model mends.
pub(crate) async fn place(words: &Words) -> Place {
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
    fs::write(home.join(".xcode/config.json"), settings.to_string()).unwrap();
    place
}

/// From the wizard to the answer.
pub(crate) async fn play(place: &Place, seat: &mut impl Seat, words: &Words) {
    let shown = seat.wait(&[words.provider, words.no_key, "Welcome to X-Code!"]).await;
    for name in ["Anthropic (Claude)", "OpenAI (GPT)", "Moonshot AI（Kimi）"] {
        assert!(shown.contains(name), "{shown}");
    }
    seat.typed("\x1b[B\x1b[B\x1b[B\x1b[B");
    seat.wait(&["❯ 5. DeepSeek"]).await;
    seat.typed("\r");
    seat.wait(&[words.key, words.page]).await;
    seat.typed(&format!("\x1b[200~{KEY}\x1b[201~"));
    let shown = seat.wait(&["> sk-***"]).await;
    assert!(!shown.contains("planted"), "the key is shown: {shown}");
    seat.typed("\r");
    seat.wait(&[words.model, words.recommended, "2. deepseek-reasoner"]).await;
    seat.typed("\r");
    seat.wait(&[words.saved, words.variable, words.ready, "deepseek:deepseek-chat"]).await;
    let file = place.folder.home().join(".xcode/config.json");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let saved: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(saved["providers"]["deepseek"]["apiKey"], KEY);
    assert_eq!(saved["model"], "deepseek:deepseek-chat");

    seat.typed("make it add");
    // The text is there before Enter is: both at once could be a paste.
    seat.wait(&["> make it add"]).await;
    seat.typed("\r");
    let shown = seat.wait(&[words.permit, words.class, "✓ readFile add.sh"]).await;
    assert!(shown.contains("-echo $(($1 - $2))\n+echo $(($1 + $2))"), "{shown}");
    assert!(seat.is_shown_in("-echo $(($1 - $2))", RED), "what goes is not red");
    assert!(seat.is_shown_in("+echo $(($1 + $2))", GREEN), "what comes is not green");
    seat.typed("y");
    seat.wait(&["✓ edit add.sh", "shell [", words.permit]).await;
    assert_eq!(place.read("add.sh"), "echo $(($1 + $2))\n");
    seat.typed("y");
    let shown = seat.wait(&["│ 5\n", "它现在做加法。", words.changed, " tokens <$0.01"]).await;
    assert!(shown.contains("deepseek:deepseek-chat"), "{shown}");
    seat.typed("\x04");
    assert_eq!(seat.exit_code().await, Some(0));
}

async fn first_run(words: &Words) {
    let place = place(words).await;
    let mut screen = place.start(&[]);
    play(&place, &mut screen, words).await;
    assert!(!screen.raw().contains("planted"), "the key was written to the terminal");
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

/// XC-190: the demo's last part is a conversation at the terminal, for who wants it.
#[tokio::test(flavor = "multi_thread")]
async fn the_demo_ends_with_a_conversation_at_the_terminal() {
    let place = Place::with_turns([]).await.without_key("C.UTF-8");
    let mut screen = place.start(&["demo"]);
    screen.wait(&["All of it was seen", "Press Enter to begin"]);
    screen.typed("\r");
    let shown = screen.wait(&[ENGLISH.permit, "> The test fails.", "custom:scripted"]);
    assert!(shown.contains("shell ["), "{shown}");
    screen.typed("y");
    screen.wait(&[ENGLISH.class, "+echo $(($1 + $2))", ENGLISH.permit]);
    screen.typed("y");
    // The first question about a command is on the screen still: only the third one's own words tell that it is open.
    screen.wait(&["✓ edit add.sh", ENGLISH.permit]);
    screen.typed("y");
    screen.wait(&["and the test passes.", "Changed: add.sh", "Ask something"]);
    screen.typed("\x04");
    assert_eq!(screen.ended().code(), Some(0));
    assert!(screen.raw().contains("exit code 0: test passed"), "{}", screen.raw());
    assert_eq!(fs::read_dir(place.folder.temp()).unwrap().count(), 0, "the demo leaves a folder");
    assert_eq!(place.mock.request_count(), 0, "the demo asked another model");
}

/// Who does not want it is done.
#[tokio::test(flavor = "multi_thread")]
async fn the_demo_ends_without_a_conversation_where_none_is_wanted() {
    for answer in ["q\r", "\x04"] {
        let place = Place::with_turns([]).await.without_key("C.UTF-8");
        let mut screen = place.start(&["demo"]);
        screen.wait(&["Press Enter to begin"]);
        screen.typed(answer);
        let code = screen.left().code();
        assert_eq!(code, Some(0), "{answer:?}");
        assert!(!screen.raw().contains("\x1b[?2004h"), "a conversation began");
    }
}
