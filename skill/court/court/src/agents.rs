//! Detects agents that a project defines under the reviewer's name. The client 2.1.197 prefers an agent of the
//! project to the plugin's with the same name, also for `court:historian`, and tells a hook only the
//! name. So if the project could have defined one, no agent counts as the historian.

use std::fs;
use std::path::{Path, PathBuf};

use crate::places::Places;

/// The folder of agents, in the project and above it.
const FOLDER: &str = ".claude/agents";
/// Maximum number of entries that are checked; further ones are unknown.
const ENTRIES_MAX: usize = 500;
/// Maximum depth of folders that are searched.
const DEPTH_MAX: usize = 8;
/// The largest file that is read, in bytes.
const FILE_MAX: u64 = 256 << 10;

/// A file that defines, or may define, an agent with one of these names, visible from these folders.
pub fn impostor(places: &Places, cwd: &Path, names: &[&str]) -> Option<PathBuf> {
    let mut left = ENTRIES_MAX;
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in places.project.ancestors().chain(cwd.ancestors()) {
        let folder = folder.join(FOLDER);
        let is_users = folder == places.client_config.join("agents");
        if !is_users && folder != places.home.join(FOLDER) && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders.iter().find_map(|folder| within(folder, names, DEPTH_MAX, &mut left))
}

fn within(folder: &Path, names: &[&str], depth: usize, left: &mut usize) -> Option<PathBuf> {
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let path = entry.path();
        *left = left.saturating_sub(1);
        if *left == 0 {
            return Some(path);
        }
        // Follow links, as the client may.
        let Ok(metadata) = fs::metadata(&path) else { continue };
        if metadata.is_dir() {
            let found = match depth {
                0 => Some(path),
                _ => within(&path, names, depth - 1, left),
            };
            if found.is_some() {
                return found;
            }
        } else if metadata.is_file() && (metadata.len() > FILE_MAX || may_be(&path, names)) {
            return Some(path);
        }
    }
    None
}

fn may_be(path: &Path, names: &[&str]) -> bool {
    let text = fs::read(path).unwrap_or_default();
    let Ok(text) = String::from_utf8(text) else { return true };
    let text = text.trim_start_matches('\u{feff}').trim_start();
    // Without front matter it is not an agent.
    let Some(rest) = text.strip_prefix("---") else { return false };
    let head = rest.split("\n---").next().unwrap_or_default();
    plain_name(head).is_none_or(|name| names.contains(&name))
}

/// The agent's name, if the front matter has it in plain notation; other YAML notations are not parsed.
fn plain_name(head: &str) -> Option<&str> {
    let odd = ["\\x", "\\u", "\\U", "\\\n", "\\\r", "!!", "<<"];
    if odd.iter().any(|odd| head.contains(odd)) {
        return None;
    }
    let lines = || head.lines().map(str::trim_end);
    if lines().any(|line| line.trim_start().starts_with(['?', '{'])) {
        return None;
    }
    let is_name = |line: &&str| {
        let key = line.trim_start().trim_start_matches(['"', '\'']);
        let rest = key.strip_prefix("name").map(|rest| rest.trim_start_matches(['"', '\'']));
        rest.is_some_and(|rest| rest.trim_start().starts_with(':'))
    };
    let mut found = lines().filter(is_name);
    let (line, None) = (found.next()?, found.next()) else { return None };
    let value = line.strip_prefix("name:")?.trim();
    let unquoted =
        ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
    let value = unquoted.unwrap_or(value);
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_');
    (!value.is_empty() && value.chars().all(is_plain)).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::plain_name;

    #[test]
    fn only_a_plain_name_is_known() {
        for (head, expected) in [
            ("\nname: git-historian\ndescription: x", Some("git-historian")),
            ("\nname: \"worker\"\ndescription: name it\\n\\n<example>", Some("worker")),
            ("\nname: court:historian", None),
            ("\nname: \"court\\x3ahistorian\"", None),
            ("\ndescription: |\n  name: a\n? name\n: court:historian", None),
            ("\n\"name\": court:historian\ndescription: |\n  name: a", None),
            ("\n{name: \"court:historian\"}", None),
            ("\nname: >-\n  court:historian", None),
            ("\nname: &a worker", None),
            ("\nname: a\nname: court:historian", None),
            ("\ndescription: none", None),
        ] {
            assert_eq!(plain_name(head), expected, "{head}");
        }
    }
}
