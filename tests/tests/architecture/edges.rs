//! The permitted dependencies between crates. The missing ones are what makes it possible to read a crate alone.

use std::collections::BTreeSet;
use std::fs;

use crate::tree::{files, toml, top};

/// Each package with our own packages it may use, tests included. Edges point down only.
const ALLOWED: &[(&str, &[&str])] = &[
    ("contract", &[]),
    ("fence", &["redact"]),
    ("host", &["redact"]),
    ("redact", &[]),
    ("supervise", &[]),
    ("mock-model", &[]),
    ("llm", &["mock-model", "redact"]),
    // No edge to a client's hooks or to the daemon: a session of ours is no guest of a foreign host.
    (
        "agent",
        &[
            "client",
            "contract",
            "fence",
            "gate",
            "gate-disk",
            "git-reader",
            "host",
            "ledger",
            "llm",
            "mock-model",
            "orchestrator",
            "redact",
            "supervise",
        ],
    ),
    // No edge to gate or tools: the program cannot run a call past the agent.
    (
        "xc",
        &[
            "agent",
            "client",
            "contract",
            "grammars",
            "host",
            "llm",
            "mock-model",
            "redact",
            "release",
            "supervise",
        ],
    ),
    ("release", &["host", "supervise"]),
    ("claude-hooks", &["fence", "host", "redact", "supervise"]),
    ("skipping", &[]),
    ("gate", &["skipping"]),
    ("gate-disk", &["gate"]),
    ("codex-driver", &["contract", "host", "redact", "supervise"]),
    ("git-reader", &["host", "supervise"]),
    (
        "code-intel",
        &[
            "fence",
            "git-reader",
            "grammars",
            "host",
            "intent",
            "redact",
            "release",
            "skipping",
            "supervise",
        ],
    ),
    ("grammars", &[]),
    ("orchestration", &["contract"]),
    // No edge to the index: a prompt is judged by one small file beside it.
    ("intent", &["host", "orchestration", "skipping", "supervise"]),
    (
        "orchestrator",
        &[
            "code-intel",
            "contract",
            "fence",
            "host",
            "intent",
            "orchestration",
            "redact",
            "release",
            "skipping",
            "supervise",
        ],
    ),
    (
        "court",
        &[
            "claude-hooks",
            "contract",
            "fence",
            "gate",
            "gate-disk",
            "git-reader",
            "host",
            "ledger",
            "redact",
            "release",
            "skipping",
            "supervise",
        ],
    ),
    // No edge to a client's hooks: another host writes the same records.
    ("ledger", &["fence", "host", "redact"]),
    ("client", &["contract", "host", "redact", "supervise"]),
    // No edge to what does I/O: a page is a function of values.
    ("window", &["contract", "redact"]),
    ("codex-advisor", &["client", "contract", "host", "redact", "release"]),
    // No edge to where tools run: an entry asks the orchestrator's process, and cannot do else.
    (
        "codex-auto",
        &[
            "client",
            "claude-hooks",
            "contract",
            "fence",
            "host",
            "intent",
            "orchestration",
            "redact",
            "release",
            "supervise",
        ],
    ),
    (
        "codex-bridge",
        &[
            "claude-hooks",
            "client",
            "codex-driver",
            "contract",
            "fence",
            "host",
            "redact",
            "mock-model",
            "release",
            "supervise",
            "window",
        ],
    ),
    ("bench", &["codex-driver", "contract", "host", "mock-model", "redact", "supervise", "tests"]),
    (
        "tests",
        &[
            "agent",
            "client",
            "code-intel",
            "codex-advisor",
            "codex-auto",
            "codex-bridge",
            "codex-driver",
            "contract",
            "court",
            "fence",
            "gate",
            "host",
            "intent",
            "llm",
            "orchestration",
            "orchestrator",
            "redact",
            "mock-model",
            "release",
            "skipping",
            "supervise",
            "xc",
        ],
    ),
];

/// Outside crates that only these packages may use: a boundary drawn by a dependency. The packages
/// `tests` and `bench` play every part, and are free.
const RESERVED: &[(&str, &[&str])] = &[
    ("anyhow", &["codex-bridge"]),
    ("askama", &["window"]),
    ("axum", &["codex-bridge"]),
    (
        "clap",
        &[
            "code-intel",
            "codex-advisor",
            "codex-auto",
            "codex-bridge",
            "court",
            "orchestrator",
            "mock-model",
            "release",
            "xc",
        ],
    ),
    ("globset", &["agent", "code-intel"]),
    ("grep-matcher", &["agent"]),
    ("grep-regex", &["agent"]),
    ("grep-searcher", &["agent"]),
    ("htmd", &["agent"]),
    ("hyper-rustls", &["agent", "llm"]),
    ("landlock", &["supervise"]),
    ("lz4-sys", &["grammars"]),
    ("nix", &["codex-bridge", "supervise"]),
    ("pulldown-cmark", &["xc"]),
    ("ratatui-core", &["xc"]),
    ("reedline", &["codex-auto"]),
    ("reqwest", &["codex-bridge", "mock-model"]),
    ("rmcp", &["code-intel", "codex-bridge", "orchestrator"]),
    ("rusqlite", &["codex-bridge"]),
    ("rustls", &["llm"]),
    ("termina", &["xc"]),
    ("tree-sitter-c-sharp", &["grammars"]),
    ("tree-sitter-kotlin-ng", &["grammars"]),
    ("tree-sitter-swift", &["grammars"]),
];

/// The tables of a manifest that name dependencies.
const TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

struct Package {
    folder: String,
    manifest: toml::Table,
}

impl Package {
    fn name(&self) -> &str {
        self.manifest["package"]["name"].as_str().unwrap()
    }

    fn dependencies(&self, table: &str) -> Vec<String> {
        let table = self.manifest.get(table).and_then(toml::Value::as_table);
        table.map(|table| table.keys().cloned().collect()).unwrap_or_default()
    }

    fn all_dependencies(&self) -> BTreeSet<String> {
        TABLES.iter().flat_map(|table| self.dependencies(table)).collect()
    }
}

fn packages() -> Vec<Package> {
    let root = toml("Cargo.toml");
    let members = root["workspace"]["members"].as_array().unwrap();
    let package = |member: &toml::Value| {
        let folder = member.as_str().unwrap().to_owned();
        let manifest = toml(&format!("{folder}/Cargo.toml"));
        Package { folder, manifest }
    };
    members.iter().map(package).collect()
}

#[test]
fn crates_depend_only_downwards() {
    let packages = packages();
    let names: BTreeSet<&str> = packages.iter().map(Package::name).collect();
    let listed: BTreeSet<&str> = ALLOWED.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, listed, "the table of edges and the workspace differ");

    for package in &packages {
        let (_, allowed) = ALLOWED.iter().find(|(name, _)| *name == package.name()).unwrap();
        for dependency in package.all_dependencies() {
            let ours = names.contains(dependency.as_str());
            let edge = format!("{} -> {dependency}", package.name());
            assert!(!ours || allowed.contains(&dependency.as_str()), "no such edge: {edge}");
        }
    }
}

/// The wing and the part of it that a folder belongs to, such as `["bridge", "base"]`.
fn part(folder: &str) -> [&str; 2] {
    let mut names = folder.split('/');
    [names.next().unwrap_or_default(), names.next().unwrap_or_default()]
}

/// The floor knows only itself, the service knows no client, and no product knows another.
#[test]
fn no_arrow_leads_up_or_across() {
    let packages = packages();
    let folder_of = |name: &str| {
        packages.iter().find(|package| package.name() == name).map(|package| &*package.folder)
    };
    for package in packages.iter().filter(|package| part(&package.folder)[0] != "tests") {
        for dependency in package.dependencies("dependencies") {
            let Some(folder) = folder_of(&dependency) else { continue };
            let allowed = match (part(&package.folder), part(folder)) {
                (_, ["bridge", "base"]) => true,
                (["bridge", from], ["bridge", to]) => from == to,
                (["skill", "advisor"], ["bridge", "advisor"]) => true,
                (["skill", _], ["bridge", "advisor"]) => {
                    ["client", "contract"].contains(&&*dependency)
                }
                (["skill", from], ["skill", to]) => from == to,
                (["xcode", _], ["xcode", _]) => true,
                (["xcode", _], ["skill", _]) => {
                    ["gate", "gate-disk", "ledger", "orchestrator"].contains(&&*dependency)
                }
                (["xcode", _], ["bridge", "advisor"]) => {
                    ["client", "contract", "mock-model"].contains(&&*dependency)
                }
                _ => false,
            };
            assert!(allowed, "{} -> {folder} leads up or across", package.folder);
        }
    }
}

#[test]
fn outside_crates_keep_to_their_place() {
    for package in packages().iter().filter(|package| !package.folder.starts_with("tests")) {
        let dependencies = package.all_dependencies();
        for (dependency, users) in RESERVED {
            let misplaced = dependencies.contains(*dependency) && !users.contains(&package.name());
            assert!(!misplaced, "{} uses {dependency}, reserved for {users:?}", package.name());
        }
    }
}

#[test]
fn every_package_is_a_member_named_after_its_folder_and_never_published() {
    let packages = packages();
    let folders: BTreeSet<&str> = packages.iter().map(|package| package.folder.as_str()).collect();
    for file in files() {
        if let Some(folder) = file.path.strip_suffix("/Cargo.toml") {
            assert!(folders.contains(folder), "{folder} is no member of the workspace");
        }
    }
    assert_eq!(toml("Cargo.toml")["workspace"]["package"]["publish"].as_bool(), Some(false));
    for package in &packages {
        assert_eq!(package.folder.rsplit('/').next(), Some(package.name()));
        let inherits = |value: &toml::Value| value["workspace"].as_bool() == Some(true);
        assert!(inherits(&package.manifest["package"]["publish"]), "{}", package.folder);
        assert!(inherits(&package.manifest["lints"]), "{}: lints", package.folder);
        for table in TABLES {
            for name in package.dependencies(table) {
                let inherited = inherits(&package.manifest[table][&name]);
                assert!(inherited, "{}: {name} is not the workspace's", package.folder);
            }
        }
    }
}

#[test]
fn every_dependency_is_used() {
    let sources = crate::tree::sources();
    let mut unused = Vec::new();
    for package in packages() {
        let prefix = format!("{}/", package.folder);
        let own = || sources.iter().filter(|source| source.path.starts_with(&prefix));
        for table in TABLES {
            for name in package.dependencies(table) {
                let word = name.replace('-', "_");
                let used = own()
                    .filter(|source| table != "dependencies" || source.path.contains("/src/"))
                    .any(|source| source.mentions(&word));
                if !used {
                    unused.push(format!("{}: {name} ({table})", package.folder));
                }
            }
        }
    }
    assert!(unused.is_empty(), "nothing uses\n{}", unused.join("\n"));
}

#[test]
fn every_dependency_of_the_workspace_is_someones() {
    let packages = packages();
    let wanted: BTreeSet<String> = packages.iter().flat_map(Package::all_dependencies).collect();
    let root = toml("Cargo.toml");
    for name in root["workspace"]["dependencies"].as_table().unwrap().keys() {
        assert!(wanted.contains(name), "no package depends on {name}");
    }
}

#[test]
fn a_main_only_calls_its_library() {
    for package in packages() {
        let main = top().join(&package.folder).join("src/main.rs");
        if let Ok(text) = fs::read_to_string(main) {
            assert!(text.lines().count() < 15, "{}: main.rs has a body", package.folder);
        }
    }
}
