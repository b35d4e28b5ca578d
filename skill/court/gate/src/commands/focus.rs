//! The part of a program that matters: the lines of certain calls, what those lines use, and who hands it to them.
//! Not here: what the calls do.

use std::collections::HashSet;

/// Lines that one statement may have.
const STATEMENT_MAX: usize = 16;
/// How often what is used is looked up in turn.
const ROUNDS: usize = 3;
/// Names that are followed.
const NAMES_MAX: usize = 512;

/// The lines of a program that have one of the calls, those that set what they use, and those that call the function
/// in which they stand.
pub(super) fn focused(code: &str, tables: &[&[&str]]) -> String {
    let lines: Vec<&str> = code.lines().collect();
    let mut kept = vec![false; lines.len()];
    let mut used: HashSet<&str> = HashSet::new();
    let mut called: HashSet<&str> = HashSet::new();
    // In a program this is a request or a row of a table more often than a file.
    let is_told = |call: &&&str| **call != "delete(";
    let has_call = |line: &str| {
        tables.iter().any(|table| table.iter().filter(is_told).any(|call| line.contains(call)))
    };
    for at in 0..lines.len() {
        if has_call(lines[at]) {
            keep(&lines, at, &mut kept, &mut used);
            called.extend(function_around(&lines, at));
        }
    }
    for _ in 0..ROUNDS {
        let before = (used.len(), called.len());
        for at in 0..lines.len() {
            if kept[at] || used.len() > NAMES_MAX {
                continue;
            }
            let sets =
                sets(lines[at]).is_some_and(|left| names(left).any(|name| used.contains(name)));
            let calls = is_called(lines[at], &called);
            if sets || calls {
                keep(&lines, at, &mut kept, &mut used);
            }
            if calls {
                called.extend(function_around(&lines, at));
            }
        }
        if before == (used.len(), called.len()) {
            break;
        }
    }
    let kept = lines.iter().zip(&kept).filter(|(_, kept)| **kept);
    kept.map(|(line, _)| *line).collect::<Vec<_>>().join("\n")
}

/// Keeps a statement: its line, and those that its brackets or a chain of calls reach.
fn keep<'c>(lines: &[&'c str], at: usize, kept: &mut [bool], used: &mut HashSet<&'c str>) {
    let mut depth = 0_isize;
    for (next, line) in lines.iter().enumerate().skip(at).take(STATEMENT_MAX) {
        let goes_on = next == at || depth > 0 || line.trim_start().starts_with('.');
        if !goes_on {
            break;
        }
        depth += line.chars().map(bracket).sum::<isize>();
        kept[next] = true;
        used.extend(names(line));
    }
}

fn bracket(sign: char) -> isize {
    match sign {
        '(' | '[' => 1,
        ')' | ']' => -1,
        _ => 0,
    }
}

/// The names in a line.
fn names(line: &str) -> impl Iterator<Item = &str> {
    line.split(|sign: char| !sign.is_alphanumeric() && sign != '_')
        .filter(|name| !name.is_empty() && !name.starts_with(|sign: char| sign.is_ascii_digit()))
}

/// What stands in front of `=` where a line gives a value.
fn sets(line: &str) -> Option<&str> {
    let at = line.find('=')?;
    let (left, right) = (&line[..at], &line[at + 1..]);
    let compares = right.starts_with(['=', '~']) || left.ends_with(['!', '<', '>', '=']);
    (!compares).then_some(left)
}

/// The name of the function that a line stands in: that of the nearest definition above it.
fn function_around<'c>(lines: &[&'c str], at: usize) -> Option<&'c str> {
    let defines = |line: &&'c str| {
        let words = ["def ", "fn ", "func ", "function ", "sub ", "fun "];
        let rest = words.iter().find_map(|word| {
            let at = line.find(word)?;
            let alone =
                line[..at].chars().all(|sign| sign.is_alphanumeric() || " \t_()".contains(sign));
            alone.then(|| &line[at + word.len()..])
        })?;
        // A method of Go names what it belongs to first.
        let rest = if rest.starts_with('(') { rest.split_once(')')?.1.trim_start() } else { rest };
        names(rest).next()
    };
    let name = lines[..=at].iter().rev().take(400).find_map(defines)?;
    (!matches!(name, "main" | "init" | "test" | "setUp" | "run")).then_some(name)
}

fn is_called(line: &str, called: &HashSet<&str>) -> bool {
    !called.is_empty()
        && line.match_indices('(').any(|(at, _)| {
            names(&line[..at])
                .last()
                .is_some_and(|name| line[..at].ends_with(name) && called.contains(name))
        })
}

#[cfg(test)]
mod tests {
    use super::focused;

    #[test]
    fn a_call_is_seen_with_what_it_is_given_and_nothing_else() {
        let code = "import os\nROUTE = '/users'\nbase = os.environ['HOME']\nwork = base + '/work'\n\
            def wipe(path):\n    log('/tmp/log')\n    shutil.rmtree(\n        path,\n    )\n\
            def other():\n    get('/')\n\nwipe(work)\n";
        let kept = focused(code, &[&["rmtree"]]);
        for part in ["HOME", "'/work'", "rmtree(\n        path", "wipe(work)"] {
            assert!(kept.contains(part), "{part}: {kept}");
        }
        for part in ["/users", "/tmp/log", "get('/')"] {
            assert!(!kept.contains(part), "{part}: {kept}");
        }
        assert_eq!(
            focused("Command::new(\"rm\")\n    .arg(\"-rf\")\nlet x = 1;", &[&["Command::new"]])
                .lines()
                .count(),
            2
        );
        assert_eq!(focused("x = 1", &[&["rmtree"]]), "");
    }
}
