//! The file tools over real trees, each call judged first and then run, as the loop does it.

mod edits;
mod searches;
mod swaps;
mod writes;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract::xc::{CallStatus, What};
use llm::Cancel;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::file_tools;
use crate::action::Action;
use crate::host::Host;
use crate::tool::{Outcome, Running, Tool};
use crate::workspace::Workspace;

/// A workspace, a folder outside of it, and the tools of one session.
struct Tree {
    root: PathBuf,
    outside: PathBuf,
    workspace: Workspace,
    tools: Vec<Arc<dyn Tool>>,
    _folders: [TempDir; 2],
}

/// The file tools ask nobody and tell nothing.
struct Nobody;

impl Host for Nobody {
    fn tell(&self, _: What) {}
}

impl Tree {
    fn new() -> Self {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [root, outside] =
            folders.each_ref().map(|folder| folder.path().canonicalize().unwrap());
        let workspace = Workspace::open(&root, &[]).unwrap();
        let tools = file_tools(&workspace);
        Self { root, outside, workspace, tools, _folders: folders }
    }

    fn with(self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    fn tool(&self, name: &str) -> &dyn Tool {
        &**self.tools.iter().find(|tool| tool.definition().name == name).unwrap()
    }

    fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.root.join(path)).unwrap()
    }

    fn judged(&self, name: &str, arguments: &Value) -> Action {
        self.tool(name).action(arguments.as_object().unwrap())
    }

    fn run(&self, name: &str, arguments: &Value, action: &Action) -> Outcome {
        run(self.tool(name), arguments.as_object().unwrap(), action, &Cancel::new())
    }

    fn call(&self, name: &str, arguments: Value) -> Outcome {
        let schema = self.tool(name).definition().schema;
        assert!(jsonschema::is_valid(&schema, &arguments), "{name} {arguments}");
        let action = self.judged(name, &arguments);
        self.run(name, &arguments, &action)
    }

    fn ok(&self, name: &str, arguments: Value) -> String {
        let outcome = self.call(name, arguments);
        assert_eq!(outcome.status, CallStatus::Ok, "{}", outcome.text);
        outcome.text
    }

    fn error(&self, name: &str, arguments: Value) -> String {
        let outcome = self.call(name, arguments);
        assert_eq!(outcome.status, CallStatus::Error, "{}", outcome.text);
        assert!(outcome.changed.is_empty(), "{:?}", outcome.changed);
        outcome.text
    }

    fn read(&self, path: &str) -> String {
        self.ok("readFile", json!({ "filePath": path }))
    }

    /// The names in the root, to see that nothing was left there.
    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(&self.root).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn run(
    tool: &dyn Tool,
    arguments: &Map<String, Value>,
    action: &Action,
    cancel: &Cancel,
) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(tool.run(Running {
        id: "1",
        arguments,
        action,
        instead: None,
        host: &Nobody,
        cancel,
    }))
}

fn fifo(path: &Path) {
    rustix::fs::mknodat(
        rustix::fs::CWD,
        path,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
}

#[test]
fn the_tools_have_the_names_fields_and_descriptions_of_their_specification() {
    let tree = Tree::new();
    let told = |tool: &Arc<dyn Tool>| {
        let definition = tool.definition();
        let fields = definition.schema["properties"].as_object().unwrap();
        let is_required = |name: &str| {
            definition.schema["required"].as_array().unwrap().iter().any(|it| it == name)
        };
        let mut fields: Vec<String> = fields
            .keys()
            .map(|name| if is_required(name) { name.clone() } else { format!("{name}?") })
            .collect();
        fields.sort();
        assert_eq!(definition.schema["additionalProperties"], false);
        (definition.name, fields.join(" "), definition.description, tool.is_reading())
    };
    let expected = [
        (
            "readFile",
            "filePath limit? offset?",
            "Read the contents of a file at the given path. Returns the file content with line numbers.",
            true,
        ),
        ("writeFile", "content filePath", "Create or overwrite files", false),
        (
            "edit",
            "filePath newString oldString replaceAll?",
            "Replace specific strings in files (preferred over writeFile for modifications)",
            false,
        ),
        ("listDir", "path", "List directory contents", true),
        ("glob", "path? pattern", "Find files by pattern (preferred over shell ls/find)", true),
        (
            "grep",
            "context? ignoreCase? include? path? pattern",
            "Search file contents by regex (preferred over shell grep)",
            true,
        ),
    ];
    let expected = expected.map(|(name, fields, description, is_reading)| {
        (name.to_owned(), fields.to_owned(), description.to_owned(), is_reading)
    });
    assert_eq!(tree.tools.iter().map(told).collect::<Vec<_>>(), expected);
}

#[test]
fn a_file_is_read_with_line_numbers() {
    let tree = Tree::new()
        .with("a.txt", "one\ntwo\r\nthree")
        .with("bom.txt", "\u{feff}eins\n")
        .with("empty", "")
        .with("名.txt", "字\n");
    assert_eq!(tree.read("a.txt"), "1\tone\n2\ttwo\n3\tthree");
    assert_eq!(tree.read("bom.txt"), "1\teins");
    assert_eq!(tree.read("empty"), "empty is empty.");
    assert_eq!(tree.read("名.txt"), "1\t字");
    let absolute = tree.root.join("a.txt");
    let range = json!({ "filePath": absolute, "offset": 2, "limit": 1 });
    assert_eq!(tree.ok("readFile", range), "2\ttwo");
    let last = json!({ "filePath": "a.txt", "offset": 3.0, "limit": 9 });
    assert_eq!(tree.ok("readFile", last), "3\tthree");
    let behind = json!({ "filePath": "a.txt", "offset": 4 });
    assert_eq!(tree.error("readFile", behind), "a.txt has 3 lines; offset 4 is behind the last.");
}

#[test]
fn what_is_no_text_is_told_apart() {
    let tree = Tree::new()
        .with("folder/file", "")
        .with("image.png", b"\x89PNG\r\n\x1a\n\0\0")
        .with("blob", b"a\0b")
        .with("latin", b"a\nb\ncaf\xe9\n");
    fifo(&tree.root.join("fifo"));
    for (path, told) in [
        ("gone", "gone does not exist."),
        ("gone/deeper", "gone/deeper does not exist."),
        ("latin/deeper", "latin/deeper cannot exist: a part of its path is a file."),
        ("folder", "folder is a folder, not a file; listDir shows what is in it."),
        ("image.png", "image.png is binary: 10 bytes, PNG image."),
        ("blob", "blob is binary: 3 bytes, unknown type."),
        (
            "latin",
            "latin is not UTF-8 text: 9 bytes, the first that does not fit is in line 3. Convert it with \
             shell (iconv) to read it.",
        ),
        ("fifo", "fifo is a fifo, not a file; it is not touched."),
        ("/dev/null", "/dev/null is a device, not a file; it is not touched."),
        ("/", "/ is a folder, not a file; listDir shows what is in it."),
    ] {
        assert_eq!(tree.error("readFile", json!({ "filePath": path })), told);
    }
}

#[test]
fn a_long_file_is_read_in_parts() {
    let lines: Vec<String> = (1..=5_000).map(|number| format!("line {number}")).collect();
    let wide: String = (0..100).map(|_| "字".repeat(1_000) + "\n").collect();
    let tree = Tree::new()
        .with("long", lines.join("\n"))
        .with("wide", wide)
        .with("one-line", "x".repeat(5 << 20))
        .with("huge", "")
        .with("two", "y".repeat(40_000) + "\nz\n");
    let text = tree.read("long");
    assert_eq!(text.lines().count(), 2_001);
    assert!(
        text.ends_with("\n2000\tline 2000\n[lines 1-2000 of 5000; go on with offset 2001]"),
        "{text}"
    );
    let text = tree.ok("readFile", json!({ "filePath": "long", "offset": 4_001 }));
    assert!(text.starts_with("4001\tline 4001\n") && text.ends_with("\n5000\tline 5000"));
    let text = tree.read("wide");
    assert!(text.ends_with("\n[lines 1-29 of 100; go on with offset 30]"), "{text}");
    assert!(text.chars().count() <= 30_000);
    let text = tree.read("one-line");
    assert!(text.ends_with("\n[line 1 has 5242880 characters; the first 29697 are shown]"));
    assert!(text.chars().count() <= 30_000);
    let text = tree.read("two");
    assert!(
        text.ends_with("[lines 1-1 of 2; go on with offset 2]"),
        "{}",
        &text[text.len() - 200..]
    );
    fs::File::options()
        .write(true)
        .open(tree.root.join("huge"))
        .unwrap()
        .set_len(65 << 20)
        .unwrap();
    let told = tree.error("readFile", json!({ "filePath": "huge" }));
    assert!(told.starts_with("huge is too large: 68157440 bytes, at most 67108864"), "{told}");
}

#[test]
fn a_call_is_judged_by_where_its_path_leads() {
    use std::os::unix::fs::symlink;
    let tree = Tree::new().with("src/a.rs", "a\n").with(".env", "KEY=1\n");
    symlink("src", tree.root.join("inward")).unwrap();
    symlink(".env", tree.root.join("harmless.txt")).unwrap();
    symlink(&tree.outside, tree.root.join("outward")).unwrap();
    fs::write(tree.outside.join("theirs"), "theirs\n").unwrap();
    let read = |path: PathBuf| Action::Read { path };
    let write = |path: PathBuf| Action::Write { path };
    for (name, arguments, action) in [
        ("readFile", json!({ "filePath": "inward/a.rs" }), read(tree.root.join("src/a.rs"))),
        ("readFile", json!({ "filePath": "harmless.txt" }), read(tree.root.join(".env"))),
        ("readFile", json!({ "filePath": "outward/theirs" }), read(tree.outside.join("theirs"))),
        ("readFile", json!({ "filePath": "../../../../../../../etc/x" }), read("/etc/x".into())),
        (
            "writeFile",
            json!({ "filePath": "outward/new/file", "content": "" }),
            write(tree.outside.join("new/file")),
        ),
        (
            "edit",
            json!({ "filePath": "inward/a.rs", "oldString": "a", "newString": "b" }),
            write(tree.root.join("src/a.rs")),
        ),
        ("listDir", json!({ "path": "outward" }), read(tree.outside.clone())),
        ("glob", json!({ "pattern": "*" }), read(tree.root.clone())),
        ("grep", json!({ "pattern": "a", "path": "inward" }), read(tree.root.join("src"))),
    ] {
        assert_eq!(tree.judged(name, &arguments), action, "{name} {arguments}");
    }
    // Links that lead inside are as good as the places that they name; what lies outside is read once it was
    // allowed.
    assert_eq!(tree.read("inward/a.rs"), "1\ta");
    assert_eq!(tree.read("outward/theirs"), "1\ttheirs");
    tree.ok("edit", json!({ "filePath": "src/a.rs", "oldString": "a", "newString": "b" }));
    assert_eq!(tree.bytes("src/a.rs"), b"b\n");
    assert!(tree.root.join("inward").is_symlink());
}
