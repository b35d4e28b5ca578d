//! Paths: made absolute and plain, and what kind of place they are.

mod names;
mod secret;
mod wiring;
mod zone;

pub(crate) use names::other_name;
pub(crate) use secret::{is_secret, is_secret_word};
pub(crate) use wiring::{
    holds_records, holds_wiring, is_persistence, is_record, starts_program, starts_python,
};
pub(crate) use zone::{Zone, is_temporary, zone_of};

use crate::field::UNKNOWN;

/// `path` from `cwd`, without `.`, `..` and doubled slashes. An unknown component stays.
pub(crate) fn absolute(path: &str, cwd: &str) -> String {
    if path.starts_with(UNKNOWN) {
        return path.to_owned();
    }
    // The kernel's names for the working folder and the root.
    if let Some((link, rest)) = of_process(path) {
        return absolute(&format!("{}/{rest}", if link == "cwd" { cwd } else { "" }), "/");
    }
    let joined = if path.starts_with('/') { path.to_owned() } else { format!("{cwd}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    if joined.starts_with(UNKNOWN) { parts.join("/") } else { format!("/{}", parts.join("/")) }
}

/// `cwd` or `root` of a path in `/proc/self`, and what follows it.
fn of_process(path: &str) -> Option<(&str, &str)> {
    let (process, rest) = path.strip_prefix("/proc/")?.split_once('/')?;
    let own = matches!(process, "self" | "thread-self")
        || process.bytes().all(|byte| byte.is_ascii_digit());
    let (link, rest) = rest.split_once('/').unwrap_or((rest, ""));
    (own && matches!(link, "cwd" | "root")).then_some((link, rest))
}

/// Whether `path` is `folder` or inside it.
pub(crate) fn within(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The last component.
pub(crate) fn name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

/// What follows the last dot of the last component; empty without one.
pub(crate) fn extension(path: &str) -> &str {
    name(path).rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// How to tell whether `path` is a place or inside it: by its components, which may be patterns.
pub(crate) fn coverage(path: &str) -> fn(&str, &str) -> bool {
    // What stands for everything stands for nothing in particular.
    if !path.contains(['*', '?', '[']) || is_any(name(path)) {
        return |place, path| within(path, place);
    }
    covers
}

fn covers(place: &str, path: &str) -> bool {
    let mut parts = path.trim_start_matches('/').split('/');
    let mut names = place.trim_matches('/').split('/');
    let mut any = false;
    let found = names.all(|name| {
        parts.next().is_some_and(|part| {
            any |= is_any(part) && !part.starts_with('.');
            part == name || hits(part, name)
        })
    });
    found && !(any && parts.next().is_some())
}

/// A pattern that finds every name, or every hidden one.
pub(crate) fn is_any(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|each| "*?.[]!^".contains(each))
}

/// Whether a component is a pattern that finds `name`, which is not empty. As in a shell, a pattern finds a
/// hidden name only by its dot.
pub(crate) fn hits(part: &str, name: &str) -> bool {
    part.contains(['*', '?', '['])
        && (!name.starts_with('.') || part.starts_with('.'))
        && crate::pattern::matches(part, name)
}
