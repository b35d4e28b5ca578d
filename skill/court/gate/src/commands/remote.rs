//! Execution on other machines, and copies to them.

use super::acts::{Act, Also, Pick};
use super::entry::When::{self, All, Always, Any, Not, Operands, Test, Verbs, Word};
use super::entry::{Case, Command, Given, READS, Said, lists};
use super::files::is_remote;
use super::hosts::is_local;
use super::options::{first_operand, values};
use super::words::words;
use crate::judgement::{Extent, Finding};
use crate::rules::{execution, network, secrets};
use crate::shell::{Field, Flow, Io, Step, Taint, UNKNOWN, Walker};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(
        words!("ssh mosh autossh rsh slogin"),
        ssh,
        [&[], &["host ls"], &["host rm -rf /srv"], &[]],
    ),
    Command::said(
        words!("scp rcp"),
        Said::cases(COPIES, &[COPY]).also(COPIED),
        [
            &[""],
            &["host:b a"],
            &["a host:b", "host:b /etc/x", "-o ProxyCommand='rm -rf /srv' host:b a"],
            &[".env host:b"],
        ],
    ),
    // These take lines of commands, too.
    Command::said(
        words!("sftp ftp lftp smbclient"),
        Said::cases(
            COPIES,
            &[
                &[
                    Case(Test(gives_secret_by_line), &secrets::EXFILTRATE),
                    Case(Test(changes_by_line), &network::SEND),
                    Case(Test(looks_by_line), &network::FETCH),
                ],
                COPY,
            ],
        )
        .also(COPIED),
        [
            &[""],
            &["host:b a", "host <<< 'get a'"],
            &["a host:b", "host <<< 'rm /a'", "-o ProxyCommand='rm -rf /srv' host:b a", "host"],
            &[".env host:b", "host <<< 'put .env'"],
        ],
    ),
    // Two programs have this name: one deploys, the other builds apps.
    Command::cases(
        words!("cap"),
        &[],
        &[
            ASKS,
            &[
                Case(
                    Verbs(
                        "sync|copy|open|run|add|build|update|migrate ios|android|web|electron|@*, \
                         doctor|ls|init|config|plugin:generate",
                    ),
                    &execution::COMMAND,
                ),
                Case(Always, &network::REMOTE),
            ],
        ],
        [
            &["--version"],
            &["sync ios", "doctor", "ls"],
            &["production deploy", "staging deploy:rollback"],
            &[],
        ],
    ),
    Command::said(
        words!("ansible"),
        Said::cases(AD_HOC, &[ASKS])
            .also(&[Also(All(&[Operands(1), Not(&ASKED)]), Act::Calls(ad_hoc))]),
        [
            &["--version", "all --list-hosts", "-h"],
            &["all -m ping", "web -i inventory -m ansible.builtin.setup", "web -a uptime"],
            &["all -a x", "web -m shell -a 'rm -rf /srv/data'", "all -m file -a state=absent"],
            &[],
        ],
    ),
    Command::cases(
        words!(
            "ansible-playbook ansible-pull fab pssh pdsh dsh clush mpssh parallel-ssh rust-parallel-ssh \
             dancer orgalorg salt bolt knife capistrano ssh-copy-id salt-key salt-run salt-ssh \
             chef-client"
        ),
        &[],
        &[ASKS, &[Case(Always, &network::REMOTE)]],
        [
            &["--version", "--list", "-h", "all --list-hosts"],
            &[],
            &["all -a x", "deploy", "-w a halt -h now"],
            &[],
        ],
    ),
];

/// Nothing is done: it is listed, checked or explained.
const ASKED: When = Any(&[
    Word("--version --list-hosts --list-tasks --list-tags --syntax-check --help --check -C --list"),
    All(&[Word("-h"), Not(&Operands(1))]),
]);
const ASKS: &[Case] = &[Case(ASKED, READS)];

/// Options of one module on many machines that take the next word.
const AD_HOC: &[&str] = words!(
    "-i -m -a -u -e -f -l -c -t -T -B -P --inventory --module-name --args --user --limit --forks \
     --extra-vars --become-user --private-key --key-file --connection --timeout --tree"
);

/// Modules that only look.
const LOOKING: &str =
    "ping win_ping setup gather_facts debug stat service_facts package_facts assert find getent";

/// Options of copies that take the next word.
const COPIES: &[&str] = words!("-c -D -F -i -J -l -o -P -S -X -b -e -u");

const COPY: &[Case] = &[
    Case(Test(to_here), &network::FETCH),
    Case(Test(gives_secret), &secrets::EXFILTRATE),
    Case(Operands(1), &network::SEND),
];

const COPIED: &[Also] = &[
    Also(Always, Act::Calls(executed_here)),
    Also(Always, Act::Reads(Pick::From(0))),
    Also(Test(to_here), Act::Fetched(Pick::Last)),
];

const SSH: &[&str] = words!("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B");

/// Options of a connection that run a program here.
fn local_programs(walker: &mut Walker<'_>, words: &[Field]) -> Step {
    for word in words {
        let lower = word.text.to_ascii_lowercase();
        for key in ["proxycommand", "localcommand", "knownhostscommand"] {
            if let Some(at) = lower.find(key) {
                let text = word
                    .text
                    .get(at + key.len()..)
                    .unwrap_or_default()
                    .trim_start_matches(['=', ' '])
                    .to_owned();
                walker.payload(&text, key, &Flow::unknown())?;
            }
        }
    }
    Ok(())
}

impl Walker<'_> {
    /// Whether a command is a shell, or becomes one: what it then reads is not seen.
    pub(super) fn opens_shell(&self, text: &str) -> bool {
        text.split_whitespace()
            .find(|word| !matches!(*word, "exec" | "env" | "sudo"))
            .is_some_and(|word| super::shells::is_shell(word) && !text.contains(" -c"))
    }
}

fn ssh(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    local_programs(walker, words)?;
    if words.iter().any(|word| {
        matches!(word.text.as_str(), "-V" | "-G" | "-Q" | "--help" | "--version" | "-h")
    }) {
        return Ok(Flow::unknown());
    }
    let at = first_operand(words, SSH);
    let what = words.get(at).map_or("", |word| &word.text).to_owned();
    if what.starts_with("git@") && at + 1 >= words.len() && io.stdin.text.is_empty() {
        // A code host runs no shell: it only says who one is.
        walker.found(&network::FETCH, &what);
        return Ok(Flow::unknown());
    }
    // What is executed there is judged as if it were here: it can only raise the level.
    let text = if at + 1 < words.len() {
        super::options::joined(&words[at + 1..])
    } else {
        io.stdin.text.replace(UNKNOWN, "")
    };
    let before = walker.findings.len();
    if !text.trim().is_empty() {
        let scope = walker.scope();
        walker.payload(&text, "ssh", &Flow::default())?;
        walker.restore(scope);
    }
    // A look at another machine is no more than a look at this one.
    let only_forwards = at + 1 >= words.len() && forwards(&words[..at.min(words.len())]);
    let new = &walker.findings[before.min(walker.findings.len())..];
    // Who asks a database is often another user there.
    let asks = new.iter().any(|found| found.rule.id == "database.query");
    let quiet =
        new.iter().all(|found| looks(found) || asks && found.rule.id == "command.privilege");
    let only_reads = quiet
        && at + 1 < words.len()
        && !text.contains(UNKNOWN)
        && !walker.opens_shell(&text)
        && io.stdin.text.is_empty()
        && !words[..at].iter().any(|word| {
            word.text.starts_with("-R") || word.text.starts_with("-D") || word.text == "-A"
        });
    let rule = if io.stdin.taint.secret {
        &secrets::EXFILTRATE
    } else if only_reads || only_forwards && io.stdin.text.is_empty() {
        &network::LOOK
    } else {
        &network::REMOTE
    };
    walker.found(rule, &what);
    Ok(Flow { text: UNKNOWN.to_string(), taint: Taint { network: true, ..Taint::default() } })
}

/// What is found where a command only looks: at services, and at what they answer there.
fn looks(found: &Finding) -> bool {
    let program = found.what.split(' ').next().unwrap_or_default();
    match found.rule.id {
        "network.fetch" => !found.what.contains("://") || is_local(&found.what),
        "database.query" => true,
        "command.other" => lists("systemctl service supervisorctl kubectl pm2", program),
        _ => false,
    }
}

/// `-N -L 5433:localhost:5432`: a port of this machine, for this machine alone, leads there.
fn forwards(options: &[Field]) -> bool {
    let has = |letter: char| {
        options.iter().any(|word| word.is_option() && word.text[1..].starts_with(letter))
    };
    let mut ports = values(options, &["-L"]).peekable();
    let near = |port: &str| {
        let first = port.split(':').next().unwrap_or_default();
        first.parse::<u16>().is_ok() || matches!(first, "localhost" | "127.0.0.1")
    };
    ports.peek().is_some()
        && ports.all(near)
        && options.iter().any(|word| {
            word.text.strip_prefix('-').is_some_and(|letters| {
                letters.contains('N') && letters.bytes().all(|each| each.is_ascii_alphabetic())
            })
        })
        && !['R', 'D', 'A', 'g', 'w', 'o'].into_iter().any(has)
}

/// One module on many machines: by its name, or by the command that it is given, as with `ssh`.
fn ad_hoc(walker: &mut Walker<'_>, given: &Given<'_>, _io: &Io<'_>) -> Step<Flow> {
    let module = values(given.words, &["-m", "--module-name"]).next().unwrap_or("command");
    let module = module.rsplit('.').next().unwrap_or_default().to_owned();
    let text = values(given.words, &["-a", "--args"]).next().unwrap_or_default().to_owned();
    let mut looks = lists(LOOKING, &module);
    if lists("command shell raw", &module) && !text.trim().is_empty() {
        let before = walker.findings.len();
        let scope = walker.scope();
        walker.payload(&text, "ansible", &Flow::default())?;
        walker.restore(scope);
        let quiet = walker.findings.len() == before;
        looks = quiet && !text.contains(UNKNOWN) && !walker.opens_shell(&text);
    }
    walker.found(if looks { &network::LOOK } else { &network::REMOTE }, &given.told());
    Ok(Flow::unknown())
}

/// The last of several words is on this machine.
fn to_here(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.operands.len() > 1 && given.operands.last().is_some_and(|to| !is_remote(&to.text))
}

fn gives_secret(walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let mut files = given.operands.iter().filter(|word| !is_remote(&word.text));
    files.any(|file| walker.holds_secret(&file.text))
}

/// What the programs that take lines of commands are told by them: by options of lftp, and by the input.
fn lines(given: &Given<'_>) -> Vec<String> {
    let told =
        values(given.words, &["-e", "-c"]).filter(|_| lists("lftp smbclient", given.program()));
    let lines = told.chain([given.input.text.as_str()]).flat_map(|text| text.split([';', '\n']));
    let plain = |line: &str| line.trim().trim_matches(['\'', '"']).to_owned();
    lines.map(plain).filter(|line| !line.is_empty()).take(64).collect()
}

/// A line that deletes, overwrites or puts something there.
fn changes_by_line(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    lines(given).iter().any(|line| {
        let mut words =
            line.split_whitespace().skip_while(|word| lists("glob queue repeat -* 1", word));
        match words.next().unwrap_or_default() {
            "mirror" => words.any(|word| {
                word == "--reverse"
                    || word.starts_with('-') && !word.starts_with("--") && word.contains('R')
            }),
            verb => lists(
                "rm mrm rmdir del delete mdel mdelete mv rename put mput send append reput chmod \
                 chown ln symlink site quote",
                verb,
            ),
        }
    })
}

/// Lines that do nothing but look and fetch.
fn looks_by_line(walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let lines = lines(given);
    let looks = |line: &String| {
        let verb = line.split_whitespace().next().unwrap_or_default();
        lists(
            "ls dir cls nlist rels cd lcd pwd lpwd get mget pget reget cat zcat more du find df open \
             user login set bye quit exit close help version passive binary ascii prompt mirror glob \
             stat hash progress",
            verb,
        )
    };
    !lines.is_empty() && lines.iter().all(looks) && !changes_by_line(walker, given)
}

/// A line that puts a secret there.
fn gives_secret_by_line(walker: &Walker<'_>, given: &Given<'_>) -> bool {
    lines(given).iter().any(|line| {
        let mut words = line.split_whitespace();
        words.next().is_some_and(|verb| lists("put mput send append reput", verb))
            && words.any(|file| walker.holds_secret(file))
    })
}

/// What is executed here: by options, and by lines that begin with `!`.
fn executed_here(walker: &mut Walker<'_>, given: &Given<'_>, _io: &Io<'_>) -> Step<Flow> {
    local_programs(walker, given.words)?;
    for line in lines(given) {
        let mut words = line.split_whitespace();
        if words.next().is_some_and(|verb| lists("get pget reget mget", verb)) {
            for file in words.filter(|word| !word.starts_with('-')) {
                walker.brought(crate::path::name(file), Extent::File);
            }
        }
    }
    for line in given.input.text.lines().take(64) {
        if let Some(text) = line.trim_start().strip_prefix('!') {
            walker.payload(text, "!", &Flow::unknown())?;
        }
    }
    Ok(Flow::default())
}
