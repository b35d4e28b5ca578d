//! Node: `package.json`, lock files, `tsconfig.json`, style tools.

use serde_json::Value;

use super::files::Files;
use super::found::Scan;
use super::version::with_version;
use crate::knowledge::topic::Topic;

/// Lock files with their package managers.
const LOCKS: &[(&str, &str)] = &[
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lockb", "bun"),
    ("bun.lock", "bun"),
    ("package-lock.json", "npm"),
];

/// Packages that are reported, with their topics.
const KNOWN: &[(&str, &str, Topic)] = &[
    ("react", "React", Topic::UiFramework),
    ("ink", "Ink", Topic::UiFramework),
    ("vue", "Vue", Topic::UiFramework),
    ("svelte", "Svelte", Topic::UiFramework),
    ("solid-js", "Solid", Topic::UiFramework),
    ("@angular/core", "Angular", Topic::UiFramework),
    ("next", "Next.js", Topic::WebFramework),
    ("nuxt", "Nuxt", Topic::WebFramework),
    ("astro", "Astro", Topic::WebFramework),
    ("express", "Express", Topic::WebFramework),
    ("fastify", "Fastify", Topic::WebFramework),
    ("koa", "Koa", Topic::WebFramework),
    ("hono", "Hono", Topic::WebFramework),
    ("@nestjs/core", "NestJS", Topic::WebFramework),
    ("vitest", "Vitest", Topic::TestFramework),
    ("jest", "Jest", Topic::TestFramework),
    ("mocha", "Mocha", Topic::TestFramework),
    ("ava", "AVA", Topic::TestFramework),
    ("@playwright/test", "Playwright", Topic::TestFramework),
    ("vite", "Vite", Topic::BuildTool),
    ("esbuild", "esbuild", Topic::BuildTool),
    ("webpack", "webpack", Topic::BuildTool),
    ("rollup", "Rollup", Topic::BuildTool),
    ("tsup", "tsup", Topic::BuildTool),
    ("turbo", "Turborepo", Topic::BuildTool),
    ("nx", "Nx", Topic::BuildTool),
    ("eslint", "ESLint", Topic::CodeStyle),
    ("prettier", "Prettier", Topic::CodeStyle),
    ("@biomejs/biome", "Biome", Topic::CodeStyle),
    ("standard", "StandardJS", Topic::CodeStyle),
];

/// Configuration files of style tools that are not dependencies.
const STYLE_FILES: &[(&[&str], &str)] = &[
    (
        &[
            ".eslintrc",
            ".eslintrc.js",
            ".eslintrc.cjs",
            ".eslintrc.json",
            ".eslintrc.yml",
            ".eslintrc.yaml",
            "eslint.config.js",
            "eslint.config.mjs",
            "eslint.config.ts",
        ],
        "ESLint",
    ),
    (
        &[
            ".prettierrc",
            "prettierrc",
            ".prettierrc.json",
            ".prettierrc.js",
            ".prettierrc.yml",
            ".prettierrc.yaml",
            "prettier.config.js",
            "prettier.config.mjs",
        ],
        "Prettier",
    ),
    (&["biome.json", "biome.jsonc"], "Biome"),
];

/// Script names by topic; the first one that exists is used.
const SCRIPTS: &[(Topic, &[&str])] = &[
    (Topic::BuildCommand, &["build"]),
    (Topic::TestCommand, &["test"]),
    (Topic::LintCommand, &["lint"]),
    (Topic::TypeCheckCommand, &["typecheck", "type-check", "check-types"]),
];

/// Test runners whose own command is reported if a script contains nothing else.
const RUNNERS: &[&str] = &["vitest", "vitest run", "jest", "mocha", "ava", "node --test"];

/// The longest name of a package that is reported, in characters.
const NAME_MAX: usize = 40;

/// How many packages are listed.
const PACKAGES_MAX: usize = 8;

pub(super) fn scan(files: &Files, scan: &mut Scan) {
    let Some(package) = files.json("package.json") else { return };
    let locked = LOCKS.iter().find(|(lock, _)| files.has(lock)).map(|(_, manager)| *manager);
    let manager = locked.or_else(|| named_manager(&package)).unwrap_or("npm");
    scan.add(Topic::PackageManager, manager);
    types(files, &package, scan);
    if let Some(engine) = package["engines"]["node"].as_str() {
        scan.add(Topic::Runtime, with_version("Node.js", Some(engine)));
    }
    for (name, shown, topic) in KNOWN {
        if let Some(version) = dependency(&package, name) {
            scan.add(*topic, with_version(shown, Some(version)));
        }
    }
    for (paths, tool) in STYLE_FILES {
        let is_known = scan
            .findings
            .iter()
            .any(|found| found.topic == Topic::CodeStyle && found.value.contains(tool));
        if files.has_any(paths) && !is_known {
            scan.add(Topic::CodeStyle, *tool);
        }
    }
    scan.add(Topic::InstallCommand, format!("{manager} install"));
    for (topic, names) in SCRIPTS {
        let mut scripts =
            names.iter().filter_map(|name| Some((*name, package["scripts"][*name].as_str()?)));
        if let Some((name, script)) = scripts.next() {
            scan.add(*topic, command(manager, name, script));
        }
    }
    packages(files, &package, scan);
}

/// The command for a script: through the package manager, or the test runner's own if the script contains nothing else.
fn command(manager: &str, name: &str, script: &str) -> String {
    if name == "test" && manager != "npm" && RUNNERS.contains(&script.trim()) {
        return format!("{manager} {}", script.trim());
    }
    match (manager, name) {
        ("npm", "test") => "npm test".to_owned(),
        ("npm" | "bun", _) => format!("{manager} run {name}"),
        _ => format!("{manager} {name}"),
    }
}

/// The manager that `packageManager` names.
fn named_manager(package: &Value) -> Option<&'static str> {
    let named = package["packageManager"].as_str()?.split('@').next()?;
    LOCKS.iter().map(|(_, manager)| *manager).find(|manager| *manager == named)
}

fn dependency<'p>(package: &'p Value, name: &str) -> Option<&'p str> {
    ["dependencies", "devDependencies", "peerDependencies"]
        .into_iter()
        .find_map(|table| package[table][name].as_str())
}

/// TypeScript with its configuration, or JavaScript.
fn types(files: &Files, package: &Value, scan: &mut Scan) {
    let is_esm = package["type"] == "module";
    let typescript = dependency(package, "typescript");
    let settings =
        ["tsconfig.json", "tsconfig.base.json"].into_iter().find_map(|path| files.read(path));
    if typescript.is_none() && settings.is_none() {
        scan.add(Topic::Language, if is_esm { "JavaScript (ESM)" } else { "JavaScript" });
        return;
    }
    let settings = settings.unwrap_or_default();
    // The file may hold comments; the settings in question are in one place.
    let plain: String = settings.chars().filter(|letter| !letter.is_whitespace()).collect();
    let mut how = Vec::new();
    if plain.contains("\"strict\":true") {
        how.push("strict");
    }
    let lower = plain.to_ascii_lowercase();
    let modules = ["\"module\":\"es", "\"module\":\"node16", "\"module\":\"nodenext"];
    if is_esm || modules.iter().any(|module| lower.contains(module)) {
        how.push("ESM");
    }
    let name = with_version("TypeScript", typescript);
    scan.add(
        Topic::Language,
        if how.is_empty() { name } else { format!("{name} ({})", how.join(", ")) },
    );
}

/// The packages of a monorepo.
fn packages(files: &Files, package: &Value, scan: &mut Scan) {
    let listed = match &package["workspaces"] {
        Value::Array(globs) => globs.clone(),
        Value::Object(workspaces) => {
            workspaces.get("packages").and_then(Value::as_array).cloned().unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let mut globs: Vec<String> =
        listed.iter().filter_map(|glob| Some(glob.as_str()?.to_owned())).collect();
    if let Some(text) = files.read("pnpm-workspace.yaml") {
        let item = |line: &str| {
            Some(line.trim().strip_prefix("- ")?.trim_matches(['\'', '"', ' ']).to_owned())
        };
        globs.extend(text.lines().filter_map(item));
    }
    let mut names = Vec::new();
    for glob in globs {
        let folders = match glob.strip_suffix("/*") {
            Some(folder) if !folder.contains(['*', '.']) => {
                files.names(folder).into_iter().map(|name| format!("{folder}/{name}")).collect()
            }
            _ if !glob.contains(['*', '.', '!']) => vec![glob],
            _ => Vec::new(),
        };
        for folder in folders.into_iter().take(64) {
            let package = files.json(&format!("{folder}/package.json"));
            names.extend(package.and_then(|package| name(package["name"].as_str()?)));
        }
    }
    if !names.is_empty() {
        let one = if names.len() == 1 { "package" } else { "packages" };
        scan.add(Topic::Workspace, format!("{} {one}", names.len()));
        names.truncate(PACKAGES_MAX);
        scan.packages = names;
    }
}

fn name(text: &str) -> Option<String> {
    let is_plain = |letter: char| {
        letter.is_ascii_alphanumeric() || matches!(letter, '@' | '/' | '-' | '_' | '.')
    };
    (text.len() <= NAME_MAX && text.chars().all(is_plain)).then(|| text.to_owned())
}
