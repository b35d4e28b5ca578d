//! Processes, services, users, schedules, and the machine itself.

use super::Walker;
use super::entry::Command;
use super::options::{has, has_word, operands};
use super::words::words;
use crate::rules::{deferred, execution};
use crate::shell::{Field, Flow, Io, Step};

pub(super) const COMMANDS: &[Command] = &[
    Command::code(words!("crontab incrontab fcrontab"), crontab, [&["-l"], &[], &["file"], &[]]),
    Command::code(
        words!("at batch anacron schtasks schtasks.exe"),
        at,
        [&["-l"], &[], &["now"], &[]],
    ),
    Command::code(
        words!(
            "systemctl service launchctl rc-service initctl sv supervisorctl pm2 loginctl \
             update-rc.d chkconfig"
        ),
        service,
        [&[], &["status"], &["stop web"], &[]],
    ),
    Command::code(
        words!("tmutil networksetup profiles hdiutil systemsetup"),
        apple,
        [&[], &["list"], &["delete x"], &[]],
    ),
    Command::code(words!("nginx haproxy apachectl"), server, [&[], &["-t"], &["-s stop"], &[]]),
    Command::code(
        words!(
            "reboot shutdown halt poweroff init telinit useradd userdel usermod groupadd groupdel \
             adduser deluser passwd chpasswd visudo chsh vipw insmod rmmod modprobe swapoff \
             setenforce dpkg-reconfigure update-alternatives ldconfig kexec tc csrutil pmset \
             auditctl dmsetup quotaoff tune2fs bpftool doveadm debugfs"
        ),
        machine,
        [&["--version"], &[], &["", "add x"], &[]],
    ),
    Command::code(
        words!("iptables ip6tables nft ufw firewall-cmd umount defaults spctl dscl scutil"),
        machine,
        [&[], &[], &["", "--version", "add x"], &[]],
    ),
    Command::code(
        words!("mount hostnamectl timedatectl ip ifconfig route losetup"),
        machine,
        [&["", "--version"], &[], &["add x"], &[]],
    ),
    Command::code(
        words!("sysctl journalctl dmesg fuser"),
        machine,
        [&["", "--version", "add x"], &[], &[], &[]],
    ),
];

fn crontab(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    if has(words, 'l', "") {
        return Ok(Flow::default());
    }
    walker.found(&deferred::SCHEDULE, "crontab");
    for line in io.stdin.text.lines().take(32) {
        let fields = if line.trim_start().starts_with('@') { 1 } else { 5 };
        let command = line.split_whitespace().skip(fields).collect::<Vec<_>>().join(" ");
        if !command.is_empty() {
            walker.payload(&command, "crontab", &Flow::unknown())?;
        }
    }
    Ok(Flow::default())
}

fn at(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    if has(words, 'l', "") || words.iter().any(|word| word.text.eq_ignore_ascii_case("/query")) {
        return Ok(Flow::default());
    }
    walker.found(&deferred::SCHEDULE, &words[0].text.clone());
    let text = io.stdin.text.clone();
    if !text.trim().is_empty() {
        walker.payload(&text, "at", &Flow::unknown())?;
    }
    Ok(Flow::default())
}

/// macOS's own programs: by what their verbs begin with.
fn apple(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    const ACTS: &[&str] =
        &["delete", "remove", "erase", "disable", "set", "restore", "install", "resize", "convert"];
    let acts = words[1..].iter().take(2).any(|word| {
        let verb = word.text.trim_start_matches('-');
        ACTS.iter().any(|act| verb.starts_with(act))
    });
    walker.found(
        if acts { &execution::SYSTEM } else { &execution::COMMAND },
        &super::options::joined(words),
    );
    Ok(Flow::unknown())
}

/// `nginx -s stop` and the like.
fn server(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let stops = words
        .windows(2)
        .any(|pair| pair[0].text == "-s" && matches!(pair[1].text.as_str(), "stop" | "quit"))
        || words[1..].iter().any(|word| matches!(word.text.as_str(), "-sf" | "-st"));
    walker.found(
        if stops { &execution::SYSTEM } else { &execution::COMMAND },
        &super::options::joined(words),
    );
    Ok(Flow::unknown())
}

fn service(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let reads = words!(
        "status list-units list-unit-files show is-active is-enabled cat list ls print \
         list-timers logs list-jobs info describe --version is-failed jlist monit print-cache \
         print-disabled blame plist procinfo hostinfo resolveport dumpstate dumpjpcategory \
         managerpid manageruid managername error variant version help getenv examine \
         get-default --status-all list-dependencies"
    );
    let reads_only = has_word(words, reads) || words.len() == 1;
    walker.found(
        if reads_only { &execution::COMMAND } else { &execution::SYSTEM },
        &super::options::joined(words),
    );
    Ok(Flow::unknown())
}

fn machine(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let name = crate::path::name(&words[0].text).to_owned();
    let rest: Vec<String> =
        operands(words, &["-n", "-u", "-t", "-p", "--since", "--until", "-o", "-b"])
            .iter()
            .map(|word| word.text.clone())
            .collect();
    let reads = match name.as_str() {
        "ifconfig" if rest.len() < 2 => true,
        "route" if rest.iter().all(|word| matches!(word.as_str(), "show" | "get" | "print")) => {
            true
        }
        "scutil" => {
            words[1..].iter().any(|word| {
                matches!(word.text.as_str(), "--get" | "--dns" | "--proxy" | "-r" | "-w" | "--nwi")
            }) && !has_word(words, &["--set"])
        }
        "spctl" => has_word(words, &["--assess", "-a", "--status", "--disable-status"]),
        "dscl" => words[1..].iter().any(|word| {
            let verb = word.text.trim_start_matches('-');
            matches!(verb, "read" | "readall" | "list" | "search" | "diff")
        }),
        "mount" | "umount" | "route" | "ifconfig" | "hostnamectl" | "timedatectl" | "losetup"
            if rest.is_empty() =>
        {
            name != "umount"
        }
        "ip" => !rest.iter().any(|word| {
            matches!(
                word.as_str(),
                "add" | "del" | "delete" | "set" | "flush" | "replace" | "change" | "exec"
            )
        }),
        "sysctl" => !has(words, 'w', "write") && !rest.iter().any(|word| word.contains('=')),
        "iptables" | "ip6tables" | "nft" => {
            has(words, 'L', "list")
                || has(words, 'S', "")
                || rest.first().is_some_and(|word| word == "list")
        }
        "journalctl" => !words.iter().any(|word| {
            word.text.starts_with("--vacuum") || word.text == "--rotate" || word.text == "--flush"
        }),
        "dmesg" => !(has(words, 'C', "clear") || has(words, 'c', "read-clear")),
        "defaults" => rest.iter().take(2).any(|word| {
            word.starts_with("read") || matches!(word.as_str(), "domains" | "find" | "help")
        }),
        "fuser" => !has(words, 'k', "kill"),
        "timedatectl" | "hostnamectl" | "ufw" | "firewall-cmd" => {
            rest.first().is_some_and(|word| matches!(word.as_str(), "status" | "show" | "list"))
        }
        _ => has_word(words, &["--help", "--version"]),
    };
    if !reads {
        walker.found(&execution::SYSTEM, &super::options::joined(words));
    }
    Ok(Flow::unknown())
}
