//! What a program is told by words that mean the same to every program: verbs that destroy, publish, send, hand out
//! rights or show a secret, where a verb stands; and options that ask for no second thought. Not here: addresses (see
//! `addresses`), settings (see `protections`) and code (see `unknown`).

use super::meanings::{
    CHANGES, DOES_NOTHING, ELSEWHERE, EXPOSES, GENERATED, GRANTS, HIGH, MAKES, MESSAGES, MINTS,
    NAMING, PEOPLE, PUBLISHES, PUSHED, RECKLESS, REVEALS, SENDS, SHOWN, STARTS, TAKES_AWAY, TEXTS,
    TOKENS, TURNS_OFF, WHOLE, deletes_by_option, deploys, ends_in_all, forces, glued, hands_out,
    headed, is_owned, is_plain, is_production, is_secret_noun, is_service, is_strong, is_weak,
    keeps_nothing, lower, names_secret, told_by_name, undoes, verb_of,
};
use crate::commands::tables;
use crate::rules::{Rule, execution, infrastructure, network, secrets};
use crate::shell::{Field, Walker};

/// How many operands may be verbs, values of options among them.
const VERBS_MAX: usize = 5;

/// A program's words, as far as they mean the same to each program.
pub(super) struct Told<'w> {
    /// Operands that may be verbs, up to one that says that a name follows.
    verbs: Vec<std::borrow::Cow<'w, str>>,
    /// Operands in all.
    operands: usize,
    /// Options that have a value.
    options: usize,
    forces: bool,
    all: bool,
    production: bool,
    /// What is named, or where it goes, says that it is brought to production.
    deploys: bool,
    reckless: Option<&'w str>,
    /// An option by which nothing is asked.
    without_question: Option<&'w str>,
    /// The one operand is to take the program, or what it guards, away.
    uninstalls: bool,
    /// An option that is itself a verb.
    option: Option<&'w str>,
    /// One that is, with force.
    forced_option: Option<&'w str>,
    /// An option that hands out rights.
    right: Option<&'w str>,
    reveals: bool,
    names_secret: bool,
    /// A service that is not on this machine is named.
    remote: bool,
    /// A device at this machine is named: what is uploaded goes there.
    device: bool,
    /// An operand that names what an owner has published: `acme/app`.
    owned: bool,
    /// What is there already is replaced.
    overwrites: bool,
    /// A copy of what was saved is named.
    saved: bool,
    /// Somebody, or what lets somebody in, is named with its kind: `users/bob`.
    people: bool,
}

impl<'w> Told<'w> {
    /// None where the program is only asked what it would do, or how it is used.
    pub(super) fn new(words: &'w [Field]) -> Option<Self> {
        if words.len() == 2 && words[1].text == "-h" {
            return None;
        }
        let mut told = Self {
            verbs: Vec::new(),
            operands: 0,
            options: 0,
            forces: false,
            all: false,
            production: false,
            deploys: false,
            reckless: None,
            without_question: None,
            uninstalls: false,
            option: None,
            forced_option: None,
            right: None,
            reveals: false,
            names_secret: false,
            remote: false,
            device: false,
            owned: false,
            overwrites: false,
            saved: false,
            people: false,
        };
        let mut names = false;
        let mut text_follows = false;
        let mut rest = false;
        for (at, word) in words.iter().enumerate().skip(1) {
            let text = word.text.as_str();
            if std::mem::take(&mut text_follows) && !word.is_option() {
                told.names_secret |= names_secret(text);
                told.all |= text == "all";
                continue;
            }
            if word.is_option() && !rest {
                rest = text == "--";
                text_follows = TEXTS.contains(&&*lower(text.trim_start_matches('-')));
                // What stands behind it is told to another program, or has a name of its own.
                names |= rest && told.operands > 0;
                if !told.option(text, words.get(at + 1)) {
                    return None;
                }
                continue;
            }
            told.operand(text);
            if names || told.operands > VERBS_MAX || !is_plain(text) && namespaced(text).is_none() {
                names |= text.len() < 40 && text.split('.').any(|part| NAMING.contains(&part));
                continue;
            }
            // A method of HTTP: what it is sent to is judged by its address.
            if text == "DELETE" && words[at..].iter().chain(&words[1..at]).any(is_address) {
                continue;
            }
            let verb = namespaced(text).unwrap_or_else(|| lower(text));
            if told.operands == 1 && matches!(&*verb, "help" | "version") {
                return None;
            }
            names = verb.split(':').any(|part| NAMING.contains(&part));
            if told.operands == 1 || !is_name(&verb) {
                told.verbs.push(verb);
            }
        }
        if let [verb, made, ..] = &*told.verbs
            && matches!(&**verb, "destroy" | "d")
            && GENERATED.contains(&&**made)
        {
            told.verbs.clear();
        }
        told.uninstalls = told.operands == 1
            && told.verbs.first().is_some_and(|verb| verb_of(verb, |part| part == "uninstall"));
        Some(told)
    }

    /// Notes what an operand says, whether it is a verb or not.
    fn operand(&mut self, text: &str) {
        self.operands += 1;
        self.production |= is_production(text);
        self.deploys |= deploys(text);
        self.remote |= is_service(text);
        let kind = text.split_once('/').map_or("", |(kind, _)| kind);
        self.people |= self.operands <= 3 && PEOPLE.contains(&kind);
        self.owned |= is_owned(text);
        self.saved |= is_saved(text);
        self.all |= self.operands <= VERBS_MAX && matches!(text, "all" | "ALL" | "*");
        self.names_secret |= self.operands <= 3
            && text.split(|each: char| !each.is_ascii_alphanumeric()).any(is_secret_noun);
    }

    /// Notes an option; false where it says that nothing is done.
    fn option(&mut self, text: &'w str, next: Option<&'w Field>) -> bool {
        if DOES_NOTHING.contains(&text) {
            return false;
        }
        let name = text.trim_start_matches('-');
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, value),
            None => (name, next.filter(|next| !next.is_option()).map_or("", |next| &next.text)),
        };
        self.options += usize::from(!value.is_empty());
        self.device |= ["/dev/tty", "/dev/cu", "COM"].iter().any(|port| value.starts_with(port));
        // `-rm` of Hadoop is a verb.
        if matches!(text, "-rm" | "-rmr" | "-rmdir" | "-del" | "-unlink") {
            self.option = Some(text);
        }
        if matches!(name, "d" | "D" | "r" | "x" | "k") && matches!(value, "ALL" | "*") {
            self.option = Some(text);
        }
        // `-f file` of many programs forces nothing.
        let file = text == "-f" && value.contains(['.', '/', ':']);
        self.forces |= forces(text) && !file;
        self.overwrites |=
            matches!(text, "--force" | "-f" | "--overwrite" | "--force-push") && !file;
        self.all |= name.starts_with("all") || name == "a" || keeps_nothing(name, value);
        self.names_secret |= text.len() > 2 && names_secret(value);
        self.target(name, value);
        if text.starts_with("--") || name.len() > 3 {
            self.long_option(text, name, value);
        }
        if GRANTS.contains(&name) && HIGH.iter().any(|right| value.contains(right)) {
            self.right = Some(text);
        }
        self.reveals |= text.starts_with("--") && SHOWN.iter().any(|part| name.starts_with(part));
        true
    }

    /// Where an option leads: to another host, to what is in use, to a release.
    fn target(&mut self, name: &str, value: &str) {
        let is_host = ELSEWHERE.contains(&name) && !value.is_empty();
        let is_other = || !crate::commands::hosts::is_local(value);
        self.remote |= is_service(value) || is_host && is_other();
        self.production |= matches!(name, "prod" | "production" | "live") || is_production(value);
        self.deploys |= name == "network" && value == "mainnet" || deploys(value);
        self.deploys |= matches!(name, "track" | "channel" | "stage") && is_production(value);
    }

    /// What the words of a long option say.
    fn long_option(&mut self, text: &'w str, name: &str, value: &str) {
        if self.reckless.is_none() && RECKLESS.iter().any(|part| text.contains(part)) {
            self.reckless = Some(text);
        }
        let unasked = ["--no-confirm", "--skip-confirm"].iter().any(|part| text.starts_with(part));
        if unasked || name == "broadcast" {
            self.without_question = Some(text);
        }
        let number = value.bytes().all(|byte| byte.is_ascii_digit()) && !value.is_empty();
        let removes = name == "remove" && self.operands == 0 && number;
        if removes || deletes_by_option(name) {
            self.option = Some(text);
        } else if name.starts_with("remove") || name == "prune" {
            self.forced_option = Some(text);
        }
    }

    /// The first verb that a test holds for.
    fn verb(&self, holds: impl Fn(usize, &str) -> bool) -> Option<&str> {
        let verbs = self.verbs.iter().enumerate();
        verbs
            .map(|(at, verb)| (at, &**verb))
            .find(|(at, verb)| holds(*at, verb))
            .map(|(_, verb)| verb)
    }

    /// What applies to any program, also to one whose entry says nothing of what it is told.
    pub(super) fn surely(&self) -> Option<(&'static Rule, &str)> {
        let cloud = &infrastructure::CLOUD;
        if self.uninstalls {
            return Some((&execution::GUARD_OFF, "uninstall"));
        }
        if let Some(option) = self.reckless.or(self.right) {
            return Some((cloud, option));
        }
        let strong = |_: usize, verb: &str| is_strong(verb);
        let unasked = self.forces || self.all || self.production;
        let removes = |_: usize, verb: &str| unasked && self.deletes(verb);
        let changes = |at: usize, verb: &str| {
            self.production && at < 3 && verb_of(verb, |part| CHANGES.contains(&part))
        };
        let verb = self.verb(strong).or_else(|| self.verb(removes)).or_else(|| self.verb(changes));
        let looks =
            self.verbs.last().is_none_or(|last| NAMING.contains(&&**last) && last != "create");
        let verb = verb.or((self.deploys && !looks).then_some("production"));
        verb.map(|verb| (cloud, verb)).or_else(|| self.shows()).or_else(|| self.sends())
    }

    /// `send-email`, `send-command`.
    fn sends(&self) -> Option<(&'static Rule, &str)> {
        let verb = self.verb(|at, verb| {
            at < 3
                && [
                    "email",
                    "message",
                    "command",
                    "bulk-email",
                    "raw-email",
                    "mail",
                    "sms",
                    "notification",
                ]
                .iter()
                .any(|what| verb.strip_prefix("send-").is_some_and(|rest| rest == *what))
        });
        let message = self.production
            && self.verb(|at, noun| at < 3 && MESSAGES.contains(&noun)).is_some()
            && self.verb(|_, verb| MAKES.contains(&verb)).is_some();
        verb.or(message.then_some("create")).map(|verb| (&network::SEND, verb))
    }

    /// A secret is asked for by what it is.
    fn shows(&self) -> Option<(&'static Rule, &str)> {
        // What a client of clusters signs in with is kept, and not shown.
        let kept = |verb: &str| verb == "get-credentials" && !self.reveals;
        let verb = self.verb(|_, verb| {
            let both = !kept(verb)
                && verb.split(['-', '_', ':']).any(|part| REVEALS.contains(&part))
                && verb.split(['-', '_', ':']).any(|part| is_secret_noun(part) || part == "token");
            both || self.names_secret && REVEALS.contains(&verb)
        });
        let verb = verb.or((self.reveals && self.operands > 0).then_some("--reveal"));
        verb.map(|verb| (&secrets::SHOW, verb))
    }

    /// What applies to a program of which nothing is known.
    pub(super) fn perhaps(&self) -> Option<(&'static Rule, &str)> {
        let cloud = &infrastructure::CLOUD;
        let fetches = self.verb(|_, verb| matches!(verb, "fetch" | "pull")).is_some();
        let forced = |option: &&str| !fetches && (self.forces || *option == "--prune");
        if let Some(option) = self.option.or(self.forced_option.filter(forced)) {
            return Some((cloud, option));
        }
        let outward = self.outward().or_else(|| self.makes_message());
        outward.or_else(|| {
            let verb = self.verb(|at, verb| self.deletes_here(at, verb));
            let verb = verb.or_else(|| self.verb(|_, verb| self.is_weak_end(verb)));
            let verb = verb.or_else(|| self.verb(|at, verb| at < 3 && hands_out(verb)));
            let verb = verb.or_else(|| self.mints());
            let verb = verb.or_else(|| self.ends()).or_else(|| self.begins_anew());
            verb.or(self.without_question).map(|verb| (cloud, verb))
        })
    }

    /// A token is made: `tokens add`, `token create`.
    fn mints(&self) -> Option<&str> {
        let pair = self.verbs.iter().zip(self.verbs.iter().skip(1)).take(2);
        let secret = |noun: &str, verb: &str| {
            matches!(noun, "secret" | "secrets")
                && matches!(verb, "add" | "set" | "put" | "create" | "update" | "upload")
        };
        let mut pair = pair.filter(|(noun, verb)| {
            TOKENS.contains(&&***noun) && MINTS.contains(&&***verb) || secret(noun, verb)
        });
        pair.next().map(|(_, verb)| &**verb)
    }

    /// Something is published, opened to others or sent.
    fn outward(&self) -> Option<(&'static Rule, &str)> {
        let first = |list: &'static [&'static str]| {
            self.verb(|at, verb| at < 2 && verb_of(verb, |part| list.contains(&part)))
        };
        let looks = self.verbs.last().is_some_and(|last| NAMING.contains(&&**last));
        let pushes = || {
            let pushed = self.verb(|at, noun| at < 2 && PUSHED.contains(&noun)).is_some();
            let verb = self.verb(|at, verb| at < 2 && verb == "push");
            verb.filter(|_| pushed || self.owned && self.operands == 2)
        };
        let publishes = first(PUBLISHES).filter(|_| !looks).or_else(pushes);
        let sends = || first(SENDS).filter(|_| self.operands + self.options > 1 && !self.device);
        publishes
            .map(|verb| (&infrastructure::PUBLISH, verb))
            .or_else(|| first(EXPOSES).map(|verb| (&network::EXPOSE, verb)))
            .or_else(|| sends().map(|verb| (&network::SEND, verb)))
    }

    /// A message is made: `campaign create`.
    fn makes_message(&self) -> Option<(&'static Rule, &str)> {
        let messages =
            self.verb(|at, noun| at < 3 && verb_of(noun, |part| MESSAGES.contains(&part)));
        let made = self.verb(|_, verb| verb_of(verb, |part| MAKES.contains(&part)));
        messages.filter(|_| made.is_some()).map(|verb| (&network::SEND, verb))
    }

    /// A verb that deletes, where it is told of what.
    fn deletes_here(&self, at: usize, verb: &str) -> bool {
        let told = self.operands > at + 1 || self.options > 0 || at > 0;
        let several = self.operands > 2;
        self.deletes(verb) && (told || verb == "delete")
            || at > 0 && TURNS_OFF.contains(&verb)
            || at == 2 && verb == "kill"
            || at == 1 && several && TAKES_AWAY.contains(&verb)
            || at == 0 && told && verb.ends_with(":rm")
            || at == 1 && several && tables::REMOVE_VERBS.contains(&verb)
            || at == 0 && several && matches!(verb, "remove" | "rm")
    }

    /// A verb that ends something only with force, or for all.
    fn is_weak_end(&self, verb: &str) -> bool {
        let unasked = self.forces || self.all;
        (is_weak(verb) || undoes(verb)) && unasked || ends_in_all(verb)
    }

    /// `network reset`, `push --overwrite`: nothing is left of what was there.
    fn begins_anew(&self) -> Option<&str> {
        let pairs = self.verbs.iter().zip(self.verbs.iter().skip(1));
        let reset = pairs.take(3).find(|(whole, verb)| {
            WHOLE.contains(&&***whole) && matches!(&***verb, "reset" | "wipe" | "clear")
        });
        let push = || self.verb(|at, verb| at < 2 && verb == "push").filter(|_| self.overwrites);
        let restore = || {
            self.verb(|at, verb| at < 2 && verb_of(verb, |part| part == "restore"))
                .filter(|_| self.saved)
        };
        let power = || {
            let mut pairs = self.verbs.iter().zip(self.verbs.iter().skip(1)).take(3);
            let off = |verb: &str| matches!(verb, "off" | "cycle" | "reset" | "down" | "soft");
            let wire = |what: &str| {
                matches!(what, "coil" | "coils" | "register" | "registers" | "relay" | "gpio")
            };
            let does = |what: &str, verb: &str| {
                what == "power" && off(verb) || matches!(what, "write" | "force") && wire(verb)
            };
            pairs.find(|(what, verb)| does(what, verb)).map(|(_, verb)| &**verb)
        };
        reset.map(|(_, verb)| &**verb).or_else(push).or_else(restore).or_else(power)
    }

    /// A verb that ends what others use: people, another host, what is in production.
    fn ends(&self) -> Option<&str> {
        let people = self.verb(|at, noun| at < 3 && PEOPLE.contains(&noun)).is_some();
        let others = people || self.remote || self.production;
        self.verb(|at, verb| {
            at > 0 && others && undoes(verb)
                || at > 0 && people && matches!(verb, "rm" | "remove" | "del")
                || at == 0 && self.people && (self.deletes(verb) || is_weak(verb) || undoes(verb))
                || at == 0 && self.remote && (undoes(verb) || is_weak(verb))
                || self.production && at < 3 && verb_of(verb, |part| STARTS.contains(&part))
        })
    }

    fn deletes(&self, verb: &str) -> bool {
        let last = verb.rsplit(['-', '_']).next().unwrap_or_default();
        verb_of(verb, |part| matches!(part, "delete" | "del" | "forget"))
            || verb.len() > last.len() && matches!(last, "delete" | "del" | "remove")
            || glued(verb)
            || headed(verb, |head| {
                matches!(head, "delete" | "remove" | "forget" | "revoke" | "del")
            })
    }
}

/// A copy of what was saved.
fn is_saved(text: &str) -> bool {
    [".zip", ".sql", ".dump", ".bak", ".gz", ".tar", ".tgz", ".rdb", ".dmp"]
        .iter()
        .any(|end| text.ends_with(end))
}

/// `vm.destroy`: a verb of a group of its own.
fn namespaced(word: &str) -> Option<std::borrow::Cow<'static, str>> {
    let (group, verb) = word.split_once('.').or_else(|| {
        word.split_once('/').filter(|(group, _)| matches!(*group, "db" | "database" | "users"))
    })?;
    let is_group = group.len() < 20 && group.bytes().all(|byte| byte.is_ascii_lowercase());
    let removes = is_strong(verb) || is_weak(verb) || verb == "restore";
    (is_group && removes && is_plain(verb)).then(|| format!("{group}:{verb}").into())
}

/// `run drop_duplicates`: a name as languages have them.
fn is_name(verb: &str) -> bool {
    verb.contains('_') && !verb.contains(':') && !verb.ends_with("_all")
}

/// Whether a word is an address, or a machine with a port.
fn is_address(word: &Field) -> bool {
    word.text.contains("://") || crate::commands::hosts::is_local(&word.text)
}

impl Walker<'_> {
    /// Notes what a program of which nothing is known is told to do.
    pub(crate) fn destructive_words(&mut self, name: &str, words: &[Field]) {
        let Some(told) = Told::new(words) else { return };
        if words.len() > 1 && words[1].text.starts_with("db:") && self.is_for_tests(words) {
            return;
        }
        let found = told.surely().or_else(|| told.perhaps());
        let unasked = told.forces || told.all;
        let by_name = || told_by_name(name, unasked).then_some((&infrastructure::CLOUD, ""));
        let found = found.or_else(by_name);
        if let Some((rule, what)) = found {
            let what = format!("{name} {what}");
            self.found(rule, what.trim_end());
        }
    }

    /// Notes what is certain of any program, of one whose entry says nothing of what it is told.
    pub(crate) fn untold(&mut self, name: &str, words: &[Field]) {
        self.runs_address(name, words);
        self.switches_off(name, words);
        if words.len() > 1 && words[1].text.starts_with("db:") && self.is_for_tests(words) {
            return;
        }
        if let Some((rule, what)) = Told::new(words).as_ref().and_then(Told::surely) {
            let what = format!("{name} {what}");
            self.found(rule, &what);
        }
    }
}
