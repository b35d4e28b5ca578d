//! Frames, as two terminal emulators show them: one wraps its rows anew on a resize (avt), one cuts them (vt100).

use std::num::NonZero;

use proptest::prelude::*;
use ratatui_core::style::Stylize as _;
use ratatui_core::text::Line;

use super::{Painter, Reflow};
use crate::terminal::screen::{ERASE, Live, Pointer, Size};
use crate::terminal::sgr::Colours;

fn size(columns: u16, rows: u16) -> Size {
    Size { columns, rows }
}

fn lines(texts: &[&str]) -> Vec<Line<'static>> {
    texts.iter().map(|text| Line::from((*text).to_owned())).collect()
}

fn live(texts: &[&str], cursor: Option<(usize, usize)>) -> Live {
    Live { lines: lines(texts), cursor, ..Live::default() }
}

fn painter(reflow: Reflow) -> Painter {
    Painter::new(Colours::On, reflow)
}

/// A terminal that keeps everything and wraps its rows anew on a resize.
struct Emulator {
    terminal: avt::Terminal,
    size: Size,
}

impl Emulator {
    fn new(size: Size) -> Self {
        let terminal = avt::Terminal::with_scrollback(size.columns.into(), size.rows.into(), None);
        Self { terminal: terminal.unwrap(), size }
    }

    fn feed(&mut self, text: &str) {
        self.terminal.feed(text);
    }

    fn resize(&mut self, size: Size) {
        self.terminal.resize(size.columns.into(), size.rows.into());
        self.size = size;
    }

    /// All logical lines down to the last one that shows something.
    fn text(&self) -> Vec<String> {
        let mut text = self.terminal.primary_screen().text();
        while text.last().is_some_and(String::is_empty) {
            text.pop();
        }
        text
    }

    fn cursor(&self) -> (usize, usize) {
        let cursor = self.terminal.cursor();
        (cursor.row, cursor.col)
    }
}

#[test]
fn finished_lines_stand_above_the_region_and_are_written_once() {
    let (mut painter, mut emulator) = (painter(Reflow::Wraps), Emulator::new(size(20, 6)));
    let long = "a line that is longer than the terminal is wide";
    emulator.feed(&painter.paint(emulator.size, &[], &live(&["> ", "status"], Some((0, 2)))));
    assert_eq!(emulator.text(), [">", "status"]);
    assert_eq!(emulator.cursor(), (0, 2));
    let frame = painter.paint(
        emulator.size,
        &lines(&["one", long]),
        &live(&["> x", "status"], Some((0, 3))),
    );
    assert!(frame.contains(&format!("one\r\n{long}\r\n")), "as they are: {frame:?}");
    emulator.feed(&frame);
    assert_eq!(emulator.text(), ["one", long, "> x", "status"]);
    assert_eq!(emulator.cursor(), (4, 3));
    let frame = painter.paint(emulator.size, &[], &live(&["> xy", "status"], Some((0, 4))));
    assert!(!frame.contains("one") && !frame.contains("status"), "only what differs: {frame:?}");
    emulator.feed(&frame);
    assert_eq!(emulator.text(), ["one", long, "> xy", "status"]);
    assert_eq!(painter.paint(emulator.size, &[], &live(&["> xy", "status"], Some((0, 4)))), "");
}

#[test]
fn a_frame_is_one_synchronised_update_and_asks_nothing() {
    let mut painter = painter(Reflow::Wraps);
    for texts in [&["a", "b"][..], &["a"], &["a", "c", "d"], &[]] {
        for finished in [&[][..], &["done"]] {
            let frame = painter.paint(size(40, 10), &lines(finished), &live(texts, None));
            if frame.is_empty() {
                continue;
            }
            assert!(
                frame.starts_with("\x1b[?2026h") && frame.ends_with("\x1b[?2026l"),
                "{frame:?}"
            );
            assert!(!frame.contains("\x1b[6n") && !frame.contains("\x1b[c"), "{frame:?}");
            assert!(!frame.contains("\x1b[H") && !frame.contains("\x1b[2J"), "{frame:?}");
        }
    }
}

#[test]
fn a_region_grows_and_shrinks_without_a_rest() {
    let (mut painter, mut emulator) = (painter(Reflow::Wraps), Emulator::new(size(20, 5)));
    let mut frame = |texts: &[&str], cursor| {
        emulator.feed(&painter.paint(emulator.size, &[], &live(texts, cursor)));
        emulator.text()
    };
    for (texts, cursor) in [
        (&["a"][..], None),
        (&["a", "b", "c", "d", "e"], Some((1, 0))),
        (&["x", "d"], Some((1, 1))),
        (&[], None),
        (&["漢字", "e\u{301}", "👩‍💻 x"], Some((2, 4))),
        (&["漢", "e"], Some((0, 2))),
    ] {
        let shown: Vec<String> = frame(texts, cursor);
        let plain = |text: &str| text.replace(['\u{301}', '\u{200d}'], "");
        let expected: Vec<String> = texts.iter().map(|text| plain(text)).collect();
        let shown: Vec<String> = shown.iter().map(|text| plain(text)).collect();
        assert_eq!(shown, expected);
    }
}

#[test]
fn a_region_higher_than_the_terminal_shows_its_lower_part_and_the_cursor() {
    let (mut painter, mut emulator) = (painter(Reflow::Wraps), Emulator::new(size(10, 3)));
    let texts = ["1", "2", "3", "4", "5"];
    emulator.feed(&painter.paint(emulator.size, &lines(&["done"]), &live(&texts, None)));
    assert_eq!(emulator.text(), ["done", "3", "4", "5"]);
    emulator.feed(&painter.paint(emulator.size, &[], &live(&texts, Some((1, 1)))));
    assert_eq!(emulator.text(), ["done", "2", "3", "4"]);
    assert_eq!(emulator.cursor(), (0, 1));
}

#[test]
fn control_characters_of_a_text_never_reach_the_terminal() {
    let (mut painter, mut emulator) = (painter(Reflow::Wraps), Emulator::new(size(40, 6)));
    let evil = "a\x1b]0;title\x07b\x1b[2Jc\x1b[31md\re\x08\u{9b}1mf\u{202e}g\x7f";
    let frame = painter.paint(emulator.size, &lines(&[evil]), &live(&[evil, evil], None));
    let escapes: Vec<&str> = frame.split('\x1b').skip(1).collect();
    let is_ours = |escape: &&str| {
        ["[?2026", "[?25", "[?7", "[J", "[K", "[1A", "[1B", "[1C", "7", "8"]
            .iter()
            .any(|own| escape.starts_with(own))
    };
    assert!(escapes.iter().all(is_ours), "{frame:?}");
    assert!(!frame.contains(['\u{9b}', '\u{202e}', '\x08', '\x07', '\x7f']), "{frame:?}");
    emulator.feed(&frame);
    assert_eq!(emulator.text(), ["abcd efg"; 3]);
}

#[test]
fn without_colours_only_weights_are_left() {
    let mut painter = Painter::new(Colours::Off, Reflow::Wraps);
    let finished = [Line::from(vec!["a".red().bold(), "b".blue(), "c".on_green()])];
    let frame = painter.paint(
        size(20, 5),
        &finished,
        &Live { lines: vec!["d".red().into()], ..Live::default() },
    );
    assert!(frame.contains("\x1b[0;1ma\x1b[0mbc\r\n"), "{frame:?}");
    assert!(frame.contains("\x1b[?7ld\x1b[?7h"), "{frame:?}");
    let mut painter = Painter::new(Colours::On, Reflow::Wraps);
    let frame = painter.paint(size(20, 5), &finished, &Live::default());
    assert!(frame.contains("\x1b[0;1;31ma\x1b[0;34mb\x1b[0;42mc\x1b[0m\r\n"), "{frame:?}");
}

/// A prose line of mixed scripts; no two neighbours are spaces, and none is at an end.
fn prose() -> impl Strategy<Value = String> {
    let word = prop_oneof!["[a-z]{1,12}", "[漢字表示例文]{1,8}", "[😀🚀🎉]{1,2}"];
    prop::collection::vec(word, 0..40).prop_map(|words| words.join(" "))
}

/// Wide enough for the region below to fit after any step.
fn any_size() -> impl Strategy<Value = Size> {
    (40_u16..=160, 24_u16..=50).prop_map(|(columns, rows)| Size { columns, rows })
}

/// The first line that is not as expected, with the expected one. The emulator pads a row where a wide character has no
/// room, and keeps the padding when it joins rows again: spaces do not count.
fn difference(emulator: &Emulator, expected: &[String]) -> Option<(String, String)> {
    let squeeze = |lines: &[String]| -> Vec<String> {
        lines.iter().map(|line| line.replace(' ', "")).collect()
    };
    let (mut shown, mut expected) = (squeeze(&emulator.text()), squeeze(expected));
    let lines = shown.len().max(expected.len());
    // A line that is missing differs from each that is there.
    shown.resize(lines, "(no line)".to_owned());
    expected.resize(lines, "(no line)".to_owned());
    shown.into_iter().zip(expected).find(|(shown, expected)| shown != expected)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// 200 resizes while an answer is streamed: no line is lost, doubled, cut or wrapped, and nothing of the region stays.
    #[test]
    fn two_hundred_resizes_during_a_stream_leave_a_clean_scrollback(
        steps in prop::collection::vec((prose(), any_size(), any_size(), 0_usize..3, any::<bool>()), 200),
        reflow_cursor in 0_usize..30,
    ) {
        let first = size(100, 30);
        let (mut painter, mut emulator) = (painter(Reflow::Wraps), Emulator::new(first));
        // The region is at the bottom of a full screen. On one that is not full, the emulator scrolls what becomes longer
        // out at the top instead of using the empty rows below, and of the region what is there.
        let mut expected: Vec<String> = (0..50).map(|number| format!("line {number}")).collect();
        let full: Vec<Line<'static>> = expected.iter().map(|line| Line::from(line.clone())).collect();
        emulator.feed(&painter.paint(emulator.size, &full, &Live::default()));
        for (place, (text, one, two, resizes, shows_cursor)) in steps.iter().enumerate() {
            // Of a burst of resizes only the last is painted.
            for to in [one, two].iter().take(*resizes) {
                emulator.resize(**to);
            }
            let columns = usize::from(emulator.size.columns);
            let finished = if place % 3 == 0 { vec![Line::from(text.clone())] } else { Vec::new() };
            if place % 3 == 0 {
                expected.push(text.clone());
            }
            // That padding adds up over several resizes, so rows with wide characters are painted after each.
            let next = steps.get(place + 1).map_or(0, |(_, _, _, resizes, _)| *resizes);
            let is_narrow = |char: &char| next < 2 || char.is_ascii();
            let tail: String = text.chars().filter(is_narrow).take(columns / 2).collect();
            let typed = format!("> {}", "x".repeat(reflow_cursor));
            let status = format!("status {}", "s".repeat(columns.min(60)));
            let cursor = shows_cursor.then_some((2, typed.len()));
            let region = live(&[&tail, "⠋ Thinking... 3.2 s", &typed, &status], cursor);
            let frame = painter.paint(emulator.size, &finished, &region);
            let as_it_is = format!("{ERASE}{text}\r\n");
            prop_assert!(finished.is_empty() || frame.contains(&as_it_is));
            emulator.feed(&frame);
        }
        emulator.feed(&painter.paint(emulator.size, &[], &live(&["END"], None)));
        expected.push("END".to_owned());
        prop_assert_eq!(difference(&emulator, &expected), None);
    }

    /// A terminal has another size before the program knows, and more than once: what was painted for the old size comes when
    /// the rows are wrapped already. Of a region whose cursor is drawn nothing stays all the same, and no line is lost.
    #[test]
    fn frames_that_come_after_a_resize_leave_a_clean_scrollback(
        steps in prop::collection::vec(
            (prose(), any_size(), 0_usize..3, any::<bool>(), 0_usize..4), 200,
        ),
    ) {
        let first = size(100, 30);
        let (mut painter, mut emulator) = (painter(Reflow::Wraps), Emulator::new(first));
        let mut expected: Vec<String> = (0..50).map(|number| format!("line {number}")).collect();
        let full: Vec<Line<'static>> = expected.iter().map(|line| Line::from(line.clone())).collect();
        emulator.feed(&painter.paint(emulator.size, &full, &Live::default()));
        let mut told = first;
        for (text, to, late, is_finished, rows) in &steps {
            emulator.resize(*to);
            if *late == 0 {
                told = *to;
            }
            let finished = if *is_finished { vec![Line::from(text.clone())] } else { Vec::new() };
            if *is_finished {
                expected.push(text.clone());
            }
            let typed = format!("> {}", "x".repeat(*rows * 10));
            let status = format!("status {}", "s".repeat(usize::from(told.columns).min(150)));
            let mut texts = vec!["⠋ Thinking... 3.2 s"; *rows];
            texts.extend([&*typed, &*status]);
            let region = Live { pointer: Pointer::Drawn, ..live(&texts, Some((*rows, typed.len()))) };
            emulator.feed(&painter.paint(told, &finished, &region));
        }
        emulator.feed(&painter.paint(emulator.size, &[], &live(&["END"], None)));
        expected.push("END".to_owned());
        prop_assert_eq!(difference(&emulator, &expected), None);
    }

    /// However a region changes without a resize, the terminal shows it.
    #[test]
    fn any_region_after_any_other_is_shown_whole(
        regions in prop::collection::vec((prop::collection::vec(prose(), 0..4), any::<bool>()), 1..12),
    ) {
        let (mut painter, mut emulator) = (painter(Reflow::Wraps), Emulator::new(size(60, 40)));
        for (texts, shows_cursor) in &regions {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let cursor = (*shows_cursor && !texts.is_empty()).then_some((0, 1));
            emulator.feed(&painter.paint(emulator.size, &[], &live(&texts, cursor)));
            let shown: String = emulator.text().concat().replace(' ', "");
            let wanted: String = texts.concat().replace(' ', "");
            prop_assert_eq!(shown, wanted);
        }
    }
}

/// An empty input in the first row keeps the terminal's own cursor, and is found after a resize as one that is drawn.
#[test]
fn a_cursor_at_the_beginning_of_the_region_is_the_terminals_own() {
    let (mut painter, mut emulator) = (painter(Reflow::Wraps), Emulator::new(size(60, 6)));
    let status = "s".repeat(60);
    let region = live(&["> ", &status], Some((0, 2)));
    emulator.feed(&painter.paint(emulator.size, &lines(&["done"]), &region));
    assert_eq!(emulator.cursor(), (1, 2));
    emulator.resize(size(25, 6));
    emulator.feed(&painter.paint(size(60, 6), &lines(&["late"]), &region));
    emulator.feed(&painter.paint(size(25, 6), &[], &live(&["> "], Some((0, 2)))));
    assert_eq!(emulator.text(), ["done", "late", ">"]);
    assert_eq!(emulator.cursor().1, 2);
}

/// Rows below the cursor are lost in a terminal that becomes lower, and are there again.
#[test]
fn a_region_that_is_painted_again_is_whole_and_stands_once() {
    for cursor in [Some((0, 2)), Some((0, 20)), Some((1, 3)), None] {
        let (mut painter, mut emulator) = (painter(Reflow::Wraps), Emulator::new(size(60, 6)));
        let region = live(&["> what is typed so far", "status", "more"], cursor);
        let finished = lines(&["one", "two", "three"]);
        emulator.feed(&painter.paint(emulator.size, &finished, &region));
        emulator.resize(size(60, 4));
        emulator.resize(size(60, 6));
        emulator.feed(&painter.paint_again());
        let expected = ["one", "two", "three", "> what is typed so far", "status", "more"];
        assert_eq!(emulator.text(), expected, "{cursor:?}");
        assert_eq!(painter.paint(emulator.size, &[], &region), "", "nothing more is to be done");
    }
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

/// A terminal that cuts its rows loses no finished line to a wrong count of the region's rows.
#[test]
fn a_terminal_that_cuts_its_rows_keeps_the_lines_above_the_region() {
    let mut parser = vt100::Parser::new(cells(24), cells(100), 1_000);
    let mut painter = painter(Reflow::Cuts);
    let mut at = size(100, 24);
    let wide = "w".repeat(95);
    for number in 0..60_u16 {
        let finished = lines(&[&format!("line {number}")]);
        let region = live(&[&wide, "> ", &wide], Some((1, 2)));
        parser.process(painter.paint(at, &finished, &region).as_bytes());
        at = size(40 + number * 37 % 61, 24);
        parser.screen_mut().set_size(cells(at.rows), cells(at.columns));
        parser.process(painter.paint(at, &[], &region).as_bytes());
    }
    parser.process(painter.paint(at, &[], &live(&["END"], None)).as_bytes());
    let contents = parser.screen().contents();
    let shown: Vec<&str> = contents.lines().map(str::trim_end).collect();
    let expected: Vec<String> =
        (60 - (shown.len() - 1)..60).map(|number| format!("line {number}")).collect();
    assert_eq!(shown[..shown.len() - 1], expected);
    assert_eq!(shown.last(), Some(&"END"));
}
