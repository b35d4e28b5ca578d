//! Rust, Go, Java, Ruby, make: `Cargo.toml`, `go.mod`, `pom.xml`, `build.gradle`, `Gemfile`, `Makefile`.

use super::files::Files;
use super::found::Scan;
use super::version::with_version;
use crate::knowledge::topic::Topic;

/// Frameworks by their names in a build file.
const JVM: &[(&str, &str, Topic)] = &[
    ("org.springframework.boot", "Spring Boot", Topic::WebFramework),
    ("io.quarkus", "Quarkus", Topic::WebFramework),
    ("io.micronaut", "Micronaut", Topic::WebFramework),
    ("junit-jupiter", "JUnit 5", Topic::TestFramework),
    ("junit", "JUnit", Topic::TestFramework),
    ("testng", "TestNG", Topic::TestFramework),
];

const GO: &[(&str, &str, Topic)] = &[
    ("github.com/gin-gonic/gin", "Gin", Topic::WebFramework),
    ("github.com/labstack/echo", "Echo", Topic::WebFramework),
    ("github.com/gofiber/fiber", "Fiber", Topic::WebFramework),
    ("github.com/stretchr/testify", "testing + testify", Topic::TestFramework),
];

const RUST: &[(&str, &str, Topic)] = &[
    ("axum", "axum", Topic::WebFramework),
    ("actix-web", "actix-web", Topic::WebFramework),
    ("rocket", "Rocket", Topic::WebFramework),
    ("ratatui", "ratatui", Topic::UiFramework),
    ("leptos", "Leptos", Topic::UiFramework),
];

pub(super) fn scan(files: &Files, scan: &mut Scan) {
    rust(files, scan);
    go(files, scan);
    java(files, scan);
    ruby(files, scan);
}

fn rust(files: &Files, scan: &mut Scan) {
    let Some(manifest) = files.toml("Cargo.toml") else { return };
    let table =
        |path: &[&str]| path.iter().try_fold(&manifest, |table, name| table.get(*name)?.as_table());
    let package = table(&["package"]).or_else(|| table(&["workspace", "package"]));
    let edition = package.and_then(|package| package.get("edition")?.as_str());
    let edition = edition.filter(|edition| ["2015", "2018", "2021", "2024"].contains(edition));
    scan.add(
        Topic::Language,
        edition.map_or("Rust".to_owned(), |edition| format!("Rust (edition {edition})")),
    );
    scan.add(Topic::PackageManager, "cargo");
    let members = table(&["workspace"]).and_then(|workspace| workspace.get("members")?.as_array());
    if let Some(members) = members.filter(|members| !members.is_empty()) {
        let one = if members.len() == 1 { "member" } else { "members" };
        scan.add(Topic::Workspace, format!("cargo workspace, {} {one}", members.len()));
    }
    for (name, shown, topic) in RUST {
        let tables = [table(&["dependencies"]), table(&["workspace", "dependencies"])];
        let found = tables.into_iter().flatten().find_map(|dependencies| dependencies.get(*name));
        if let Some(found) = found {
            let version = found.as_str().or_else(|| found.get("version")?.as_str());
            scan.add(*topic, with_version(shown, version));
        }
    }
    let is_nextest = files.has(".config/nextest.toml");
    scan.add(Topic::BuildCommand, "cargo build");
    scan.add(Topic::TestCommand, if is_nextest { "cargo nextest run" } else { "cargo test" });
    scan.add(Topic::LintCommand, "cargo clippy");
    if files.has_any(&["rustfmt.toml", ".rustfmt.toml"]) {
        scan.add(Topic::CodeStyle, "rustfmt");
    }
}

fn go(files: &Files, scan: &mut Scan) {
    let Some(text) = files.read("go.mod") else { return };
    let version = text.lines().find_map(|line| line.trim().strip_prefix("go "));
    scan.add(Topic::Language, with_version("Go", version));
    scan.add(Topic::PackageManager, "go modules");
    for (module, shown, topic) in GO {
        let line = text.lines().find(|line| line.contains(module));
        if line.is_some_and(|line| !line.contains("// indirect")) {
            scan.add(*topic, *shown);
        }
    }
    scan.add(Topic::BuildCommand, "go build ./...");
    scan.add(Topic::TestCommand, "go test ./...");
    let has_linter = files.has_any(&[".golangci.yml", ".golangci.yaml", ".golangci.toml"]);
    scan.add(Topic::LintCommand, if has_linter { "golangci-lint run" } else { "go vet ./..." });
    if has_linter {
        scan.add(Topic::CodeStyle, "golangci-lint");
    }
}

fn java(files: &Files, scan: &mut Scan) {
    let gradle = ["build.gradle.kts", "build.gradle"].into_iter().find(|path| files.has(path));
    let (text, manager, build, test) = if files.has("pom.xml") {
        let maven = if files.has("mvnw") { "./mvnw" } else { "mvn" };
        let text = files.read("pom.xml");
        (text, "Maven", format!("{maven} package"), format!("{maven} test"))
    } else if let Some(path) = gradle {
        let gradle = if files.has("gradlew") { "./gradlew" } else { "gradle" };
        (files.read(path), "Gradle", format!("{gradle} build"), format!("{gradle} test"))
    } else {
        return;
    };
    let text = text.unwrap_or_default();
    let is_kotlin = text.contains("kotlin(\"jvm\")") || text.contains("org.jetbrains.kotlin");
    let name = if is_kotlin { "Kotlin" } else { "Java" };
    let release = ["<maven.compiler.release>", "<java.version>", "<maven.compiler.source>"]
        .iter()
        .find_map(|tag| text.split(tag).nth(1)?.split('<').next())
        .or_else(|| text.split("JavaLanguageVersion.of(").nth(1)?.split(')').next());
    scan.add(Topic::Language, with_version(name, release));
    scan.add(Topic::PackageManager, manager);
    for (name, shown, topic) in JVM {
        if text.contains(name) {
            scan.add(*topic, *shown);
        }
    }
    scan.add(Topic::BuildCommand, build);
    scan.add(Topic::TestCommand, test);
}

fn ruby(files: &Files, scan: &mut Scan) {
    let Some(text) = files.read("Gemfile") else { return };
    let has = |gem: &str| {
        text.lines().any(|line| {
            let line = line.trim();
            line.starts_with("gem ")
                && (line.contains(&format!("'{gem}'")) || line.contains(&format!("\"{gem}\"")))
        })
    };
    scan.add(Topic::Language, with_version("Ruby", files.read(".ruby-version").as_deref()));
    scan.add(Topic::PackageManager, "bundler");
    if has("rails") {
        scan.add(Topic::WebFramework, "Rails");
    }
    if has("rspec") || has("rspec-rails") || files.has(".rspec") {
        scan.add(Topic::TestFramework, "RSpec");
        scan.add(Topic::TestCommand, "bundle exec rspec");
    } else {
        scan.add(Topic::TestCommand, "bundle exec rake test");
    }
    if has("rubocop") || files.has(".rubocop.yml") {
        scan.add(Topic::CodeStyle, "RuboCop");
        scan.add(Topic::LintCommand, "bundle exec rubocop");
    }
    scan.add(Topic::InstallCommand, "bundle install");
}

/// Adds Makefile targets for topics that no other file covers.
pub(super) fn make(files: &Files, scan: &mut Scan) {
    let Some(text) =
        ["Makefile", "makefile", "GNUmakefile"].into_iter().find_map(|path| files.read(path))
    else {
        return;
    };
    let has = |target: &str| text.lines().any(|line| line.starts_with(&format!("{target}:")));
    let targets = [
        (Topic::BuildCommand, "build"),
        (Topic::TestCommand, "test"),
        (Topic::LintCommand, "lint"),
    ];
    for (topic, target) in targets {
        if has(target) && !scan.has(topic) {
            scan.add(topic, format!("make {target}"));
        }
    }
    if !scan.has(Topic::BuildTool) {
        scan.add(Topic::BuildTool, "make");
    }
}
