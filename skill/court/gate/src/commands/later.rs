//! Files that something else executes later: automation, editors, build settings. What a command writes into them
//! counts as if it ran.

use super::code::Evidence;
use super::words::texts;
use crate::level::Level;
use crate::rules::execution;
use crate::shell::{Step, Walker};

/// Parts of the paths of such files.
const LATER: &[&str] = &[
    "/.github/workflows/",
    "/.github/actions/",
    "/.gitlab-ci.yml",
    "/.circleci/",
    "/azure-pipelines.yml",
    "/bitbucket-pipelines.yml",
    "/.drone.yml",
    "/.woodpecker",
    "/Jenkinsfile",
    "/.vscode/",
    "/.zed/",
    "/.idea/",
    "/.fleet/",
    "/.devcontainer/",
    "/.cargo/config",
    "/.buildkite/",
    "/.travis.yml",
    "/.helix/",
    "/.npmrc",
    "/.yarnrc",
    "/pip.conf",
    "/.pypirc",
    "/.condarc",
];

/// Parts of the paths of lists of packages: only where they are fetched from counts.
const LISTS: &[&str] = &[
    "/requirements",
    "/Gemfile",
    "/package-lock.json",
    "/npm-shrinkwrap.json",
    "/yarn.lock",
    "/pnpm-lock.yaml",
    "/poetry.lock",
    "/uv.lock",
    "/Pipfile.lock",
    "/Cargo.lock",
];

/// Files of an editor's own language that it reads where it is started.
const READ_BY_EDITORS: &[(&str, &str)] = &[
    (".exrc", "vim"),
    (".vimrc", "vim"),
    (".nvimrc", "vim"),
    (".lvimrc", "vim"),
    (".nvim.lua", "vim"),
    (".dir-locals.el", "lisp"),
    (".gdbinit", "gdb"),
    (".lldbinit", "gdb"),
];

/// Calls in those that start a program.
const STARTS: &[&str] = texts!(
    "system(@systemlist(@job_start(@jobstart(@termopen(@term_start(@os.execute@io.popen@vim.system@\
     shell-command@call-process@start-process@make-process"
);

/// Hosts of the usual collections of packages.
const USUAL: &[&str] = &[
    "//registry.npmjs.org",
    "//registry.yarnpkg.com",
    "//npm.pkg.github.com",
    "//pypi.org",
    "//files.pythonhosted.org",
    "//download.pytorch.org",
    "//conda.anaconda.org",
    "//rubygems.org",
    "//codeload.github.com",
    "//github.com",
    "//index.crates.io",
];

/// Most lines of one file that are looked at.
const LINES_MAX: usize = 512;

impl Walker<'_> {
    /// Looks into the files of this kind that the command has written.
    pub(crate) fn later(&mut self) -> Step {
        let mut files: Vec<(String, String)> = self
            .state
            .files
            .iter()
            .filter(|(path, _)| {
                let parts = LATER.iter().chain(LISTS);
                parts.into_iter().any(|part| path.contains(part))
                    || editors_language(path).is_some()
            })
            .map(|(path, file)| (path.clone(), file.content.clone()))
            .take(16)
            .collect();
        files.sort();
        for (path, content) in files {
            // What an earlier call wrote was looked at then.
            let before = self.context.disk.written(&path).and_then(|file| file.content);
            if before.as_ref() == Some(&content) {
                continue;
            }
            let found = self.findings.len();
            self.budget.steps(content.len())?;
            if LISTS.iter().any(|part| path.contains(part)) {
                if let Some(line) = content.lines().find(|line| leads(line.trim())) {
                    self.found(&crate::rules::environment::ROUTE, line.trim());
                }
                continue;
            }
            self.inside += 1;
            self.via.push(path.clone());
            for line in content.lines().take(LINES_MAX) {
                let line = line.trim();
                if carries_secret(line) {
                    self.found(&crate::rules::secrets::SHOW, line);
                }
                if unguards(line) {
                    self.found(&execution::UNGUARDED, line);
                }
                let told = ["run:", "script:", "command:", "- "]
                    .iter()
                    .filter_map(|key| line.split_once(key))
                    .map(|(_, text)| text);
                for text in told.chain([line]) {
                    let text = text.trim_matches([' ', '"', '\'', '[', ']', '{', '}', ',', '|']);
                    if text.contains([' ', '|', ';']) {
                        self.try_shell(text)?;
                    }
                }
                if wraps(line) || names_program(line, self.context.project) {
                    self.found(&crate::rules::environment::HELPER, line);
                }
                if leads(line) {
                    self.found(&crate::rules::environment::ROUTE, line);
                }
            }
            if let Some(language) = editors_language(&path) {
                if let Some(call) = STARTS.iter().find(|call| content.contains(**call)) {
                    self.found(&execution::CODE_EXECUTES, call);
                }
                self.code(language, &content, Evidence::Required)?;
            }
            for text in super::literals::literals(&content, "text") {
                if text.contains([' ', '|', ';']) {
                    self.try_shell(&text)?;
                }
            }
            if path.ends_with("Jenkinsfile") {
                self.code("script", &content, Evidence::Required)?;
            }
            self.via.pop();
            self.inside -= 1;
            if self.findings[found..].iter().any(|finding| finding.level >= Level::L2) {
                self.found(&execution::WRITTEN_SCRIPT, &path);
            }
        }
        Ok(())
    }
}

/// The language of a file that an editor or a debugger reads where it is started.
fn editors_language(path: &str) -> Option<&'static str> {
    let name = crate::path::name(path);
    READ_BY_EDITORS.iter().find(|(file, _)| *file == name).map(|(_, language)| *language)
}

/// Settings that lead a package manager elsewhere. A registry of one scope of names (`@acme:registry`) is not all.
fn leads(line: &str) -> bool {
    const KEYS: &[&str] = &[
        "registry",
        "index-url",
        "extra-index-url",
        "find-links",
        "npmRegistryServer",
        "proxy",
        "channel_alias",
    ];
    // The same as an option in a list of packages, or as an order of a `Gemfile`.
    let option = line.strip_prefix("--").and_then(|line| line.split_once([' ', '=']));
    let source = ["source ", "resolved "].iter().find_map(|order| line.strip_prefix(order));
    let source = source.map(|value| ("registry", value));
    let Some((key, value)) = option.or(source).or_else(|| line.split_once(['=', ':'])) else {
        return false;
    };
    let key = key.trim().trim_matches(['"', '\'']);
    (KEYS.contains(&key) || locks(key))
        && value.contains("://")
        && !USUAL.iter().any(|host| value.contains(host))
        && !super::hosts::is_local(value.trim().trim_matches(['"', '\'']))
}

/// What a list of locked packages calls the address of one, also as a filter of `jq` names it.
fn locks(key: &str) -> bool {
    let last = key.trim_end_matches(['"', '\'', ']']).rsplit(['.', '"', '\'']).next();
    matches!(last, Some("resolved" | "resolution" | "tarball"))
}

/// A step of automation that gives a secret to a program which carries it away. What one signs in with stays.
fn carries_secret(line: &str) -> bool {
    const CARRIERS: &[&str] = &["curl ", "wget ", "nc ", "http ", "xh ", "ncat ", "Invoke-"];
    let lower = line.to_ascii_lowercase();
    let expressions = || lower.split("${{").skip(1).filter_map(|rest| rest.split("}}").next());
    let all = expressions().any(|text| text.replace(' ', "").contains("tojson(secrets"));
    let some = expressions().any(|text| text.contains("secrets."));
    let carries = CARRIERS.iter().any(|program| line.contains(program));
    carries
        && (all
            || some
                && !["authorization", "-u ", "--user", "token:", "key:"]
                    .iter()
                    .any(|it| lower.contains(it)))
}

/// Whether a line of a workflow lets the work of strangers run with its rights, or hands out all of them.
pub(super) fn opens_workflow(line: &str) -> bool {
    ["pull_request_target", "permissions: write-all"].iter().any(|right| line.contains(right))
}

/// Settings with which an editor's agent, or its tasks, ask for nothing any more.
fn unguards(line: &str) -> bool {
    const KEYS: &[&str] = &[
        "autoapprove",
        "always_allow_tool_actions",
        "allowautomatictasks",
        "yolomode",
        "allowdangerously",
        "dangerouslyskip",
    ];
    let lower = line.to_ascii_lowercase();
    if opens_workflow(line) {
        return true;
    }
    let Some(at) = KEYS.iter().find_map(|key| lower.find(key)) else {
        let trust = lower.split_once("workspace.trust.enabled").map(|(_, rest)| rest);
        return trust.is_some_and(|rest| rest.contains("false"));
    };
    let value = lower[at..].split_once([':', '=']).map_or("", |(_, value)| value);
    let value = value.trim_start_matches([' ', '"', '\'', '=']);
    !["false", "off", "never", "[]", "{}", "null"].iter().any(|off| value.starts_with(off))
}

/// Whether an address is of one of the usual collections.
pub(super) fn is_usual(address: &str) -> bool {
    USUAL.iter().any(|host| address.starts_with(host))
}

/// Settings of an editor that name a program of their own by a path, outside the project and of no tool's folder.
fn names_program(line: &str, project: &str) -> bool {
    const KEYS: &[&str] = &[
        "path",
        "command",
        "executable",
        "executablepath",
        "runtime",
        "shell",
        "interpreter",
        "interpreterpath",
        "binary",
        "program",
        "server",
        "serverpath",
        "shellpath",
        "linux",
        "osx",
        "windows",
    ];
    const TOOLS: &[&str] = &[
        "/usr/",
        "/bin/",
        "/opt/",
        "/nix/",
        "/Library/",
        "/Applications/",
        "/snap/",
        "/.cargo/bin/",
        "/.rustup/",
        "/.nvm/",
        "/.pyenv/",
        "/.asdf/",
        "/.sdkman/",
        "/.volta/",
        "/go/bin/",
        "/.venv/",
        "/node_modules/",
        "/.local/share/mise/",
        "/miniconda",
        "/anaconda",
        "/.deno/",
        "/.bun/",
        "/.ghcup/",
        "/.rbenv/",
    ];
    let bare = line.split_once('=').map(|(key, _)| key.trim());
    let mut key = bare.unwrap_or_default();
    let mut named = false;
    for text in line.split(['"', '\'']).skip(1).step_by(2) {
        let last = key.rsplit(['.', ' ']).next().unwrap_or_default().to_ascii_lowercase();
        let absolute = text.starts_with('/') || text.starts_with("~/");
        named |= (KEYS.contains(&last.as_str()) || last.ends_with("path"))
            && absolute
            && !crate::path::within(text, project)
            && !TOOLS.iter().any(|folder| text.contains(folder));
        key = text;
    }
    named
}

/// A line of cargo's settings that names a program which is then run in the compiler's place, by a path.
fn wraps(line: &str) -> bool {
    let Some((key, value)) = line.split_once('=') else { return false };
    let key = key.trim().trim_matches('"');
    let names = key.ends_with("wrapper")
        || matches!(key, "runner" | "rustc" | "linker" | "credential-provider");
    names && value.contains('/') && !value.contains("/usr/")
}
