//! The first page: running and recent runs, and the daemon's health.

use contract::failure::Failure;
use window::view::Now;

use super::condition::LastLook;
use super::live;
use super::row::{row, shown_kind};
use crate::service::Service;
use crate::token::Rights;

/// Maximum number of ended runs on the first page.
const RECENT: u32 = 20;

/// Collects the content of the first page.
///
/// # Errors
/// `store_failed`, `overloaded`.
pub async fn gather(service: &Service, look: &LastLook, rights: Rights) -> Result<Now, Failure> {
    let live = live::look(service).await?;
    let ended = service.ended_rows(shown_kind(rights), RECENT).await?;
    Ok(Now {
        live: live.shown(rights),
        queue: live.queue,
        recent: ended.into_iter().map(row).collect(),
        condition: look.condition(service).await,
        version: live.version,
    })
}
