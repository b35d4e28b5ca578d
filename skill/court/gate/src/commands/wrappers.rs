//! Commands that run another command. Not here: how to find it within their words (see `table`).

mod table;

use self::table::{OTHER_VERBS, RUN_WORDS, Runs, WRAPPERS, Wrapper};
use super::acts::{Act, Also, Pick};
use super::entry::When::Always;
use super::entry::{Case, Command, Given, Gives, Said, case, lists};
use super::options::{first_operand, has, joined, operands, value};
use super::words::words;
use crate::rules::{Rule, deferred, execution, secrets};
use crate::shell::{Field, Flow, Io, Step, Value, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(words!("env"), env, [&["A=1 ls"], &[], &[""], &[]]),
    Command::code(words!("command"), command, [&["-v git"], &[], &[], &[]]),
    // What the user allowed is allowed behind these, too: they lead to nothing but the command.
    Command::code(words!("builtin"), builtin, [&["cd src"], &[], &[], &[]]),
    Command::code(words!("exec"), exec, [&["ls"], &[], &[], &[]]),
    Command::code(words!("time"), time, [&["ls"], &[], &[], &[]]),
    Command::said(
        words!("systemd-run"),
        Said::cases(
            words!(
                "-u -p -E -H -M --unit --property --description --slice --setenv --on-calendar \
                 --on-active --on-boot --working-directory --uid --gid --nice"
            ),
            &[&[Case(Always, &deferred::SCHEDULE)]],
        )
        .also(&[Also(Always, Act::Command(Pick::From(0)))])
        .gives(Gives::Inner),
        [&[], &[], &["ls", "--user -p A=1 -- ls"], &["--on-calendar daily rm -rf /"]],
    ),
];

/// The wrappers of the table, each with what it does to a command that reads and to one that destroys.
pub(super) const WRAPPED: &[Command] = &commands();

const fn commands() -> [Command; WRAPPERS.len()] {
    let mut commands = [Command::code(&[], wrapped, [&[], &[], &[], &[]]); WRAPPERS.len()];
    let mut at = 0;
    while at < commands.len() {
        commands[at].names = std::slice::from_ref(&WRAPPERS[at].name);
        commands[at].examples = WRAPPERS[at].examples();
        at += 1;
    }
    commands
}

fn wrapped(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let name = crate::path::name(&words[0].text).to_owned();
    let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == name) else {
        return Ok(Flow::unknown());
    };
    if name == "nsenter" {
        walker.found(&crate::rules::infrastructure::CONTAINER_ESCAPE, "nsenter");
    }
    for word in words.iter().skip(1).filter(|_| matches!(name.as_str(), "strace" | "ltrace")) {
        // A trace that is piped into a command.
        if let Some(text) = word.text.strip_prefix('|').map(str::to_owned) {
            walker.payload(&text, "strace -o", &Flow::unknown())?;
        }
        if word.text == "-p" {
            walker.found(&secrets::SHOW, "strace -p");
        }
    }
    walker.via.push(name.clone());
    let output = unwrap(walker, wrapper, words, io);
    walker.via.pop();
    output
}

fn unwrap(walker: &mut Walker<'_>, wrapper: &Wrapper, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    for option in wrapper.texts {
        if let Some(text) = value(words, &[option]).or_else(|| clustered(words, option)) {
            let text = text.to_owned();
            let root = walker.as_root;
            walker.as_root |= wrapper.name == "su";
            let output = walker.payload(&text, option, io.stdin)?;
            walker.as_root = root;
            return Ok(output);
        }
    }
    if !runs_command(wrapper, words) {
        other_verb(walker, wrapper, words);
        return Ok(Flow::unknown());
    }
    let at = past_options(wrapper, words);
    if wrapper.runs == Runs::AsRoot {
        walker.found(&execution::PRIVILEGE, wrapper.name);
        if has(words, 'e', "edit") && at < words.len() && words[1].text.starts_with("-e") {
            words[at..].iter().for_each(|file| walker.write(file));
            return Ok(Flow::unknown());
        }
    }
    let at = past_variables(walker, words, at)?;
    let command = words.get(at..).unwrap_or_default();
    if command.is_empty() {
        return without_command(walker, wrapper, words, io);
    }
    let root = walker.as_root;
    walker.as_root |= wrapper.runs == Runs::AsRoot;
    let output = run_wrapped(walker, wrapper, words, command, io)?;
    walker.as_root = root;
    Ok(output)
}

/// Whether the first operand says that a command follows, where the wrapper does other things too.
fn runs_command(wrapper: &Wrapper, words: &[Field]) -> bool {
    let first = words.get(first_operand(words, wrapper.valued));
    RUN_WORDS
        .iter()
        .find(|(name, _)| *name == wrapper.name)
        .is_none_or(|(_, verbs)| first.is_some_and(|first| verbs.contains(&first.text.as_str())))
}

/// What the wrapper does where it runs no command.
fn other_verb(walker: &mut Walker<'_>, wrapper: &Wrapper, words: &[Field]) {
    let input = Flow::unknown();
    let given = Given::new(words, wrapper.valued, &input);
    let mut rules: Vec<&'static Rule> = Vec::new();
    for (_, cases) in OTHER_VERBS.iter().filter(|(names, _)| lists(names, wrapper.name)) {
        rules.extend(case(walker, &given, cases).map(|Case(_, rule)| *rule));
    }
    if !rules.iter().any(|rule| rule.id == secrets::SHOW.id) {
        walker.found(&execution::COMMAND, wrapper.name);
    }
    rules.into_iter().for_each(|rule| walker.found(rule, wrapper.name));
}

/// Behind the operands that are skipped and the options that may follow them: `timeout 5 -k 3 command`.
fn past_options(wrapper: &Wrapper, words: &[Field]) -> usize {
    let mut at = first_operand(words, wrapper.valued) + wrapper.skipped;
    while wrapper.skipped > 0
        && let Some(word) = words.get(at).filter(|word| word.is_option())
    {
        let option = word.text.as_str();
        let valued = option != "--" && !wrapper.texts.contains(&option);
        at += 1 + usize::from(valued && wrapper.valued.contains(&option));
    }
    at
}

/// `VAR=value` may stand before the command.
fn past_variables(walker: &mut Walker<'_>, words: &[Field], from: usize) -> Step<usize> {
    let mut at = from;
    while let Some(word) = words.get(at) {
        let Some((name, text)) = word.text.split_once('=') else { break };
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            break;
        }
        walker.environment(name, &Value { text: text.to_owned(), taint: word.taint })?;
        at += 1;
    }
    Ok(at)
}

/// A wrapper that is given no command: some start a shell then.
fn without_command(
    walker: &mut Walker<'_>,
    wrapper: &Wrapper,
    words: &[Field],
    io: &Io<'_>,
) -> Step<Flow> {
    if wrapper.skipped < 99 && wrapper.runs != Runs::AsRoot {
        walker.found(&execution::COMMAND, wrapper.name);
    }
    let login =
        words.iter().any(|word| matches!(word.text.as_str(), "-i" | "-s" | "--login" | "--shell"));
    let shell = matches!(wrapper.name, "su" | "chroot")
        || (matches!(wrapper.name, "sudo" | "doas") && login);
    if shell {
        walker.found(&execution::ROOT_SHELL, wrapper.name);
        let text = io.stdin.text.clone();
        if !text.trim().is_empty() {
            return walker.payload(&text, wrapper.name, &Flow::default());
        }
    }
    Ok(Flow::unknown())
}

fn run_wrapped(
    walker: &mut Walker<'_>,
    wrapper: &Wrapper,
    words: &[Field],
    command: &[Field],
    io: &Io<'_>,
) -> Step<Flow> {
    let texts: Vec<String> = if wrapper.name == "watch" {
        vec![joined(command)]
    } else if wrapper.runs == Runs::Text {
        operands(words, wrapper.valued).iter().map(|word| word.text.clone()).collect()
    } else if command[0].text.contains(' ') && matches!(wrapper.name, "concurrently" | "watchexec")
    {
        command.iter().map(|word| word.text.clone()).collect()
    } else {
        // A bare shell of another user reads what is only known when it runs.
        let bare = command.len() == 1 && super::shells::is_shell(&command[0].text);
        if bare && wrapper.runs == Runs::AsRoot && io.stdin.text.is_empty() {
            walker.found(&execution::ROOT_SHELL, wrapper.name);
        }
        return walker.run(command, io);
    };
    let mut output = Flow::default();
    for text in texts {
        output = walker.payload(&text, wrapper.name, io.stdin)?;
    }
    Ok(output)
}

/// The value of the last of several short options: `-qc text`.
fn clustered<'a>(words: &'a [Field], option: &str) -> Option<&'a str> {
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1)?;
    let at = words.iter().skip(1).position(|word| {
        word.text.strip_prefix('-').is_some_and(|letters| {
            letters.len() > 1
                && letters.len() < 6
                && letters.ends_with(letter)
                && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        })
    })?;
    words.get(at + 2).map(|word| word.text.as_str())
}

fn env(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let valued = ["-u", "-C", "--unset", "--chdir", "-a", "--argv0"];
    if let Some(text) = value(words, &["-S", "--split-string", "-vS", "-iS"]) {
        let index = words.iter().position(|word| word.text.contains(text)).unwrap_or(0);
        let rest = joined(&words[(index + 1).min(words.len())..]);
        let text = format!("{text} {rest}");
        return walker.payload(&text, "env -S", io.stdin);
    }
    let mut at = first_operand(words, &valued);
    while let Some((name, text)) = words.get(at).and_then(|word| word.text.split_once('=')) {
        let value = Value { text: text.to_owned(), taint: words[at].taint };
        walker.environment(name, &value)?;
        walker.state.set(name, value.clone());
        at += 1;
        let command = words[at..].iter().find(|word| !word.text.contains('='));
        walker.at_home(name, &value, command.map_or("", |word| &word.text));
    }
    if at >= words.len() {
        walker.found(&secrets::ENVIRONMENT, "env");
        let mut flow = Flow::unknown();
        flow.taint.secret = true;
        return Ok(flow);
    }
    walker.via.push("env".to_owned());
    let output = walker.run(&words[at..], io);
    walker.via.pop();
    output
}

fn command(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    if has(words, 'v', "") || has(words, 'V', "") {
        // `$(command -v rm)` is `rm` again.
        let name = operands(words, &[]).first().map(|word| word.text.clone()).unwrap_or_default();
        return Ok(Flow::new(&walker.located(&name)));
    }
    walker.run(&words[first_operand(words, &[]).min(words.len())..], io)
}

fn builtin(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    walker.run(&words[1..], io)
}

fn exec(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    walker.run(&words[first_operand(words, &["-a"]).min(words.len())..], io)
}

fn time(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let valued = ["-f", "-o", "--format", "--output"];
    walker.run(&words[first_operand(words, &valued).min(words.len())..], io)
}
