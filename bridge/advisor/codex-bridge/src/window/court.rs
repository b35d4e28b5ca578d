//! The court's projects, queried by running `court`: their state, their waiting requests and the user's
//! decisions. Output of an unexpected form is rejected, and a passphrase is passed on and never stored.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use claude_hooks::settings::file::CLAUDE_CONFIG_DIR;
use contract::court::{BYTES_MAX, Failed, Project, Projects, is_key, is_request_id};
use contract::failure::{Failure, FailureCode};
use host::environment::{HOME, PATH, STATE_DIR, XDG_CACHE_HOME, XDG_CONFIG_HOME, XDG_STATE_HOME};
use serde::de::DeserializeOwned;
use supervise::{Exit, HelperCommand, HelperEnd, run_helper_with_input};
use tokio::sync::Semaphore;
use window::view;
use zeroize::Zeroizing;

use super::row::shown_kind;
use crate::config::Environment;
use crate::keeper::Keeper;
use crate::token::Rights;

const COURT: &str = "court";

/// Timeout of a query.
const LOOK_LIMIT: Duration = Duration::from_secs(2);

/// Timeout of a decision: opening the key takes time, and the court may wait for a lock.
const DECIDE_LIMIT: Duration = Duration::from_secs(15);

/// Maximum number of concurrent queries.
const AT_ONCE: usize = 2;

/// Variables passed to `court`: those that locate the user's files. All that begin with `COURT_` are passed, too.
/// Secrets are not, nor the variables by which a client marks its child processes.
const HANDED_ON: [&str; 7] =
    [HOME, PATH, STATE_DIR, XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME, CLAUDE_CONFIG_DIR];

/// Variable from which `court` takes its project.
const PROJECT_DIR: &str = "CLAUDE_PROJECT_DIR";

/// Runs `court` for the pages.
#[derive(Debug)]
pub struct Court {
    environment: Environment,
    asking: Semaphore,
    /// Whether this daemon runs as its own user, who has no sessions of Claude Code.
    is_system_service: bool,
}

/// The user's decision on a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It may run once.
    Approve,
    /// It must not run.
    Refuse,
}

/// A request as shown on a page.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// The key of the project.
    pub key: &'a str,
    /// Its id.
    pub id: &'a str,
    /// Digest of what was shown.
    pub digest: &'a str,
}

/// The court's reply, or the reason why there is none.
enum Said<T> {
    Told(T),
    /// The project or the request does not exist.
    Unknown,
    Not(String),
}

impl Court {
    /// The court of the user with this environment.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        let is_system_service = Keeper::of(Path::new("/proc/self")) == Some(Keeper::SystemService);
        let asking = Semaphore::new(AT_ONCE);
        Self { environment: environment.clone(), asking, is_system_service }
    }

    /// All projects.
    pub async fn list(&self, rights: Rights) -> view::Projects {
        if shown_kind(rights).is_some() {
            return view::Projects::Hidden;
        }
        match self.ask::<Projects>(vec!["window".into(), "--json".into()]).await {
            Said::Told(mut told) => {
                told.projects.retain(|project| is_key(&project.key));
                match told.projects.is_empty() && self.is_system_service {
                    true => view::Projects::OfService,
                    false => view::Projects::List(Box::new(told)),
                }
            }
            Said::Unknown => self.unasked("it knows no list".to_owned()),
            Said::Not(why) => self.unasked(why),
        }
    }

    /// One project.
    ///
    /// # Errors
    /// `not_found`.
    pub async fn one(&self, key: &str, rights: Rights) -> Result<view::Projects, Failure> {
        if shown_kind(rights).is_some() {
            return Ok(view::Projects::Hidden);
        }
        match self.project(key).await {
            Said::Told(told) => Ok(view::Projects::One(Box::new(told), None)),
            Said::Unknown => Err(unknown()),
            Said::Not(why) => Ok(self.unasked(why)),
        }
    }

    /// Has the court approve or refuse the request as shown. If it does not, the page says why.
    ///
    /// # Errors
    /// `not_found` if the project does not exist, or the session may not see it.
    pub async fn decide(
        &self,
        shown: Shown<'_>,
        decision: Decision,
        passphrase: Zeroizing<String>,
        rights: Rights,
    ) -> Result<Option<view::Projects>, Failure> {
        let is_formed = is_request_id(shown.id) && is_digest(shown.digest);
        if shown_kind(rights).is_some() || !is_formed {
            return Err(unknown());
        }
        let project = match self.project(shown.key).await {
            Said::Told(told) => told,
            Said::Unknown => return Err(unknown()),
            Said::Not(why) => return Ok(Some(view::Projects::Unasked(why))),
        };
        let verb = match decision {
            Decision::Approve => "approve",
            Decision::Refuse => "refuse",
        };
        let args = [verb, shown.id, "--passphrase-stdin", "--digest", shown.digest, "--json"];
        let input = Zeroizing::new(format!("{}\n", passphrase.as_str()));
        let root = PathBuf::from(&project.summary.root);
        let said =
            self.run(args.map(OsString::from).to_vec(), Some(root), input, DECIDE_LIMIT).await;
        let why = match said {
            Said::Told(_) => return Ok(None),
            Said::Unknown => "no such request waits any more".to_owned(),
            Said::Not(why) => why,
        };
        Ok(Some(match self.project(shown.key).await {
            Said::Told(told) => view::Projects::One(Box::new(told), Some(why)),
            Said::Unknown | Said::Not(_) => view::Projects::Unasked(why),
        }))
    }

    /// The result if the court was not queried. A system service's court would know no project anyway.
    fn unasked(&self, why: String) -> view::Projects {
        if self.is_system_service {
            view::Projects::OfService
        } else {
            view::Projects::Unasked(why)
        }
    }

    async fn project(&self, key: &str) -> Said<Project> {
        if !is_key(key) {
            return Said::Unknown;
        }
        let args = vec!["window".into(), key.into(), "--json".into()];
        match self.ask::<Project>(args).await {
            Said::Told(told) if told.summary.key != key => Said::Unknown,
            Said::Told(mut told) => {
                let is_formed = |request: &contract::court::Request| {
                    is_request_id(&request.id) && is_digest(&request.digest)
                };
                told.requests.retain(is_formed);
                Said::Told(told)
            }
            other => other,
        }
    }

    async fn ask<T: DeserializeOwned>(&self, args: Vec<OsString>) -> Said<T> {
        match self.run(args, None, Zeroizing::default(), LOOK_LIMIT).await {
            Said::Told(text) => match serde_json::from_slice(&text) {
                Ok(told) => Said::Told(told),
                Err(_) => Said::Not("it is of another version than this daemon".to_owned()),
            },
            Said::Unknown => Said::Unknown,
            Said::Not(why) => Said::Not(why),
        }
    }

    async fn run(
        &self,
        args: Vec<OsString>,
        project: Option<PathBuf>,
        input: Zeroizing<String>,
        limit: Duration,
    ) -> Said<Vec<u8>> {
        let program = match host::installed_beside(COURT) {
            Ok(program) => program,
            Err(why) => return Said::Not(why.to_string()),
        };
        let env = self.environment(project.as_ref());
        let current_dir = project.unwrap_or_else(|| PathBuf::from("/"));
        // The semaphore is never closed.
        let Ok(_permit) = self.asking.acquire().await else { return Said::Unknown };
        let running = tokio::task::spawn_blocking(move || {
            let deadline = Instant::now() + limit;
            let stdout_max = BYTES_MAX;
            let command = HelperCommand { program, args, env, current_dir, deadline, stdout_max };
            run_helper_with_input(&command, input.as_bytes())
        });
        let output = match running.await {
            Ok(Ok(output)) => output,
            Ok(Err(error)) => return Said::Not(error.to_string()),
            Err(error) => return Said::Not(error.to_string()),
        };
        let code = match output.end {
            HelperEnd::Exited(Exit::Code(0)) => return Said::Told(output.stdout),
            HelperEnd::Exited(exit) => exit,
            HelperEnd::Deadline => {
                return Said::Not(format!("it did not answer within {} s", limit.as_secs()));
            }
            HelperEnd::OutputLimit => return Said::Not("it says too much".to_owned()),
        };
        // The court's own failures are JSON; a usage error of its command line, from another version, is not.
        match serde_json::from_slice::<Failed>(&output.stdout) {
            Ok(_) if code == Exit::Code(2) => Said::Unknown,
            Ok(failed) => Said::Not(failed.error),
            Err(_) => Said::Not("it is of another version than this daemon".to_owned()),
        }
    }

    fn environment(&self, project: Option<&PathBuf>) -> Vec<(OsString, OsString)> {
        let is_handed_on = |name: &str| HANDED_ON.contains(&name) || name.starts_with("COURT_");
        let variables = self.environment.variables();
        let own = variables.filter(|(name, _)| name.to_str().is_some_and(is_handed_on));
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        own.chain(project.map(|root| (PROJECT_DIR.into(), root.into()))).collect()
    }
}

fn unknown() -> Failure {
    Failure::new(FailureCode::NotFound, "no such project or request")
}

/// Whether the text has the form of a digest of the court.
fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
