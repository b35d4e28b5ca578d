//! The text for a model: its layout, and what is dropped first when there is little room.

use super::super::{FUNCTIONS_MAX, SOURCES_MAX, Section, Source};
use super::*;

fn context() -> Context {
    let source = |path: &str, why: &str| Source { path: path.to_owned(), why: why.to_owned() };
    let function = |source, name: &str, lines, snippet: Option<&str>| Function {
        source,
        name: name.to_owned(),
        lines,
        snippet: snippet.map(str::to_owned),
    };
    let place = |place: &str, why: &str| SectionItem {
        place: place.to_owned(),
        why: why.to_owned(),
        ..SectionItem::default()
    };
    let mut sources = vec![source("src/a.rs", "words: total, tax"), source("src/b.rs", "")];
    sources.extend((2..12).map(|number| source(&format!("src/{number}.rs"), "")));
    Context {
        sources,
        functions: vec![
            function(0, "total", (3, 9), Some("fn total() {\n    1\n}")),
            function(1, "tax", (1, 1), None),
            function(0, "last", (30, 40), None),
            function(0, "first", (10, 20), None),
        ],
        tests: vec!["tests/a.rs".to_owned()],
        documents: vec!["README.md".to_owned(), "docs/b.md".to_owned()],
        sections: vec![Section {
            title: "ci_impact".to_owned(),
            places: vec![place("src/c.rs:1 `x`", "calls total")],
        }],
    }
}

#[test]
fn each_path_stands_once_with_what_is_below_it() {
    let Rendered { text, cut, is_short } = context().render(9_000);
    assert_eq!(
        text,
        "Files that fit, best first; functions as name:first-last line:\n\
         src/a.rs (words: total, tax)\n  total:3-9\n    | fn total() {\n    |     1\n    | }\n  \
         first:10-20 last:30-40\n\
         src/b.rs\n  tax:1\n\
         src/2.rs\nsrc/3.rs\nsrc/4.rs\nsrc/5.rs\nsrc/6.rs\nsrc/7.rs\nsrc/8.rs\nsrc/9.rs\n\
         More files: src/10.rs, src/11.rs\n\
         Tests: tests/a.rs\n\
         Documents and examples: README.md, docs/b.md\n\
         ci_impact:\n- src/c.rs:1 `x`: calls total\n"
    );
    assert_eq!((cut.len(), is_short), (0, false));
    assert_eq!(Context::default().render(9_000), Rendered::default());
}

/// Whatever the room is, it is kept, and every line is whole.
#[test]
fn a_line_is_whole_or_not_there() {
    let mut context = context();
    context.sections[0].places[0].snippet = Some("one\ntwo".to_owned());
    context.sections[0].places[0].claims = vec!["unsafe (a at b)".to_owned()];
    let whole = context.render(9_000).text;
    let pieces: Vec<&str> = whole.split([' ', ',', '\n']).collect();
    for room in 0..whole.len() + 2 {
        let Rendered { text, cut, is_short } = context.render(room);
        assert!(text.encode_utf16().count() <= room, "{room}");
        assert!(text.is_empty() || text.ends_with('\n'), "{room}");
        assert!(
            text.split([' ', ',', '\n']).all(|piece| pieces.contains(&piece)),
            "{room}: {text}"
        );
        let has_section = text.contains("calls total") && text.contains("| two");
        assert_eq!(cut.is_empty(), has_section, "{room}");
        let has_files = text.contains("| fn total") && text.contains("docs/b.md");
        assert_eq!(is_short, !has_files, "{room}");
    }
    assert_eq!(context.render(whole.len()).text, whole);
}

#[test]
fn hundreds_of_functions_stay_within_the_room_of_a_client() {
    let source = |number| Source { path: format!("some/folder/{number}.py"), why: String::new() };
    let function = |number: usize| Function {
        source: number % OUTLINED_MAX,
        name: format!("a_function_with_a_long_name_{number}"),
        lines: (number as u32, number as u32 + 1),
        snippet: (number < 5).then(|| "汉".repeat(240)),
    };
    let context = Context {
        sources: (0..SOURCES_MAX).map(source).collect(),
        functions: (0..FUNCTIONS_MAX).map(function).collect(),
        ..Context::default()
    };
    let text = context.render(8_000).text;
    assert!((7_900..=8_000).contains(&text.encode_utf16().count()));
    // The best come first, whatever their place on the page.
    assert!(text.contains("long_name_5:") && !text.contains("long_name_199:"));
    assert!(context.render(usize::MAX).text.contains("long_name_199:"));
}

#[test]
fn a_reason_is_short_and_ends_with_a_word() {
    assert_eq!(short("words: a, b"), "words: a, b");
    let long = short("words: derivative, elementary, conjugate, hyperbolic, trigonometric");
    assert_eq!(long, "words: derivative, elementary, conjugate, hyperbolic…");
    for text in ["汉".repeat(100), "x".repeat(60), "y".repeat(61), " ".repeat(90)] {
        assert!(short(&text).chars().count() <= WHY_MAX);
    }
}

#[test]
fn a_file_that_is_withheld_takes_its_functions_along() {
    let mut context = context();
    context.retain_paths(|path| path != "src/a.rs" && path != "README.md");
    let text = context.render(9_000).text;
    assert!(text.contains("src/b.rs\n  tax:1\n"), "{text}");
    assert!(!text.contains("total()") && !text.contains("README"), "{text}");
    for path in ["src/b.rs", "src/11.rs", "tests/a.rs", "docs/b.md"] {
        assert!(context.names(path), "{path}");
    }
    assert!(!context.names("src/a.rs") && !context.names("README.md"));
}

/// Texts are sanitized together, and stay where they belong also when one of them breaks the lines.
#[test]
fn every_text_is_sanitized() {
    for added in ["", "\n"] {
        let mut context = context();
        context.map_texts(|text| text.replace("tax", &format!("[t{added}x]")));
        let Rendered { text, .. } = context.render(9_000);
        assert!(!text.contains("tax"), "{text}");
        assert!(text.contains("src/a.rs (words: total, [t"), "{text}");
        assert!(text.contains("README.md, docs/b.md\nci_impact:\n- src/c.rs:1"), "{text}");
    }
}
