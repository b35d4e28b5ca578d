//! The command `ci` as its users run it: exit codes, JSON, concurrent runs, killed runs.

#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "the executable under test is started here")]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

struct Fixture(TempDir);

impl Fixture {
    fn new(files: usize) -> Self {
        let place = Self(TempDir::new().unwrap());
        fs::create_dir(place.root()).unwrap();
        (0..files).for_each(|number| place.write(number, "first"));
        place
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("root")
    }

    fn write(&self, number: usize, word: &str) {
        let line = format!("def {word}_{number}():\n    return {number}\n\n\n");
        fs::write(self.root().join(format!("f{number}.py")), line.repeat(40)).unwrap();
    }

    fn ci(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ci"));
        command.args(args).current_dir(self.root()).env_clear();
        command.env("CODE_INTEL_CACHE_DIR", self.0.path().join("cache"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.ci(args).output().unwrap()
    }

    fn json(&self, args: &[&str]) -> Value {
        let output = self.run(args);
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn every_tool_answers_in_one_frame() {
    let place = Fixture::new(3);
    for (tool, args) in [
        ("index_status", vec!["index_status"]),
        ("search", vec!["search", "first_1"]),
        ("graph_rag", vec!["graph_rag", "what is first_1"]),
        ("bug_locate", vec!["bug_locate", "error in first_1"]),
    ] {
        let args: Vec<&str> = ["--json"].into_iter().chain(args).collect();
        let answer = place.json(&args);
        assert_eq!(answer["tool"], tool);
        assert_eq!(answer["truncated"], false, "{answer}");
        assert!(answer["engine"]["index_version"].is_u64());
        assert!(answer["elapsed_ms"].is_u64());
        assert!(!answer["items"].as_array().unwrap().is_empty(), "{tool}");
    }
}

#[test]
fn exit_codes_tell_what_happened() {
    let place = Fixture::new(1);
    let code = |args: &[&str]| place.run(args).status.code().unwrap();
    assert_eq!(code(&["search", "first_0"]), 0);
    assert_eq!(code(&["search", "\"not there at all\""]), 1);
    assert_eq!(code(&["search", "--mode", "regex", "a(b"]), 2);
    assert_eq!(code(&["search"]), 2);
    assert_eq!(code(&["--root", "/no/such/folder", "search", "x"]), 3);
    let output = place.run(&["--root", "/no/such/folder", "search", "x"]);
    assert!(text(&output.stderr).contains("/no/such/folder"), "{}", text(&output.stderr));
    let output = place.run(&["search", "--mode", "regex", "a(b"]);
    assert!(text(&output.stderr).contains("unclosed group"), "{}", text(&output.stderr));
}

#[test]
fn text_has_no_colours_beside_a_terminal_and_input_may_be_piped() {
    let place = Fixture::new(2);
    let mut child = place.ci(&["bug-locate", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"File \"f1.py\", line 2, in first_1\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let printed = text(&output.stdout);
    assert!(printed.starts_with("f1.py:2  first_1"), "{printed}");
    assert!(!printed.contains('\u{1b}'));
    let completions = text(&place.run(&["completions", "bash"]).stdout);
    assert!(completions.contains("graph-rag"));
}

#[test]
fn a_closed_pipe_is_no_fault() {
    let place = Fixture::new(50);
    let mut child =
        place.ci(&["search", "-m", "words", "-l", "50", "-s", "first"]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn several_at_once_see_the_same() {
    let place = Fixture::new(60);
    for round in ["second", "third"] {
        let args = ["--json", "search", "-m", "identifier", "first_59"];
        let children: Vec<Child> = (0..6).map(|_| place.ci(&args).spawn().unwrap()).collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(answer["truncated"], false, "{answer}");
            assert_eq!(answer["items"][0]["path"], "f59.py");
        }
        (0..30).for_each(|number| place.write(number, round));
    }
    let answer = place.json(&["--json", "search", "third_7"]);
    assert_eq!(answer["items"][0]["path"], "f7.py");
    let segments = place.json(&["--json", "index-status"]);
    assert_eq!(segments["items"][0]["files"], 60);
}

#[test]
fn killed_while_it_updates_it_leaves_an_index_that_works() {
    let place = Fixture::new(80);
    for round in 0..12 {
        let word = format!("round{round}");
        (0..80).for_each(|number| place.write(number, &word));
        let mut child = place.ci(&["index-status"]).spawn().unwrap();
        // Killed at some point: sometimes before, sometimes while, sometimes after it writes.
        let spin = std::time::Instant::now();
        while spin.elapsed() < std::time::Duration::from_millis(round * 3) {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let answer = place.json(&["--json", "search", &format!("{word}_33")]);
        assert_eq!(answer["items"][0]["path"], "f33.py", "{answer}");
        assert_eq!(answer["truncated"], false);
    }
}

#[test]
fn names_and_code_of_a_repository_do_not_act_on_a_terminal() {
    let place = Fixture::new(0);
    let hostile = "\u{1b}]0;PWNED\u{7}\u{1b}[31m\u{9b}1m\u{202e}\u{200b}\u{e0041}";
    let name = format!("login_{}.py", hostile.replace('/', ""));
    let code = format!("def retry_login(user):\n    # {hostile}\n    return \"{hostile}\"\n");
    fs::write(place.root().join(name), code).unwrap();
    let hidden = |text: &str| {
        text.chars().any(|char| {
            char.is_control() && !matches!(char, '\n' | '\t')
                || matches!(char, '\u{200b}' | '\u{202e}' | '\u{e0041}')
        })
    };
    fn strings(value: &Value) -> String {
        match value {
            Value::String(text) => text.clone(),
            Value::Array(items) => items.iter().map(strings).collect(),
            Value::Object(members) => {
                members.iter().map(|(key, value)| format!("{key}{}", strings(value))).collect()
            }
            _ => String::new(),
        }
    }
    let output = place.run(&["search", "retry_login", "--snippets"]);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(said.contains("retry_login") && !hidden(&said), "{said:?}");
    let answer = place.json(&["search", "retry_login", "--snippets", "--json"]);
    assert!(strings(&answer).contains("retry_login") && !hidden(&strings(&answer)), "{answer}");
}

#[test]
fn a_cache_that_others_may_write_to_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Fixture::new(1);
    let cache = place.0.path().join("cache");
    fs::create_dir(&cache).unwrap();
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).unwrap();
    let output = place.run(&["search", "first_0"]);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(said.contains("chmod 700"), "{said}");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(place.run(&["search", "first_0"]).status.code(), Some(0));
}

/// A file that says who ran it, and does what a filter is to do.
fn trap(place: &Fixture) -> (PathBuf, PathBuf) {
    let (trap, trace) = (place.0.path().join("trap"), place.0.path().join("trace"));
    fs::write(&trap, format!("#!/bin/sh\necho ran >> '{}'\ncat\n", trace.display())).unwrap();
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    (trap, trace)
}

/// Root in another user's repository, and another user in root's.
#[test]
fn a_repository_of_another_owner_starts_no_program_and_is_told() {
    if !rustix::process::geteuid().is_root() {
        return skipping::impossible("only root can be another user");
    }
    const NOBODY: u32 = 65_534;
    for (owner, user) in [(NOBODY, 0), (0, NOBODY), (1, NOBODY)] {
        let place = Fixture::new(2);
        let (trap, trace) = trap(&place);
        let git = |args: &[&str]| {
            let mut git = Command::new("git");
            git.args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@example.com",
                "-c",
                "safe.directory=*",
            ]);
            let output = git.args(args).current_dir(place.root()).output().unwrap();
            assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        };
        git(&["init", "-q"]);
        git(&["add", "-A"]);
        git(&["commit", "-qm", "first"]);
        fs::write(place.root().join(".gitattributes"), "* filter=evil diff=evil\n").unwrap();
        for key in [
            "core.fsmonitor",
            "diff.evil.textconv",
            "diff.external",
            "filter.evil.clean",
            "gpg.program",
        ] {
            git(&["config", key, trap.to_str().unwrap()]);
        }
        place.write(0, "second");
        fs::create_dir(place.0.path().join("cache")).unwrap();
        let chown = |path: PathBuf, uid: u32| {
            std::os::unix::fs::lchown(path, Some(uid), Some(uid)).unwrap()
        };
        chown(place.0.path().join("cache"), user);
        for entry in walkdir(&place.root()) {
            chown(entry, owner);
        }
        fs::set_permissions(place.0.path(), fs::Permissions::from_mode(0o777)).unwrap();
        for args in [&["hotspot"][..], &["impact"], &["search", "first"], &["index_status"]] {
            let mut ci = place.ci(args);
            let output = ci.uid(user).gid(user).output().unwrap();
            let said = text(&output.stderr);
            let told = format!("is a repository of user {owner}, and is not believed");
            assert!(
                said.contains(&told),
                "{owner} {user} {args:?}: {said} {}",
                text(&output.stdout)
            );
            assert!(!trace.exists(), "{owner} {user} {args:?}: a program of the repository ran");
        }
        // The trap is a real one.
        git(&["diff"]);
        assert!(trace.exists());
    }
}

/// Everything from a folder on.
fn walkdir(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(walkdir(&path)) } else { found.push(path) }
    }
    found
}

/// The text for a model: fenced as data, each path once, functions by name and line.
#[test]
fn the_context_of_a_question_names_files_and_functions() {
    let place = Fixture::new(30);
    fs::write(place.root().join("README.md"), "how first_3 is used\n").unwrap();
    fs::write(place.root().join("test_first.py"), "def test_first_3():\n    first_3()\n").unwrap();
    let question = ["graph-rag", "--context", "why does first_3 return 3?"];
    let output = place.run(&question);
    let fenced = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let head = format!("{}\n{}\n", fence::OPEN, fence::PREFACE);
    let inside = fenced.strip_prefix(&head).unwrap();
    let said = inside.strip_suffix(&format!("{}\n", fence::CLOSE)).unwrap();
    let (first, rest) = said.split_once('\n').unwrap();
    assert_eq!(first, "Files that fit, best first; functions as name:first-last line:");
    assert!(
        rest.starts_with("f3.py (words: first_3, return)\n  first_3:1-2\n    | def first_3():\n"),
        "{said}"
    );
    assert_eq!(said.matches("f3.py").count(), 1, "{said}");
    assert!(said.contains("\nTests: test_first.py\nDocuments and examples: README.md\n"), "{said}");
    let json = place.json(&[&["--json"][..], &question[..]].concat());
    assert_eq!(json["context"].as_str(), Some(fenced.trim_end()));
    let nothing = place.run(&["graph-rag", "--context", "zzz"]);
    assert_eq!((nothing.status.code(), text(&nothing.stdout).as_str()), (Some(1), ""));
}
