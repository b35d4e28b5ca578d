//! Parses stack traces, as the main languages print them: files, lines and functions, ordered by how near
//! they are to the error.

use crate::view::{FileId, View};

/// How many frames are read; a deep recursion prints thousands.
const MAX_FRAMES: usize = 60;

/// One line of a stack trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The file as it is printed: absolute, relative, or its name only.
    pub path: String,
    /// The line, from 1; absent where the frame has none.
    pub line: Option<u32>,
    /// The function as it is printed.
    pub function: Option<String>,
    /// How many frames are between it and the error.
    pub distance: usize,
}

/// The frames in a text, nearest to the error first.
#[must_use]
pub fn frames(text: &str) -> Vec<Frame> {
    let mut found: Vec<Frame> = Vec::new();
    let mut python: Vec<Frame> = Vec::new();
    let mut before: Option<&str> = None;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("Traceback (most recent") {
            found.extend(python.drain(..).rev());
        }
        match python_frame(line) {
            Some(frame) => python.push(frame),
            None => found.extend(other_frame(line, before)),
        }
        before = Some(line);
    }
    // Python prints the frame nearest to the error last.
    found.extend(python.into_iter().rev());
    found.truncate(MAX_FRAMES);
    for (distance, frame) in found.iter_mut().enumerate() {
        frame.distance = distance;
    }
    found
}

/// `File "a/b.py", line 12, in go`.
fn python_frame(line: &str) -> Option<Frame> {
    let (path, rest) = line.split_once("File \"")?.1.split_once('"')?;
    let rest = rest.trim_start_matches(',').trim().strip_prefix("line ")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let function = rest.split_once(", in ").map(|(_, name)| name.trim().to_owned());
    Some(Frame { path: path.to_owned(), line: digits.parse().ok(), function, distance: 0 })
}

/// `at go (a/b.js:12:3)`, `at a.B.go(B.java:12)`, `a/b.go:12 +0x1`, `a/b.rs:12:3`, `a/b.rb:12:in 'go'`,
/// `#0 0x1 in go () at a/b.c:12`, `a/b.c:12:3: error`.
fn other_frame(line: &str, before: Option<&str>) -> Option<Frame> {
    let (path, number) =
        line.split([' ', '(', ')', ',', '\'', '"', '`', '[', ']']).find_map(place)?;
    let word = |text: &str| {
        let name = text.split(['(', ' ', '\'', '"']).next().unwrap_or_default();
        (!name.is_empty()).then(|| name.to_owned())
    };
    let function = if let Some(rest) = line.strip_prefix("at ") {
        // JavaScript and Java; Rust prints the function on the line before.
        match rest.contains('(') {
            true => word(rest.trim_start_matches("async ").trim_start_matches("new ")),
            false => {
                before.and_then(|before| before.split_once(": ")).and_then(|(_, name)| word(name))
            }
        }
    } else if let Some((_, rest)) = line.split_once(":in ") {
        word(rest.trim_matches(['`', '\'', '"']))
    } else if let Some((_, rest)) = line.split_once(" in ") {
        word(rest)
    } else {
        // Go prints the function on the line before.
        before.filter(|before| before.ends_with(')')).and_then(|before| {
            let name = before.rsplit_once('(')?.0.rsplit('/').next()?;
            word(name.rsplit('.').next()?)
        })
    };
    Some(Frame { path, line: number, function, distance: 0 })
}

/// A path followed by a line number.
fn place(token: &str) -> Option<(String, Option<u32>)> {
    let token = token.trim_start_matches("file://");
    let mut parts = token.split(':').peekable();
    let mut path = parts.next()?.to_owned();
    if path.len() == 1 && parts.peek().is_some_and(|next| next.starts_with(['\\', '/'])) {
        path = parts.next()?.to_owned();
    }
    let line: u32 = parts.next()?.trim().parse().ok()?;
    let name = path.rsplit(['/', '\\']).next()?;
    let (stem, ending) = name.rsplit_once('.')?;
    let plain = !stem.is_empty()
        && (1..=5).contains(&ending.len())
        && ending.chars().all(|letter| letter.is_ascii_alphanumeric())
        && ending.starts_with(|letter: char| letter.is_ascii_alphabetic());
    plain.then_some((path, Some(line)))
}

/// The file that a printed path refers to: the one whose path shares most of its end.
pub(crate) fn file_of(view: &View, path: &str) -> Option<FileId> {
    let path = path.replace('\\', "/");
    let printed: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let shared = |own: &str| {
        own.rsplit('/').zip(printed.iter().rev()).take_while(|(one, other)| one == *other).count()
    };
    let best = view
        .files()
        .map(|file| (shared(file.path), file))
        .filter(|(shared, _)| *shared > 0)
        .max_by_key(|(shared, file)| (*shared, std::cmp::Reverse(file.path.len())))?;
    let whole = best.0 == best.1.path.split('/').count() || best.0 == printed.len();
    (whole || best.0 >= 2).then_some(best.1.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, u32, Option<&str>)]) {
        let found = frames(text);
        let plain: Vec<_> = found
            .iter()
            .map(|frame| (frame.path.as_str(), frame.line.unwrap(), frame.function.as_deref()))
            .collect();
        assert_eq!(plain, expected, "{text}");
    }

    #[test]
    fn each_language_is_read() {
        check(
            "Traceback (most recent call last):\n  File \"a/b.py\", line 3, in <module>\n    go()\n  \
             File \"/x/a/c.py\", line 12, in go\n    raise E\nE: message",
            &[("/x/a/c.py", 12, Some("go")), ("a/b.py", 3, Some("<module>"))],
        );
        check(
            "Error: no\n    at go (/x/a.js:12:3)\n    at async b.run (b.ts:4:1)\n    at /x/c.js:1:2",
            &[("/x/a.js", 12, Some("go")), ("b.ts", 4, Some("b.run")), ("/x/c.js", 1, None)],
        );
        check("\tat a.b.C.go(C.java:7)\n", &[("C.java", 7, Some("a.b.C.go"))]);
        check(
            "goroutine 1 [running]:\nmain.(*P).next(0x1, 0x2)\n\t/x/p.go:31 +0x1d\n",
            &[("/x/p.go", 31, Some("next"))],
        );
        check(
            "thread 'main' panicked at src/a.rs:5:9:\nno\n   0: x::go\n             at ./src/b.rs:7:1\n",
            &[("src/a.rs", 5, None), ("./src/b.rs", 7, Some("x::go"))],
        );
        check("a/b.rb:3:in `go': no (E)\n", &[("a/b.rb", 3, Some("go"))]);
        check("#1  0x00 in go (p=0x0) at src/a.c:9\n", &[("src/a.c", 9, Some("go"))]);
        check("C:\\x\\a.cpp:3:1: error: no", &[("\\x\\a.cpp", 3, None)]);
        check("at 12:30:01 nothing: 3.5:1 happened", &[]);
    }
}
