//! `edit`, case by case.

use super::*;

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "filePath": path, "oldString": old, "newString": new })
}

fn all(path: &str, old: &str, new: &str) -> Value {
    json!({ "filePath": path, "oldString": old, "newString": new, "replaceAll": true })
}

#[test]
fn exactly_one_match_is_replaced_or_all_that_are_asked_for() {
    let body: String =
        (1..=80)
            .map(|line| {
                if [4, 19, 77].contains(&line) { "same\n".into() } else { format!("line {line}\n") }
            })
            .collect();
    let tree = Tree::new().with("a.txt", &body);
    tree.read("a.txt");
    assert_eq!(
        tree.error("edit", edit("a.txt", "same", "other")),
        "3 matches (lines 4, 19, 77); give more context or set replaceAll."
    );
    assert_eq!(tree.bytes("a.txt"), body.as_bytes());
    let outcome = tree.call("edit", edit("a.txt", "line 18\nsame", "line 18\nother"));
    assert_eq!(outcome.text, "Replaced 1 match in a.txt (line 18).");
    assert_eq!(outcome.changed, [tree.root.join("a.txt")]);
    let body = body.replace("line 18\nsame", "line 18\nother");
    assert_eq!(tree.bytes("a.txt"), body.as_bytes());
    // What the tool wrote need not be read again.
    assert_eq!(
        tree.ok("edit", all("a.txt", "same", "")),
        "Replaced 2 matches in a.txt (lines 4, 77)."
    );
    assert_eq!(tree.bytes("a.txt"), body.replace("same", "").as_bytes());
    assert_eq!(tree.names(), ["a.txt"]);
}

#[test]
fn no_match_names_the_nearest_lines() {
    let body: String = (1..40)
        .map(|line| format!("let value_{line} = {line};\n"))
        .chain(["if ready {\n\tgo( now );\n\n}\n".to_owned()])
        .collect();
    let tree = Tree::new().with("a.rs", &body).with("crlf.txt", "a  b\r\n").with("short", "x\n");
    tree.read("a.rs");
    tree.read("crlf.txt");
    tree.read("short");
    for (path, old, told) in [
        (
            "a.rs",
            "if ready {\n    go(now);\n\n}",
            "0 matches for oldString in a.rs. Nearest: lines 40-43 (differs in white space).\n40\tif ready \
             {\n41\t\tgo( now );\n42\t\n43\t}",
        ),
        (
            "a.rs",
            "let valve_7 = 7;",
            "0 matches for oldString in a.rs. Nearest: line 7.\n7\tlet value_7 = 7;",
        ),
        (
            "a.rs",
            "1\tlet value_1 = 1;\n2\tlet value_2 = 2;\n",
            "0 matches for oldString in a.rs. It begins with the line numbers that readFile adds; leave them out.",
        ),
        ("a.rs", "完全不同的文字", "0 matches for oldString in a.rs."),
        (
            "crlf.txt",
            "a b",
            "0 matches for oldString in crlf.txt. Nearest: line 1 (differs in white space).\n1\ta  b",
        ),
        ("short", "x\ny\nz", "0 matches for oldString in short."),
    ] {
        assert_eq!(tree.error("edit", edit(path, old, "new")), told);
    }
    assert_eq!(tree.bytes("a.rs"), body.as_bytes());
}

#[test]
fn a_file_keeps_its_ends_of_line_its_mark_and_its_final_newline() {
    let tree = Tree::new();
    for (before, old, new, after) in [
        // CRLF against LF.
        ("a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb", "a\r\nx\r\nb\r\nc\r\n"),
        ("a\r\nb\r\n", "a\r\nb", "1\r\n2", "1\r\n2\r\n"),
        ("a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n"),
        ("a\r\nb\r\nc", "\nb\n", "\n", "a\r\nc"),
        ("a\nb\n", "a\r\nb", "a\r\nx\r\nb", "a\nx\nb\n"),
        ("a", "a", "a\r\nb", "a\r\nb"),
        // Both in one file: each line keeps its own.
        ("a\r\nb\nc\r\n", "a\nb\nc", "a\nB\nc", "a\r\nB\nc\r\n"),
        ("a\r\nb\nc\n", "a\nb\nc", "a\nb\nx\nc", "a\r\nb\nx\nc\n"),
        // The mark.
        ("\u{feff}a\n", "a", "b", "\u{feff}b\n"),
        // The final newline.
        ("a\nb\n", "b\n", "c", "a\nc\n"),
        ("a\nb\n", "\nb\n", "", "a\n"),
        ("a\r\nb\r\n", "b\r\n", "c", "a\r\nc\r\n"),
        ("a\nb", "b", "c\n", "a\nc"),
        ("a\nb", "b", "b\nc", "a\nb\nc"),
        ("a\n", "a\n", "", ""),
        // Unless it is all that is asked for.
        ("a\nb", "b", "b\n", "a\nb\n"),
        ("a\nb\n", "b\n", "b", "a\nb"),
        // Tabs and characters of several bytes.
        ("\tif x:\n\t\ty\n", "\t\ty", "\t\tz", "\tif x:\n\t\tz\n"),
        ("变量 = 值\r\n", "值", "價", "变量 = 價\r\n"),
        ("naïve né\n", "né", "nè", "naïve nè\n"),
    ] {
        fs::write(tree.root.join("f"), before).unwrap();
        tree.read("f");
        tree.ok("edit", edit("f", old, new));
        assert_eq!(
            String::from_utf8(tree.bytes("f")).unwrap(),
            after,
            "{before:?} {old:?} {new:?}"
        );
    }
    fs::write(tree.root.join("f"), "a\r\nb\na\r\n").unwrap();
    tree.read("f");
    tree.ok("edit", all("f", "a\n", "x\ny\n"));
    assert_eq!(tree.bytes("f"), b"x\r\ny\r\nb\nx\r\ny\r\n");
    assert_eq!(
        tree.error("edit", edit("f", "b\nx", "b\r\nx")),
        "oldString and newString differ only in ends of line, and f keeps its own; nothing was changed."
    );
}

#[test]
fn a_file_is_edited_only_as_it_was_read() {
    let tree = Tree::new().with("a", "one\n").with("blob", b"one\0");
    assert_eq!(
        tree.error("edit", edit("a", "one", "two")),
        "a was not read in this session; read it first."
    );
    tree.read("a");
    fs::write(tree.root.join("a"), "eno\n").unwrap();
    assert_eq!(
        tree.error("edit", edit("a", "one", "two")),
        "a changed since it was read; read it again."
    );
    assert_eq!(
        tree.error("writeFile", json!({ "filePath": "a", "content": "two\n" })),
        "a changed since it was read; read it again."
    );
    assert_eq!(tree.bytes("a"), b"eno\n");
    tree.ok("readFile", json!({ "filePath": "a", "limit": 1 }));
    tree.ok("edit", edit("a", "eno", "two"));
    // The same content again is no change, whenever it was written.
    fs::write(tree.root.join("a"), "two\n").unwrap();
    tree.ok("edit", edit("a", "two", "three"));
    fs::remove_file(tree.root.join("a")).unwrap();
    assert_eq!(
        tree.error("edit", edit("a", "three", "four")),
        "a does not exist; writeFile makes it."
    );
    assert_eq!(
        tree.error("edit", edit("a", "same", "same")),
        "oldString and newString are the same; nothing was changed."
    );
    // Another session read nothing yet.
    tree.ok("writeFile", json!({ "filePath": "b", "content": "one\n" }));
    let other = super::file_tools(&tree.workspace);
    let arguments = edit("b", "one", "two");
    let arguments = arguments.as_object().unwrap();
    let action = other[2].action(arguments);
    let outcome = super::run(&*other[2], arguments, &action, &Cancel::new());
    assert_eq!(outcome.text, "b was not read in this session; read it first.");
}

#[test]
fn a_mask_is_never_written() {
    let tree = Tree::new()
        .with("config", "key = secret\nname = x\n")
        .with("doc", "A mask is [REDACTED:github-pat].\n");
    tree.read("config");
    tree.read("doc");
    let told = |path: &str, mask: &str| {
        format!(
            "{path} is not changed: {mask} is a mask that stands for a secret, not text of the file. Leave \
             the secret out of what you replace, or ask the user to put it in."
        )
    };
    let mask = "[REDACTED:github-pat]";
    assert_eq!(
        tree.error("edit", edit("config", "name = x", "name = [REDACTED:github-pat]")),
        told("config", mask)
    );
    let content = "key = [REDACTED:anything]\n";
    for path in ["config", "new"] {
        assert_eq!(
            tree.error("writeFile", json!({ "filePath": path, "content": content })),
            told(path, "[REDACTED:anything]")
        );
    }
    assert_eq!(tree.bytes("config"), b"key = secret\nname = x\n");
    assert_eq!(tree.names(), ["config", "doc"]);
    // One that the file holds may stay, and may not become two.
    tree.ok("edit", edit("doc", "A mask is [REDACTED:github-pat]", "Masks: [REDACTED:github-pat]"));
    assert_eq!(
        tree.error("edit", edit("doc", "Masks", "[REDACTED:github-pat]")),
        told("doc", mask)
    );
    assert_eq!(tree.bytes("doc"), b"Masks: [REDACTED:github-pat].\n");
}
