//! A run's row in the lists of the pages.

use contract::run::RunKind;
use window::view::Row;

use crate::store::record::RunRow;
use crate::token::Rights;

/// The only kind that may be shown; `None` if all may.
pub(super) fn shown_kind(rights: Rights) -> Option<RunKind> {
    (rights != Rights::Orchestrate).then_some(RunKind::Analyze)
}

/// The row of a run.
pub(super) fn row(found: RunRow) -> Row {
    let RunRow { run, created_ms, facts } = found;
    Row {
        run_id: run.run_id,
        session_id: run.session_id,
        kind: run.kind,
        round: run.round,
        state: run.state,
        code: run.code,
        problem: run.problem,
        workspace: run.workspace.map(|workspace| workspace.as_str().to_owned()),
        model: facts.model,
        created_ms,
        duration_ms: run.duration_ms,
        tokens: facts.usage,
    }
}
