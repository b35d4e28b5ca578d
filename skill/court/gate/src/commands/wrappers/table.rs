//! The table of wrappers: how to find the command within their words, and what those do that run none. Not here: what
//! the command does.

use super::super::entry::When::{All, Not, Operand, Test, Word};
use super::super::entry::{Case, Examples};
use super::super::words::{same, words};
use crate::rules::{files, infrastructure, secrets};

/// How to find the command within a wrapper's words.
pub(super) struct Wrapper {
    pub(super) name: &'static str,
    /// Options that take the next word.
    pub(super) valued: &'static [&'static str],
    /// Operands before the command.
    pub(super) skipped: usize,
    /// Options whose value is a text for a shell.
    pub(super) texts: &'static [&'static str],
    pub(super) runs: Runs,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Runs {
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

pub(super) const WRAPPERS: &[Wrapper] = &[
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
pub(super) const RUN_WORDS: &[(&str, &[&str])] = &[
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

/// What these do where they run no command, beside being a program: of each entry the first case that holds.
pub(super) const OTHER_VERBS: &[(&str, &[&[Case]])] = &[
    (
        "op doppler aws-vault",
        &[&[Case(
            All(&[
                Operand(1, "read item document inject secrets export"),
                Not(&Word("--help list ls")),
            ]),
            &secrets::SHOW,
        )]],
    ),
    (
        "poetry hatch pdm rye",
        &[&[Case(
            All(&[
                Test(|_, given| {
                    let verb = given.operands.first();
                    verb.is_some_and(|verb| {
                        super::super::packages::PUBLISH.contains(&verb.text.as_str())
                    })
                }),
                Not(&Word("--dry-run")),
            ]),
            &infrastructure::PUBLISH,
        )]],
    ),
    (
        "op doppler aws-vault",
        &[&[Case(Operand(4, "delete destroy purge revoke unset reset"), &infrastructure::CLOUD)]],
    ),
    ("conda", &[&[Case(All(&[Word("remove"), Word("env --all")]), &files::DELETE_OUTSIDE)]]),
];

impl Wrapper {
    pub(super) const fn examples(&self) -> Examples {
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
