//! Colours of code: that nothing of the text is lost, whatever comes in which pieces, and what is coloured.

use proptest::prelude::*;
use ratatui_core::style::Color;

use super::{Code, MAX_BYTES, MAX_NESTING};

/// Each piece of one style, with the letter of its colour.
fn coloured(line: &ratatui_core::text::Line<'_>) -> String {
    let letter = |span: &ratatui_core::text::Span<'_>| match span.style.fg {
        Some(Color::Blue) => "function",
        Some(Color::Cyan) => "constant",
        Some(Color::Green) => "string",
        Some(Color::Magenta) => "keyword",
        Some(Color::Yellow) => "type",
        _ if span.style.add_modifier.is_empty() => "",
        _ => "comment",
    };
    let piece = |span: &ratatui_core::text::Span<'_>| match letter(span) {
        "" => span.content.to_string(),
        letter => format!("<{letter} {}>", span.content),
    };
    line.spans.iter().map(piece).collect()
}

fn all(info: &str, text: &str) -> String {
    Code::new(info).push(text).iter().map(coloured).collect::<Vec<_>>().join("\n")
}

const SOURCES: [(&str, &str); 15] = [
    ("bash", "if [ -f a ]; then\n  echo \"$HOME\" # why\nfi"),
    ("c", "int main(void) {\n  return puts(\"a\"); // why\n}"),
    ("c++", "class A : B {\n  std::string f() { return \"a\"; }\n};"),
    ("cs", "public class A {\n  string F() => \"a\"; // why\n}"),
    ("go", "func main() {\n\tfmt.Println(\"a\", 1) // why\n}"),
    ("java", "class A {\n  String f() { return g(\"a\"); } // why\n}"),
    ("jsx", "const a = () => <b>{f(\"a\")}</b>; // why"),
    ("kotlin", "fun main(args: Array<String>) {\n  val a = f(\"b ${c}\") // why\n}"),
    ("php", "function f(int $a): string { return g('a'); } // why"),
    ("python", "def f(a: int) -> str:\n    return g(\"a\") # why"),
    ("ruby", "def f(a)\n  puts \"b #{c}\" # why\nend"),
    ("rust", "fn f(a: &str) -> Option<u8> {\n    g(\"a\", 1) // why\n}"),
    ("swift", "func f(a: Int) -> String {\n  return g(\"a\") // why\n}"),
    ("tsx", "const a = (b: number) => <b>{f(`a ${b}`)}</b>;"),
    ("ts", "interface A { b: string }\nexport const f = (a: A) => g(a.b, \"a\");"),
];

#[test]
fn each_language_has_its_colours() {
    let shown: String =
        SOURCES.iter().map(|(info, source)| format!("{info}\n{}\n\n", all(info, source))).collect();
    insta::assert_snapshot!(shown);
}

#[test]
fn a_line_looks_as_it_will_and_is_not_taken_for_more() {
    let mut code = Code::new("rust");
    assert_eq!(coloured(&code.peek("let a = \"漢")), "<keyword let> a = \"漢");
    let expected = "<keyword let> a = <string \"漢字\">; <comment // b>";
    assert_eq!(coloured(&code.peek("let a = \"漢字\"; // b")), expected);
    let line = "let a = \"漢字\"; // b\r\n";
    let whole: Vec<_> = code.push(line).iter().map(coloured).collect();
    assert_eq!(whole, [expected]);
}

/// A line that comes slowly is looked at with each frame, for minutes.
#[test]
fn looking_often_takes_no_colours_away() {
    let mut code = Code::new("rust");
    code.push(&"fn a() -> u8 {\n    b(1)\n}\n".repeat(300));
    for _ in 0..20_000 {
        code.peek("let c = \"d");
    }
    assert_eq!(coloured(&code.push("let e = 1;\n")[0]), "<keyword let> e = <constant 1>;");
}

#[test]
fn a_source_in_php_may_begin_with_its_tag() {
    let with = all("php", "<?php\nfunction f() { return 'a'; }");
    let lines: Vec<&str> = with.lines().collect();
    assert_eq!(lines[1], all("php", "function f() { return 'a'; }"));
    let mut code = Code::new("php");
    for piece in ["<", "<?", "<?ph"] {
        assert_eq!(code.peek(piece).to_string(), piece);
    }
    code.push("<?php\n");
    assert_eq!(coloured(&code.push("return 'a';\n")[0]), "<keyword return> <string 'a'>;");
}

/// What is not closed yet is looked at as if it were.
#[test]
fn a_line_has_the_colours_that_it_has_in_the_whole() {
    for (info, source) in SOURCES {
        let mut code = Code::new(info);
        let lines = source.split_inclusive('\n').flat_map(|line| code.push(line));
        let lines: Vec<String> = lines.map(|line| coloured(&line)).collect();
        assert_eq!(lines.join("\n"), all(info, source), "{info}");
    }
}

#[test]
fn what_is_too_much_has_no_colours_and_stands_as_it_is() {
    let mut code = Code::new("rust");
    let long = "let a = 1;\n".repeat(MAX_BYTES / 11);
    assert!(code.push(&long).iter().all(|line| line.spans.len() > 1));
    assert_eq!(code.push("let b = 2;\n")[0].spans.len(), 1);
    assert_eq!(code.push("let c = 3;\n")[0].to_string(), "let c = 3;", "nor after it");
    let deep = format!("{}1", "(".repeat(MAX_NESTING));
    assert!(Code::new("c").push(&deep)[0].spans.len() > 1);
    let deeper = format!("({deep}");
    assert_eq!(Code::new("c").push(&deeper)[0].spans, [deeper.into()]);
}

fn info() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "bash", "c", "cpp", "cs", "go", "java", "js", "kotlin", "php", "python", "ruby", "rust",
        "swift", "tsx", "ts", "none",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_text_is_lost(
        info in info(),
        lines in prop::collection::vec("[ -~\t漢é👍\u{301}]{0,20}", 0..12),
        at in any::<prop::sample::Index>(),
    ) {
        let mut code = Code::new(info);
        let cut = at.index(lines.len() + 1);
        let mut shown = Vec::new();
        for piece in [&lines[..cut], &lines[cut..]] {
            let text: String = piece.iter().map(|line| format!("{line}\n")).collect();
            let peeked = code.peek(piece.first().map_or("", String::as_str)).to_string();
            prop_assert_eq!(&peeked, piece.first().map_or("", String::as_str));
            shown.extend(code.push(&text).iter().map(ToString::to_string));
        }
        prop_assert_eq!(shown, lines);
    }
}
