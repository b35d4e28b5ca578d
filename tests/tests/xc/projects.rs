//! XC-174: small projects in three languages, each with a failing test that is mended through `-p -t`.

use std::path::{Path, PathBuf};

use mock_model::Turn;
use serde_json::json;

use crate::fixture::{LIMIT, Place, ended};

/// A program with a fault, its test, and what mends it.
struct Project {
    /// The program that runs the test.
    tool: &'static str,
    files: &'static [(&'static str, &'static str)],
    program: &'static str,
    old: &'static str,
    new: &'static str,
    test: &'static str,
}

async fn mended(project: &Project) {
    // The cargo that runs the tests comes before others.
    let cargo = std::env::var_os("CARGO").map(PathBuf::from);
    let own = cargo.as_deref().and_then(Path::parent).map(Path::to_owned);
    let path = std::env::var_os("PATH").unwrap();
    let folders: Vec<PathBuf> = own.into_iter().chain(std::env::split_paths(&path)).collect();
    if !folders.iter().any(|folder| folder.join(project.tool).is_file()) {
        return skipping::missing(project.tool, "install it");
    }
    let change =
        json!({ "filePath": project.program, "oldString": project.old, "newString": project.new });
    let test = || Turn::call("shell", &json!({ "command": project.test, "timeout": 110_000 }));
    let place = Place::with_turns([
        test(),
        Turn::call("readFile", &json!({ "filePath": project.program })),
        Turn::call("edit", &change),
        test(),
        Turn::text("Mended."),
    ])
    .await;
    for (path, text) in project.files {
        place.write(path, text);
    }
    let mut command = place.xc(&["-p", "-t", "--output-format", "json", "make the test pass"]);
    command.env("PATH", std::env::join_paths(folders).unwrap());
    // Where a toolchain of the user's lies.
    for name in ["RUSTUP_HOME", "CARGO_HOME", "PYENV_ROOT"] {
        let usual = std::env::home_dir().unwrap().join(match name {
            "RUSTUP_HOME" => ".rustup",
            "CARGO_HOME" => ".cargo",
            _ => ".pyenv",
        });
        command.env(name, std::env::var_os(name).unwrap_or_else(|| usual.into()));
    }
    let said = tokio::time::timeout(LIMIT * 3, ended(command.spawn().unwrap())).await.unwrap();
    assert_eq!(said.code, Some(0), "{}\n{}", said.out, said.err);
    let result: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(result["changed"], json!([project.program]), "{result}");
    let exits: Vec<bool> =
        result["commands"].as_array().unwrap().iter().map(|run| run["exit"] == 0).collect();
    assert_eq!(exits, [false, true], "{result}\n{:?}", place.bodies().last());
    assert!(said.err.contains("tests passed"), "{}", said.err);
}

#[tokio::test]
async fn a_project_in_rust() {
    mended(&Project {
        tool: "cargo",
        files: &[
            ("Cargo.toml", "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n"),
            ("src/lib.rs", "//! Adds.\n/// The sum.\npub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n#[test]\nfn adds() {\n    assert_eq!(add(2, 3), 5);\n}\n"),
        ],
        program: "src/lib.rs",
        old: "a - b",
        new: "a + b",
        test: "cargo test --offline --quiet",
    })
    .await;
}

#[tokio::test]
async fn a_project_in_python() {
    mended(&Project {
        tool: "python3",
        files: &[
            ("add.py", "def add(a, b):\n    return a - b\n"),
            ("test_add.py", "import unittest\nfrom add import add\n\nclass Adds(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(2, 3), 5)\n"),
        ],
        program: "add.py",
        old: "a - b",
        // Of another length: Python takes a file of the same length and second for the same.
        new: "sum((a, b))",
        test: "python3 -m unittest",
    })
    .await;
}

#[tokio::test]
async fn a_project_in_node() {
    mended(&Project {
        tool: "node",
        files: &[
            ("add.js", "module.exports = (a, b) => a - b;\n"),
            ("add.test.js", "const test = require('node:test');\nconst assert = require('node:assert');\nconst add = require('./add');\ntest('adds', () => assert.strictEqual(add(2, 3), 5));\n"),
        ],
        program: "add.js",
        old: "a - b",
        new: "a + b",
        test: "node --test",
    })
    .await;
}
