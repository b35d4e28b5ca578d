//! What is never read or shown, and the limits of answers.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

use code_intel::tools::graph_rag::{GraphRagRequest, graph_rag};
use code_intel::tools::search::{Mode, SearchRequest, Snippets, search};
use code_intel::{Deadline, Engine, EngineError, RepoRoot};
use rustix::fs::{CWD, FileType, mknodat};

use crate::repository::{Repository, soon};

#[test]
fn what_git_ignores_and_what_tools_made_is_not_there() {
    let repository = Repository::new(&[
        (".gitignore", "ignored/\n*.log\n"),
        ("a.py", "needle = 1\n"),
        ("ignored/b.py", "needle = 2\n"),
        ("c.log", "needle\n"),
        (".github/workflows/ci.yml", "needle: 1\n"),
        (".git/config", "needle\n"),
        ("node_modules/x/index.js", "needle()\n"),
        ("target/CACHEDIR.TAG", "Signature\n"),
        ("target/x.rs", "fn needle() {}\n"),
    ]);
    let found = repository.found("needle", Some(Mode::Literal));
    assert_eq!(found, ["a.py", ".github/workflows/ci.yml"]);
}

#[test]
fn the_nearest_ignore_file_that_says_something_counts() {
    let repository = Repository::new(&[
        (".git/info/exclude", "mine.py\n"),
        (".gitignore", "*.gen.py\nbuild/\n/top.py\n"),
        (".ignore", "!kept.gen.py\n"),
        ("a.py", "needle = 1\n"),
        ("mine.py", "needle = 1\n"),
        ("x.gen.py", "needle = 1\n"),
        ("kept.gen.py", "needle = 1\n"),
        ("build/b.py", "needle = 1\n"),
        ("top.py", "needle = 1\n"),
        ("sub/.gitignore", "!x.gen.py\nlocal/\n"),
        ("sub/top.py", "needle = 1\n"),
        ("sub/x.gen.py", "needle = 1\n"),
        ("sub/y.gen.py", "needle = 1\n"),
        ("sub/local/c.py", "needle = 1\n"),
        ("sub/deep/er/local/c.py", "needle = 1\n"),
    ]);
    let mut found = repository.found("needle", Some(Mode::Literal));
    found.sort();
    assert_eq!(found, ["a.py", "kept.gen.py", "sub/top.py", "sub/x.gen.py"]);
    // Below the top, what stands above still counts.
    let engine =
        Engine::new(RepoRoot::at(&repository.path().join("sub")).unwrap(), repository.cache());
    let view = engine.view(&soon()).unwrap();
    let mut files: Vec<&str> = view.files().map(|file| file.path).collect();
    files.sort_unstable();
    assert_eq!(files, [".gitignore", "top.py", "x.gen.py"]);
}

/// Git keeps links, and an archive pipes: a walk that read them would not end, or end the machine's memory.
#[test]
fn an_ignore_file_that_never_ends_is_not_read() {
    let repository = Repository::new(&[("a.py", "needle = 1\n"), ("sub/b.py", "needle = 2\n")]);
    fs::create_dir_all(repository.path().join(".git/info")).unwrap();
    for file in [".git/info/exclude", ".gitignore", "sub/.ignore"] {
        symlink("/dev/zero", repository.path().join(file)).unwrap();
    }
    for file in [".ignore", "sub/.gitignore"] {
        let path = repository.path().join(file);
        mknodat(CWD, &path, FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
    }
    assert_eq!(repository.found("needle", Some(Mode::Literal)), ["a.py", "sub/b.py"]);
    let patterns = "**/*a*b*c*/d?[e-g]*\n".repeat(200_000);
    let repository = Repository::new(&[("a.py", "needle = 1\n"), (".gitignore", &patterns)]);
    assert_eq!(repository.found("needle", Some(Mode::Literal)), ["a.py"]);
}

#[test]
fn a_sensitive_file_is_neither_read_nor_named() {
    let repository = Repository::new(&[
        (".env", "NEEDLE=needle\n"),
        ("deploy/server.pem", "needle\n"),
        ("home/.ssh/config", "needle\n"),
        ("secrets/a.txt", "needle\n"),
        ("id_rsa", "needle\n"),
        ("a.txt", "needle\n"),
    ]);
    for mode in [Mode::Literal, Mode::Words, Mode::Identifier] {
        assert_eq!(repository.found("needle", Some(mode)), ["a.txt"], "{mode:?}");
    }
    let named: Vec<String> = repository.view().files().map(|file| file.path.to_owned()).collect();
    assert_eq!(named, ["a.txt"]);
    for file in repository.index_files() {
        let bytes = fs::read(file).unwrap();
        assert!(!bytes.windows(6).any(|window| window == b"id_rsa"));
    }
}

#[test]
fn a_secret_in_a_source_is_masked_in_what_is_shown() {
    let key = ["AKIA", "QWERTYUIOPASDFGH"].concat();
    let source = format!("def connect():\n    return client(\"{key}\")\n");
    let repository = Repository::new(&[("a.py", &source)]);
    let answer = repository.ask("connect", None);
    let snippet = answer.items[0].snippet.as_deref().unwrap();
    assert!(snippet.contains("client(") && !snippet.contains(&key), "{snippet}");
}

#[test]
fn nothing_behind_a_link_is_there() {
    let repository = Repository::new(&[("a.py", "needle = 1\n")]);
    fs::create_dir(repository.outside().join("other")).unwrap();
    fs::write(repository.outside().join("other/b.py"), "needle = 2\n").unwrap();
    symlink("../other", repository.path().join("folder")).unwrap();
    symlink("../other/b.py", repository.path().join("file.py")).unwrap();
    symlink(".", repository.path().join("circle")).unwrap();
    assert_eq!(repository.found("needle", Some(Mode::Literal)), ["a.py"]);
    // A file that becomes a link after it was indexed is not followed either.
    let view = repository.view();
    let id = view.find("a.py").unwrap();
    fs::remove_file(repository.path().join("a.py")).unwrap();
    symlink("../other/b.py", repository.path().join("a.py")).unwrap();
    assert_eq!(view.read(id), None);
}

#[test]
fn data_and_huge_files_are_known_by_name_only() {
    let repository = Repository::new(&[("a.py", "def go():\n    pass\n")]);
    repository.write("data.bin", b"needle\0needle");
    let huge = fs::File::create(repository.path().join("huge.py")).unwrap();
    huge.set_len(5 * 1024 * 1024 * 1024).unwrap();
    let status = repository.status();
    assert_eq!((status.files, status.text_files), (3, 1));
    assert_eq!(repository.found("needle", Some(Mode::Literal)), [""; 0]);
    assert_eq!(repository.found("huge", Some(Mode::Words)), ["huge.py"]);
}

#[test]
fn strange_content_breaks_nothing() {
    let deep = "(".repeat(200_000);
    let repository = Repository::new(&[("good.py", "def good():\n    return needle\n")]);
    repository.write("invalid.py", b"def inv\xff\xfe():\n    needle \xc3\n");
    repository.write("deep.rs", format!("fn deep() {{ {deep} }} // needle\n"));
    repository.write("deep.py", format!("x = {}{} # needle\n", "[".repeat(900), "]".repeat(900)));
    repository.write("line.js", format!("needle;{}\n", "a=1;".repeat(800_000)));
    repository.write("broken.go", "func ( { needle ] ) := \"");
    repository.write("empty.c", "");
    repository.write("only\u{3000}中文.rb", "# needle 中文\n");
    repository.write("zero.txt", "needle\0");
    let mut found = repository.found("needle", Some(Mode::Literal));
    found.sort();
    let expected = ["broken.go", "deep.py", "deep.rs", "good.py", "invalid.py", "line.js"];
    assert_eq!(found[..6], expected.map(str::to_owned));
    assert_eq!(found.len(), 7);
    assert_eq!(repository.defined("good"), ["good.py:1"]);
    let longest = repository.ask("needle", Some(Mode::Literal)).items;
    assert!(longest.iter().all(|item| item.snippet.as_ref().unwrap().len() < 1_000));
}

#[test]
fn time_that_is_over_gives_what_is_there_and_says_so() {
    let repository = Repository::new(&[]);
    for file in 0..30 {
        let text = format!("def needle_{file}():\n    return {file}\n").repeat(2_000);
        repository.write(&format!("f{file}.py"), text);
    }
    let request = SearchRequest {
        query: "needle".to_owned(),
        mode: Some(Mode::Words),
        limit: 5,
        snippets: Snippets::Left,
    };
    let now = Deadline::after(Duration::ZERO);
    let answer = search(&repository.engine(), &request, &now).unwrap();
    assert!(answer.truncated && !answer.limits.is_empty());
    // Later questions go on where the first one stopped, and the last one has everything.
    let mut rounds = 0;
    while search(&repository.engine(), &request, &soon()).unwrap().truncated {
        rounds += 1;
        assert!(rounds < 50);
    }
    assert_eq!(repository.status().pending_files, 0);
    assert_eq!(repository.found("needle_29", None)[0], "f29.py");
}

#[test]
fn what_is_not_a_question_is_said() {
    let repository = Repository::new(&[("a.py", "x = 1\n")]);
    let ask = |query: &str, mode| {
        let request =
            SearchRequest { query: query.to_owned(), mode, limit: 5, snippets: Snippets::Left };
        search(&repository.engine(), &request, &soon())
    };
    assert!(matches!(ask(" \n", None), Err(EngineError::EmptyQuestion)));
    let Err(EngineError::Pattern { message }) = ask("a(b", Some(Mode::Regex)) else { panic!() };
    assert!(message.contains('^') && message.contains("unclosed group"), "{message}");
    let prompt = String::new();
    let empty = GraphRagRequest {
        prompt,
        depth: 1,
        top_k: 1,
        budget_tokens: 100,
        snippets: Snippets::Shown,
    };
    let answer = graph_rag(&repository.engine(), &empty, &soon());
    assert!(matches!(answer, Err(EngineError::EmptyQuestion)));
}

#[test]
fn nothing_is_written_into_the_repository() {
    let repository = Repository::new(&[("a.py", "def go():\n    pass\n")]);
    repository.found("go", None);
    let entries: Vec<_> = fs::read_dir(repository.path()).unwrap().flatten().collect();
    assert_eq!(entries.len(), 1);
    let mode = std::os::unix::fs::MetadataExt::mode(&repository.cache().metadata().unwrap());
    assert_eq!(mode & 0o077, 0);
}
