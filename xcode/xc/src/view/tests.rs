//! Each component at 20, 80 and 160 cells, with Chinese, emoji and combining marks. A snapshot shows each row between
//! bars, so that what is too wide or too narrow is seen; `^` stands below the cursor.

use std::collections::BTreeSet;
use std::time::Duration;

use ratatui_core::text::Line;
use unicode_width::UnicodeWidthStr as _;

use super::call::{self, Call, State};
use super::diff::{Hunk, Sign};
use super::editor::{Editor, Outcome};
use super::field::{Field, Shown as How};
use super::permission::{Asked, Decided, Permission, Subject, Words};
use super::select::{Chosen, Item, Select};
use super::status_bar::{self, Status};
use super::{message, output, spinner, wizard};
use crate::terminal::{Code, Key, wrapped};

const WIDTHS: [u16; 3] = [20, 80, 160];

/// Chinese, emoji of several characters, marks, Arabic, a tab.
const MIXED: &str = "用户 naïve cafe\u{301} 👩‍💻🇩🇪 नमस्ते مرحبا\tend";

type Shown = (Vec<Line<'static>>, Option<(usize, usize)>);

/// A component's rows at each width. None is wider than the terminal.
fn at_each_width(mut component: impl FnMut(u16) -> Shown) -> String {
    let mut text = String::new();
    for columns in WIDTHS {
        let (lines, cursor) = component(columns);
        text.push_str(&format!("--- {columns}\n"));
        for (place, line) in lines.iter().enumerate() {
            let shown = line.to_string();
            assert!(shown.width() <= usize::from(columns), "{columns}: {shown:?}");
            let gap = " ".repeat(usize::from(columns) - shown.width());
            text.push_str(&format!("|{shown}{gap}|\n"));
            if let Some((row, column)) = cursor
                && row == place
            {
                assert!(column < usize::from(columns), "the cursor is behind the row");
                text.push_str(&format!(" {}^\n", " ".repeat(column)));
            }
        }
    }
    text
}

/// Finished lines are as wide as they are: shown as the terminal wraps them.
fn finished(lines: &[Line<'static>]) -> String {
    at_each_width(|columns| (lines.iter().flat_map(|line| wrapped(line, columns)).collect(), None))
}

fn rows(lines: Vec<Line<'static>>) -> Shown {
    (lines, None)
}

#[test]
fn messages() {
    let mut lines = message::user(&format!("{MIXED}\n\nsecond line"));
    lines.extend(message::note("a note"));
    lines.extend(message::failure("it failed: 网络"));
    insta::assert_snapshot!("messages", finished(&lines));
}

fn calls() -> Vec<Call> {
    let call =
        |argument: &str, state| Call { tool: "shell".into(), argument: argument.into(), state };
    let long =
        format!("cargo test --package xc -- {MIXED} \x1b[31m\nsecond line {}", "x".repeat(90));
    vec![
        call("ls", State::Waiting),
        call(&long, State::Running(Duration::from_millis(3_240))),
        call(&long, State::Done(Duration::from_millis(340))),
        call("make 构建", State::Failed("exit code 2".into(), Duration::from_secs(125))),
        call("rm -r x", State::Denied("Permission denied by user.".into())),
        call("", State::Done(Duration::ZERO)),
    ]
}

#[test]
fn tool_calls() {
    let live = |columns| rows(calls().iter().map(|call| call::live(call, columns)).collect());
    insta::assert_snapshot!(
        "tool_calls_live",
        at_each_width(|columns| {
            let (lines, cursor) = live(columns);
            // What is not the argument is never cut: the terminal wraps it.
            (lines.iter().flat_map(|line| wrapped(line, columns)).collect(), cursor)
        })
    );
    let lines: Vec<_> = calls().iter().map(call::finished).collect();
    insta::assert_snapshot!("tool_calls_finished", finished(&lines));
}

#[test]
fn shell_output() {
    let mut output = output::Output::new(5);
    for line in 1..=8 {
        output.push(&format!("line {line}\r\n"));
    }
    output.push(&format!("{MIXED} {MIXED}\n"));
    output.push("10 %\r50 %\r");
    output.push("\r100 %");
    output.push(" 完成\ncut");
    insta::assert_snapshot!("shell_output", at_each_width(|columns| rows(output.lines(columns))));
}

#[test]
fn output_shows_a_progress_bar_as_one_line_however_it_is_cut() {
    let lines = |pieces: &[&str]| -> Vec<String> {
        let mut output = output::Output::new(3);
        pieces.iter().for_each(|piece| output.push(piece));
        output.lines(40).iter().map(ToString::to_string).collect()
    };
    for (pieces, shown) in [
        (&["10 %\r20 %\r"][..], &["20 %"][..]),
        (&["10 %\r", "20 %\r", "30"], &["30"]),
        (&["one\r", "\ntwo\r\n", "\n"], &["one", "two", ""]),
        (&["long line\rab"], &["ab"]),
        (&["a\nb\nc\nd\n", "e"], &["... +2", "c", "d", "e"]),
        (&["", "\r\r", "x"], &["x"]),
    ] {
        let shown: Vec<String> = shown.iter().map(|line| format!("  │ {line}")).collect();
        assert_eq!(lines(pieces), shown, "{pieces:?}");
    }
}

#[test]
fn status_bars() {
    let status = |flags: &[&str], cost_usd| Status {
        model: "anthropic:claude-sonnet-4-5".into(),
        tokens: 1_015_650,
        cost_usd,
        cwd: "~/项目/codex-bridge/xcode".into(),
        sandbox: "sandbox: landlock".into(),
        flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
    };
    let all = [
        status(&[], Some(0.084)),
        status(&["plan", "2 queued"], None),
        status(&[], Some(0.001)),
        status(&["用户已经打开计划模式用户已经打开计划模式"], Some(0.0)),
    ];
    let lines =
        |columns| rows(all.iter().map(|status| status_bar::line(status, columns)).collect());
    insta::assert_snapshot!("status_bar", at_each_width(lines));
}

#[test]
fn spinners() {
    let line = |ms, hint| spinner::line("Thinking...", Duration::from_millis(ms), hint);
    let lines = vec![line(0, ""), line(150, ""), line(3_240, "Esc"), line(125_000, "")];
    insta::assert_snapshot!("spinner", finished(&lines));
}

#[test]
fn wizard_box() {
    let text = [
        "未检测到 API Key，请先配置一个模型提供商。",
        "No API key found. Choose a model provider first.",
    ];
    insta::assert_snapshot!(
        "wizard_box",
        at_each_width(|columns| {
            let mut lines = wizard::boxed("Welcome to X-Code!", &text, columns);
            if columns >= 80 {
                lines.push(wizard::answered("选择提供商:", "Alibaba Qwen（通义千问）"));
                lines.push(wizard::done("配置已保存到 ~/.xcode/config.json"));
            }
            rows(lines)
        })
    );
}

const WORDS: Words = Words {
    question: "允许执行吗？ Allow this?",
    yes: "yes",
    session: "yes, for this session",
    no: "no",
    no_because: "no, and say why",
    hunks: "hunk by hunk",
    hunk: "Take hunk",
    lines: "lines",
};

fn asked(tool: &str, subject: Subject) -> Asked {
    Asked {
        tool: tool.into(),
        subject,
        class: "写入".into(),
        is_dangerous: false,
        reasons: Vec::new(),
        is_grantable: true,
    }
}

fn hunk(start: usize, lines: &[(Sign, &str)]) -> Hunk {
    let lines = lines.iter().map(|(sign, text)| (*sign, (*text).to_owned())).collect();
    Hunk { old_start: start, new_start: start, lines }
}

pub(super) fn change() -> Subject {
    let hunks = vec![
        hunk(
            1,
            &[
                (Sign::Same, "fn main() {"),
                (Sign::Old, "\tprintln!(\"hi\");"),
                (Sign::New, "\tprintln!(\"你好 👩‍💻\");"),
                (Sign::Same, "}"),
            ],
        ),
        hunk(40, &[(Sign::Old, "x = 1\u{202e}"), (Sign::New, MIXED)]),
    ];
    Subject::Change { path: "src/主.rs".into(), hunks }
}

fn permission(tool: &str, subject: Subject) -> Permission {
    Permission::new(asked(tool, subject), WORDS)
}

#[test]
fn permission_previews() {
    let command = format!("cargo test 2>&1 | tail -5 # {MIXED}\necho \x1b[2Jdone");
    let mut dangerous = asked("shell", Subject::Command(command));
    dangerous.is_dangerous = true;
    dangerous.class = "危险".into();
    dangerous.reasons = vec!["git.history: rewrites what others have".into()];
    let text: String = (1..=12).map(|line| format!("第 {line} 行\n")).collect();
    let new = Subject::NewFile { path: "docs/新.md".into(), text };
    let lines = [
        Permission::new(dangerous, WORDS).preview(),
        permission("edit", change()).preview(),
        permission("writeFile", new).preview(),
        permission("webFetch", Subject::Other("{\"url\":\"https://a.example/\"}".into())).preview(),
    ];
    insta::assert_snapshot!("permission_preview", finished(&lines.concat()));
}

#[test]
fn permission_questions() {
    let mut whole = permission("edit", change());
    let mut because = permission("shell", Subject::Command("ls".into()));
    because.key(Key::of(Code::Char('w')));
    because.paste(MIXED);
    let mut hunks = permission("edit", change());
    hunks.key(Key::of(Code::Char('h')));
    whole.key(Key::of(Code::Enter));
    for (name, permission) in
        [("permission_whole", whole), ("permission_because", because), ("permission_hunks", hunks)]
    {
        let lines = at_each_width(|columns| {
            let (lines, cursor) = permission.lines(columns);
            // A hunk's lines are the file's: the terminal's rows are cut from them.
            let lines = lines.iter().flat_map(|line| wrapped(line, columns)).collect();
            (lines, cursor)
        });
        insta::assert_snapshot!(name, lines);
    }
}

pub(super) fn select() -> Select {
    let item = |label: &str, description: &str| Item {
        label: label.into(),
        description: description.into(),
    };
    let items = vec![
        item("Rust", "fast, and the borrow checker has opinions"),
        item("通义千问", MIXED),
        item("plain", ""),
    ];
    Select::new(
        "? 选择语言: which one shall it be for the new tool?",
        items,
        Some("其他（自定义输入）"),
        "↑↓ 移动  Enter 确认",
    )
}

#[test]
fn selects() {
    insta::assert_snapshot!("select_items", at_each_width(|columns| select().lines(columns)));
    let mut own = select();
    own.key(Key::of(Code::Up));
    insta::assert_snapshot!("select_own", at_each_width(|columns| own.lines(columns)));
    own.paste(&format!("{MIXED} {MIXED}"));
    insta::assert_snapshot!("select_own_words", at_each_width(|columns| own.lines(columns)));
    insta::assert_snapshot!("select_plain", finished(&select().asked()));
}

#[test]
fn inputs() {
    let shown = |editor: &mut Editor| {
        at_each_width(|columns| {
            let (lines, cursor) = editor.lines(columns, 8, "Ask anything 请输入");
            (lines, Some(cursor))
        })
    };
    let mut editor = Editor::new(vec!["earlier 早先".into()]);
    insta::assert_snapshot!("input_empty", shown(&mut editor));
    editor.paste(&format!("{MIXED}\n{MIXED} {MIXED}"));
    editor.key(Key::of(Code::Left));
    insta::assert_snapshot!("input_lines", shown(&mut editor));
    editor.clear();
    editor.paste(&"第一行 first line\n".repeat(60));
    editor.paste("typed behind 之后");
    insta::assert_snapshot!("input_paste", shown(&mut editor));
    editor.clear();
    editor.paste("look at @src/");
    editor.offer(vec!["src/主.rs".into(), "src/main.rs".into(), "src/lib.rs".into()]);
    assert_eq!(editor.key(Key::of(Code::Tab)), Outcome::Edited);
    insta::assert_snapshot!("input_completion", shown(&mut editor));
    editor.clear();
    editor.key(Key::ctrl('r'));
    editor.paste("早");
    insta::assert_snapshot!("input_search", shown(&mut editor));
}

fn press(permission: &mut Permission, letters: &str) -> Vec<Option<Decided>> {
    letters.chars().map(|letter| permission.key(Key::of(Code::Char(letter)))).collect()
}

#[test]
fn a_letter_decides_and_nothing_else_does() {
    let command = || permission("shell", Subject::Command("ls".into()));
    for (letter, decided) in [
        ('y', Some(Decided::Once)),
        ('Y', Some(Decided::Once)),
        ('s', Some(Decided::Session)),
        ('n', Some(Decided::No(None))),
        ('h', None),
        ('x', None),
    ] {
        assert_eq!(command().key(Key::of(Code::Char(letter))), decided, "{letter}");
    }
    for key in [Key::of(Code::Enter), Key::of(Code::Esc), Key::ctrl('y'), Key::of(Code::Tab)] {
        assert_eq!(command().key(key), None, "{key:?}");
    }
    let mut once = asked("shell", Subject::Command("ls".into()));
    once.is_grantable = false;
    assert_eq!(Permission::new(once, WORDS).key(Key::of(Code::Char('s'))), None);
    let mut because = command();
    press(&mut because, "wnot yet");
    assert_eq!(because.key(Key::of(Code::Enter)), Some(Decided::No(Some("not yet".into()))));
}

#[test]
fn hunks_are_taken_one_by_one() {
    let none = Decided::No(None);
    for (letters, decided) in [
        ("hyn", Decided::Hunks(BTreeSet::from([0]))),
        ("hny", Decided::Hunks(BTreeSet::from([1]))),
        ("hyy", Decided::Once),
        ("hnn", none),
    ] {
        let mut permission = permission("edit", change());
        let last = press(&mut permission, letters).pop().flatten();
        assert_eq!(last, Some(decided), "{letters}");
    }
}

#[test]
fn a_plain_line_answers_as_the_keys_do() {
    for (line, decided) in [
        ("y", Some(Decided::Once)),
        (" N ", Some(Decided::No(None))),
        ("n use rg", Some(Decided::No(Some("use rg".into())))),
        ("yes please", None),
        ("", None),
        ("yn", None),
    ] {
        assert_eq!(permission("edit", change()).line(line), decided, "{line:?}");
    }
    for (line, chosen) in [
        ("2", Some(Chosen::Item(1))),
        ("plain", Some(Chosen::Item(2))),
        ("0", Some(Chosen::Own("0".into()))),
        ("4", None),
        ("Go, of course", Some(Chosen::Own("Go, of course".into()))),
        ("", None),
    ] {
        assert_eq!(select().line(line), chosen, "{line:?}");
    }
}

#[test]
fn arrows_choose_and_the_last_row_takes_own_words() {
    let enter = Key::of(Code::Enter);
    let go = |keys: &[Code]| {
        let mut select = select();
        keys.iter().for_each(|code| assert_eq!(select.key(Key::of(*code)), None));
        select
    };
    assert_eq!(go(&[]).key(enter), Some(Chosen::Item(0)));
    assert_eq!(go(&[Code::Down, Code::Down]).key(enter), Some(Chosen::Item(2)));
    assert_eq!(go(&[Code::Char('2')]).key(enter), Some(Chosen::Item(1)));
    assert_eq!(go(&[Code::Up]).key(enter), None, "own words are wanted");
    let mut own = go(&[Code::Up, Code::Char('G'), Code::Char('o'), Code::Char('1')]);
    assert_eq!(own.key(enter), Some(Chosen::Own("Go1".into())));
    assert_eq!(go(&[Code::Up, Code::Down]).key(enter), Some(Chosen::Item(0)), "round");
}

#[test]
fn a_key_is_masked_whatever_its_length() {
    for (typed, shown) in [("", ""), ("sk-1", "***"), ("sk-ant-0123456789abcdef", "sk-***")] {
        let mut field = Field::new(How::Masked);
        field.paste(typed);
        let (line, cursor) = field.line("? ", 80);
        assert_eq!((line.to_string(), cursor), (format!("? {shown}"), 2 + shown.len()));
        assert_eq!(field.text(), typed);
    }
}
