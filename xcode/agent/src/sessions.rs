//! The sessions of a workspace: listed, shown, removed. Absent: going on with one, which is
//! [`Journal::resume`](crate::Journal::resume).

#[cfg(test)]
mod tests;

use contract::id::SessionId;
use contract::xc::{Line, SessionStatus, SessionSummary};
use jiff::{SignedDuration, Timestamp};

use crate::journal::{Found, Held, JournalError, Kept, is_held, journals, live, lock, name, open};
use crate::places::Places;
use crate::summary::{self, Digest};

/// After how long a session that is in progress is an abandoned one.
pub(crate) const ABANDONED_AFTER: SignedDuration = SignedDuration::from_hours(7 * 24);

/// A session of a workspace.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// What it came to.
    pub summary: SessionSummary,
    /// A process has it open.
    pub is_live: bool,
    /// The user began it on this machine; else it came with the folder.
    pub is_own: bool,
}

/// A session with its lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// What it came to.
    pub summary: SessionSummary,
    /// What its journal says, without what cannot be read.
    pub lines: Vec<Line>,
    /// How many lines cannot be read.
    pub unreadable: u64,
}

/// The sessions of a workspace, the newest first: those in which something was said.
///
/// # Errors
/// [`JournalError::Read`] where a folder cannot be looked into.
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
/// As [`Journal::resume`](crate::Journal::resume); it may be live.
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

/// Removes a session with all that it left.
///
/// # Errors
/// [`JournalError::Unknown`]; [`JournalError::Live`] where a process has it open; [`JournalError::Write`].
pub fn remove(places: &Places, id: SessionId) -> Result<(), JournalError> {
    let kept = find(places, id)?;
    let journal = name(id);
    let failed = |source| JournalError::write(kept.folder.shown(&journal), source);
    // It is held until its name is gone: no process goes on with it meanwhile.
    let Held::Ours(_held) = lock(&kept.folder, &journal).map_err(failed)? else {
        return Err(live(&kept));
    };
    kept.folder.beneath().remove(kept.folder.at(&journal)).map_err(failed)?;
    let others = journals(places)?;
    let next = others.iter().filter(|other| other.folder == kept.folder).find_map(summed);
    summary::remove(&kept.folder, id, next.as_ref()).map_err(failed)
}

/// The session that ended last here, where its work is open and no process has it.
#[must_use]
pub fn open_work(places: &Places) -> Option<SessionSummary> {
    let in_folder = places.sessions().into_iter().filter_map(|folder| {
        let latest = summary::read(&folder, summary::LATEST)?;
        // What lies in the user's own folder may be of another workspace, and what lies here may have come with it.
        let kept = find(places, latest.id).ok()?;
        let is_here = kept.is_own && kept.folder == folder && kept.header.cwd == places.cwd();
        (is_here && !is_held(&folder, &name(latest.id))).then_some(latest)
    });
    let latest = in_folder.max_by(|one, other| one.ended_at.cmp(&other.ended_at))?;
    let latest = aged(latest, false);
    let is_open = latest.status == SessionStatus::InProgress && !latest.pending_work.is_empty();
    is_open.then_some(latest)
}

/// What a session came to so far, live or not; none where nothing was said in it.
#[must_use]
pub fn came_to(places: &Places, id: SessionId) -> Option<SessionSummary> {
    summed(&find(places, id).ok()?)
}

/// The user does not go on with a session: it is abandoned. Returns what it came to; none where nothing was said in it.
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

/// What a session came to: what was written last, or what the journal says where it says more.
fn summed(kept: &Kept) -> Option<SessionSummary> {
    let written = |name: &str| {
        let metadata = kept.folder.beneath().metadata(kept.folder.at(name)).ok()?;
        metadata.modified().ok()
    };
    let summary = format!("{}.json", kept.id);
    // The clock of a file system goes by some milliseconds at once: the same time tells nothing.
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

/// A session that was not gone on with for long is abandoned.
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
