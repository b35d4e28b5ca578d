//! Python: `pyproject.toml`, requirements, lock files.

use super::files::Files;
use super::found::Scan;
use super::version::with_version;
use crate::knowledge::topic::Topic;

/// Lock files with their package managers and the command that runs a tool in their environment.
const LOCKS: &[(&str, &str, &str)] = &[
    ("uv.lock", "uv", "uv run "),
    ("poetry.lock", "Poetry", "poetry run "),
    ("pdm.lock", "PDM", "pdm run "),
    ("Pipfile.lock", "Pipenv", "pipenv run "),
];

/// Packages that are reported.
const KNOWN: &[(&str, &str, Topic)] = &[
    ("django", "Django", Topic::WebFramework),
    ("flask", "Flask", Topic::WebFramework),
    ("fastapi", "FastAPI", Topic::WebFramework),
    ("pytest", "pytest", Topic::TestFramework),
];

/// Style tools, by the name of their table, with their commands.
const STYLE: &[(&str, &str, &str)] = &[
    ("ruff", "Ruff", "ruff check"),
    ("flake8", "Flake8", "flake8"),
    ("pylint", "Pylint", "pylint"),
    ("black", "Black", ""),
    ("mypy", "mypy", ""),
];

pub(super) fn scan(files: &Files, scan: &mut Scan) {
    let project = files.toml("pyproject.toml");
    let is_python = project.is_some()
        || files.has_any(&["setup.py", "setup.cfg", "requirements.txt", "Pipfile"]);
    if !is_python {
        return;
    }
    let project = project.unwrap_or_default();
    let about = project.get("project").and_then(toml::Value::as_table);
    let tools = project.get("tool").and_then(toml::Value::as_table);
    let requires = about.and_then(|about| about.get("requires-python")?.as_str());
    let poetry = tools.and_then(|tools| tools.get("poetry")?.as_table());
    let poetry_python =
        poetry.and_then(|poetry| poetry.get("dependencies")?.get("python")?.as_str());
    scan.add(Topic::Language, with_version("Python", requires.or(poetry_python)));
    let locked =
        LOCKS.iter().find(|(lock, ..)| files.has(lock)).map(|(_, name, run)| (*name, *run));
    let (manager, run) = locked.unwrap_or(match poetry {
        Some(_) => ("Poetry", "poetry run "),
        None => ("pip", ""),
    });
    scan.add(Topic::PackageManager, manager);

    let mut text = files.read("pyproject.toml").unwrap_or_default();
    for path in ["requirements.txt", "requirements-dev.txt", "setup.py", "setup.cfg", "Pipfile"] {
        text.push('\n');
        text.push_str(&files.read(path).unwrap_or_default());
    }
    let text = text.to_ascii_lowercase();
    for (name, shown, topic) in KNOWN {
        if names(&text, name) {
            scan.add(*topic, *shown);
        }
    }
    let is_pytest = scan.findings.iter().any(|found| found.value == "pytest")
        || files.has_any(&["pytest.ini", "conftest.py"])
        || tools.is_some_and(|tools| tools.contains_key("pytest"));
    if is_pytest {
        scan.add(Topic::TestFramework, "pytest");
        scan.add(Topic::TestCommand, format!("{run}pytest"));
    } else if files.has("tox.ini") {
        scan.add(Topic::TestCommand, "tox");
    } else {
        scan.add(Topic::TestCommand, format!("{run}python -m unittest"));
    }
    for (table, shown, command) in STYLE {
        let own_files: &[&str] = match *table {
            "ruff" => &["ruff.toml", ".ruff.toml"],
            "flake8" => &[".flake8"],
            "pylint" => &[".pylintrc", "pylintrc"],
            "mypy" => &["mypy.ini"],
            _ => &[],
        };
        let is_used =
            tools.is_some_and(|tools| tools.contains_key(*table)) || files.has_any(own_files);
        if is_used {
            scan.add(Topic::CodeStyle, *shown);
            if !command.is_empty() {
                scan.add(Topic::LintCommand, format!("{run}{command}"));
            }
            if *table == "mypy" {
                scan.add(Topic::TypeCheckCommand, format!("{run}mypy ."));
            }
        }
    }
}

/// Whether a text contains a package's name as a separate word.
fn names(text: &str, package: &str) -> bool {
    let is_word =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    text.match_indices(package).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + package.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}
