//! Finds the definitions that a symbol in a request can refer to.

use crate::engine::EngineError;
use crate::graph::{DefId, Graph};
use crate::view::FileId;

/// How many similar names are offered for an unknown one.
const HINTS: usize = 5;

/// The definitions of a symbol, in one file if one is given.
///
/// # Errors
/// [`EngineError::Unknown`] when there is none, with similar names.
pub(crate) fn definitions(
    graph: &Graph,
    symbol: &str,
    file: Option<&str>,
) -> Result<Vec<DefId>, EngineError> {
    let file = file.map(|path| known_file(graph, path)).transpose()?;
    let found = graph.named(symbol.trim());
    let found: Vec<DefId> =
        found.into_iter().filter(|id| file.is_none_or(|file| id.file == file)).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let mut like: Vec<String> =
        graph.named_like(symbol, HINTS).into_iter().map(|id| graph.qualified(id)).collect();
    like.dedup();
    let hint = (!like.is_empty()).then(|| format!("did you mean {}?", like.join(", ")));
    Err(EngineError::Unknown { what: "symbol", name: symbol.to_owned(), hint })
}

/// The file at a path relative to the root.
///
/// # Errors
/// [`EngineError::Unknown`] when it is not in the index.
pub(crate) fn known_file(graph: &Graph, path: &str) -> Result<FileId, EngineError> {
    let hint = || Some("files are named from the root; ignored ones are not known".to_owned());
    graph.view().find(path).ok_or_else(|| EngineError::Unknown {
        what: "file",
        name: path.to_owned(),
        hint: hint(),
    })
}

/// The name of a definition in an answer; the file's path for code outside of every definition.
pub(crate) fn label(graph: &Graph, file: FileId, definition: Option<DefId>) -> String {
    match definition {
        Some(id) => graph.qualified(id),
        None => graph.view().file(file).path.to_owned(),
    }
}
