//! Resolves the links of a path even if its target does not exist: the standard library does so
//! only for existing targets.

use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// How many links are followed in one path, as in Linux.
const LINKS_MAX: usize = 40;

/// Resolves an absolute path, from the root downwards. A part that cannot be examined, or a cycle of links, is kept
/// unchanged: opening it fails later, because a link in it is refused.
pub(super) fn follow(path: &Path) -> PathBuf {
    let mut rest = parts(path);
    let mut real = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = rest.pop() {
        match part {
            Part::Top => real = PathBuf::from("/"),
            Part::Up => drop(real.pop()),
            Part::Name(name) => {
                let next = real.join(name);
                match fs::read_link(&next) {
                    Ok(target) if links < LINKS_MAX => {
                        links += 1;
                        rest.extend(parts(&target));
                    }
                    Ok(_) | Err(_) => real = next,
                }
            }
        }
    }
    real
}

enum Part {
    Top,
    Up,
    Name(OsString),
}

/// The parts of a path, the last first.
fn parts(path: &Path) -> Vec<Part> {
    let part = |part: Component<'_>| match part {
        Component::RootDir => Some(Part::Top),
        Component::ParentDir => Some(Part::Up),
        Component::Normal(name) => Some(Part::Name(name.to_owned())),
        Component::CurDir | Component::Prefix(_) => None,
    };
    path.components().rev().filter_map(part).collect()
}
