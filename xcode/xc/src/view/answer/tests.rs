//! Answers in pieces.

use proptest::prelude::*;

use super::Answer;

fn texts(lines: Vec<ratatui_core::text::Line<'_>>) -> Vec<String> {
    lines.iter().map(ToString::to_string).collect()
}

/// What is finished after each piece, and at the end.
fn streamed(pieces: &[&str]) -> Vec<Vec<String>> {
    let mut answer = Answer::default();
    let mut steps: Vec<_> = pieces.iter().map(|piece| texts(answer.push(piece))).collect();
    steps.push(texts(answer.finish()));
    steps
}

#[test]
fn a_block_is_finished_when_the_next_one_begins() {
    let mut answer = Answer::default();
    assert!(answer.push("One para").is_empty());
    assert!(answer.push("graph\nof two lines.\n\nAnd **an").is_empty());
    assert_eq!(texts(answer.tail(80, 5)), ["One paragraph of two lines.", "", "And **an"]);
    assert_eq!(texts(answer.push("other**\n")), ["One paragraph of two lines."]);
    assert_eq!(texts(answer.tail(80, 5)), ["And another"]);
    assert_eq!(texts(answer.finish()), ["", "And another"]);
    assert!(answer.finish().is_empty(), "it is empty again");
}

#[test]
fn code_is_finished_line_by_line_and_stands_as_it_is() {
    let steps =
        streamed(&["Look:\n```rust\n", "fn main() {\n\tprintln!(\"*x*\");\n", "}\n``", "`\nDone."]);
    let expected: [&[&str]; 5] = [
        &["Look:", "", "[rust]"],
        &["fn main() {", "\tprintln!(\"*x*\");"],
        &["}"],
        &[],
        &["", "Done."],
    ];
    assert_eq!(steps, expected);
}

#[test]
fn a_fence_in_code_and_an_open_end_are_code() {
    let steps = streamed(&["````\n```\nx\n```\n````\n~~~ sh\nls\n"]);
    assert_eq!(steps.concat(), ["```", "x", "```", "", "[sh]", "ls"]);
    assert_eq!(streamed(&["  ```\n    a\n  b\nc"]).concat(), ["  a", "b", "c"]);
}

#[test]
fn the_tail_is_the_last_rows_of_what_is_not_finished() {
    let mut answer = Answer::default();
    answer.push("one two three four 漢字漢字");
    assert_eq!(texts(answer.tail(10, 2)), ["ree four ", "漢字漢字"]);
    assert_eq!(texts(answer.tail(10, 0)), [""; 0]);
}

#[test]
fn blocks_become_logical_lines() {
    let source = "\
# Head *line*

A paragraph
of two lines, 漢字
漢字 and `code`, [a link](https://a.example/) <https://b.example/>.

- one
- two
  1. inner
  2. more

     loose
- [x] done

> quoted
> text
>
> twice

| a | 漢字 |
|---|---|
| long cell | b |

---
last\\
line <b>bold</b>
";
    let lines = streamed(&[source]).concat().join("\n");
    insta::assert_snapshot!("markdown", lines);
}

/// Pieces of Markdown, whole and half ones.
fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("para graph\n"),
        Just("\n"),
        Just("# head\n"),
        Just("- item\n"),
        Just("  more\n"),
        Just("1. one\n"),
        Just("```rs\n"),
        Just("```\n"),
        Just("~~~\n"),
        Just("> quote\n"),
        Just("| a | b |\n|---|---|\n"),
        Just("---\n"),
        Just("    code\n"),
        Just("**bold"),
        Just("`"),
        Just("[x]("),
        Just("漢字"),
        Just("\r\n"),
        Just("<b>\n"),
        Just("\t"),
        Just("[r]: /u\n"),
        Just("\\"),
        Just("==\n"),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// How an answer is cut into deltas does not change what is said of it.
    #[test]
    fn deltas_of_any_size_say_all_the_words(source in markdown(), size in 1_usize..20) {
        let chars: Vec<char> = source.chars().collect();
        let pieces: Vec<String> = chars.chunks(size).map(|chunk| chunk.iter().collect()).collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let (whole, cut) = (streamed(&[&source]).concat().join("\n"), streamed(&pieces).concat().join("\n"));
        for word in ["para", "graph", "head", "item", "more", "quote", "code"] {
            let said = [&whole, &cut, &source].map(|text| text.matches(word).count());
            prop_assert_eq!(said, [said[2]; 3], "{}: {:?} {:?}", word, whole, cut);
        }
    }
}
