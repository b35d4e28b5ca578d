//! Extracts the module names of imports, in the language's notation. They are not resolved to files here.

use tree_sitter::Node;

use super::names::text;
use crate::language::Language;

/// Maximum number of names of one import that are listed.
const MAX_NAMES: usize = 200;

/// The modules named by an import statement.
pub(super) fn modules(language: Language, node: Node<'_>, source: &[u8]) -> Vec<String> {
    let field = |name: &str| node.child_by_field_name(name).and_then(|node| text(node, source));
    match language {
        Language::Python => python(node, source),
        Language::Rust => field("argument").map(rust).unwrap_or_default(),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            field("source").map(unquoted).into_iter().collect()
        }
        Language::Go | Language::C | Language::Cpp => {
            field("path").map(unquoted).into_iter().collect()
        }
        Language::Java => java(node, source).into_iter().collect(),
        Language::CSharp => csharp(node, source).into_iter().collect(),
        Language::Php => php(node, source),
        Language::Kotlin | Language::Swift => {
            let named = node
                .named_children(&mut node.walk())
                .find(|child| matches!(child.kind(), "qualified_identifier" | "identifier"));
            named.and_then(|named| text(named, source)).map(str::to_owned).into_iter().collect()
        }
        Language::Bash | Language::Ruby => Vec::new(),
    }
}

/// The module imported by a call, if it is such a call.
pub(super) fn called(language: Language, node: Node<'_>, source: &[u8]) -> Option<String> {
    let (callee, arguments, words): (_, _, &[&str]) = match language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            ("function", "arguments", &["require", "import"])
        }
        Language::Ruby => ("method", "arguments", &["require", "require_relative", "load"]),
        Language::Bash => ("name", "argument", &["source", "."]),
        _ => return None,
    };
    let name = node.child_by_field_name(callee).and_then(|node| text(node, source))?;
    if !words.contains(&name) {
        return None;
    }
    let argument = node.child_by_field_name(arguments)?;
    let argument = if language == Language::Bash { argument } else { argument.named_child(0)? };
    let module = unquoted(text(argument, source)?);
    let relative = name == "require_relative" && !module.starts_with('.');
    Some(if relative { format!("./{module}") } else { module })
}

/// `import a.b` names `a.b`; `from a import b` names `a` and, because `b` may be a module, `a.b`.
fn python(node: Node<'_>, source: &[u8]) -> Vec<String> {
    let module = node.child_by_field_name("module_name").and_then(|node| text(node, source));
    let mut modules: Vec<String> = module.map(str::to_owned).into_iter().collect();
    let mut cursor = node.walk();
    for name in node.children_by_field_name("name", &mut cursor).take(MAX_NAMES) {
        let plain = name.child_by_field_name("name").unwrap_or(name);
        let Some(name) = text(plain, source) else { continue };
        modules.push(match module {
            Some(module) if module.ends_with('.') => format!("{module}{name}"),
            Some(module) => format!("{module}.{name}"),
            None => name.to_owned(),
        });
    }
    modules
}

/// `a::{b, c::{d, self}}` names `a::b`, `a::c::d` and `a::c`.
fn rust(argument: &str) -> Vec<String> {
    let mut modules = Vec::new();
    let mut prefixes: Vec<String> = vec![String::new()];
    let mut path = String::new();
    let finish = |path: &mut String, prefixes: &[String], modules: &mut Vec<String>| {
        let plain = path.split(" as ").next().unwrap_or_default().trim();
        if !plain.is_empty() && modules.len() < MAX_NAMES {
            let prefix = prefixes.last().map_or("", String::as_str);
            let whole = format!("{prefix}{plain}");
            modules.push(whole.trim_end_matches("::self").trim_end_matches("::*").to_owned());
        }
        path.clear();
    };
    for letter in argument.chars() {
        match letter {
            '{' if prefixes.len() < 16 => {
                let prefix = prefixes.last().map_or("", String::as_str);
                prefixes.push(format!("{prefix}{}", path.trim()));
                path.clear();
            }
            ',' => finish(&mut path, &prefixes, &mut modules),
            '}' => {
                finish(&mut path, &prefixes, &mut modules);
                if prefixes.len() > 1 {
                    prefixes.pop();
                }
            }
            '\n' | '\r' | '\t' => path.push(' '),
            other => path.push(other),
        }
    }
    finish(&mut path, &prefixes, &mut modules);
    modules
}

fn java(node: Node<'_>, source: &[u8]) -> Option<String> {
    let whole = text(node, source)?.strip_prefix("import")?.trim().trim_end_matches(';').trim();
    let path = whole.strip_prefix("static ").unwrap_or(whole).trim();
    Some(path.trim_end_matches(".*").to_owned())
}

/// `using static A.B;` and `using C = A.B;` name `A.B`.
fn csharp(node: Node<'_>, source: &[u8]) -> Option<String> {
    let whole = text(node, source)?.trim_end_matches(';');
    let path = whole.rsplit(['=', ' ']).next()?.trim();
    Some(path.trim_start_matches("global::").to_owned())
}

/// `use A\B as C, D;` names `A\B` and `D`; `use A\{B, C}` names `A\B` and `A\C`; `require` names the
/// file in its text, relative to the file's own folder if written so.
fn php(node: Node<'_>, source: &[u8]) -> Vec<String> {
    let Some(whole) = text(node, source) else { return Vec::new() };
    if node.kind() != "namespace_use_declaration" {
        let mut parts = whole.split(['"', '\'']);
        let Some(path) = parts.nth(1) else { return Vec::new() };
        let path = path.trim_start_matches('/');
        return vec![if path.starts_with('.') { path.to_owned() } else { format!("./{path}") }];
    }
    let names = whole.trim_start_matches("use").trim_end_matches(';').trim();
    let (prefix, names) = names.split_once('{').unwrap_or(("", names));
    let names = names.trim_end_matches('}').split(',').take(MAX_NAMES).filter_map(|name| {
        let name = name.split(" as ").next()?.split_whitespace().last()?;
        Some(format!("{}{name}", prefix.trim()).trim_start_matches('\\').to_owned())
    });
    names.collect()
}

fn unquoted(text: &str) -> String {
    text.trim_matches(|letter| matches!(letter, '"' | '\'' | '`' | '<' | '>')).to_owned()
}
