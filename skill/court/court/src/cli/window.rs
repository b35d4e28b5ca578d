//! `court window`: the data of the projects for the daemon's pages. It is read-only.

use std::time::{Duration, Instant};

use contract::court::{
    Anchor, AnchorKind, Figures, Packet, Phase, Project, Projects, Request, Summary,
};
use serde_json::json;

use super::context::CliContext;
use super::output::{Failed, Output};
use super::{approver, explain, packets};
use crate::approver::Moment;
use crate::fence::sanitize_line;
use crate::packet;
use crate::projects;
use crate::records::{self, Ledger, Reviews};
use crate::{manifest, review};

/// The most projects, ledger entries, requests and packets in the output.
const PROJECTS_MAX: usize = 50;
const ANCHORS_MAX: usize = 200;
const REQUESTS_MAX: usize = 20;
const PACKETS_MAX: usize = 5;
/// The size limit of the calls of all requests, in bytes.
const CALLS_MAX: usize = 256 << 10;
/// The size limit of the explanation of one call, in bytes.
const EXPLAINED_MAX: usize = 8 << 10;
/// How long the projects of the list may be examined. The daemon waits for two seconds.
const LOOKING: Duration = Duration::from_secs(1);

/// `court window`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The project to tell of; none: the list
    key: Option<String>,
}

/// Prints all projects, or one.
pub(super) fn window(desk: &CliContext, args: &Args) -> Result<Output, Failed> {
    if review::inside_client(&desk.environment) {
        let why =
            "this is for the daemon's pages; see `court status`, `court ledger`, `court approve`";
        return Err(Failed::Wrong(why.to_owned()));
    }
    let Some(key) = &args.key else { return Ok(list(desk)) };
    let Some(found) = projects::find(&desk.places, &desk.environment, key) else {
        return Err(Failed::Input(format!("there is no project `{}`", sanitize_line(key, 40))));
    };
    let told = project(desk, found);
    let lines = told.requests.iter().map(|request| format!("{}  {}", request.id, request.call));
    let lines: Vec<String> = std::iter::once(told.summary.root.clone()).chain(lines).collect();
    Ok(Output::done(lines.join("\n"), json!(told)))
}

fn list(desk: &CliContext) -> Output {
    let found = projects::list(&desk.places, &desk.environment);
    let left_out = found.len().saturating_sub(PROJECTS_MAX);
    let until = Instant::now() + LOOKING;
    let summaries = found.into_iter().take(PROJECTS_MAX).map(|project| {
        let inside = (Instant::now() < until).then(|| desk.of_project(project.root.clone()));
        summary(&project, inside.map(|inside| figures(&inside, &mut Seen::of(&inside))))
    });
    let projects: Vec<Summary> = summaries.collect();
    let line = |project: &Summary| format!("{}  {}", project.key, project.root);
    let mut lines: Vec<String> = projects.iter().map(line).collect();
    if lines.is_empty() {
        lines.push("There is no project yet: one is noted when a session begins there.".to_owned());
    }
    let folder = desk.places.court_state().display().to_string();
    let told = Projects { folder, approver: approver::standing(desk), projects, left_out };
    Output::done(lines.join("\n"), json!(told))
}

/// The data of a project, and what could not be read.
struct Seen {
    ledger: Ledger,
    reviews: Reviews,
    unread: Vec<String>,
}

impl Seen {
    fn of(desk: &CliContext) -> Self {
        let mut unread = Vec::new();
        let mut note = |error: crate::store::StoreError| unread.push(error.to_string());
        let ledger = desk.store.look().map_err(&mut note).unwrap_or_default();
        let reviews = desk.store.look_at::<Reviews>().map_err(&mut note).unwrap_or_default();
        Self { ledger, reviews, unread }
    }
}

fn summary(project: &projects::Project, figures: Option<Figures>) -> Summary {
    Summary {
        key: project.key.clone(),
        root: project.root.display().to_string(),
        seen_ms: project.seen_ms,
        figures,
    }
}

fn figures(desk: &CliContext, seen: &mut Seen) -> Figures {
    let count = |kind| seen.ledger.of_kind(kind).count();
    let now = Moment::now();
    let waits = |request: &&records::Request| seen.reviews.approved(request, &now).is_none();
    let mut degraded = std::mem::take(&mut seen.unread);
    let phase = manifest::load(&desk.store).unwrap_or_else(|unusable| {
        degraded.push(unusable.to_string());
        None
    });
    let phase = phase.map(|manifest| Phase {
        task: sanitize_line(&manifest.task_id, 200),
        current: sanitize_line(&manifest.phases.current, 60),
        accepted: manifest::is_accepted(&desk.store, &manifest),
    });
    for (capability, seen) in &seen.ledger.metadata.capabilities {
        if let Some(form) = &seen.form {
            let line = format!("{}: {} ({form})", capability.meaning(), seen.why);
            degraded.push(sanitize_line(&line, 300));
        }
    }
    Figures {
        phase,
        risks: count(records::AnchorKind::RiskHigh),
        tasks: count(records::AnchorKind::TaskActive),
        decisions: count(records::AnchorKind::Decision),
        waiting: seen.reviews.requests.iter().filter(waits).count(),
        degraded,
    }
}

fn project(desk: &CliContext, found: projects::Project) -> Project {
    let inside = desk.of_project(found.root.clone());
    let mut seen = Seen::of(&inside);
    let figures = figures(&inside, &mut seen);
    let Seen { ledger, reviews, .. } = seen;
    let (requests, requests_left_out) = requests(&inside, &reviews);
    let (anchors, anchors_left_out) = anchors(&ledger);
    Project {
        approver: approver::standing(desk),
        summary: summary(&found, Some(figures)),
        anchors,
        anchors_left_out,
        requests,
        requests_left_out,
        packets: last_packets(&inside),
    }
}

/// The anchors, newest first: those of the court, then those that came with the project.
fn anchors(ledger: &Ledger) -> (Vec<Anchor>, usize) {
    let told = |anchor: &records::Anchor, own| Anchor {
        id: sanitize_line(&anchor.id, 40),
        kind: match anchor.kind {
            records::AnchorKind::Decision => AnchorKind::Decision,
            records::AnchorKind::RiskHigh => AnchorKind::Risk,
            records::AnchorKind::TaskActive => AnchorKind::Task,
        },
        content: sanitize_line(&anchor.content, records::CONTENT_MAX),
        at_ms: anchor.created_at,
        own,
    };
    let stands = |anchor: &&records::Anchor| anchor.kind != records::AnchorKind::Decision;
    let own = || ledger.anchors.iter().rev();
    // Open risks and tasks come first, since they need action.
    let ordered = own().filter(stands).chain(own().filter(|anchor| !stands(anchor)));
    let own = ordered.map(|anchor| told(anchor, true));
    let foreign = ledger.foreign.iter().rev().map(|anchor| told(anchor, false));
    let all = ledger.anchors.len() + ledger.foreign.len();
    (own.chain(foreign).take(ANCHORS_MAX).collect(), all.saturating_sub(ANCHORS_MAX))
}

/// The requests, newest first, up to the limit.
fn requests(desk: &CliContext, reviews: &Reviews) -> (Vec<Request>, usize) {
    let now = Moment::now();
    let mut room = CALLS_MAX;
    let mut told = Vec::new();
    for request in reviews.requests.iter().rev().take(REQUESTS_MAX) {
        let call = review::whole(&request.tool, &request.input);
        let Some(left) = room.checked_sub(call.len()) else { break };
        room = left;
        let cwd = std::path::Path::new(&request.cwd);
        let explained = explain::told(desk, &request.tool, &request.input, cwd).text;
        told.push(Request {
            id: request.id.clone(),
            digest: request.digest.clone(),
            tool: review::visible(&request.tool),
            call,
            cwd: review::visible(&request.cwd),
            level: request.level.clone(),
            rules: request.rules.clone(),
            files: request.files.iter().map(|file| review::visible(&file.path)).collect(),
            agent: request.agent_id.as_deref().map(review::visible),
            session_id: review::visible(&request.session_id),
            at_ms: request.at_ms,
            approved_until_ms: reviews.approved(request, &now).map(|it| it.expires_ms),
            explained: crate::fence::sanitize(&explained, EXPLAINED_MAX),
        });
    }
    let left_out = reviews.requests.len() - told.len();
    (told, left_out)
}

/// The latest packets that the court built itself.
fn last_packets(desk: &CliContext) -> Vec<Packet> {
    let own = desk.store.look_at::<records::Own>().unwrap_or_default();
    let own = own.of(records::Kind::Packet);
    let files = desk.store.historian().inner(packet::FOLDER);
    let read = |seq: &u64| {
        let bytes = files.read(packet::name(*seq), packet::BYTES_MAX).ok()??;
        let packet: records::Packet = serde_json::from_slice(&bytes).ok()?;
        own.contains(records::digest(&bytes).as_str()).then(|| Packet {
            seq: *seq,
            at_ms: packet.meta.at_ms,
            calls: packet.facts.tool_calls.len(),
            statement: sanitize_line(&packet.facts.final_statement, 300),
        })
    };
    packets::found(desk).iter().rev().take(PACKETS_MAX).filter_map(read).collect()
}
