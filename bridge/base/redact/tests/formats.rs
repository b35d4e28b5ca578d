//! Every entry of the table of token formats is tried by its own example.

use redact::{Format, Redactor, formats};

/// Draws the same characters at each run.
struct Draw(u64);

impl Draw {
    fn next(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    fn from(&mut self, class: &str, count: usize) -> String {
        let letters: Vec<char> = class.chars().collect();
        (0..count).map(|_| letters[self.next(letters.len())]).collect()
    }
}

fn class(name: char) -> &'static str {
    const ALL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    match name {
        'a' | 'w' => &ALL[..62],
        'b' => ALL,
        'c' => "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
        'U' => &ALL[..26],
        'L' => &ALL[26..52],
        'l' => &ALL[26..62],
        'd' => &ALL[52..62],
        'h' => "0123456789abcdef",
        'H' => "0123456789ABCDEF",
        'u' => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        'A' => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        other => panic!("no class {other}"),
    }
}

/// The example with its holes filled.
fn drawn(format: Format, draw: &mut Draw) -> String {
    let mut text = String::new();
    let mut rest = format.example;
    while let Some((before, hole)) = rest.split_once('{') {
        let (hole, after) = hole.split_once('}').expect("a hole is closed");
        text.push_str(before);
        if hole == "uuid" {
            let mut hex = |count| draw.from(class('h'), count);
            text += &[hex(8), hex(4), format!("4{}", hex(3)), format!("a{}", hex(3)), hex(12)]
                .join("-");
        } else {
            let count: usize = hole[1..].parse().expect("a number");
            let name = hole.chars().next().expect("a class");
            // Real ones are drawn from all of their class.
            let lead = if "awb".contains(name) && count >= 8 { "aB3xQ7" } else { "" };
            text += lead;
            text += &draw.from(class(name), count - lead.len());
        }
        rest = after;
    }
    text + rest
}

#[test]
fn every_format_masks_its_own_example() {
    let redactor = Redactor::new();
    let mut draw = Draw(20_261_122);
    let mut missed = Vec::new();
    for format in formats() {
        for around in ["{}", "the key {} is old", "x = \"{}\"", "- {}\n"] {
            let example = drawn(format, &mut draw);
            let output = redactor.redact(&around.replace("{}", &example)).text.into_owned();
            let tail: String =
                example.chars().rev().take(8).collect::<Vec<_>>().into_iter().rev().collect();
            if output.contains(&tail) {
                missed.push(format!("{}: {example} -> {output}", format.kind));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn there_are_more_than_two_hundred_formats() {
    let mut kinds: Vec<&str> = formats().map(|format| format.kind).collect();
    assert!(kinds.len() >= 250, "{}", kinds.len());
    kinds.sort_unstable();
    kinds.dedup();
    println!("{} kinds", kinds.len());
    assert!(kinds.len() >= 200, "{}", kinds.len());
}
