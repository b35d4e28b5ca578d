//! Commands that run another command: the table of how to find it, and the handlers.

use super::entry::{Command, Examples};
use super::options::{first_operand, has, has_word, joined, operands, value};
use super::words::{same, words};
use crate::rules::{deferred, execution};
use crate::shell::{Field, Flow, Io, Step, Value, Walker};

/// How to find the command within a wrapper's words.
struct Wrapper {
    name: &'static str,
    /// Options that take the next word.
    valued: &'static [&'static str],
    /// Operands before the command.
    skipped: usize,
    /// Options whose value is a text for a shell.
    texts: &'static [&'static str],
    runs: Runs,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    /// The words that are left are a command.
    Words,
    /// The words that are left are one text for a shell.
    Text,
    /// Like `Words`, as another user.
    AsRoot,
}

const fn plain(name: &'static str, valued: &'static [&'static str], skipped: usize) -> Wrapper {
    Wrapper { name, valued, skipped, texts: &[], runs: Runs::Words }
}

const fn with_text(
    name: &'static str,
    valued: &'static [&'static str],
    skipped: usize,
    texts: &'static [&'static str],
) -> Wrapper {
    Wrapper { name, valued, skipped, texts, runs: Runs::Words }
}

const SUDO: &[&str] = words!(
    "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot \
     --close-from --role --type"
);
const STRACE: &[&str] = words!("-o -e -p -s -u -E -P -a -b -I -O -S -U -X -n -l -x -A -D_");

const WRAPPERS: &[Wrapper] = &[
    Wrapper { name: "sudo", valued: SUDO, skipped: 0, texts: &[], runs: Runs::AsRoot },
    Wrapper { name: "doas", valued: &["-u", "-C"], skipped: 0, texts: &[], runs: Runs::AsRoot },
    Wrapper { name: "pkexec", valued: &["--user"], skipped: 0, texts: &[], runs: Runs::AsRoot },
    Wrapper {
        name: "run0",
        valued: &["-u", "--user", "-D"],
        skipped: 0,
        texts: &[],
        runs: Runs::AsRoot,
    },
    Wrapper { name: "gosu", valued: &[], skipped: 1, texts: &[], runs: Runs::AsRoot },
    Wrapper { name: "su-exec", valued: &[], skipped: 1, texts: &[], runs: Runs::AsRoot },
    Wrapper {
        name: "watch",
        valued: &["-n", "--interval", "-q", "--equexit"],
        skipped: 0,
        texts: &[],
        runs: Runs::Text,
    },
    Wrapper {
        name: "hyperfine",
        valued: words!("-w -r -m -M --warmup --runs -n -L -P --export-json --export-markdown"),
        skipped: 0,
        texts: &["-p", "--prepare", "-s", "--setup", "-c", "--cleanup"],
        runs: Runs::Text,
    },
    plain("nice", &["-n", "--adjustment"], 0),
    plain("nohup", &[], 0),
    plain("setsid", &[], 0),
    plain("stdbuf", &["-o", "-i", "-e", "--output", "--input", "--error"], 0),
    plain("ionice", &["-c", "-n", "-p", "-P", "-u", "--class", "--classdata"], 0),
    plain("timeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    plain("gtimeout", &["-k", "-s"], 1),
    plain("chrt", &["-T", "-P", "-D"], 1),
    plain("taskset", &[], 1),
    with_text(
        "flock",
        &["-w", "-E", "--timeout", "--wait", "--conflict-exit-code"],
        1,
        &["-c", "--command"],
    ),
    plain("unshare", words!("-S -G -R -w --setuid --setgid --root --wd --map-user --map-group"), 0),
    plain("nsenter", &["-t", "--target", "-S", "-G"], 0),
    plain("chroot", &["--userspec", "--groups"], 1),
    plain("strace", STRACE, 0),
    plain("ltrace", STRACE, 0),
    plain("dtruss", &["-p", "-n"], 0),
    plain("valgrind", &[], 0),
    with_text("perf", &["-e", "-o", "-p", "-F", "-C"], 1, &[]),
    plain("catchsegv", &[], 0),
    plain("fakeroot", &["-l", "-s", "-i", "-u"], 0),
    plain("firejail", &[], 0),
    plain(
        "bwrap",
        &["--bind", "--ro-bind", "--dev", "--proc", "--tmpfs", "--chdir", "--setenv"],
        0,
    ),
    plain("setpriv", &["--reuid", "--regid", "--groups"], 0),
    plain("prlimit", &["-p", "-o"], 0),
    plain("cpulimit", &["-l", "-p", "-e", "-P"], 0),
    plain("numactl", &["-m", "-N", "-C", "-i"], 0),
    plain("setarch", &[], 1),
    plain("linux64", &[], 0),
    plain("arch", &["-arch", "-e", "-d"], 0),
    plain("caffeinate", &["-t", "-w"], 0),
    plain("proxychains", &["-f"], 0),
    plain("proxychains4", &["-f"], 0),
    plain("torsocks", &["-a", "-u", "-p", "-P"], 0),
    plain("xvfb-run", &["-n", "-s", "-e", "-f", "-w"], 0),
    plain("dbus-run-session", &[], 0),
    plain("dbus-launch", &[], 0),
    plain("ssh-agent", &["-a", "-t", "-E"], 0),
    plain("chronic", &[], 0),
    plain("unbuffer", &[], 0),
    plain("ts", &[], 0),
    plain("tsp", &[], 0),
    plain("sem", &["-j", "--id"], 0),
    plain("retry", &["-t", "-d"], 0),
    plain("faketime", &["-f"], 1),
    plain("rlwrap", &["-f", "-H", "-p"], 0),
    with_text("entr", &[], 0, &["-s"]),
    plain("setuidgid", &[], 1),
    plain("chpst", &["-u", "-U", "-b", "-e", "-/", "-C", "-n", "-l", "-m"], 0),
    plain("softlimit", &["-m", "-t"], 0),
    plain("lvm", &[], 0),
    plain("aa-exec", &["-p", "-n", "--profile", "--namespace"], 0),
    plain("choom", &["-n", "-p", "--adjust"], 0),
    plain("uclampset", &["-m", "-M", "-p"], 0),
    plain("torify", &[], 0),
    plain("grc", &[], 0),
    plain("pexec", &[], 0),
    plain("coreutils", &[], 0),
    plain("busybox", &[], 0),
    plain("toybox", &[], 0),
    plain("rtk", &[], 0),
    plain("direnv", &[], 2),
    plain("dotenv", &["-f", "-e", "-c"], 0),
    plain("dotenvx", &["-f"], 1),
    plain("doppler", &["-p", "-c"], 1),
    plain("aws-vault", &[], 2),
    plain("op", &["--env-file"], 1),
    plain("mise", &[], 1),
    plain("asdf", &[], 1),
    plain("conda", &["-n", "-p"], 1),
    plain("bundle", &[], 1),
    plain("poetry", &["-C"], 1),
    plain("pipenv", &[], 1),
    plain("hatch", &["-e"], 1),
    plain("rye", &[], 1),
    plain("pdm", &[], 1),
    plain("concurrently", &["-n", "-c"], 0),
    plain("cross-env", &[], 0),
    plain("dotenv-cli", &["-e"], 0),
    plain("watchexec", &["-w", "-e", "-i", "-f"], 0),
    plain("gdbserver", &[], 1),
    plain("sshpass", &["-p", "-f", "-e"], 0),
    plain("runuser", &["-u", "-g", "-G"], 0),
    with_text("nix-shell", &["-p", "-A", "-I"], 99, &["--run", "--command"]),
    with_text("nodemon", &["-w", "-e", "--watch", "--ext"], 99, &["-x", "--exec"]),
    with_text("su", &["-s", "-g", "-G", "--shell", "--group"], 99, &["-c", "--command"]),
    with_text("sg", &[], 1, &["-c"]),
    with_text("capsh", &[], 99, &["-c"]),
    plain("cgexec", &["-g"], 0),
    plain("systemd-inhibit", &[], 0),
    plain("systemd-cat", &["-t", "-p"], 0),
    with_text("script", &["-E", "-o", "-T", "-I", "-O", "-B", "-m"], 99, &["-c", "--command"]),
];

/// Wrappers whose first operand says whether they run a command.
const RUN_WORDS: &[(&str, &[&str])] = &[
    ("bundle", &["exec"]),
    ("poetry", &["run"]),
    ("pipenv", &["run"]),
    ("hatch", &["run"]),
    ("rye", &["run"]),
    ("pdm", &["run"]),
    ("conda", &["run"]),
    ("mise", &["exec", "x"]),
    ("asdf", &["exec"]),
    ("direnv", &["exec"]),
    ("perf", &["stat", "record", "trace"]),
    ("op", &["run"]),
    ("doppler", &["run"]),
    ("aws-vault", &["exec"]),
    ("dotenvx", &["run"]),
];

pub(super) const COMMANDS: &[Command] = &[
    Command::code(words!("env"), env, [&["A=1 ls"], &[], &[""], &[]]),
    Command::code(words!("command"), command, [&["-v git"], &[], &[], &[]]),
    Command::code(words!("builtin"), builtin, [&["cd src"], &[], &[], &[]]),
    Command::code(words!("exec"), exec, [&["ls"], &[], &[], &[]]),
    Command::code(words!("time"), time, [&["ls"], &[], &[], &[]]),
    Command::code(words!("systemd-run"), systemd_run, [&[], &[], &["ls"], &[]]),
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

impl Wrapper {
    const fn examples(&self) -> Examples {
        let mut at = 0;
        while at < RUN_WORDS.len() {
            if same(RUN_WORDS[at].0, self.name) {
                return [&[], &["version"], &[], &[]];
            }
            at += 1;
        }
        match (self.runs, self.skipped) {
            (Runs::AsRoot, 0) => [&[], &["ls"], &["rm -rf /srv/data"], &[]],
            (Runs::AsRoot, _) => [&[], &["user ls"], &["user rm -rf /srv/data"], &[]],
            (Runs::Text, _) => [&["ls"], &[], &["'rm -rf /srv/data'"], &[]],
            (Runs::Words, 0) => [&[], &[], &["rm -rf /srv/data"], &[]],
            (Runs::Words, 1) => [&[], &[], &["1 rm -rf /srv/data"], &[]],
            (Runs::Words, _) => [
                &[],
                &[],
                &["-c 'rm -rf /srv/data' --run 'rm -rf /srv/data' -x 'rm -rf /srv/data'"],
                &[],
            ],
        }
    }
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
            walker.found(&crate::rules::secrets::SHOW, "strace -p");
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
    let mut at = first_operand(words, wrapper.valued);
    let first = words.get(at).map(|word| word.text.clone()).unwrap_or_default();
    if let Some((_, verbs)) = RUN_WORDS.iter().find(|(name, _)| *name == wrapper.name)
        && !verbs.contains(&first.as_str())
    {
        let shows = matches!(wrapper.name, "op" | "doppler" | "aws-vault")
            && matches!(
                first.as_str(),
                "read" | "item" | "document" | "inject" | "secrets" | "export"
            )
            && !has_word(words, &["--help", "list", "ls"]);
        let rule = if shows { &crate::rules::secrets::SHOW } else { &execution::COMMAND };
        walker.found(rule, wrapper.name);
        if super::packages::PUBLISH.contains(&first.as_str())
            && matches!(wrapper.name, "poetry" | "hatch" | "pdm" | "rye")
            && !has_word(words, &["--dry-run"])
        {
            walker.found(&crate::rules::infrastructure::PUBLISH, wrapper.name);
        }
        let removes = operands(words, wrapper.valued).iter().take(4).any(|word| {
            matches!(
                word.text.as_str(),
                "delete" | "destroy" | "purge" | "revoke" | "unset" | "reset"
            )
        });
        if removes && matches!(wrapper.name, "op" | "doppler" | "aws-vault") {
            walker.found(&crate::rules::infrastructure::CLOUD, wrapper.name);
        }
        if wrapper.name == "conda"
            && has_word(words, &["remove"])
            && has_word(words, &["env", "--all"])
        {
            walker.found(&crate::rules::files::DELETE_OUTSIDE, "conda env");
        }
        return Ok(Flow::unknown());
    }
    at += wrapper.skipped;
    // `timeout 5 -k`: options may follow the operands that are skipped; a `--` too.
    while words.get(at).is_some_and(|word| word.is_option())
        && wrapper.skipped > 0
        && at < words.len()
    {
        let known = wrapper.texts.iter().any(|text| words[at].text == *text);
        if known || words[at].text == "--" || wrapper.valued.is_empty() {
            at += 1;
            continue;
        }
        at += 1 + usize::from(wrapper.valued.contains(&words[at].text.as_str()));
    }
    if wrapper.runs == Runs::AsRoot {
        walker.found(&execution::PRIVILEGE, wrapper.name);
        if has(words, 'e', "edit") && at < words.len() && words[1].text.starts_with("-e") {
            for file in &words[at..] {
                walker.write(file);
            }
            return Ok(Flow::unknown());
        }
    }
    // `VAR=value` may stand before the command.
    while let Some(word) = words.get(at) {
        let Some((name, text)) = word.text.split_once('=') else { break };
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            break;
        }
        walker.environment(name, &Value { text: text.to_owned(), taint: word.taint })?;
        at += 1;
    }
    if at >= words.len() {
        if wrapper.skipped < 99 && wrapper.runs != Runs::AsRoot {
            walker.found(&execution::COMMAND, wrapper.name);
        }
        let shell = wrapper.name == "su"
            || (matches!(wrapper.name, "sudo" | "doas")
                && words
                    .iter()
                    .any(|word| matches!(word.text.as_str(), "-i" | "-s" | "--login" | "--shell")))
            || wrapper.name == "chroot";
        if shell {
            walker.found(&execution::ROOT_SHELL, wrapper.name);
            let text = io.stdin.text.clone();
            if !text.trim().is_empty() {
                return walker.payload(&text, wrapper.name, &Flow::default());
            }
        }
        return Ok(Flow::unknown());
    }
    let root = walker.as_root;
    walker.as_root |= wrapper.runs == Runs::AsRoot;
    let output = if wrapper.runs == Runs::Text {
        let texts: Vec<String> = if wrapper.name == "watch" {
            vec![joined(&words[at..])]
        } else {
            operands(words, wrapper.valued).iter().map(|word| word.text.clone()).collect()
        };
        let mut output = Flow::default();
        for text in texts {
            output = walker.payload(&text, wrapper.name, io.stdin)?;
        }
        output
    } else if words[at].text.contains(' ') && matches!(wrapper.name, "concurrently" | "watchexec") {
        let mut output = Flow::default();
        for word in &words[at..] {
            output = walker.payload(&word.text, wrapper.name, io.stdin)?;
        }
        output
    } else {
        // A bare shell of another user reads what nobody sees.
        let bare = words.len() == at + 1 && super::shells::is_shell(&words[at].text);
        if bare && wrapper.runs == Runs::AsRoot && io.stdin.text.is_empty() {
            walker.found(&execution::ROOT_SHELL, wrapper.name);
        }
        walker.run(&words[at..], io)?
    };
    walker.as_root = root;
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
        walker.found(&crate::rules::secrets::ENVIRONMENT, "env");
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

fn systemd_run(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    let valued = words!(
        "-u -p -E -H -M -t_ --unit --property --description --slice --setenv --on-calendar \
         --on-active --on-boot --working-directory --uid --gid --nice"
    );
    walker.found(&deferred::SCHEDULE, "systemd-run");
    walker.via.push("systemd-run".to_owned());
    let output = walker.run(&words[first_operand(words, valued).min(words.len())..], io);
    walker.via.pop();
    output
}
