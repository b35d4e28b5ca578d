//! Other names of one file: a hard link that an earlier call made cannot be told from the file by its path, but
//! by what the file system says. Not here: links that lead somewhere (see [`crate::Disk::resolve`]).

use super::wiring::protected;
use crate::context::{Context, Entry, Identity};

/// The protected file that the file at a path really is; none where it has one name only, as nearly all have.
pub(crate) fn other_name(path: &str, context: &Context<'_>) -> Option<String> {
    let disk = context.disk;
    let real = disk.resolve(path);
    let real = real.as_deref().unwrap_or(path);
    let identity: Identity = disk.identity(real)?;
    let is_same = |place: &String| place != real && disk.identity(place) == Some(identity);
    for place in protected(context) {
        let place = disk.resolve(&place).unwrap_or(place);
        match disk.entry(&place) {
            Entry::Folder => {
                let inside = disk.names(&place).into_iter();
                let found = inside.map(|name| format!("{place}/{name}")).find(is_same);
                if found.is_some() {
                    return found;
                }
            }
            Entry::Missing => {}
            _ if is_same(&place) => return Some(place),
            _ => {}
        }
    }
    None
}
