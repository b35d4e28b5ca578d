//! What a path says of its file: whether it is a test. Content is not looked at.

/// Folders whose files are tests.
const TEST_FOLDERS: [&str; 7] =
    ["test", "tests", "testing", "__tests__", "spec", "specs", "testdata"];

/// Whether a file is a test, by its path.
#[must_use]
pub fn is_test(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    folders.split('/').any(|folder| TEST_FOLDERS.contains(&folder))
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || matches!(stem, "conftest" | "test" | "tests")
        || [".test.", ".spec."].iter().any(|part| name.contains(part))
        || (stem.len() > 4 && (stem.ends_with("Test") || stem.ends_with("Tests")))
}

#[cfg(test)]
mod tests {
    use super::is_test;

    #[test]
    fn a_test_is_known_by_its_path() {
        for path in [
            "tests/a.rs",
            "a/testing/b.py",
            "a/test_b.py",
            "b_test.go",
            "conftest.py",
            "a.test.ts",
            "x/ATest.java",
            "src/a/tests.rs",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in ["src/a.rs", "contest.py", "latest.py", "testimony/a.rs", "src/attest.rs"] {
            assert!(!is_test(path), "{path}");
        }
    }
}
