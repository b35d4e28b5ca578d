//! `/undo`: shows what an undo would change, undoes a turn, and undoes an undo.

use std::path::Path;

use agent::{Host, Session, UndoWay, Undone};

use crate::words::{self, Language};

/// An `/undo` command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Undo {
    /// Show what would be undone.
    Look,
    /// Undo the last turn.
    Turn,
    /// Undo the last undo.
    Back,
}

/// Carries out an `/undo` command, and returns the lines to show.
pub(super) async fn lines(
    session: &mut Session,
    host: &dyn Host,
    undo: Undo,
    language: Language,
    root: &Path,
) -> Vec<String> {
    let (done, head) = match undo {
        Undo::Look => (session.undo_preview(UndoWay::Turn).await, words::UNDO_WOULD),
        Undo::Turn => (session.undo(UndoWay::Turn, host).await, words::UNDO_DID),
        Undo::Back => (session.undo(UndoWay::Undo, host).await, words::UNDO_AGAIN),
    };
    match done {
        Ok(None) => vec![language.say(&words::UNDO_NOTHING).to_owned()],
        Ok(Some(undone)) => told(&undone, language.say(&head), language, root),
        Err(error) => vec![language.fill(&words::UNDO_FAILED, &[("why", &error.to_string())])],
    }
}

pub(super) fn told(undone: &Undone, head: &str, language: Language, root: &Path) -> Vec<String> {
    let shown = |path: &Path| {
        redact::visible_line(&path.strip_prefix(root).unwrap_or(path).display().to_string())
            .into_owned()
    };
    let mut lines = vec![head.to_owned()];
    lines.extend(undone.restored.iter().map(|path| format!("  ~ {}", shown(path))));
    lines.extend(undone.removed.iter().map(|path| format!("  - {}", shown(path))));
    lines.extend(undone.left.iter().map(|(path, why)| {
        let left = language.fill(&words::UNDO_LEFT, &[("path", &shown(path)), ("why", why)]);
        format!("  ! {left}")
    }));
    lines
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use agent::Undone;

    use super::told;
    use crate::words::Language;

    #[test]
    fn each_file_has_a_line_with_what_becomes_of_it() {
        let undone = Undone {
            restored: vec!["/w/src/a.rs".into()],
            removed: vec!["/w/new\u{1b}[2J".into()],
            left: vec![("/w/b".into(), "it was changed since".to_owned())],
        };
        let lines = told(&undone, "Taken back:", Language::En, Path::new("/w"));
        assert_eq!(lines[..2], ["Taken back:", "  ~ src/a.rs"]);
        assert!(lines[2].starts_with("  - new") && !lines[2].contains('\u{1b}'), "{lines:?}");
        assert!(lines[3].starts_with("  ! ") && lines[3].contains("it was changed since"));
    }
}
