//! The numbers on the speed of `xc` in docs/BENCHMARKS.md: compared with its peers, with every goal, and with the verdict
//! that the numbers imply. Not here: measuring, which `make bench-xc` does.

use std::fs;

use crate::tree::top;

/// Who stands beside `xc`.
const PEERS: [&str; 4] = ["codex", "claude", "gemini", "opencode"];

/// What may take at most how much. The bench has the same goals; a looser one would be seen here.
const GOALS: [(&str, &str); 16] = [
    ("size of `xc`", "40 MB"),
    ("`xc --version`", "10 ms"),
    ("peak memory of `xc --version` (GNU time, a loaded machine)", "10.5 MB"),
    ("the same over the model's time", "60 ms"),
    ("a shell call over the bare command", "8 ms"),
    ("added by the journal", "500 ms"),
    ("peak memory with it", "157.3 MB"),
    ("added by the code that goes with the prompt", "60 ms"),
    ("`xc` at the terminal: first frame", "60 ms"),
    ("processor time until then", "20 ms"),
    ("peak memory until then", "31.5 MB"),
    ("a key to its paint, 1000 messages, idle", "16 ms (p99)"),
    ("a key to its paint, 1000 messages, while the model writes", "16 ms (p99)"),
    ("50 MB of output", "30 a second"),
    ("`xc --resume` of 10 MB until it can be typed into", "500 ms"),
    ("peak memory until then, 10 MB", "157.3 MB"),
];

/// A row: what, result, goal, verdict.
type Row<'t> = [&'t str; 4];

fn rows(text: &str) -> Vec<Row<'_>> {
    let section = text.split("\n## ").find(|section| section.starts_with("X-Code\n")).unwrap();
    let table = section.lines().skip_while(|line| !line.starts_with("| "));
    let rows = table.take_while(|line| line.starts_with("| ")).skip(2);
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        cells[1..5].try_into().unwrap()
    })
    .collect()
}

/// The first number of a text.
fn number(text: &str) -> f64 {
    let digits = text.trim_start_matches(|char: char| !char.is_ascii_digit());
    digits
        .split(|char: char| !char.is_ascii_digit() && char != '.')
        .next()
        .unwrap()
        .parse()
        .unwrap()
}

/// What a result says of a goal: its 99th percentile where the goal is about that, else its first number.
fn measured(result: &str, goal: &str) -> f64 {
    let part = if goal.ends_with("(p99)") { result.split("p99").nth(1).unwrap() } else { result };
    number(part)
}

#[test]
fn the_speed_of_xc_is_told_beside_its_peers_with_every_goal() {
    let text = fs::read_to_string(top().join("docs/BENCHMARKS.md")).unwrap();
    let rows = rows(&text);
    for peer in PEERS {
        let (version, frame) =
            (format!("`{peer} --version`"), format!("`{peer}` without an account"));
        let has = |begin: &str| rows.iter().any(|row| row[0].starts_with(begin));
        assert!(has(&version) && has(&frame), "{peer} is not measured");
    }
    for (what, goal) in GOALS {
        let [_, result, told, verdict] = rows.iter().find(|row| row[0] == what).expect(what);
        assert_eq!(*told, format!("at most {goal}"), "{what}");
        let is_met = measured(result, told) <= number(told);
        assert_eq!(*verdict, if is_met { "met" } else { "**missed**" }, "{what}: {result}");
    }
}

#[test]
fn a_number_is_read_where_the_goal_is() {
    let result = "median 0.11 ms, p95 0.14 ms, p99 17.2 ms (n = 300)";
    assert_eq!(measured(result, "at most 16 ms").to_string(), "0.11");
    assert_eq!(measured(result, "at most 16 ms (p99)").to_string(), "17.2");
    assert_eq!(measured("RSS 20.7 MB (median of 20)", "at most 31.5 MB").to_string(), "20.7");
}
