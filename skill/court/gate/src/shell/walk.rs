//! The walk over scripts, lists, pipelines and compounds. Every branch is taken.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::Step;
use super::files::Ledger;
use super::state::{State, Value, Variable};
use crate::context::Context;
use crate::field::{Field, UNKNOWN};
use crate::judgement::{Finding, Seen};
use crate::limits::{BYTES_MAX, Budget, VALUES_MAX};
use crate::rules::{Rule, execution};
use crate::syntax::{self, Command, Fault, Join, Kind, Pipeline, Script, Word};

/// What stands for the name of a command that is made of others.
pub(crate) const COMPOUND: &str = "{";

/// What goes through a pipe: a text, as far as it is known.
pub(crate) type Flow = Value;

/// What a simple command reads and where what it writes goes.
pub(crate) struct Io<'a> {
    pub(crate) stdin: &'a Flow,
}

pub(crate) struct Walker<'a> {
    pub(crate) context: &'a Context<'a>,
    /// Whether a program of this name has an entry.
    pub(crate) knows: fn(&str) -> bool,
    pub(crate) budget: Budget,
    pub(crate) state: State,
    pub(crate) findings: Vec<Finding>,
    pub(crate) seen: Vec<Seen>,
    pub(crate) ledger: Ledger,
    pub(crate) via: Vec<String>,
    /// The command of the outermost text that is being followed.
    pub(crate) span: Range<usize>,
    /// Within a payload, whose positions mean nothing outside it.
    pub(crate) inside: usize,
    /// Which of several values variables have in this pass, and the most that one has.
    pub(crate) choice: usize,
    pub(crate) widest: usize,
    /// Functions whose bodies have been followed, and those that are being followed.
    pub(crate) called: Vec<String>,
    pub(crate) calling: Vec<String>,
    /// The names that the functions that are being followed keep to themselves.
    pub(crate) locals: Vec<Vec<String>>,
    /// What the command that is being followed reads: a substitution in it reads the same.
    pub(crate) input: Flow,
    /// What the code that is followed next is given: arguments, and lines of its input.
    pub(crate) given: Vec<String>,
    /// How many loops the command is in.
    pub(crate) looping: usize,
    /// Runs as root, by `sudo` or the like.
    pub(crate) as_root: bool,
    /// Why something could not be understood.
    pub(crate) opaque: Option<String>,
}

/// What a subshell does not change for its parent.
pub(crate) struct Scope {
    cwd: String,
    old_cwd: String,
    pub(crate) variables: HashMap<String, Variable>,
    positional: Option<Rc<Vec<Value>>>,
}

impl<'a> Walker<'a> {
    pub(crate) fn new(context: &'a Context<'a>, knows: fn(&str) -> bool) -> Self {
        let mut state = State::new(context);
        state.positional = Some(Rc::new(Vec::new()));
        Self {
            context,
            knows,
            budget: Budget::new(),
            state,
            findings: Vec::new(),
            seen: Vec::new(),
            ledger: Ledger::default(),
            via: Vec::new(),
            span: 0..0,
            inside: 0,
            choice: 0,
            widest: 1,
            called: Vec::new(),
            calling: Vec::new(),
            locals: Vec::new(),
            input: Flow::default(),
            given: Vec::new(),
            looping: 0,
            as_root: false,
            opaque: None,
        }
    }

    /// Notes that a rule applies.
    pub(crate) fn found(&mut self, rule: &'static Rule, what: &str) {
        let what: String = what.chars().take(200).collect();
        let known =
            self.findings.iter().any(|found| found.rule.id == rule.id && found.what == what);
        if !known {
            self.findings.push(Finding { rule, level: rule.level, what, span: self.span.clone() });
        }
    }

    /// Reads a text as a script and follows it, as `via` would execute it.
    pub(crate) fn payload(&mut self, text: &str, via: &str, stdin: &Flow) -> Step<Flow> {
        self.budget.enter()?;
        self.via.push(via.to_owned());
        self.inside += 1;
        let parsed = match syntax::parse(text, &mut self.budget) {
            Ok(script) => Some(script),
            Err(Fault::Limit(limit)) => return Err(limit),
            Err(Fault::Syntax { what, .. }) => {
                self.found(&execution::OPAQUE, text);
                self.opaque.get_or_insert_with(|| what.to_owned());
                None
            }
        };
        let output = match parsed {
            Some(script) => self.script(&script, stdin)?,
            None => Flow::unknown(),
        };
        self.inside -= 1;
        self.via.pop();
        self.budget.leave();
        Ok(output)
    }

    pub(crate) fn scope(&self) -> Scope {
        Scope {
            cwd: self.state.cwd.clone(),
            old_cwd: self.state.old_cwd.clone(),
            variables: self.state.variables.clone(),
            positional: self.state.positional.clone(),
        }
    }

    pub(crate) fn restore(&mut self, scope: Scope) {
        self.state.cwd = scope.cwd;
        self.state.old_cwd = scope.old_cwd;
        self.state.variables = scope.variables;
        self.state.positional = scope.positional;
    }

    /// Follows a list; gives what it writes to standard output.
    pub(crate) fn script(&mut self, script: &Script, stdin: &Flow) -> Step<Flow> {
        self.budget.enter()?;
        let mut output = Flow::default();
        for item in &script.items {
            for pipeline in &item.pipelines {
                let cwd = self.state.cwd.clone();
                let conditional = self.state.conditional;
                self.state.conditional |= pipeline.join == Join::Or;
                let written = self.pipeline(pipeline, stdin)?;
                self.state.conditional = conditional;
                if pipeline.join == Join::Or {
                    // It runs when what is before it failed: what follows counts on success.
                    self.state.cwd = cwd;
                }
                add(&mut output, &written);
            }
        }
        self.budget.leave();
        Ok(output)
    }

    fn pipeline(&mut self, pipeline: &Pipeline, stdin: &Flow) -> Step<Flow> {
        let mut flow = stdin.clone();
        let alone = pipeline.commands.len() == 1;
        for (index, command) in pipeline.commands.iter().enumerate() {
            let scope = (!alone).then(|| self.scope());
            let before = self.findings.len();
            flow = self.command(command, &flow)?;
            self.narrowed(before, &pipeline.commands[index + 1..], &mut flow)?;
            if let Some(scope) = scope {
                self.restore(scope);
            }
        }
        Ok(flow)
    }

    /// A secret is not shown where what comes next takes it to sign in, or lets only a harmless part of it through; for
    /// the environment, a `sort` may stand before that.
    fn narrowed(&mut self, before: usize, next: &[Command], flow: &mut Flow) -> Step {
        type Narrowing = (fn(&Finding) -> bool, fn(&[Field]) -> bool);
        const NARROWINGS: [Narrowing; 2] =
            [(is_registry_token, Walker::signs_in), (is_output_of_a_plan, Walker::picks_harmless)];
        for (shows, is_harmless) in NARROWINGS {
            if let [Command { kind: Kind::Simple(simple), .. }, ..] = next
                && self.has_found(before, shows)
                && is_harmless(&self.expand_all(&simple.words)?)
            {
                self.take_back(before, shows);
                flow.taint.secret = false;
                return Ok(());
            }
        }
        let shown = |found: &Finding| found.rule.id == "secret.environment";
        if !self.has_found(before, shown) {
            return Ok(());
        }
        for command in next {
            let Kind::Simple(simple) = &command.kind else { return Ok(()) };
            let words = self.expand_all(&simple.words)?;
            if Self::lets_harmless_through(&words) {
                self.take_back(before, shown);
                flow.taint.secret = false;
            }
            let orders = |word: &Field| word.is_option() && !word.text.contains('o');
            let sorts = words.first().is_some_and(|word| word.text == "sort");
            if !sorts || !words[1..].iter().all(orders) || !command.redirects.is_empty() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether there is such a finding after the first `before`.
    fn has_found(&self, before: usize, is_meant: impl Fn(&Finding) -> bool) -> bool {
        self.findings.iter().skip(before).any(is_meant)
    }

    /// Removes such findings after the first `before`.
    pub(crate) fn take_back(&mut self, before: usize, is_meant: impl Fn(&Finding) -> bool) {
        let mut index = 0;
        self.findings.retain(|found| {
            index += 1;
            index <= before || !is_meant(found)
        });
    }

    pub(crate) fn command(&mut self, command: &Command, stdin: &Flow) -> Step<Flow> {
        self.budget.steps(1)?;
        if self.inside == 0 {
            self.span = command.span.clone();
        }
        if let Kind::Simple(simple) = &command.kind {
            return self.simple(simple, &command.redirects, stdin);
        }
        let redirected = self.redirects(&command.redirects, stdin)?;
        let output = self.compound(&command.kind, &redirected.stdin)?;
        self.finish_redirects(redirected, output, COMPOUND)
    }

    fn compound(&mut self, kind: &Kind, stdin: &Flow) -> Step<Flow> {
        match kind {
            Kind::Simple(_) => {}
            Kind::Group(script) => return self.script(script, stdin),
            Kind::Subshell(script) => {
                let scope = self.scope();
                let output = self.script(script, stdin)?;
                self.restore(scope);
                return Ok(output);
            }
            Kind::If { arms, otherwise } => {
                return self.conditional(arms, otherwise.as_ref(), stdin);
            }
            Kind::Loop { condition, body } => return self.repeated(condition, body, stdin),
            Kind::For { name, words, body } => {
                return self.each(name, words.as_deref(), body, stdin);
            }
            Kind::ArithmeticFor { header, body } => {
                self.each_value(|walker| walker.arithmetic_of(header).map(drop))?;
                self.counts(header, body);
                return self.maybe(body, stdin);
            }
            Kind::Case { subject, arms } => return self.case(subject, arms, stdin),
            Kind::Function { name, body } => {
                self.defines(name, body)?;
                self.state.functions.insert(name.clone(), body.clone());
            }
            Kind::Test(words) => self.each_value(|walker| walker.test(words))?,
            Kind::Arithmetic(word) => {
                self.each_value(|walker| walker.arithmetic_of(word).map(drop))?;
            }
            Kind::Coprocess(command) => return self.coprocess(command),
        }
        Ok(Flow::default())
    }

    fn conditional(
        &mut self,
        arms: &[(Script, Script)],
        otherwise: Option<&Script>,
        stdin: &Flow,
    ) -> Step<Flow> {
        let mut output = Flow::default();
        for (condition, body) in arms {
            add(&mut output, &self.script(condition, stdin)?);
            add(&mut output, &self.maybe(body, stdin)?);
        }
        if let Some(body) = otherwise {
            add(&mut output, &self.maybe(body, stdin)?);
        }
        Ok(output)
    }

    fn repeated(&mut self, condition: &Script, body: &Script, stdin: &Flow) -> Step<Flow> {
        let mut output = self.script(condition, stdin)?;
        self.repeats(condition, body);
        self.looping += 1;
        add(&mut output, &self.maybe(body, stdin)?);
        self.looping -= 1;
        Ok(output)
    }

    fn case(&mut self, subject: &Word, arms: &[(Vec<Word>, Script)], stdin: &Flow) -> Step<Flow> {
        let mut output = Flow::default();
        self.text_of(subject)?;
        for (patterns, body) in arms {
            for pattern in patterns {
                self.text_of(pattern)?;
            }
            add(&mut output, &self.maybe(body, stdin)?);
        }
        Ok(output)
    }

    fn coprocess(&mut self, command: &Command) -> Step<Flow> {
        self.budget.enter()?;
        // It reads what is written to it later.
        let output = self.command(command, &Flow::unknown())?;
        self.budget.leave();
        if self.state.opened.len() < 16 {
            self.state.opened.push(output.clone());
        }
        Ok(output)
    }

    /// Follows what may or may not run.
    fn maybe(&mut self, script: &Script, stdin: &Flow) -> Step<Flow> {
        let before = std::mem::replace(&mut self.state.conditional, true);
        let output = self.script(script, stdin);
        self.state.conditional = before;
        output
    }

    fn each(
        &mut self,
        name: &str,
        words: Option<&[Word]>,
        body: &Script,
        stdin: &Flow,
    ) -> Step<Flow> {
        let mut values: Vec<Value> = match words {
            Some(words) => {
                let fields = self.expand_all(words)?;
                fields
                    .into_iter()
                    .map(|field| Value { text: field.text, taint: field.taint })
                    .collect()
            }
            None => self
                .state
                .positional
                .clone()
                .map_or_else(|| vec![Value::unknown()], |all| all.to_vec()),
        };
        values.dedup();
        if values.len() > VALUES_MAX {
            values.truncate(VALUES_MAX);
            values.push(Value::unknown());
        }
        if values.is_empty() {
            values.push(Value::unknown());
        }
        let conditional = std::mem::replace(&mut self.state.conditional, false);
        let mut output = Flow::default();
        let count = values.len();
        for value in &values {
            if self.state.references.contains_key(name) {
                self.element(&value.text)?;
            }
            self.assigned(name, &value.text)?;
        }
        // All values at once: a loop's body is followed as often as a command in it needs.
        self.state.variables.insert(name.to_owned(), Variable { values, elements: None });
        self.state.conditional = true;
        self.looping += 1;
        let written = self.script(body, stdin)?;
        self.looping -= 1;
        self.state.conditional = conditional;
        add(&mut output, &written);
        if count > 1 {
            add(&mut output, &Flow::unknown());
        }
        Ok(output)
    }

    /// Follows the functions that nothing has called, with arguments that nobody knows.
    pub(crate) fn uncalled(&mut self) -> Step {
        let mut names: Vec<String> = self.state.functions.keys().cloned().collect();
        names.sort();
        for name in names {
            if !self.called.contains(&name)
                && let Some(body) = self.state.functions.get(&name).cloned()
            {
                let scope = self.scope();
                self.state.positional = None;
                self.call(&name, &body, &Flow::unknown())?;
                self.restore(scope);
            }
        }
        Ok(())
    }

    /// Follows a function's body.
    pub(crate) fn call(&mut self, name: &str, body: &Rc<Command>, stdin: &Flow) -> Step<Flow> {
        if self.calling.iter().filter(|calling| *calling == name).count() >= CALLS_MAX {
            return Ok(Flow::unknown());
        }
        self.called.push(name.to_owned());
        self.calling.push(name.to_owned());
        self.budget.enter()?;
        let output = self.command(body, stdin)?;
        self.budget.leave();
        self.calling.pop();
        Ok(output)
    }
}

/// How often a function is followed into itself: with other words it may do something else.
const CALLS_MAX: usize = 3;

/// Appends to a flow, which stays within the limit.
pub(crate) fn add(flow: &mut Flow, more: &Flow) {
    flow.taint = flow.taint.and(more.taint);
    if flow.text.len() + more.text.len() > BYTES_MAX {
        flow.text = UNKNOWN.to_string();
    } else {
        flow.text.push_str(&more.text);
    }
}

/// Whether a token for a registry of images is shown.
fn is_registry_token(found: &Finding) -> bool {
    let of_registry = ["get-login-password", "print-access-token", "auth token"];
    found.rule.id == "secret.show" && of_registry.iter().any(|verb| found.what.contains(verb))
}

/// Whether the outputs of an infrastructure plan are shown (`terraform output`).
fn is_output_of_a_plan(found: &Finding) -> bool {
    found.rule.id == "secret.show" && found.what.split(' ').nth(1) == Some("output")
}
