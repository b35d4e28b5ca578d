//! Cycles between the modules of a crate: files that refer to each other by their paths. The
//! list of known cycles may only shrink. Dependencies between crates are in `edges`.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::{code, sources};

/// Most files of a circle: what can be read together.
const CIRCLE_MAX: usize = 5;

/// For each crate with circles, the number of files of each, the largest first.
const CIRCLES: &[(&str, &[usize])] = &[
    ("claude-hooks", &[3]),
    ("client", &[3]),
    ("code-intel", &[5, 4, 3, 2, 2, 2, 2, 2]),
    ("codex-advisor", &[5]),
    ("codex-auto", &[5, 2, 2, 2, 2]),
    ("codex-bridge", &[5, 3, 3, 2, 2, 2, 2]),
    ("codex-driver", &[3, 2]),
    ("contract", &[3, 2, 2, 2]),
    ("court", &[3, 2, 2, 2, 2, 2]),
    ("gate", &[5, 5, 4, 4, 3, 2, 2, 2]),
    ("intent", &[3, 2]),
    ("ledger", &[2]),
    ("orchestrator", &[5, 3, 2]),
    ("redact", &[2]),
    ("release", &[2]),
    ("supervise", &[3]),
];

/// The files of one crate, by module path such as `["store", "record"]`; the root's is empty.
type Modules = BTreeMap<Vec<String>, String>;

/// The modules that each module names.
type Edges = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

#[test]
fn modules_have_no_circles_but_the_listed_ones() {
    let listed: BTreeMap<_, _> = CIRCLES.iter().map(|(name, sizes)| (*name, *sizes)).collect();
    let largest = CIRCLES.iter().flat_map(|(_, sizes)| *sizes).max();
    assert!(largest <= Some(&CIRCLE_MAX), "cut it, do not list it");
    let mut wrong = Vec::new();
    for (name, modules) in crates() {
        let circles = circles(&edges(&modules));
        let sizes: Vec<usize> = circles.iter().map(Vec::len).collect();
        let known = listed.get(&*name).copied().unwrap_or_default();
        if sizes != known {
            wrong.push(format!("{name}: listed {known:?}, found {sizes:?}: {circles:#?}"));
        }
    }
    assert!(wrong.is_empty(), "cut the new circle, or shrink the list:\n{}", wrong.join("\n"));
}

#[test]
fn a_path_leads_to_the_deepest_module_that_it_names() {
    let modules = [
        ("", "mod a;\nmod b;\npub use a::Thing;"),
        ("a", "use crate::{Thing, b::{self, c::Deep as D}};\nmod inner;"),
        ("a/inner", "use super::super::b::f;\n// crate::b::c::Deep\nfn g() { super::h() }"),
        ("b", "mod c;\npub fn f() -> c::Deep { xa::b::c() }"),
        ("b/c", "use std::b::c;"),
    ];
    let path = |text: &str| -> Vec<String> {
        text.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let modules = modules.iter().map(|(name, text)| (path(name), (*text).to_owned())).collect();
    let edges = edges(&modules);
    let found: Vec<String> = edges
        .iter()
        .flat_map(|(from, to)| to.iter().map(|to| format!("{} {}", from.join("/"), to.join("/"))))
        .collect();
    assert_eq!(found, [" a", "a ", "a b", "a b/c", "a/inner a", "a/inner b", "b b/c"]);
    assert_eq!(circles(&edges), [["", "a"]]);
}

/// The modules of each crate's library, without its tests.
fn crates() -> BTreeMap<String, Modules> {
    let mut crates: BTreeMap<String, Modules> = BTreeMap::new();
    for source in sources().iter().filter(|source| !source.is_test()) {
        let Some((folder, file)) = source.path.split_once("/src/") else { continue };
        if file == "main.rs" || file.starts_with("bin/") {
            continue;
        }
        let name = folder.rsplit('/').next().unwrap_or_default();
        let module = file.trim_end_matches(".rs").split('/').filter(|part| *part != "lib");
        let module = module.map(str::to_owned).collect();
        let text = source.without_tests().to_owned();
        crates.entry(name.to_owned()).or_default().insert(module, text);
    }
    assert!(crates.len() > 10, "the walk misses the crates");
    crates
}

fn edges(modules: &Modules) -> Edges {
    let edges_of = |(own, text): (&Vec<String>, &String)| {
        let lines: Vec<&str> = code(text).map(|(_, line)| line).collect();
        let mut targets = BTreeSet::new();
        for path in paths(&lines.join("\n")) {
            targets.extend(target(modules, own, &path).filter(|target| target != own));
        }
        (own.clone(), targets)
    };
    modules.iter().map(edges_of).collect()
}

/// Each path of two or more names, with the names in braces after the ones before them.
fn paths(code: &str) -> Vec<Vec<&str>> {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found = Vec::new();
    // How many names of the path stand before each open brace, and whether `as` was just read there.
    let (mut open, mut path, mut renames): (Vec<usize>, Vec<&str>, bool) = Default::default();
    let mut rest = code;
    while let Some(letter) = rest.chars().next() {
        let end = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end.max(letter.len_utf8()));
        rest = after;
        if end > 0 && !std::mem::replace(&mut renames, name == "as" && !open.is_empty()) && !renames
        {
            path.push(name);
            if let Some(after) = rest.strip_prefix("::") {
                rest = after;
                if let Some(after) = rest.strip_prefix('{') {
                    open.push(path.len());
                    rest = after;
                }
                continue;
            }
            found.push(path.clone());
        } else if letter == '*' {
            found.push(path.clone());
        } else if letter == '}' {
            open.pop();
        }
        path.truncate(open.last().copied().unwrap_or(0));
    }
    found.retain(|path| path.len() > 1);
    found
}

/// The deepest module that a path leads to, seen from the module `own`.
fn target(modules: &Modules, own: &[String], path: &[&str]) -> Option<Vec<String>> {
    let mut at = own.to_vec();
    let mut names = path;
    match path[0] {
        "crate" => at.clear(),
        "self" | "super" => {}
        first => {
            let child = [own, &[first.to_owned()]].concat();
            modules.get(&child)?;
        }
    }
    while let Some((first, after)) = names.split_first() {
        match *first {
            "crate" | "self" => {}
            "super" => drop(at.pop()),
            name => {
                at.push(name.to_owned());
                if !modules.contains_key(&at) {
                    at.pop();
                    break;
                }
            }
        }
        names = after;
    }
    Some(at)
}

/// The modules that reach one another, the largest circle first.
fn circles(edges: &Edges) -> Vec<Vec<String>> {
    let reached = |from: &Vec<String>| {
        let mut seen = BTreeSet::new();
        let mut next = vec![from];
        while let Some(module) = next.pop() {
            next.extend(edges[module].iter().filter(|module| seen.insert((*module).clone())));
        }
        seen
    };
    let reached: BTreeMap<_, _> = edges.keys().map(|module| (module, reached(module))).collect();
    let mut circles = BTreeSet::new();
    for (module, far) in &reached {
        let back = far.iter().filter(|other| reached[other].contains(*module));
        let circle: Vec<String> = back.map(|module| module.join("/")).collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    let mut circles: Vec<_> = circles.into_iter().collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

/// XC-5: what X-Code's design calls a part of its own, and the file that has it.
const PARTS_OF_XC: &[(&str, &[&str])] = &[
    ("agent/src", &["turn", "prompt", "plan", "conversation", "permit", "sandbox", "trust"]),
    ("agent/src/knowledge", &["load", "memory", "refresh", "scan", "rules", "init"]),
    ("agent/src", &["summary", "journal", "checkpoint", "evidence", "compact"]),
    ("agent/src/tools", &["read_file", "write_file", "edit", "glob", "grep", "list_dir", "shell"]),
    ("agent/src/tools", &["ask_user", "save_knowledge", "planning"]),
    ("agent/src/tools/shell", &["choose", "environment", "lane", "tasks"]),
    ("agent/src/web", &["fetch_tool", "search_tool"]),
    ("llm/src", &["catalogue", "wire", "retry"]),
    ("xc/src/config", &["settings", "provider"]),
    ("xc/src/view", &["message", "answer", "call", "output", "permission", "select", "spinner"]),
    ("xc/src/view", &["wizard", "status_bar", "editor", "diff", "markdown"]),
];

#[test]
fn each_part_of_x_code_has_a_room_of_its_own() {
    let sources = sources();
    for (folder, names) in PARTS_OF_XC {
        for name in *names {
            let path = format!("xcode/{folder}/{name}.rs");
            assert!(sources.iter().any(|source| source.path == path), "{path} is gone");
        }
    }
}
