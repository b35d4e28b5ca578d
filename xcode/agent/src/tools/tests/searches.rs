//! `listDir`, `glob`, `grep`.

use std::os::unix::fs::symlink;

use super::*;

fn glob(pattern: &str) -> Value {
    json!({ "pattern": pattern })
}

fn tree() -> Tree {
    let tree = Tree::new()
        .with(".gitignore", "*.log\n/target/\n!keep.log\n")
        .with(".git/config", "needle\n")
        .with(".github/ci.yml", "needle: 1\n")
        .with("README.md", "# Needle\r\nneedle in CRLF\r\n")
        .with("a.log", "needle\n")
        .with("keep.log", "needle\n")
        .with("src/main.rs", "fn main() {\n    // needle\n    let x = 1;\n    // end\n}\n")
        .with("src/lib/deep.rs", "// nothing\n")
        .with("src/lib/.gitignore", "made.rs\n")
        .with("src/lib/made.rs", "// needle\n")
        .with("src/名.rs", "// 针 needle\n")
        .with("target/out.rs", "// needle\n")
        .with(".env", "NEEDLE=needle\n")
        .with("blob", b"needle\n\0");
    symlink("src", tree.root.join("link")).unwrap();
    fs::write(tree.outside.join("theirs.rs"), "// needle\n").unwrap();
    symlink(&tree.outside, tree.root.join("src/outward")).unwrap();
    fifo(&tree.root.join("src/fifo"));
    tree
}

#[test]
fn a_folder_is_listed() {
    let tree = tree();
    assert_eq!(
        tree.ok("listDir", json!({ "path": "." })),
        ".github/\nsrc/\n.env\n.gitignore\nREADME.md\nblob\nkeep.log\nlink -> src\n\
         [3 left out: ignored, or version control]"
    );
    assert_eq!(tree.ok("listDir", json!({ "path": "target" })), "out.rs");
    assert_eq!(
        tree.ok("listDir", json!({ "path": tree.root.join("link/lib") })),
        ".gitignore\ndeep.rs\n[1 left out: ignored, or version control]"
    );
    fs::create_dir(tree.root.join("empty")).unwrap();
    assert_eq!(tree.ok("listDir", json!({ "path": "empty" })), "No entries.");
    assert_eq!(tree.error("listDir", json!({ "path": "gone" })), "gone does not exist.");
    assert_eq!(
        tree.error("listDir", json!({ "path": "blob" })),
        "blob is a file, not a folder; readFile shows it."
    );
    let many = (0..600).fold(Tree::new(), |tree, number| tree.with(&format!("f{number:03}"), ""));
    let listed = many.with("z/f", "").ok("listDir", json!({ "path": "." }));
    assert!(listed.starts_with("z/\nf000\n") && listed.ends_with("\nf498\n[101 more]"), "{listed}");
}

#[test]
fn files_are_found_by_pattern() {
    let tree = tree();
    for (pattern, found) in [
        ("**/*.rs", "src/lib/deep.rs\nsrc/main.rs\nsrc/名.rs"),
        ("src/*.rs", "src/main.rs\nsrc/名.rs"),
        ("./src/**/deep.*", "src/lib/deep.rs"),
        ("*.rs", "No matches."),
        ("*.{md,log}", "README.md\nkeep.log"),
        ("**/ci.yml", ".github/ci.yml"),
        ("target/*", "target/out.rs"),
        ("gone/**/*.rs", "No matches."),
        ("blob/*", "No matches."),
        ("src/outward/*", "No matches."),
        ("**/theirs.rs", "No matches."),
        (".git/*", ".git/config"),
        ("**/config", "No matches."),
    ] {
        assert_eq!(tree.ok("glob", glob(pattern)), found, "{pattern}");
    }
    let absolute = tree.root.join("src/lib/*.rs");
    assert_eq!(tree.ok("glob", json!({ "pattern": absolute })), "src/lib/deep.rs");
    assert_eq!(tree.ok("glob", json!({ "pattern": "*.rs", "path": "src/lib" })), "src/lib/deep.rs");
    for (pattern, told) in [
        ("/etc/*", "The pattern /etc/* begins outside of the directory; give that as path."),
        ("../*", "The pattern ../* leads out of the directory; give that as path."),
    ] {
        assert_eq!(tree.error("glob", glob(pattern)), told);
    }
    assert!(tree.error("glob", glob("[")).starts_with("The pattern is wrong: "));
    assert_eq!(
        tree.error("glob", json!({ "pattern": "*", "path": "blob" })),
        "blob is a file, not a folder."
    );
}

#[test]
fn lines_are_found_by_expression() {
    let tree = tree();
    assert_eq!(
        tree.ok("grep", json!({ "pattern": "needle" })),
        ".github/ci.yml:1:needle: 1\nREADME.md:2:needle in CRLF\nkeep.log:1:needle\n\
         src/main.rs:2:    // needle\nsrc/名.rs:1:// 针 needle\n\
         [1 files that may hold secrets were not searched; give one as path]"
    );
    for (arguments, found) in [
        (
            json!({ "pattern": "^# needle$", "ignoreCase": true, "include": "*.md" }),
            "README.md:1:# Needle",
        ),
        (
            json!({ "pattern": "needle", "path": "src", "include": "*.rs", "context": 1 }),
            "src/main.rs-1-fn main() {\nsrc/main.rs:2:    // needle\nsrc/main.rs-3-    let x = 1;\n\
             src/名.rs:1:// 针 needle",
        ),
        (
            json!({ "pattern": "main|end", "path": "src/main.rs", "context": 0 }),
            "src/main.rs:1:fn main() {\nsrc/main.rs:4:    // end",
        ),
        (json!({ "pattern": "nothing", "include": "src/**/*.rs" }), "src/lib/deep.rs:1:// nothing"),
        (json!({ "pattern": "nothing", "include": "src/*.rs" }), "No matches."),
        (json!({ "pattern": "absent from all" , "path": "src"}), "No matches."),
        (json!({ "pattern": "针" , "path": "src"}), "src/名.rs:1:// 针 needle"),
        (json!({ "pattern": "needle", "path": ".env" }), ".env:1:NEEDLE=needle"),
        (json!({ "pattern": "needle", "path": "target" }), "target/out.rs:1:// needle"),
        (
            json!({ "pattern": "needle", "path": "blob" }),
            "No matches.\n[the file is binary and was not searched]",
        ),
    ] {
        assert_eq!(tree.ok("grep", arguments.clone()), found, "{arguments}");
    }
    for pattern in ["(", "a\nb", "(((a{1000}){1000}){1000})"] {
        let told = tree.error("grep", json!({ "pattern": pattern }));
        assert!(told.starts_with("The pattern is wrong: "), "{told}");
    }
    assert_eq!(
        tree.error("grep", json!({ "pattern": "x", "path": "src/fifo" })),
        "src/fifo is a fifo, not a file; it is not touched."
    );
}

#[test]
fn the_end_of_a_line_is_found_whatever_ends_it() {
    let tree = Tree::new()
        .with("crlf", "99 98\r\nab\r\nlast")
        .with("lf", "99 98\nab\nlast")
        .with("mixed", "x\r\n99 98\nab\r\n");
    for (pattern, found) in [
        ("ab$", "crlf:2:ab\nlf:2:ab\nmixed:3:ab"),
        ("^ab$", "crlf:2:ab\nlf:2:ab\nmixed:3:ab"),
        ("98$", "crlf:1:99 98\nlf:1:99 98\nmixed:2:99 98"),
        ("^99 9[89]$", "crlf:1:99 98\nlf:1:99 98\nmixed:2:99 98"),
        ("(?i)^LAST$", "crlf:3:last\nlf:3:last"),
    ] {
        assert_eq!(tree.ok("grep", json!({ "pattern": pattern })), found, "{pattern}");
    }
}

#[test]
fn a_result_has_bounds() {
    let long = format!("{}needle{}\nneedle\n", "x".repeat(3 << 20), "y".repeat(2 << 20));
    let tree = Tree::new()
        .with("many", "needle\n".repeat(1_000))
        .with("long/line", long)
        .with("wide/f", format!("needle {}\n", "字".repeat(390)).repeat(300));
    let found = tree.ok("grep", json!({ "pattern": "needle", "path": "many" }));
    assert_eq!(found.lines().count(), 251);
    assert!(found.ends_with("\nmany:250:needle\n[750 more]"), "{found}");
    let found = tree.ok("grep", json!({ "pattern": "needle", "path": "long" }));
    let expected = format!(
        "long/line:1:...{}needle{}... [line of 5242886 characters]\nlong/line:2:needle",
        "x".repeat(100),
        "y".repeat(294)
    );
    assert_eq!(found, expected);
    let found = tree.ok("grep", json!({ "pattern": "needle", "path": "wide" }));
    assert!(found.chars().count() <= 30_000);
    assert_eq!(found.lines().last(), Some("[229 more]"));
}

#[test]
fn a_search_whose_time_is_over_says_so() {
    use crate::tools::scope::Listing;
    use crate::workspace::stop::Stop;
    use crate::workspace::walk::{Depth, walk};
    let tree = tree();
    let stop = Stop::new(Cancel::new(), std::time::Duration::ZERO);
    let mut visited = 0;
    let left_out = walk(&tree.root, &tree.root, Depth::All, &stop, |_| visited += 1).unwrap();
    assert_eq!((visited, left_out.is_stopped), (0, true));
    let outcome = Listing::new(9).outcome("No matches.", Vec::new(), left_out, &stop);
    assert_eq!(outcome.text, "No matches.\n[stopped after 30 s; there may be more]");
}

#[test]
fn many_files_are_searched_and_a_search_ends_with_its_call() {
    let tree = Tree::new();
    for folder in 0..100 {
        let path = tree.root.join(format!("d{folder:02}"));
        fs::create_dir(&path).unwrap();
        for file in 0..100 {
            fs::write(path.join(format!("f{file:02}")), format!("{folder} {file}\n")).unwrap();
        }
    }
    assert_eq!(
        tree.ok("grep", json!({ "pattern": "^99 9[89]" })),
        "d99/f98:1:99 98\nd99/f99:1:99 99"
    );
    let found = tree.ok("glob", glob("**/f00"));
    assert_eq!(found.lines().count(), 100);
    let found = tree.ok("glob", glob("**"));
    assert!(found.ends_with("\nd02/f49\n[9750 more]"), "{found}");
    // Whoever drops the call half way has ended it: the thread that does it looks up before it is through.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let arguments = json!({ "pattern": "x" });
    let arguments = arguments.as_object().unwrap();
    let (tool, cancel) = (tree.tool("grep"), Cancel::new());
    let action = tool.action(arguments);
    let call = Running {
        id: "1",
        arguments,
        action: &action,
        instead: None,
        host: &Nobody,
        cancel: &cancel,
    };
    runtime.block_on(async {
        let run = tool.run(call);
        let ended = futures_util::future::select(run, Box::pin(tokio::task::yield_now())).await;
        assert!(matches!(ended, futures_util::future::Either::Right(_)));
    });
    // The runtime waits for its threads.
    drop(runtime);
    assert!(!cancel.is_cancelled());
}
