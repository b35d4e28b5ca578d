//! Recognises commands that run tests, and whether their exit code is that of the tests.

use contract::xc::CommandRun;
use gate::{Action, Context, NoDisk};

/// The first words of simple commands that run tests. `*` matches any word.
const TESTS: &[&str] = &[
    "bats",
    "bazel test",
    "bundle exec rspec",
    "bun test",
    "cargo nextest run",
    "cargo test",
    "composer test",
    "ctest",
    "deno test",
    "dotnet test",
    "go test",
    "gradle test",
    "gradlew test",
    "jest",
    "just test",
    "make check",
    "make test",
    "meson test",
    "mix test",
    "mocha",
    "mvn test",
    "mvn verify",
    "mvnw test",
    "ninja test",
    "node --test",
    "nose2",
    "npm run test",
    "npm t",
    "npm test",
    "npx jest",
    "npx mocha",
    "npx vitest",
    "phpunit",
    "pnpm run test",
    "pnpm test",
    "pnpm vitest",
    "poetry run pytest",
    "py.test",
    "pytest",
    "python -m pytest",
    "python -m unittest",
    "python3 -m pytest",
    "python3 -m unittest",
    "rake test",
    "rspec",
    "sbt test",
    "swift test",
    "tox",
    "uv run pytest",
    "vitest",
    "yarn run test",
    "yarn test",
    "yarn vitest",
    "zig build test",
    "zig test",
];

/// Shells and interpreters; a script that they run is recognised by its name.
const SHELLS: &[&str] = &["bash", "dash", "sh", "zsh", "node", "python", "python3", "ruby"];

/// The outcome of a command's tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TestExit {
    /// All of them passed.
    Passed,
    /// Some failed, or the command did not complete.
    Failed,
    /// The exit code belongs to another part of the command.
    Unclear,
}

/// The outcome of the tests of `run`; none if it runs no tests.
pub(super) fn test_exit(run: &CommandRun) -> Option<TestExit> {
    let action = Action::Shell { command: run.command.clone() };
    let context =
        Context { cwd: "/", project: "/", home: "/", scratch: &[], protected: &[], disk: &NoDisk };
    let commands = gate::judge_action(&action, &context).commands;
    let tests = commands.iter().rev().find(|seen| runs_tests(&seen.words))?;
    let exit_is_theirs = is_last_word(run.command.get(tests.span.end..).unwrap_or_default());
    Some(match run.exit {
        Some(0) if exit_is_theirs => TestExit::Passed,
        Some(0) => TestExit::Unclear,
        Some(_) | None => TestExit::Failed,
    })
}

fn runs_tests(words: &[String]) -> bool {
    let Some((program, rest)) = words.split_first() else { return false };
    let program = file_name(program);
    if rest.iter().any(|word| matches!(word.as_str(), "--help" | "--version" | "--no-run")) {
        return false;
    }
    if SHELLS.contains(&program) && rest.first().is_some_and(|script| is_test_script(script)) {
        return true;
    }
    if is_test_script(program) {
        return true;
    }
    TESTS.iter().any(|begin| {
        let mut begin = begin.split(' ');
        begin.next() == Some(program) && {
            // Options may precede the sub-command: `cargo --locked test`.
            let mut rest = rest
                .iter()
                .filter(|word| !word.starts_with(['-', '+']) || *word == "-m" || *word == "--test");
            begin.all(|word| rest.next().is_some_and(|next| next == word))
        }
    })
}

/// A script such as `test.sh`, `run_tests.py` or `tests/run-test`.
fn is_test_script(word: &str) -> bool {
    let name = file_name(word);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    // `test` itself is the shell's builtin for comparisons.
    name != "test"
        && stem
            .split(['_', '-', '.'])
            .any(|part| matches!(part, "test" | "tests" | "runtests" | "check"))
        && (name.contains('.') || word.contains('/') || stem.contains(['_', '-']))
}

fn file_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Whether the text after the tests cannot change the exit code: only further commands that run after
/// success, and redirections.
fn is_last_word(rest: &str) -> bool {
    let rest = rest.replace("&&", "").replace(">&", "").replace("&>", "");
    !rest.trim_end().contains(['|', ';', '&', '\n'])
}

#[cfg(test)]
mod tests {
    use contract::xc::CommandRun;

    use super::{TestExit, test_exit};

    fn exit(command: &str, exit: Option<i32>) -> Option<TestExit> {
        test_exit(&CommandRun { command: command.to_owned(), exit })
    }

    #[test]
    fn commands_that_run_tests_are_known() {
        for command in [
            "cargo test",
            "cargo nextest run -p gate",
            "cargo +nightly test --locked",
            "cd app && npm test",
            "RUST_LOG=debug cargo test -- --nocapture",
            "python3 -m pytest -q tests",
            "pytest",
            "sh test.sh",
            "./run_tests.sh",
            "tests/run-test",
            "make check",
            "bash -c 'go test ./...'",
            "timeout 60 cargo test",
            "cargo test 2>&1",
            "cargo test > log.txt && echo done",
        ] {
            assert_eq!(exit(command, Some(0)), Some(TestExit::Passed), "{command}");
            assert_eq!(exit(command, Some(101)), Some(TestExit::Failed), "{command}");
            assert_eq!(exit(command, None), Some(TestExit::Failed), "{command}");
        }
    }

    #[test]
    fn others_run_none() {
        for command in [
            "cargo build",
            "cat test.sh",
            "echo cargo test",
            "grep -rn test src",
            "test -f a",
            "git commit -m 'cargo test'",
            "cargo test --no-run",
            "pytest --version",
            "ls tests",
            "# cargo test",
        ] {
            assert_eq!(exit(command, Some(0)), None, "{command}");
        }
    }

    #[test]
    fn an_exit_code_of_another_part_is_not_that_of_the_tests() {
        for command in [
            "cargo test | tail -5",
            "cargo test 2>&1 | tee log",
            "cargo test; echo done",
            "cargo test || true",
            "cargo test &",
            "cargo test\necho done",
        ] {
            assert_eq!(exit(command, Some(0)), Some(TestExit::Unclear), "{command}");
        }
    }
}
