//! Puts a session together: the model, the folders, the tools, the permissions, the journal.

use std::ffi::OsString;
use std::time::SystemTime;

use agent::knowledge::{Knowledge, SavedFacts};
use agent::trust::{Part, Trust};
use agent::{
    Continuing, Journal, JournalError, KnownHosts, Past, Permit, Places, Policy, ProjectLedger,
    SandboxedCommands, Session, Setup, Shell, Tasks, TurnLimits, Workspace, ask_user_tool,
    choose_shell, command_environment, file_tools, foreign_environment, plan_tools,
    save_knowledge_tool, shell_task_tool, shell_tool, shell_version,
};
use contract::xc::{PermitMode, Sandboxed, SessionSummary, What};
use host::Environment;
use jiff::Timestamp;
use llm::{Catalogue, Message};
use redact::Redactor;
use supervise::Guard;

use crate::aids::Aids;
use crate::cli::args::{Resume, RunArgs};
use crate::config::{Config, Source, Sourced, key_variables};
use crate::hints::Hints;
use crate::knowing;
use crate::ledger;
use crate::loaded;
use crate::models::{self, Chosen, Ready};
use crate::refused::Refused;
use crate::sandbox::Confining;

/// A session that is ready for prompts.
pub(crate) struct Composed {
    pub(crate) session: Session,
    /// The first event.
    pub(crate) start: What,
    /// The context window of its model, in tokens.
    pub(crate) window: u64,
    /// Messages for the user, one per line.
    pub(crate) notes: Vec<String>,
    /// Hints for failures of the provider.
    pub(crate) hints: Hints,
    /// Masks the keys.
    pub(crate) redactor: Redactor,
    /// Runs commands, also those that the user types.
    pub(crate) shell: Shell,
    /// The last messages of a resumed session, in order.
    pub(crate) before: Vec<Message>,
    /// Hosts that the user mentioned; the code that receives the user's input adds them.
    pub(crate) known: KnownHosts,
    /// Data that is kept after the session.
    pub(crate) keeping: Keeping,
}

/// Where a session's results are kept beside its journal.
pub(crate) struct Keeping {
    /// The ledger for the session's outcome; none when the project has none, or the user has not agreed to it.
    pub(crate) ledger: Option<ProjectLedger>,
    /// The facts that the model saved, for undoing them.
    pub(crate) saved: SavedFacts,
}

/// Whether a user can answer questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answers {
    /// A user at a terminal.
    User,
    /// No user is there.
    Nobody,
}

/// How many messages of a resumed conversation are shown.
const SHOWN_BEFORE: usize = 6;

/// Puts together the session that the command line and the configuration ask for. The summary of
/// `previous` is included.
///
/// # Errors
/// The first problem that keeps the session from starting.
pub(crate) async fn session(
    environment: &Environment,
    config: &Config,
    args: &RunArgs,
    answers: Answers,
    previous: Option<&SessionSummary>,
) -> Result<Composed, Refused> {
    let mut notes = Vec::new();
    let workspace = workspace(environment, args)?;
    let places = Places::new(&config.home, workspace.root());
    let guard = Guard::current_exe().map_err(Refused::internal)?;
    let shell = models::Shell { environment, home: &config.home };
    let mut secrets = config.secrets();
    let resumed = args.resume.map(|resume| resumed(&places, resume, args, &secrets)).transpose()?;
    let past_model = resumed.as_ref().and_then(|(_, past)| past.model.as_deref());
    let chosen = match again(config, args, past_model) {
        Some(chosen) => chosen,
        None => models::choose(config, args.model.as_deref())?,
    };
    let Ready { model, secret } = models::ready(config, &chosen.id, shell)?;
    secrets.push(secret);
    let fallback = fallback(config, shell, &mut secrets, &mut notes);
    let trust = agreed_to(&places, args);
    notes.extend(left_out(config, &trust, answers));
    let (ledger, risks) = ledger_of(environment, config, (&places, &trust));
    notes.extend(risks);
    let limits = limits(config, args, &chosen, &trust)?;
    // All checks have passed by now, so that no session is created in vain.
    let (journal, past) = begun(resumed, &places, &secrets)?;
    notes.extend(past.iter().flat_map(|past| past.notes.iter().cloned()));
    let mode = if args.trust { PermitMode::Trust } else { PermitMode::Ask };
    let Confining { fencing, commands, told } =
        Confining::find(environment, config, args.sandbox, &guard, workspace.folders()).await;
    let sandbox = fencing.sandbox().cloned();
    let (known, redactor) = (KnownHosts::default(), Redactor::with_values(secrets.clone()));
    let policy = policy(environment, config, answers, &journal);
    let policy = Policy { known: known.clone(), sandboxed: commands, mode, ..policy };
    let permit = Permit::new(policy, workspace.root(), workspace.folders());
    notes.extend(ledger::bound(&permit, config.language.value));
    let permit = if trust.is_foreign() { permit.in_foreign_folder() } else { permit };
    let env = of_commands(environment, config, &trust, &secrets);
    let (program, shell_type) = choose_shell(environment.get("SHELL"));
    let shell_version = shell_version(&program);
    let mut tools = file_tools(&workspace);
    let shell = Shell {
        guard,
        fencing,
        program,
        env,
        timeout: config.shell_timeout.value,
        max_timeout: config.shell_max_timeout.value,
        redactor: redactor.clone(),
        root: workspace.root().to_owned(),
        tasks: Tasks::default(),
    };
    tools.extend([shell_tool(shell.clone()), shell_task_tool(&shell.tasks), ask_user_tool()]);
    let knowledge = knowing::known(config, (&places, &trust), previous, &redactor);
    notes.splice(0..0, loaded(config, answers, &knowledge));
    notes.extend(knowledge.notes.iter().cloned());
    let language = config.language.value.into();
    let saved = SavedFacts::default();
    tools.push(save_knowledge_tool(&places, &trust, language, redactor.clone(), saved.clone()));
    tools.extend(plan_tools());
    let aids = Aids::find(environment, config, args, workspace.root(), &known, &secrets);
    let Aids { tools: more, code, plan_advisor } = aids.await;
    tools.extend(more);
    let before = past.as_ref().map(|past| past.shown(SHOWN_BEFORE)).unwrap_or_default();
    let (window, cwd) = (model.limits().window, workspace.root().display().to_string());
    let session = Session::new(Setup {
        checkpoints: (answers == Answers::User).then(|| places.clone()),
        code,
        plan_advisor,
        sandbox,
        tasks: shell.tasks.clone(),
        model,
        fallback,
        workspace,
        tools,
        permit,
        journal,
        past,
        limits,
        secrets,
        shell_type: shell_type.to_owned(),
        shell_version,
        knowledge,
    });
    let start = start_of(&session, cwd, told);
    let hints = Hints::new(config, &chosen);
    let keeping = Keeping { ledger, saved };
    Ok(Composed { session, start, window, notes, hints, redactor, shell, before, known, keeping })
}

/// The first event of a session.
fn start_of(session: &Session, cwd: String, sandbox: Sandboxed) -> What {
    What::Start {
        version: release::VERSION.to_owned(),
        model: session.model(),
        cwd,
        mode: session.mode(),
        sandbox,
        tools: session.tools(),
    }
}

/// Prepares another model for a running session, with its fallbacks and their keys.
///
/// # Errors
/// The first problem that keeps the model from being used.
pub(crate) fn another_model(
    environment: &Environment,
    config: &Config,
    name: &str,
) -> Result<Another, Refused> {
    let shell = models::Shell { environment, home: &config.home };
    let chosen = models::named(config, name, Source::Flag("/model"))?;
    let Ready { model, secret } = models::ready(config, &chosen.id, shell)?;
    let (mut secrets, mut notes) = (vec![secret], Vec::new());
    let fallback = fallback(config, shell, &mut secrets, &mut notes);
    notes.extend(chosen.note.clone());
    Ok(Another { model, fallback, secrets, notes, hints: Hints::new(config, &chosen) })
}

/// Another model for a running session.
pub(crate) struct Another {
    pub(crate) model: std::sync::Arc<dyn llm::Model>,
    /// Its fallbacks.
    pub(crate) fallback: Vec<std::sync::Arc<dyn llm::Model>>,
    /// The keys of all these models.
    pub(crate) secrets: Vec<String>,
    /// Messages for the user, one per line.
    pub(crate) notes: Vec<String>,
    /// Hints for failures of the provider.
    pub(crate) hints: Hints,
}

fn workspace(environment: &Environment, args: &RunArgs) -> Result<Workspace, Refused> {
    let root = environment.working_dir();
    let added: Vec<_> = args.add_dir.iter().map(|folder| root.join(folder)).collect();
    Workspace::open(root, &added).map_err(Refused::usage)
}

/// When the session began; the present time where the journal does not say.
fn began(journal: &Journal) -> SystemTime {
    let at: Option<Timestamp> = journal.summary().started_at.parse().ok();
    at.map_or_else(SystemTime::now, SystemTime::from)
}

/// The session to resume.
fn resumed(
    places: &Places,
    resume: Resume,
    args: &RunArgs,
    secrets: &[String],
) -> Result<(Journal, Past), JournalError> {
    let id = match resume {
        Resume::Last => None,
        Resume::Named(id) => Some(id),
    };
    let continuing = if args.fork { Continuing::Fork } else { Continuing::Same };
    let redactor = Redactor::with_values(secrets.to_vec());
    Journal::resume(places, id, continuing, release::VERSION, redactor)
}

/// The model of the resumed session, unless one is named now.
fn again(config: &Config, args: &RunArgs, past_model: Option<&str>) -> Option<Chosen> {
    let is_named = args.model.is_some()
        || config.model.as_ref().is_some_and(|model| matches!(model.source, Source::Variable(_)));
    let model = past_model.filter(|_| !is_named)?;
    models::named(config, model, Source::Session).ok()
}

/// The fallback models; one that cannot be used is left out, with a message.
fn fallback(
    config: &Config,
    shell: models::Shell<'_>,
    secrets: &mut Vec<String>,
    notes: &mut Vec<String>,
) -> Vec<std::sync::Arc<dyn llm::Model>> {
    let mut chain = Vec::new();
    for name in &config.fallback.value {
        let source = config.fallback.source.clone();
        let made = models::named(config, name, source)
            .and_then(|chosen| models::ready(config, &chosen.id, shell));
        match made {
            Ok(Ready { model, secret }) => {
                secrets.push(secret);
                chain.push(model);
            }
            Err(error) => notes.push(format!("fallback: {error}")),
        }
    }
    chain
}

fn limits(
    config: &Config,
    args: &RunArgs,
    chosen: &Chosen,
    trust: &Trust,
) -> Result<TurnLimits, Refused> {
    let in_file = config.max_cost_usd.as_ref().map(|cost| cost.value);
    let max_cost_usd = args.max_cost.or(in_file);
    let is_unknown = Catalogue::built_in().price(&chosen.id).is_none();
    if max_cost_usd.is_some() && is_unknown {
        let id = &chosen.id;
        return Err(Refused::usage(format!(
            "the price of {id} is not known: it has no limit of cost"
        )));
    }
    Ok(TurnLimits {
        max_steps: args.max_turns,
        max_cost_usd,
        compaction_threshold: agreed(
            &config.compaction_threshold,
            Config::COMPACTION_THRESHOLD,
            trust,
        ),
        keep_share: agreed(&config.keep_share, Config::KEEP_SHARE, trust),
    })
}

/// The journal and messages of the resumed session, or a new journal.
fn begun(
    resumed: Option<(Journal, Past)>,
    places: &Places,
    secrets: &[String],
) -> Result<(Journal, Option<Past>), JournalError> {
    match resumed {
        Some((journal, past)) => Ok((journal, Some(past))),
        None => {
            let redactor = Redactor::with_values(secrets.to_vec());
            Ok((Journal::create(places, release::VERSION, redactor)?, None))
        }
    }
}

/// The session's policy as in every mode, before known hosts and a sandbox are added.
fn policy(
    environment: &Environment,
    config: &Config,
    answers: Answers,
    journal: &Journal,
) -> Policy {
    Policy {
        known: KnownHosts::default(),
        sandboxed: SandboxedCommands::Ask,
        mode: PermitMode::Ask,
        is_headless: answers == Answers::Nobody,
        rules: config.rules.clone(),
        home: config.home.clone(),
        search: search(environment),
        protected: protected(config),
        began: began(journal),
    }
}

/// The project's ledger, if it has one and the user agreed to it; and its risks in any case.
fn ledger_of(
    environment: &Environment,
    config: &Config,
    (places, trust): (&Places, &Trust),
) -> (Option<ProjectLedger>, Vec<String>) {
    let ledger = ProjectLedger::find(environment, places);
    let risks = ledger::risks(ledger.as_ref(), config.language.value);
    (ledger.filter(|_| trust.allows(Part::Ledger)), risks)
}

/// The list of loaded files, when a user is present.
fn loaded(config: &Config, answers: Answers, knowledge: &Knowledge) -> Vec<String> {
    match answers {
        Answers::User => loaded::lines(knowledge, config.language.value),
        Answers::Nobody => Vec::new(),
    }
}

/// A message about what was not loaded from the folder, if anything.
fn left_out(config: &Config, trust: &Trust, answers: Answers) -> Option<String> {
    let words = (answers == Answers::User).then_some(config.language.value);
    knowing::left_out(trust, words)
}

/// What the user has agreed to in the folder; everything in a run with `--trust`.
pub(crate) fn agreed_to(places: &Places, args: &RunArgs) -> Trust {
    let mut trust = Trust::look(places);
    if args.trust {
        trust.assume();
    }
    trust
}

/// A setting's value, or the default if the project set it and the user has not agreed to that.
fn agreed(setting: &Sourced<f64>, default: f64, trust: &Trust) -> f64 {
    match setting.source {
        Source::Project if !trust.allows(Part::Settings) => default,
        _ => setting.value,
    }
}

/// The folders in which a shell looks up programs.
fn search(environment: &Environment) -> Vec<String> {
    let path = environment.text(host::environment::PATH).unwrap_or_default();
    path.split(':').map(str::to_owned).collect()
}

/// Paths that no call may change without a question, in addition to X-Code's folders, which `Permit` knows: the settings
/// file where it is elsewhere, and this program.
fn protected(config: &Config) -> Vec<std::path::PathBuf> {
    std::iter::once(config.path.clone()).chain(std::env::current_exe()).collect()
}

/// The environment for commands.
fn of_commands(
    environment: &Environment,
    config: &Config,
    trust: &Trust,
    secrets: &[String],
) -> Vec<(OsString, OsString)> {
    let env = command_environment(environment.variables(), &withheld(config), secrets);
    if trust.is_foreign() { foreign_environment(env) } else { env }
}

/// The variables that are withheld from commands: those of keys, and those that the user excludes.
fn withheld(config: &Config) -> Vec<String> {
    let keys = key_variables().into_iter().map(str::to_owned);
    keys.chain(config.shell_exclude.value.iter().cloned()).collect()
}
