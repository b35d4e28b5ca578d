//! What a file's path tells about it: whether it is a test, and whether it may hold secrets. Content is not
//! read.

use std::path::Path;

/// Folders whose files are tests.
const TEST_FOLDERS: [&str; 7] =
    ["test", "tests", "testing", "__tests__", "spec", "specs", "testdata"];

/// Folders below which everything is secret, at any depth.
const SECRET_FOLDERS: [&str; 4] = [".aws", ".gnupg", ".ssh", "secrets"];

/// Folders of examples and benchmarks.
const EXAMPLE_FOLDERS: [&str; 12] = [
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "demo",
    "demos",
    "doc",
    "docs",
    "example",
    "examples",
    "sample",
    "samples",
];

/// Whether a file is an example, a benchmark or part of the documentation, by its path.
#[must_use]
pub fn is_example(path: &str) -> bool {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').any(|folder| EXAMPLE_FOLDERS.contains(&folder))
}

/// Folders of third-party or generated code.
const FOREIGN_FOLDERS: [&str; 10] = [
    "_vendor",
    "deps",
    "dist",
    "extern",
    "external",
    "generated",
    "third_party",
    "thirdparty",
    "vendor",
    "vendored",
];

/// Parts of the names of generated files.
const GENERATED_NAMES: [&str; 6] =
    [".generated.", ".min.", ".pb.", "_generated.", "_pb2.", "_pb2_grpc."];

/// Whether a file is third-party or generated, by its path.
#[must_use]
pub fn is_foreign(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').any(|folder| FOREIGN_FOLDERS.contains(&folder))
        || GENERATED_NAMES.iter().any(|part| name.contains(part))
}

/// Whether a file is excluded from reading and from answers, by its path relative to the root.
#[must_use]
pub fn is_sensitive(path: &Path) -> bool {
    let secret = |part: &std::ffi::OsStr| SECRET_FOLDERS.iter().any(|folder| part == *folder);
    let folders = path.parent().into_iter().flat_map(Path::iter);
    redact::is_sensitive_path(path) || folders.into_iter().any(secret)
}

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
    use super::{is_foreign, is_test};

    #[test]
    fn what_was_written_elsewhere_is_known_by_its_path() {
        for path in
            ["pip/_vendor/a.py", "third_party/b/c.c", "api/a.pb.go", "api/a_pb2.py", "a.min.js"]
        {
            assert!(is_foreign(path), "{path}");
        }
        for path in ["src/vendor.rs", "generated.py", "src/dist_info.py", "a/pb.go"] {
            assert!(!is_foreign(path), "{path}");
        }
    }

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
