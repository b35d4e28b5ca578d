//! The chat input, key by key.

use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation as _;

use super::super::buffer::Atom;
use super::{Editor, Kind, Outcome};
use crate::terminal::{Code, Key};

fn editor() -> Editor {
    Editor::new(Vec::new())
}

fn type_in(editor: &mut Editor, text: &str) {
    for letter in text.chars() {
        let key = if letter == '\n' { Key::ctrl('j') } else { Key::of(Code::Char(letter)) };
        assert_eq!(editor.key(key), Outcome::Edited);
    }
}

fn keys(editor: &mut Editor, keys: &[Key]) {
    for key in keys {
        editor.key(*key);
    }
}

/// The rows with `|` where the cursor is.
fn shown(editor: &mut Editor, columns: u16) -> Vec<String> {
    let (lines, (row, column)) = editor.lines(columns, 100, "");
    let mut rows: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let mut used = 0;
    let at = rows[row].grapheme_indices(true).find(|(_, symbol)| {
        let is_at = used >= column;
        used += unicode_width::UnicodeWidthStr::width(*symbol);
        is_at
    });
    let at = at.map_or(rows[row].len(), |(at, _)| at);
    rows[row].insert(at, '|');
    rows
}

const UP: Key = Key::of(Code::Up);
const DOWN: Key = Key::of(Code::Down);
const LEFT: Key = Key::of(Code::Left);
const ENTER: Key = Key::of(Code::Enter);
const TAB: Key = Key::of(Code::Tab);
const BACKSPACE: Key = Key::of(Code::Backspace);

#[test]
fn enter_sends_and_alt_or_shift_enter_begin_a_line() {
    let mut editor = editor();
    type_in(&mut editor, "one");
    assert_eq!(editor.key(Key { alt: true, ..ENTER }), Outcome::Edited);
    type_in(&mut editor, "two");
    assert_eq!(editor.key(Key { shift: true, ..ENTER }), Outcome::Edited);
    type_in(&mut editor, "three");
    assert_eq!(shown(&mut editor, 20), ["> one", "  two", "  three|"]);
    assert_eq!(editor.key(ENTER), Outcome::Send("one\ntwo\nthree".into()));
    assert!(editor.is_empty());
    assert_eq!(editor.key(ENTER), Outcome::Edited, "nothing is not sent");
    type_in(&mut editor, " \n ");
    assert_eq!(editor.key(ENTER), Outcome::Edited, "blanks are not sent");
    editor.clear();
    type_in(&mut editor, "now");
    assert_eq!(editor.key(Key { ctrl: true, ..ENTER }), Outcome::Steer("now".into()));
}

#[test]
fn the_keys_of_shells_edit_the_line() {
    let ctrl = Key::ctrl;
    for (typed, pressed, rows) in [
        ("ab cd", &[ctrl('a')][..], &["> |ab cd"][..]),
        ("ab cd", &[ctrl('a'), ctrl('e')], &["> ab cd|"]),
        ("ab cd", &[LEFT, ctrl('k')], &["> ab c|"]),
        ("ab cd", &[LEFT, ctrl('u')], &["> |d"]),
        ("ab c-d ", &[ctrl('w')], &["> ab |"]),
        ("ab c-d", &[Key { alt: true, ..BACKSPACE }], &["> ab c-|"]),
        ("ab cd", &[ctrl('w'), ctrl('y'), ctrl('y')], &["> ab cdcd|"]),
        ("ab\ncd", &[ctrl('u'), ctrl('u')], &["> ab", "  |"]),
        ("ab\ncd", &[ctrl('a'), BACKSPACE], &["> ab|cd"]),
        ("ab\ncd", &[ctrl('a'), LEFT, ctrl('k')], &["> ab|cd"]),
        ("abc", &[LEFT, LEFT, Key::of(Code::Delete)], &["> a|c"]),
        ("abc", &[LEFT, ctrl('d')], &["> ab|"]),
        ("ab cd", &[Key { ctrl: true, ..LEFT }], &["> ab |cd"]),
        ("ab cd", &[Key { alt: true, ..Key::of(Code::Char('b')) }], &["> ab |cd"]),
        ("ab\ncde", &[UP], &["> ab|", "  cde"]),
        ("abc\nd\nefg", &[UP, UP, DOWN], &["> abc", "  d|", "  efg"]),
        ("ab\ncd", &[Key { ctrl: true, ..Key::of(Code::Home) }], &["> |ab", "  cd"]),
    ] {
        let mut editor = editor();
        type_in(&mut editor, typed);
        keys(&mut editor, pressed);
        assert_eq!(shown(&mut editor, 40), rows, "{typed:?} {pressed:?}");
    }
}

#[test]
fn arrows_and_backspace_step_over_graphemes() {
    for text in ["e\u{301}", "漢", "👩‍💻", "🇩🇪", "न\u{93f}"] {
        let mut editor = editor();
        type_in(&mut editor, &format!("a{text}b"));
        keys(&mut editor, &[LEFT, LEFT]);
        assert_eq!(shown(&mut editor, 40), [format!("> a|{text}b")]);
        keys(&mut editor, &[Key::of(Code::Right), BACKSPACE]);
        assert_eq!(editor.text(), "ab", "{text}");
    }
}

#[test]
fn keys_that_are_not_for_the_input_are_the_programs() {
    let mut editor = editor();
    let shift_tab = Key { shift: true, ..TAB };
    for key in [Key::of(Code::Esc), Key::ctrl('c'), Key::ctrl('d'), Key::ctrl('o'), shift_tab] {
        assert_eq!(editor.key(key), Outcome::Ignored, "{key:?}");
    }
    type_in(&mut editor, "x");
    assert_eq!(editor.key(Key::ctrl('d')), Outcome::Edited, "it deletes where there is a text");
    assert_eq!(editor.key(Key::ctrl('c')), Outcome::Ignored);
}

#[test]
fn up_recalls_and_down_comes_back_to_what_was_typed() {
    let mut editor = Editor::new(vec!["first".into(), "two\nlines".into()]);
    type_in(&mut editor, "new");
    keys(&mut editor, &[UP]);
    assert_eq!(editor.text(), "two\nlines");
    keys(&mut editor, &[UP]);
    assert_eq!(shown(&mut editor, 40), ["> two|", "  lines"], "first within it");
    keys(&mut editor, &[UP, UP, UP]);
    assert_eq!(editor.text(), "first");
    keys(&mut editor, &[DOWN, DOWN]);
    assert_eq!(editor.text(), "new");
    keys(&mut editor, &[DOWN]);
    assert_eq!(editor.text(), "new");
    assert_eq!(editor.key(ENTER), Outcome::Send("new".into()));
    keys(&mut editor, &[UP]);
    assert_eq!(editor.text(), "new", "what was sent is the newest");
}

#[test]
fn a_search_finds_older_inputs_and_sends_none_unseen() {
    let history = ["fix the parser", "run tests", "Fix the lexer"].map(str::to_owned);
    let mut editor = Editor::new(history.to_vec());
    type_in(&mut editor, "draft");
    keys(&mut editor, &[Key::ctrl('r')]);
    type_in(&mut editor, "fix");
    assert_eq!(shown(&mut editor, 60), ["(history) fix|: Fix the lexer"]);
    keys(&mut editor, &[Key::ctrl('r')]);
    assert_eq!(shown(&mut editor, 60), ["(history) fix|: fix the parser"]);
    keys(&mut editor, &[Key::ctrl('r')]);
    assert_eq!(shown(&mut editor, 60), ["(history) fix|: fix the parser"], "it is the last one");
    assert_eq!(editor.key(ENTER), Outcome::Edited);
    assert_eq!(editor.text(), "fix the parser");
    keys(&mut editor, &[Key::ctrl('r')]);
    type_in(&mut editor, "run");
    keys(&mut editor, &[Key::of(Code::Esc)]);
    assert_eq!(editor.text(), "fix the parser", "Esc leaves what was there");
    keys(&mut editor, &[Key::ctrl('r')]);
    type_in(&mut editor, "nothing like it");
    keys(&mut editor, &[ENTER]);
    assert_eq!(editor.text(), "fix the parser", "nothing was found");
}

#[test]
fn tab_completes_a_command_at_the_start_and_a_reference_anywhere() {
    let mut editor = editor();
    type_in(&mut editor, "/mo");
    assert_eq!(editor.completing(), Some((Kind::Command, "mo".into())));
    editor.offer(vec!["model".into()]);
    keys(&mut editor, &[TAB]);
    assert_eq!(editor.text(), "/model ");
    assert_eq!(editor.completing(), None);
    type_in(&mut editor, "see /mo");
    assert_eq!(editor.completing(), None, "a path, not a command");
    type_in(&mut editor, " @src/m");
    assert_eq!(editor.completing(), Some((Kind::Reference, "src/m".into())));
    editor.offer(vec!["src/main.rs".into(), "src/mail.rs".into(), "src/ma/".into()]);
    keys(&mut editor, &[TAB]);
    assert!(editor.text().ends_with("@src/ma"), "what all have in common: {}", editor.text());
    keys(&mut editor, &[TAB]);
    assert!(editor.text().ends_with("@src/main.rs"));
    keys(&mut editor, &[TAB]);
    assert!(editor.text().ends_with("@src/mail.rs"));
    keys(&mut editor, &[TAB, TAB]);
    assert!(editor.text().ends_with("@src/main.rs"), "round");
    keys(&mut editor, &[BACKSPACE]);
    let (lines, _) = editor.lines(80, 10, "");
    assert_eq!(lines.len(), 1, "another key forgets what was offered");
    keys(&mut editor, &[TAB]);
    assert!(editor.text().ends_with("@src/main.r"), "without an offer nothing happens");
}

#[test]
fn a_paste_of_500_characters_is_typed_and_one_of_501_is_one_thing() {
    let mut editor = editor();
    editor.paste(&"x".repeat(500));
    keys(&mut editor, &[BACKSPACE]);
    assert_eq!(editor.text().len(), 499);
    editor.clear();
    editor.paste(&"漢\n".repeat(251));
    assert_eq!(shown(&mut editor, 40), ["> 漢", "  漢", "  漢", "  ... (502 characters)|"]);
    type_in(&mut editor, "!");
    keys(&mut editor, &[LEFT, LEFT]);
    type_in(&mut editor, "?");
    assert_eq!(editor.text(), format!("?{}!", "漢\n".repeat(251)));
    keys(&mut editor, &[Key::of(Code::Right), BACKSPACE]);
    assert_eq!(editor.text(), "?!", "it is deleted whole");
}

#[test]
fn only_the_rows_around_the_cursor_are_shown() {
    let mut editor = editor();
    type_in(&mut editor, "1\n2\n3\n4\n5");
    let rows = |editor: &mut Editor| {
        let (lines, cursor) = editor.lines(20, 3, "");
        (lines.iter().map(ToString::to_string).collect::<Vec<_>>(), cursor)
    };
    assert_eq!(rows(&mut editor), (vec!["  3".into(), "  4".into(), "  5".into()], (2, 3)));
    keys(&mut editor, &[UP, UP, UP, UP]);
    assert_eq!(rows(&mut editor), (vec!["> 1".into(), "  2".into(), "  3".into()], (0, 3)));
}

/// What a user does.
#[derive(Debug, Clone)]
enum Act {
    Press(Key),
    Paste(String),
    Offer(Vec<String>),
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("a"),
        Just(" "),
        Just("\n"),
        Just("\t"),
        Just("漢"),
        Just("e\u{301}"),
        Just("\u{301}"),
        Just("👩‍💻"),
        Just("\u{200d}"),
        Just("🇩"),
        Just("🇪"),
        Just("न"),
        Just("\u{93f}"),
        Just("@"),
        Just("/"),
        Just("\x1b"),
        Just("ᄀ"),
        Just("ᅡ"),
        Just("\u{fe0f}"),
        Just("مر"),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

fn act() -> impl Strategy<Value = Act> {
    let code = prop_oneof![
        8 => any::<char>().prop_map(Code::Char),
        8 => prop::sample::select("aekuwyrdbjhf @/漢\u{301}".chars().collect::<Vec<_>>()).prop_map(Code::Char),
        6 => prop::sample::select(vec![
            Code::Tab, Code::Backspace, Code::Delete, Code::Esc, Code::Up, Code::Down, Code::Left, Code::Right, Code::Home,
            Code::End, Code::PageUp, Code::PageDown, Code::Enter,
        ]),
    ];
    let key = (code, any::<bool>(), any::<bool>(), any::<bool>())
        .prop_map(|(code, ctrl, alt, shift)| Act::Press(Key { code, ctrl, alt, shift }));
    let plain = text().prop_flat_map(|text| {
        let chars: Vec<char> = text.chars().collect();
        prop::sample::select(if chars.is_empty() { vec!['x'] } else { chars })
    });
    prop_oneof![
        6 => key,
        6 => plain.prop_map(|char| Act::Press(Key::of(Code::Char(char)))),
        2 => text().prop_map(Act::Paste),
        1 => text().prop_map(|text| Act::Paste(text.repeat(40))),
        1 => prop::collection::vec(text(), 0..4).prop_map(Act::Offer),
    ]
}

/// Each run of typed text is cut where Unicode cuts it, so the cursor stands on a border.
fn is_cut_at_graphemes(editor: &Editor) -> bool {
    let buffer = &editor.typing.buffer;
    let is_pasted = |atom: &Atom| matches!(atom, Atom::Pasted(_));
    buffer.cursor() <= buffer.atoms().len()
        && buffer.atoms().split(is_pasted).all(|run| {
            let text: String = run.iter().map(Atom::text).collect();
            text.graphemes(true).eq(run.iter().map(Atom::text))
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Any keys and pastes: no panic, the cursor on the border of a grapheme and inside of what is shown.
    #[test]
    fn any_keys_leave_the_cursor_at_the_border_of_a_grapheme(
        acts in prop::collection::vec(act(), 0..60),
        columns in prop::sample::select(vec![1_u16, 2, 3, 7, 20, 80]),
    ) {
        let mut editor = Editor::new(vec!["earlier".into(), "漢\ne\u{301}".into()]);
        for act in acts {
            match act {
                Act::Press(key) => drop(editor.key(key)),
                Act::Paste(text) => editor.paste(&text),
                Act::Offer(offer) => editor.offer(offer),
            }
            prop_assert!(is_cut_at_graphemes(&editor));
            let (lines, (row, column)) = editor.lines(columns, 5, "hint");
            prop_assert!(row < lines.len());
            prop_assert!(columns < 7 || column < usize::from(columns), "{column} of {columns}");
        }
    }

    /// What is sent is what was typed and pasted, character for character.
    #[test]
    fn what_is_sent_is_what_was_typed(parts in prop::collection::vec((text(), any::<bool>(), 1_usize..40), 1..8)) {
        let mut editor = Editor::new(Vec::new());
        let mut expected = String::new();
        for (text, is_pasted, times) in parts {
            if is_pasted {
                let text = text.repeat(times);
                editor.paste(&text);
                expected.push_str(&text);
            } else {
                for letter in text.chars() {
                    editor.key(if letter == '\n' { Key { alt: true, ..ENTER } } else { Key::of(Code::Char(letter)) });
                }
                expected.push_str(&text);
            }
        }
        prop_assert_eq!(editor.text(), expected.clone());
        let sent = if expected.trim().is_empty() { Outcome::Edited } else { Outcome::Send(expected) };
        prop_assert_eq!(editor.key(ENTER), sent);
    }
}
