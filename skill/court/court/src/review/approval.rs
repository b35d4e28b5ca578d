//! Grants, validates and uses up approvals and tickets. Not here: who may grant one.

use std::path::{Path, PathBuf};

use super::digest::Bound;
use super::{Refused, shown};
use crate::approver::{Approver, KeyError, KeyState, Moment, SecretKey, Statement, Stretch, nonce};
use crate::config::ApproveBy;
use crate::fence;
use crate::records::{Approval, Refusal, Request, Reviewer, Reviews, Signed, Spent};
use crate::store::{Store, StoreError};

/// Validity of the historian's ticket, in milliseconds: the client may ask the user first.
const TICKET_MS: u64 = 120_000;
/// Maximum length of a call that is shown to a model in full, in characters.
pub(super) const FOR_MODELS_MAX: usize = 2_000;

/// Whose approvals are valid here.
#[derive(Debug)]
pub struct Counting<'a> {
    /// `gate.approver`.
    pub by: ApproveBy,
    /// The user's approver.
    pub approver: &'a Approver,
    /// The project's root.
    pub project: &'a Path,
}

/// Result of searching for an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// There is no approval.
    None,
    /// One was used up.
    Used(Reviewer),
    /// There is one, but it is invalid.
    Void(String),
    /// The user refused the call, as this request.
    Refused(String),
}

/// The data of an approval to be granted.
pub struct Grant<'a> {
    /// The reviewer.
    pub by: Reviewer,
    /// Its validity.
    pub lasts: Stretch,
    /// The user's key, if there is an approver.
    pub key: Option<&'a SecretKey>,
    /// The project's root.
    pub project: &'a Path,
}

impl Counting<'_> {
    /// Why an approval is invalid; `None` if it is valid.
    fn against(&self, approval: &Approval, spent: &[Spent]) -> Option<String> {
        if approval.by != Reviewer::User {
            let only_user = self.by == ApproveBy::User;
            return only_user.then(|| "gate.approver is \"user\"".to_owned());
        }
        let key = match self.approver.standing() {
            KeyState::Known { key, .. } => key,
            KeyState::Broken(why) => return Some(why),
            KeyState::Absent if self.by == ApproveBy::Any => return None,
            KeyState::Absent => {
                return Some("gate.approver is \"user\" and there is no approver".to_owned());
            }
        };
        let Some(signed) = &approval.signed else { return Some("it is not signed".to_owned()) };
        let statement = Statement {
            project: &canonical(self.project),
            request: approval.request.as_deref().unwrap_or_default(),
            digest: &approval.digest,
            expires_ms: approval.expires_ms,
            nonce: &signed.nonce,
        };
        if !key.signed(&statement.text(), &signed.signature) {
            return Some("its signature is not the user's".to_owned());
        }
        let is_spent = spent.iter().any(|spent| spent.nonce == signed.nonce);
        is_spent.then(|| "it was used before".to_owned())
    }
}

/// Uses up a valid approval of this call, if there is one.
///
/// # Errors
/// It exists and cannot be marked as used.
pub fn take_approval(
    store: &Store,
    digest: &str,
    counting: &Counting<'_>,
) -> Result<Found, StoreError> {
    let is_of = |approval: &Approval| approval.digest == digest;
    let reviews = store.read::<Reviews>()?;
    if let Some(refusal) = reviews.refusals.iter().find(|refusal| refusal.digest == digest)
        && refusal.lasts.may_last(&Moment::now())
    {
        return Ok(Found::Refused(refusal.request.clone()));
    }
    if !reviews.approvals.iter().any(is_of) {
        return Ok(Found::None);
    }
    let now = Moment::now();
    store.update(|reviews: &mut Reviews| {
        reviews.spent.retain(|spent| spent.expires_ms > now.ms);
        let mut found = Found::None;
        for at in 0..reviews.approvals.len() {
            let approval = &reviews.approvals[at];
            if !is_of(approval) || !approval.holds(&now) {
                continue;
            }
            if let Some(why) = counting.against(approval, &reviews.spent) {
                found = Found::Void(why);
                continue;
            }
            let approval = reviews.approvals.remove(at);
            reviews.requests.retain(|request| request.digest != digest);
            if let Some(signed) = approval.signed {
                let expires_ms = approval.expires_ms;
                reviews.spent.push(Spent { nonce: signed.nonce, expires_ms });
            }
            return Found::Used(approval.by);
        }
        found
    })
}

/// A request in its current form, for inspection; if `digest` is given, only with that digest.
///
/// # Errors
/// [`Refused::Unknown`] if there is no such request, [`Refused::Altered`] if its content does not match its
/// digest, or its digest is another one.
pub fn find(store: &Store, id: &str, digest: Option<&str>) -> Result<Request, Refused> {
    let reviews = store.read::<Reviews>()?;
    let found = reviews.requests.iter().find(|request| request.id.eq_ignore_ascii_case(id));
    let Some(request) = found else {
        let open: Vec<&str> = reviews.requests.iter().map(|request| request.id.as_str()).collect();
        let open = (!open.is_empty()).then(|| open.join(", "));
        return Err(Refused::Unknown { id: id.to_owned(), open });
    };
    let is_other = digest.is_some_and(|digest| digest != request.digest);
    if is_other || Bound::of(request).digest() != request.digest {
        return Err(Refused::Altered { id: request.id.clone() });
    }
    Ok(request.clone())
}

/// Approves a request after inspection: only if it is unchanged.
///
/// # Errors
/// [`Refused`].
pub fn approve(store: &Store, seen: &Request, grant: &Grant<'_>) -> Result<(), Refused> {
    if grant.by != Reviewer::User && !is_whole_for_models(seen) {
        return Err(Refused::NotWhole { id: seen.id.clone() });
    }
    let signed = match grant.key {
        Some(key) => Some(sign(key, seen, grant)?),
        None => None,
    };
    let is_there = store.update(|reviews: &mut Reviews| {
        let same = |request: &Request| request.id == seen.id && request.digest == seen.digest;
        if !reviews.requests.iter().any(same) {
            return false;
        }
        reviews.approvals.retain(|approval| approval.digest != seen.digest);
        reviews.approvals.push(Approval {
            digest: seen.digest.clone(),
            request: Some(seen.id.clone()),
            by: grant.by,
            expires_ms: grant.lasts.until_ms,
            lasts: grant.lasts.clone(),
            signed,
        });
        true
    })?;
    if is_there { Ok(()) } else { Err(Refused::Unknown { id: seen.id.clone(), open: None }) }
}

/// Refuses a request after inspection, for as long as an approval would have been valid; revokes an unused
/// approval of it.
///
/// # Errors
/// [`Refused`].
pub fn refuse(store: &Store, seen: &Request, lasts: &Stretch) -> Result<(), Refused> {
    let now = Moment::now();
    let is_there = store.update(|reviews: &mut Reviews| {
        let same = |request: &Request| request.id == seen.id && request.digest == seen.digest;
        let is_there = reviews.requests.iter().any(same);
        if is_there {
            reviews.requests.retain(|request| !same(request));
            reviews.approvals.retain(|approval| approval.digest != seen.digest);
            reviews.refusals.retain(|refusal| refusal.lasts.may_last(&now));
            reviews.refusals.push(Refusal {
                digest: seen.digest.clone(),
                request: seen.id.clone(),
                lasts: lasts.clone(),
            });
        }
        is_there
    })?;
    if is_there { Ok(()) } else { Err(Refused::Unknown { id: seen.id.clone(), open: None }) }
}

fn sign(key: &SecretKey, request: &Request, grant: &Grant<'_>) -> Result<Signed, KeyError> {
    let nonce = nonce()?;
    let statement = Statement {
        project: &canonical(grant.project),
        request: &request.id,
        digest: &request.digest,
        expires_ms: grant.lasts.until_ms,
        nonce: &nonce,
    };
    let signature = key.sign(&statement.text());
    Ok(Signed { nonce, signature })
}

/// Whether the text for models is the whole call, without cuts and masks.
pub fn is_whole_for_models(request: &Request) -> bool {
    let whole = shown::whole(&request.tool, &request.input);
    fence::hides_nothing(&whole, FOR_MODELS_MAX)
}

/// Issues a ticket for one command of the historian.
///
/// # Errors
/// It cannot be stored.
pub fn issue_ticket(store: &Store, digest: String) -> Result<(), StoreError> {
    let now = Moment::now();
    let lasts = Stretch::from(&now, TICKET_MS);
    store.update(|reviews: &mut Reviews| {
        reviews.tickets.retain(|ticket| ticket.holds(&now));
        reviews.tickets.push(Approval {
            digest,
            request: None,
            by: Reviewer::Historian,
            expires_ms: lasts.until_ms,
            lasts,
            signed: None,
        });
    })
}

/// Uses up the historian's ticket for a command.
///
/// # Errors
/// The files cannot be changed.
pub fn take_ticket(store: &Store, digest: &str) -> Result<bool, StoreError> {
    let now = Moment::now();
    store.update(|reviews: &mut Reviews| {
        let holds = |ticket: &Approval| ticket.digest == digest && ticket.holds(&now);
        let at = reviews.tickets.iter().position(holds);
        at.map(|at| reviews.tickets.remove(at)).is_some()
    })
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}
