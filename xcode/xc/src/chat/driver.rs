//! Drives a conversation: receives input, session events and timers, passes them to `update`, and carries out the effects.
//! The session runs in its own tasks, so that key handling never blocks. Not here: the meaning of an event,
//! and the choice of the session (`session`).

mod session;

use std::sync::Arc;
use std::time::{Duration, Instant};

use agent::trust::Trust;
use agent::{KnownHosts, Shell, sessions};
use contract::xc::{CallStatus, SessionSummary};
use host::Environment;
use llm::Cancel;
use tokio::sync::{Mutex, mpsc};
use tokio::time::sleep_until;

use super::apart::apart;
use super::attach;
use super::event::{Effect, Event, Key, Loading};
use super::history::HistoryFile;
use super::host::ChannelHost;
use super::slash::Consent;
use super::state::State;
use super::submit::OWN_COMMAND;
use super::update::update;
use super::{memory, opening, paint, signals, tasks, undo};
use crate::cli::args::{PlaceArgs, Resume, RunArgs};
use crate::cli::init as cli_init;
use crate::compose::{self, Keeping};
use crate::config::{Config, KeyFrom, Source, save_key};
use crate::exit::Exit;
use crate::knowing;
use crate::models;
use crate::refused::Refused;
use crate::terminal::Terminal;
use crate::view::spinner;
use crate::words;

/// How many events are handled before the region is painted again.
const EVENTS_AT_ONCE: usize = 256;

/// How long the program waits for a turn to end before it exits: tools get less than a second.
const TURN_END_MAX: Duration = Duration::from_millis(1_500);

/// The state and the parts of a running conversation.
pub(crate) struct Driver<'d> {
    pub(crate) environment: &'d Environment,
    pub(crate) config: Config,
    pub(crate) args: RunArgs,
    pub(crate) place: &'d PlaceArgs,
    state: State,
    host: Arc<ChannelHost>,
    sender: mpsc::UnboundedSender<Event>,
    receiver: mpsc::UnboundedReceiver<Event>,
    /// None until the first session is open.
    work: Option<Work>,
    /// Cancels the current operation; a new one for each operation.
    cancel: Cancel,
    history: HistoryFile,
    /// The session whose work this one took over.
    previous: Option<SessionSummary>,
    /// Text for the clipboard, written when the terminal is painted.
    clipboard: Option<String>,
    /// Whether the user is to be notified, also done then.
    calls: bool,
}

/// The open session with its parts.
struct Work {
    session: Arc<Mutex<agent::Session>>,
    shell: Arc<Shell>,
    window: u64,
    redactor: redact::Redactor,
    /// The hosts that the user mentioned.
    known: KnownHosts,
    keeping: Keeping,
}

impl<'d> Driver<'d> {
    pub(crate) fn new(
        environment: &'d Environment,
        config: Config,
        args: RunArgs,
        place: &'d PlaceArgs,
        language: words::Language,
    ) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        let root = environment.working_dir();
        let folder = agent::Places::new(&config.home, root).global();
        let history = HistoryFile::new(folder, root);
        let state = State::new(language, history.read(), None);
        let host = Arc::new(ChannelHost::new(sender.clone()));
        let cancel = Cancel::new();
        Self {
            environment,
            config,
            args,
            place,
            state,
            host,
            sender,
            receiver,
            work: None,
            cancel,
            history,
            previous: None,
            clipboard: None,
            calls: false,
        }
    }

    /// Runs the conversation until it ends, beginning with `prompt` if there is one.
    ///
    /// # Errors
    /// The terminal cannot be read or written.
    pub(crate) async fn run(
        &mut self,
        terminal: &mut Terminal,
        prompt: Option<String>,
    ) -> std::io::Result<Exit> {
        signals::listen(&self.sender, terminal.is_painted())?;
        self.state.first_prompt = prompt;
        // The first frame is painted before the session is ready.
        self.paint(terminal)?;
        let trust = Trust::look(&self.places());
        match knowing::unanswered(&trust) {
            parts if parts.is_empty() || self.args.trust => self.begin(),
            parts => {
                let folder = opening::shown(trust.folder(), &self.config.home);
                let _ = self.take(Event::Foreign(folder, parts));
            }
        }
        self.paint(terminal)?;
        loop {
            let turn = tokio::time::Instant::now() + spinner::TURN;
            let call = self.state.attention.due().map(tokio::time::Instant::from_std);
            let event = tokio::select! {
                // Each arm is cancel safe.
                input = terminal.next() => Event::Input(input?),
                event = self.receiver.recv() => match event {
                    Some(event) => event,
                    None => return Ok(Exit::Internal),
                },
                () = sleep_until(turn), if self.state.is_moving() => Event::Tick,
                () = sleep_until(call.unwrap_or(turn)), if call.is_some() => Event::Tick,
            };
            let mut exit = self.take(event);
            for _ in 0..EVENTS_AT_ONCE {
                let Ok(event) = self.receiver.try_recv() else { break };
                exit = exit.or(self.take(event));
            }
            if exit.is_some() {
                self.farewell();
            }
            self.paint(terminal)?;
            if let Some(exit) = exit {
                self.wait_for_the_turn().await;
                self.settle();
                self.paint(terminal)?;
                return Ok(exit);
            }
        }
    }

    /// Opens the first session, and asks whether to continue the last one if its work is unfinished.
    fn begin(&mut self) {
        let asks = self.args.resume.is_none() && self.state.first_prompt.is_none();
        let open_work = asks.then(|| sessions::open_work(&self.places())).flatten();
        self.open();
        if let Some(summary) = open_work {
            let _ = self.take(Event::OpenWork(Box::new(summary)));
        }
    }

    /// Stores the answer about the folder's configuration, and begins.
    fn answered(&mut self, loading: Loading) {
        let (trust, language) = (Trust::look(&self.places()), self.state.words);
        match loading {
            Loading::Never => knowing::refused(&trust).iter().for_each(|why| self.state.fail(why)),
            Loading::NotNow => {}
            Loading::Always => self.state.note(&knowing::agreed(trust, language)),
        }
        self.begin();
    }

    /// Waits for an interrupted turn to write its end and its summary, up to a limit. Background commands are ended, and
    /// that is recorded.
    async fn wait_for_the_turn(&self) {
        let Some(work) = &self.work else { return };
        if let Ok(mut session) = tokio::time::timeout(TURN_END_MAX, work.session.lock()).await {
            session.end_tasks(&*self.host).await;
        }
    }

    fn paint(&mut self, terminal: &mut Terminal) -> std::io::Result<()> {
        if let Some(text) = self.clipboard.take() {
            terminal.copy(&text)?;
        }
        if std::mem::take(&mut self.calls) {
            let text = self.state.words.say(&words::WAITS_FOR_YOU);
            terminal.call(self.config.notify.value, text)?;
        }
        let live = paint::live(&mut self.state, terminal.size(), Instant::now());
        terminal.draw(self.state.take_finished(), live)
    }

    fn take(&mut self, event: Event) -> Option<Exit> {
        let effects = update(&mut self.state, event, Instant::now());
        effects.into_iter().fold(None, |exit, effect| exit.or(self.act(effect)))
    }

    fn send(&self, event: Event) {
        // The receiver lives as long as the driver.
        let _ = self.sender.send(event);
    }

    fn places(&self) -> agent::Places {
        agent::Places::new(&self.config.home, self.environment.working_dir())
    }

    /// Prints where the session is saved, and how to resume it.
    fn farewell(&mut self) {
        self.cancel.cancel();
        if let Some(session) = &self.state.session
            && self.state.was_asked
        {
            let id = session.id.clone();
            self.state.fill(&words::FAREWELL, &[("id", &id)]);
        }
    }

    /// Carries out an effect. Returns the exit code if the program ends.
    fn act(&mut self, effect: Effect) -> Option<Exit> {
        match effect {
            Effect::Quit(exit) => return Some(exit),
            Effect::Turn(prompt) => self.turn(&prompt),
            Effect::Interrupt => self.cancel.cancel(),
            Effect::Permit(token, answer) => self.host.permitted(token, answer),
            Effect::Choose(token, choice) => self.host.chose(token, choice),
            Effect::Review(token, review) => self.host.reviewed(token, review),
            Effect::Steer(number, text) => self.host.steer(number, text),
            Effect::TakeBack(number) => self.host.take_back(number),
            Effect::Remember(text) => self.remember(&text),
            Effect::Compact(keep) => {
                self.interruptible().with_session(move |session, host, cancel| {
                    Box::pin(async move {
                        Event::Compacted(session.compact(keep.as_deref(), host, cancel).await)
                    })
                })
            }
            Effect::Summarise => self.interruptible().with_session(|session, host, cancel| {
                Box::pin(async move {
                    session.save_summary(host);
                    Event::Summarised(session.summarise(host, cancel).await)
                })
            }),
            Effect::Measure => self.with_session(|session, _, _| {
                let (window, used) = session.room();
                Box::pin(std::future::ready(Event::Room(used, window)))
            }),
            Effect::TogglePlan => self.with_session(|session, host, _| {
                match session.plan() {
                    Some(_) => session.leave_plan(host),
                    None => session.enter_plan(host),
                }
                Box::pin(std::future::ready(Event::Noted(Vec::new())))
            }),
            Effect::Undo(wanted) => {
                let (language, root) =
                    (self.state.words, self.environment.working_dir().to_owned());
                self.with_session(move |session, host, _| {
                    Box::pin(async move {
                        Event::Noted(undo::lines(session, host, wanted, language, &root).await)
                    })
                });
            }
            effect => self.look_after(effect),
        }
        None
    }

    /// Carries out the effects that do not run a turn of the session.
    fn look_after(&mut self, effect: Effect) {
        match effect {
            Effect::SetModel(name) => self.set_model(&name),
            Effect::ListRules => {
                self.send(Event::Noted(opening::rules(&self.config, self.state.words)))
            }
            Effect::ListModels => self.send(Event::Models(models::names(&self.config))),
            Effect::Init => {
                let lines = cli_init::initialised(&self.places(), self.state.words);
                let lines = lines.unwrap_or_else(|error| vec![error.to_string()]);
                self.send(Event::Noted(lines));
            }
            Effect::Memory(wanted) => {
                let trust = compose::agreed_to(&self.places(), &self.args);
                let lines = memory::lines(&self.places(), &trust, &wanted, self.state.words);
                self.send(Event::Noted(lines));
            }
            Effect::TakeFactBack => {
                let saved = self.work.as_ref().map(|work| &work.keeping.saved);
                let told = saved.map(|saved| memory::taken_back(saved, self.state.words));
                self.send(Event::Noted(told.into_iter().collect()));
            }
            Effect::Trust(consent) => self.trust(consent),
            Effect::Begin(loading) => self.answered(loading),
            Effect::Tasks(wish) => {
                let Some(work) = &self.work else { return };
                self.send(Event::Noted(tasks::lines(&work.shell.tasks, wish, self.state.words)));
            }
            Effect::ListSessions => self.list_sessions(),
            Effect::Clear => {
                self.settle();
                (self.args.resume, self.previous) = (None, None);
                self.open();
            }
            Effect::TakeOver(id) => {
                self.previous = sessions::came_to(&self.places(), id);
                self.open();
            }
            Effect::Resume(id) => {
                self.settle();
                (self.args.resume, self.previous) = (Some(Resume::Named(id)), None);
                self.args.fork = false;
                self.open();
            }
            Effect::Abandon(id) => self.abandon(id),
            Effect::Run(command) => self.run_command(command),
            Effect::FindPaths(typed) => {
                let found = attach::candidates(&typed, self.environment.working_dir());
                self.send(Event::Paths(found));
            }
            Effect::Copy(text) => self.clipboard = Some(text),
            Effect::Call => self.calls = true,
            Effect::SaveKey(provider, key) => self.save_key(provider, key),
            // `act` handles the others.
            _ => {}
        }
    }

    fn turn(&mut self, prompt: &str) {
        let Some(work) = &self.work else { return };
        work.known.hear(prompt);
        let root = self.environment.working_dir();
        let attach::Attached { prompt, files, refused } = attach::attach(prompt, root, work.window);
        let language = self.state.words;
        let mut lines: Vec<String> =
            files.iter().map(|path| language.fill(&words::ATTACHED, &[("path", path)])).collect();
        lines.extend(refused.iter().map(|(path, why)| {
            language.fill(&words::NOT_ATTACHED, &[("path", path), ("why", why)])
        }));
        if !lines.is_empty() {
            self.send(Event::Noted(lines));
        }
        self.interruptible().with_session(move |session, host, cancel| {
            Box::pin(
                async move { Event::Ended(Box::new(session.turn(&prompt, host, cancel).await)) },
            )
        });
    }

    /// Gives the next operation its own cancellation.
    fn interruptible(&mut self) -> &mut Self {
        self.cancel = Cancel::new();
        self
    }

    /// Runs a job on the session in its own task, and sends the result as an event.
    fn with_session<F>(&mut self, job: F)
    where
        F: for<'s> FnOnce(
                &'s mut agent::Session,
                &'s ChannelHost,
                &'s Cancel,
            ) -> futures_util::future::BoxFuture<'s, Event>
            + Send
            + 'static,
    {
        let Some(work) = &self.work else { return };
        let (session, host) = (Arc::clone(&work.session), Arc::clone(&self.host));
        let (cancel, sender) = (self.cancel.clone(), self.sender.clone());
        apart(sender, async move {
            let mut session = session.lock().await;
            job(&mut session, &host, &cancel).await
        });
    }

    fn run_command(&mut self, command: String) {
        let Some(work) = &self.work else { return };
        self.cancel = Cancel::new();
        let (shell, host) = (Arc::clone(&work.shell), Arc::clone(&self.host));
        let (cancel, sender) = (self.cancel.clone(), self.sender.clone());
        apart(sender, async move {
            let outcome = shell.run_for_user(OWN_COMMAND, &command, &*host, &cancel).await;
            let code = match (outcome.status, outcome.command) {
                (CallStatus::Ok | CallStatus::Error, Some(run)) => run.exit,
                _ => None,
            };
            Event::CommandEnded(code, outcome.text)
        });
    }

    fn remember(&self, text: &str) {
        let plain = redact::Redactor::new();
        let redactor = self.work.as_ref().map_or(&plain, |work| &work.redactor);
        // A failure to store it does not affect the prompt, which was sent.
        let _ = self.history.push(text, redactor);
    }

    fn set_model(&mut self, name: &str) {
        match compose::another_model(self.environment, &self.config, name) {
            Ok(another) => {
                let compose::Another { model, fallback, secrets, notes, hints } = another;
                if let Some(session) = &mut self.state.session {
                    session.hints = hints;
                }
                self.args.model = Some(model.id().to_string());
                self.with_session(move |session, host, _| {
                    session.set_model(model, fallback, secrets, host);
                    Box::pin(std::future::ready(Event::Noted(notes)))
                });
            }
            Err(Refused { lines, .. }) => self.send(Event::Failed(lines)),
        }
    }

    /// Lists the folder's configuration; when the user agrees to it and no prompt was sent yet, it is loaded at once.
    fn trust(&mut self, consent: Consent) {
        let (trust, language) = (Trust::look(&self.places()), self.state.words);
        if consent == Consent::Look {
            return self.send(Event::Noted(vec![knowing::waiting(&trust, language)]));
        }
        let mut lines = vec![knowing::agreed(trust, language)];
        if self.state.was_asked {
            lines.push(language.say(&words::TRUST_LATER).to_owned());
        }
        self.send(Event::Noted(lines));
        if !self.state.was_asked {
            self.open();
        }
    }

    /// Saves another key, and continues the session with it.
    fn save_key(&mut self, provider: llm::Provider, Key(key): Key) {
        let from = self.config.provider(provider).key.as_ref().map(KeyFrom::source);
        if let Some(Source::Variable(variable)) = from {
            let text = self.state.words.fill(&words::KEY_SHADOWED, &[("variable", variable)]);
            return self.send(Event::KeySaved(Err(text)));
        }
        let saved = save_key(&self.config.path, provider, key)
            .map_err(|error| error.to_string())
            .and_then(|()| self.read_config());
        let is_saved = saved.is_ok();
        self.send(Event::KeySaved(saved));
        if let Some(session) = self.state.session.as_ref().filter(|_| is_saved) {
            self.args.resume = session.id.parse().ok().map(Resume::Named);
            self.args.fork = false;
            // The journal is released as soon as no task uses it.
            self.send(Event::Noted(self.tasks_left().into_iter().collect()));
            self.work = None;
            self.open();
        }
    }

    fn read_config(&mut self) -> Result<(), String> {
        let places = self.place.places(self.environment);
        self.config = Config::read(self.environment, places).map_err(|faults| {
            faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        })?;
        Ok(())
    }
}
