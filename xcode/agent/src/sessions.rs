//! The sessions of a workspace: listed, shown, removed. Not here: resuming one, which is
//! [`Journal::resume`](crate::Journal::resume).

#[cfg(test)]
mod tests;

use contract::id::SessionId;
use contract::xc::{Line, SessionStatus, SessionSummary};
use jiff::{SignedDuration, Timestamp};

use crate::journal::{Found, Held, JournalError, Kept, is_held, journals, live, lock, name, open};
use crate::places::Places;
use crate::summary::{self, Digest};

/// After this time a session in progress counts as abandoned.
pub(crate) const ABANDONED_AFTER: SignedDuration = SignedDuration::from_hours(7 * 24);

/// A session of a workspace.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Its summary.
    pub summary: SessionSummary,
    /// Whether a process has it open.
    pub is_live: bool,
    /// Whether the user began it on this machine; otherwise it came with the folder.
    pub is_own: bool,
}

/// A session with its lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// Its summary.
    pub summary: SessionSummary,
    /// The readable lines of its journal.
    pub lines: Vec<Line>,
    /// The number of unreadable lines.
    pub unreadable: u64,
}

/// The sessions of a workspace that have at least one prompt, the newest first.
///
/// # Errors
/// [`JournalError::Read`] if a folder cannot be listed.
pub fn list(places: &Places) -> Result<Vec<Listed>, JournalError> {
    let listed = journals(places)?.into_iter().filter_map(|kept| {
        let summary = summed(&kept)?;
        let is_live = is_held(&kept.folder, &name(kept.id));
        Some(Listed { summary: aged(summary, is_live), is_live, is_own: kept.is_own })
    });
    Ok(listed.collect())
}

/// A session with all its lines.
///
/// # Errors
/// As [`Journal::resume`](crate::Journal::resume), except that the session may be open.
pub fn show(places: &Places, id: SessionId) -> Result<Shown, JournalError> {
    let kept = find(places, id)?;
    let (header, mut reader) = open(&kept.folder, id)?;
    let (mut digest, mut lines, mut unreadable) = (Digest::new(&header), Vec::new(), 0);
    let failed = |source| JournalError::read(kept.folder.shown(&name(id)), source);
    while let Some(found) = reader.next().map_err(failed)? {
        match found {
            Found::Line(line) => {
                digest.take(&line);
                lines.push(line);
            }
            Found::Unreadable(_) | Found::Cut => unreadable += 1,
        }
    }
    Ok(Shown { summary: digest.summary(), lines, unreadable })
}

/// Removes a session with all its files.
///
/// # Errors
/// [`JournalError::Unknown`]; [`JournalError::Live`] if a process has it open; [`JournalError::Write`].
pub fn remove(places: &Places, id: SessionId) -> Result<(), JournalError> {
    let kept = find(places, id)?;
    let journal = name(id);
    let failed = |source| JournalError::write(kept.folder.shown(&journal), source);
    // The lock is held until the name is removed, so that no process resumes the session meanwhile.
    let Held::Ours(_held) = lock(&kept.folder, &journal).map_err(failed)? else {
        return Err(live(&kept));
    };
    kept.folder.beneath().remove(kept.folder.at(&journal)).map_err(failed)?;
    let others = journals(places)?;
    let next = others.iter().filter(|other| other.folder == kept.folder).find_map(summed);
    summary::remove(&kept.folder, id, next.as_ref()).map_err(failed)
}

/// The session that ended last here, if its work is unfinished and no process has it open.
#[must_use]
pub fn open_work(places: &Places) -> Option<SessionSummary> {
    let in_folder = places.sessions().into_iter().filter_map(|folder| {
        let latest = summary::read(&folder, summary::LATEST)?;
        // The user's own folder may have sessions of other workspaces, and the project's folder may have come with some.
        let kept = find(places, latest.id).ok()?;
        let is_here = kept.is_own && kept.folder == folder && kept.header.cwd == places.cwd();
        (is_here && !is_held(&folder, &name(latest.id))).then_some(latest)
    });
    let latest = in_folder.max_by(|one, other| one.ended_at.cmp(&other.ended_at))?;
    let latest = aged(latest, false);
    let is_open = latest.status == SessionStatus::InProgress && !latest.pending_work.is_empty();
    is_open.then_some(latest)
}

/// The present summary of a session, open or not; none if it has no prompt.
#[must_use]
pub fn came_to(places: &Places, id: SessionId) -> Option<SessionSummary> {
    summed(&find(places, id).ok()?)
}

/// Records that the user does not continue a session. Returns its summary; none if it has no prompt.
///
/// # Errors
/// As [`show`], and [`JournalError::Write`].
pub fn abandon(places: &Places, id: SessionId) -> Result<Option<SessionSummary>, JournalError> {
    let kept = find(places, id)?;
    let Some(summary) = summed(&kept) else { return Ok(None) };
    let abandoned = SessionSummary { status: SessionStatus::Abandoned, ..summary };
    let failed = |source| JournalError::write(kept.folder.shown(&name(id)), source);
    summary::write(&kept.folder, &abandoned).map_err(failed)?;
    Ok(Some(abandoned))
}

fn find(places: &Places, id: SessionId) -> Result<Kept, JournalError> {
    crate::journal::choose(places, Some(id))
}

/// The summary of a session: the saved one, or one from the journal if that has more.
fn summed(kept: &Kept) -> Option<SessionSummary> {
    let written = |name: &str| {
        let metadata = kept.folder.beneath().metadata(kept.folder.at(name)).ok()?;
        metadata.modified().ok()
    };
    let summary = format!("{}.json", kept.id);
    // A file system's clock advances in steps of some milliseconds, so equal times prove nothing.
    if written(&summary) > written(&name(kept.id))
        && let Some(summary) = summary::read(&kept.folder, &summary)
        && summary.id == kept.id
    {
        return Some(summary);
    }
    let (header, mut reader) = open(&kept.folder, kept.id).ok()?;
    let (mut digest, mut is_empty) = (Digest::new(&header), true);
    while let Ok(Some(found)) = reader.next() {
        if let Found::Line(line) = found {
            digest.take(&line);
            is_empty = false;
        }
    }
    (!is_empty).then(|| digest.summary())
}

/// Marks a session that was not resumed for long as abandoned.
fn aged(summary: SessionSummary, is_live: bool) -> SessionSummary {
    let since = |at: &str| Some(Timestamp::now().duration_since(at.parse().ok()?));
    let is_old = since(&summary.ended_at).is_none_or(|age| age > ABANDONED_AFTER);
    match summary.status {
        SessionStatus::InProgress if is_old && !is_live => {
            SessionSummary { status: SessionStatus::Abandoned, ..summary }
        }
        _ => summary,
    }
}
