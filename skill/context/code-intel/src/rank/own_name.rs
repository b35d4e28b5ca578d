//! Finds the repository's own name: in a question about the repository, that name selects no file.

use crate::view::View;

/// Manifests at the top level, with the text before the name in a line.
const MANIFESTS: [(&str, &str); 5] = [
    ("Cargo.toml", "name = "),
    ("pyproject.toml", "name = "),
    ("setup.cfg", "name = "),
    ("package.json", "\"name\": "),
    ("go.mod", "module "),
];
/// Names of languages and their tools, which questions mention in the same way.
const LANGUAGES: [&str; 6] = ["rust", "cargo", "python", "golang", "java", "node"];
/// How much of a manifest is read, in bytes.
const READ_MAX: usize = 64 << 10;

/// The names, in lower case.
pub(super) fn of(view: &View) -> Vec<String> {
    let mut names: Vec<String> = LANGUAGES.map(str::to_owned).to_vec();
    let folder = view.root().path().file_name().and_then(|name| name.to_str());
    names.extend(folder.map(str::to_lowercase));
    for (file, before) in MANIFESTS {
        let text = view.find(file).and_then(|id| view.read(id)).unwrap_or_default();
        names.extend(name_in(&String::from_utf8_lossy(&text[..text.len().min(READ_MAX)]), before));
    }
    names
}

/// The first name in a manifest. Scope and path are dropped: `"@scope/name",` and `example.com/a/name` give `name`.
fn name_in(text: &str, before: &str) -> Option<String> {
    let value = text.lines().find_map(|line| line.trim_start().strip_prefix(before))?;
    let value = value.trim().trim_end_matches(',').trim_matches(['"', '\'']);
    let name = value.rsplit('/').next().unwrap_or(value).to_lowercase();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::name_in;

    #[test]
    fn a_manifest_says_the_name_in_its_own_way() {
        let check = |text: &str, before: &str, name: Option<&str>| {
            assert_eq!(name_in(text, before).as_deref(), name, "{text}");
        };
        check("[package]\nname = \"Clap\"\n", "name = ", Some("clap"));
        check("{\n  \"name\": \"@scope/tool\",\n", "\"name\": ", Some("tool"));
        check("module example.com/a/tool\n", "module ", Some("tool"));
        check("[workspace]\n", "name = ", None);
        check("name = \"\"\n", "name = ", None);
    }
}
