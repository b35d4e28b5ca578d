//! What comes in pieces leaves as the whole would: every secret of the corpus, cut at every byte.
//!
//! Secrets lie in pieces in the files and are joined here, so that no scanner stops a push.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::{HELD_MAX, Stream};
use crate::{Cut, Redactor};

const CORPUS: &[&str] = &[
    "dev.jsonl",
    "held.jsonl",
    "formats-seen.jsonl",
    "formats-held.jsonl",
    "spellings-seen.jsonl",
    "spellings-later.jsonl",
    "spellings-held.jsonl",
];

fn texts(name: &str) -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/redact");
    fs::read_to_string(folder.join(name)).expect(name).lines().map(text).collect()
}

/// The text of a line of the corpus with its secrets in their places.
fn text(line: &str) -> String {
    let value: Value = serde_json::from_str(line).expect("JSON");
    let mut text = value["text"].as_str().expect("text").to_owned();
    for parts in value["parts"].as_array().expect("secrets") {
        let parts = parts.as_array().expect("pieces").iter();
        let secret: String = parts.map(|part| part.as_str().expect("a piece")).collect();
        text = text.replacen("{}", &secret, 1);
    }
    text
}

fn stream() -> Stream {
    Stream::new(Redactor::new())
}

fn whole(text: &str) -> String {
    Redactor::new().sanitize(text, Cut::NONE).text.into_owned()
}

/// What comes out of one text, cut in two. The end of a stream depends on its state alone, and most
/// cuts lead to the same state.
#[derive(Default)]
struct Cuts {
    ends: HashMap<(Vec<u8>, String, String), String>,
}

impl Cuts {
    fn streamed(&mut self, before: &[u8], after: &[u8]) -> String {
        let mut stream = stream();
        let out = stream.push(before) + &stream.push(after);
        assert!(!stream.in_key);
        let state = (stream.line.clone(), stream.held.clone(), stream.behind.clone());
        out + self.ends.entry(state).or_insert_with(|| stream.finish())
    }
}

#[test]
fn every_secret_of_the_corpus_is_found_at_every_cut() {
    let check = |name: &str| {
        let (mut wrong, mut cuts) = (Vec::new(), 0);
        for (index, text) in texts(name).iter().enumerate() {
            let expected = whole(text);
            let mut ends = Cuts::default();
            cuts += text.len() + 1;
            let is_wrong = |cut: &usize| {
                let (before, after) = text.as_bytes().split_at(*cut);
                ends.streamed(before, after) != expected
            };
            let cut = (0..=text.len()).find(is_wrong);
            wrong.extend(cut.map(|cut| format!("{name}, line {}, cut at {cut}", index + 1)));
        }
        (cuts, wrong)
    };
    let counted: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = CORPUS.iter().map(|name| scope.spawn(move || check(name))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    println!("{} cuts", counted.iter().map(|(cuts, _)| cuts).sum::<usize>());
    let wrong: Vec<&String> = counted.iter().flat_map(|(_, wrong)| wrong).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A program that stops anywhere, for so long that its unfinished line is shown: nothing leaves that the whole masks.
#[test]
fn a_pause_at_any_cut_gives_no_secret_of_the_corpus_away() {
    let check = |name: &str| {
        let (mut wrong, mut shown) = (Vec::new(), 0);
        for (index, text) in texts(name).iter().enumerate() {
            let expected = whole(text);
            for (cut, _) in text.char_indices() {
                let mut stream = stream();
                let (before, after) = text.as_bytes().split_at(cut);
                let mut out = stream.push(before);
                let paused = stream.pause();
                shown += usize::from(!paused.is_empty());
                out += &(paused + &stream.push(after) + &stream.finish());
                if out != expected {
                    wrong.push(format!("{name}, line {}, pause at {cut}", index + 1));
                    break;
                }
            }
            let mut stream = stream();
            let mut out = String::new();
            for char in text.chars() {
                out += &stream.push(char.encode_utf8(&mut [0; 4]).as_bytes());
                out += &stream.pause();
            }
            if out + &stream.finish() != expected {
                wrong.push(format!("{name}, line {}, a pause at every character", index + 1));
            }
        }
        (shown, wrong)
    };
    let checked: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = CORPUS.iter().map(|name| scope.spawn(move || check(name))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let shown: usize = checked.iter().map(|(shown, _)| shown).sum();
    let wrong: Vec<&String> = checked.iter().flat_map(|(_, wrong)| wrong).collect();
    assert!(wrong.is_empty(), "{} {wrong:#?}", wrong.len());
    assert!(shown > 5_000, "{shown}");
}

#[test]
fn a_pause_shows_the_ordinary_words_of_an_unfinished_line() {
    let token = format!("{}{}", "ghp_", "Zk3vQ9xW7mB2nT5rY8cL1pD4sF6gH0jKaEXy");
    let mut stream = stream();
    assert_eq!(stream.push(b"Go on? [y/N] ") + &stream.pause(), "Go on? [y/N] ");
    assert_eq!(stream.pause(), "");
    assert_eq!(stream.push(b"yes\nLoading 45% of ") + &stream.pause(), "yes\nLoading ");
    assert_eq!(stream.push(b"it ") + &stream.pause() + &stream.push(b"\n"), "45% of it \n");
    assert_eq!(stream.push(&token.as_bytes()[..9]) + &stream.pause(), "");
    assert_eq!(stream.push(&token.as_bytes()[9..]) + &stream.pause(), "");
    assert_eq!(stream.push(b" x\n"), "[REDACTED:github-pat] x\n");
    assert_eq!(stream.push("测试通过了，共3".as_bytes()) + &stream.pause(), "测试通过了，共");
    assert_eq!(stream.push("个。\n".as_bytes()), "3个。\n");
    assert_eq!(stream.push(b"\x1b[3") + &stream.pause(), "");
    assert_eq!(stream.push(b"1mred\n") + &stream.finish(), "red\n");
}

/// All that `text` becomes in pieces of `size` bytes.
fn in_pieces(text: &str, size: usize) -> String {
    let mut stream = stream();
    let out: String = text.as_bytes().chunks(size).map(|piece| stream.push(piece)).collect();
    out + &stream.finish()
}

/// A line in the middle of a key, of 64 characters; no two are alike.
fn key_line(number: usize) -> String {
    format!("{}{number:08}", "Zk3vQ9xW7mB2nT5rY8cL1pD4sF6gH0jKaEXyZk3vQ9xW7mB2nT5rY8cL")
}

#[test]
fn the_corpus_as_one_text_leaves_as_the_whole_does() {
    for name in ["dev.jsonl", "spellings-seen.jsonl"] {
        let text = texts(name).join("\n---\n");
        let expected = whole(&text);
        for size in [61, 701, 20_011] {
            assert!(in_pieces(&text, size) == expected, "{name} in pieces of {size}");
        }
    }
}

#[test]
fn a_line_leaves_when_it_ends_and_an_open_one_waits() {
    let token = format!("{}{}", "ghp_", "Zk3vQ9xW7mB2nT5rY8cL1pD4sF6gH0jKaEXy");
    let (first, last) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
    let line = key_line(1);
    for (pieces, expected) in [
        (vec!["one\ntwo", " three\nfo"], vec!["one\n", "two three\n", "fo"]),
        (vec!["10 %\r", "20 %\r", "\n30 %\r\n"], vec!["", "10 %\n", "20 %\n30 %\n", ""]),
        (vec!["a\u{1b}[3", "1mb\u{1b}", "]0;x\u{7}c\n"], vec!["", "", "abc\n", ""]),
        (vec![&token[..9], &token[9..], " x\n"], vec!["", "", "[REDACTED:github-pat] x\n", ""]),
        (
            vec!["a\n", first, "\n", &line, "\n", last, "\nb c\n"],
            vec!["a\n", "", "", "", "", "", "[REDACTED:private-key]\nb c\n", ""],
        ),
        (
            vec![first, "\nthat was it\n"],
            vec!["", "-----BEGIN PRIVATE KEY-----\nthat was it\n", ""],
        ),
        // A key without its first line, and one that the end of the text cuts off.
        (
            vec!["a\n", &line, "\n", &line, "\n", last],
            vec!["a\n", "", "", "", "", "", "[REDACTED:private-key]"],
        ),
        (vec![first, "\n", &line], vec!["", "", "", "[REDACTED:private-key]"]),
        (vec!["\"ab\" +\n", "\"cd\"\n", "e\n"], vec!["", "", "\"ab\" +\n\"cd\"\ne\n", ""]),
    ] {
        let mut stream = stream();
        let mut got: Vec<String> = pieces.iter().map(|it| stream.push(it.as_bytes())).collect();
        got.push(stream.finish());
        assert_eq!(got, expected, "{pieces:?}");
    }
}

#[test]
fn a_character_that_is_cut_is_put_together() {
    let text = "日本é\u{202e}🦀\n".as_bytes();
    for cut in 0..text.len() {
        let mut stream = stream();
        let out = stream.push(&text[..cut]) + &stream.push(&text[cut..]);
        assert_eq!(out, "日本é🦀\n", "{cut}");
    }
    let mut stream = stream();
    assert_eq!(stream.push(b"\xff\n") + &stream.finish(), "\u{fffd}\n");
}

#[test]
fn an_exact_value_of_several_lines_is_found_whatever_the_cut() {
    let secret = "first line\nsecond\n\nlast";
    let text = format!("a\n{secret}\nfirst line\nno more\n");
    for cut in 0..=text.len() {
        let mut stream = Stream::new(Redactor::with_values(vec![secret.to_owned()]));
        let (before, after) = text.as_bytes().split_at(cut);
        let out = stream.push(before) + &stream.push(after) + &stream.finish();
        assert_eq!(out, "a\n[REDACTED:known-secret]\nfirst line\nno more\n", "{cut}");
    }
}

#[test]
fn a_key_that_is_too_long_to_hold_shows_no_line_of_itself() {
    let lines: Vec<String> = (0..4000).map(key_line).collect();
    let (first, last) = ("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----");
    let text = format!("before\n{first}\n{}\n{last}\nafter\n", lines.join("\n"));
    assert!(text.len() > 3 * HELD_MAX);
    for size in [100, 4096, 100_000, text.len()] {
        assert_eq!(in_pieces(&text, size), "before\n[REDACTED:private-key]\nafter\n", "{size}");
    }
    let endless = format!("{first}\n{}\nwords again\n", lines.join("\n"));
    assert_eq!(in_pieces(&endless, 4096), "[REDACTED:private-key]\nwords again\n");
}

#[test]
fn a_line_that_is_too_long_to_hold_leaves_in_parts_and_masked() {
    let token = format!("{}{}", "ghp_", "Zk3vQ9xW7mB2nT5rY8cL1pD4sF6gH0jKaEXy");
    // The parts begin and end somewhere in the row of tokens.
    let text = format!("{token} \u{1b}[1m").repeat(9000);
    let expected = "[REDACTED:github-pat] ".repeat(9000);
    for size in [333, 65_536, text.len()] {
        let mut stream = stream();
        let mut out = String::new();
        for piece in text.as_bytes().chunks(size) {
            out += &stream.push(piece);
            assert!(stream.line.len() + stream.held.len() <= HELD_MAX, "{size}");
        }
        assert!(out + &stream.finish() == expected, "{size}");
    }
}
