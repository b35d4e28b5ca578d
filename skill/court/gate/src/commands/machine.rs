//! The machine itself: users, networks, modules, settings of the kernel. What is not known to read changes it.

use super::entry::When::{All, Always, Any, Not, Operand, Operands, Option, Test, Verbs, Word};
use super::entry::{Case, Command, Given, Gives, READS, Said};
use super::words::words;
use crate::rules::execution;
use crate::shell::Walker;

const VALUED: &[&str] = words!("-n -u -t -p --since --until -o -b");

/// A question for help.
const ASKS: &[Case] = &[Case(Word("--help --version"), READS)];

const ELSE: &[Case] = &[Case(Always, &execution::SYSTEM)];

pub(super) const COMMANDS: &[Command] = &[
    Command::cases(
        words!(
            "reboot shutdown halt poweroff init telinit useradd userdel usermod groupadd groupdel \
             adduser deluser chpasswd visudo chsh vipw insmod rmmod modprobe swapoff umount \
             setenforce dpkg-reconfigure kexec quotaoff gpasswd groupmod chage newusers chgpasswd vigr \
             update-grub update-grub2 grub-mkconfig grub-install dracut mkinitcpio update-initramfs"
        ),
        VALUED,
        &[ASKS, ELSE],
        [&["--version", "--help"], &[], &["", "x"], &[]],
    ),
    Command::cases(
        words!("passwd"),
        VALUED,
        &[ASKS, &[Case(Word("-S --status"), READS)], ELSE],
        [&["--version", "-S dev"], &[], &["", "dev"], &[]],
    ),
    Command::cases(
        words!("update-alternatives"),
        VALUED,
        &[ASKS, &[Case(Word("--list --display --query --get-selections"), READS)], ELSE],
        [&["--version", "--display editor"], &[], &["--set editor /usr/bin/vim"], &[]],
    ),
    Command::cases(
        words!("ldconfig"),
        VALUED,
        &[ASKS, &[Case(Word("-p --print-cache"), READS)], ELSE],
        [&["--version", "-p"], &[], &["", "/opt/lib"], &[]],
    ),
    Command::cases(
        words!("tc bpftool dmsetup csrutil"),
        VALUED,
        &[
            ASKS,
            &[Case(
                Verbs(
                    "qdisc|class|filter|actions|prog|map|link|net|btf|feature show|list|ls, \
                     ls|info|table|deps|version, status",
                ),
                READS,
            )],
            ELSE,
        ],
        [
            &["--version", "qdisc show", "prog list", "status", "table"],
            &[],
            &["qdisc del dev eth0 root", "remove x", "disable", ""],
            &[],
        ],
    ),
    // What the machine starts from, and whether it runs.
    Command::cases(
        words!("efibootmgr flashrom fwupdmgr fwupdtool ipmitool"),
        VALUED,
        &[
            ASKS,
            &[
                Case(
                    Word(
                        "-B -o -c -n -A -w --write -E --erase install* update* downgrade* reinstall* power mc raw user",
                    ),
                    &execution::SYSTEM,
                ),
                Case(Always, &execution::COMMAND),
            ],
        ],
        [
            &["--version"],
            &["-v", "get-devices", "sensor list"],
            &["-b 1 -B", "-w x.bin", "install-blob x.cab", "chassis power off"],
            &[],
        ],
    ),
    Command::cases(
        words!("resolvectl"),
        VALUED,
        &[
            ASKS,
            &[
                Case(
                    Verbs("dns|domain|dnssec|dnsovertls|default-route * *, revert"),
                    &execution::SYSTEM,
                ),
                Case(Always, &execution::COMMAND),
            ],
        ],
        [&["--version"], &["dns", "query a.example"], &["dns eth0 1.1.1.1", "revert eth0"], &[]],
    ),
    Command::cases(
        words!("pmset"),
        VALUED,
        &[ASKS, &[Case(Word("-g"), READS)], ELSE],
        [&["-g", "--version"], &[], &["-a sleep 0", ""], &[]],
    ),
    Command::cases(
        words!("auditctl tune2fs"),
        VALUED,
        &[ASKS, &[Case(Word("-l"), READS)], ELSE],
        [&["-l", "--version"], &[], &["-D", "-O x"], &[]],
    ),
    Command::cases(
        words!("doveadm debugfs"),
        VALUED,
        &[ASKS, ELSE],
        [&["--version"], &[], &["expunge x", "-w x"], &[]],
    ),
    Command::cases(
        words!("mount losetup"),
        VALUED,
        &[ASKS, &[Case(Not(&Operands(1)), READS)], ELSE],
        [&["", "-l", "--version"], &[], &["/dev/sdb1 /mnt", "-d /dev/loop0"], &[]],
    ),
    Command::cases(
        words!("hostnamectl timedatectl"),
        VALUED,
        &[ASKS, &[Case(Any(&[Not(&Operands(1)), Verbs("status|show|list")]), READS)], ELSE],
        [&["", "--version", "status"], &[], &["set-hostname x", "set-time 1"], &[]],
    ),
    Command::cases(
        words!("ufw"),
        VALUED,
        &[ASKS, &[Case(Verbs("status|show|list"), READS)], ELSE],
        [&["status", "--version"], &[], &["", "disable", "add x"], &[]],
    ),
    Command::cases(
        words!("firewall-cmd"),
        VALUED,
        &[
            ASKS,
            &[Case(Any(&[Verbs("status|show|list"), Word("--list-* --state --get-*")]), READS)],
            ELSE,
        ],
        [&["--state", "--list-all", "--version"], &[], &["", "--remove-port=22/tcp"], &[]],
    ),
    Command::cases(
        words!("ifconfig"),
        VALUED,
        &[ASKS, &[Case(Not(&Operands(2)), READS)], ELSE],
        [&["", "eth0", "--version"], &[], &["eth0 down"], &[]],
    ),
    Command::cases(
        words!("route"),
        VALUED,
        &[ASKS, &[Case(Any(&[Not(&Operands(1)), Verbs("show|get|print")]), READS)], ELSE],
        [&["", "-n", "print", "--version"], &[], &["add default", "flush"], &[]],
    ),
    Command::cases(
        words!("scutil"),
        VALUED,
        &[
            ASKS,
            &[Case(All(&[Word("--get --dns --proxy -r -w --nwi"), Not(&Word("--set"))]), READS)],
            ELSE,
        ],
        [&["--dns", "--version"], &[], &["--set HostName x", ""], &[]],
    ),
    Command::cases(
        words!("spctl"),
        VALUED,
        &[ASKS, &[Case(Word("--assess -a --status --disable-status"), READS)], ELSE],
        [&["--status", "--version"], &[], &["--master-disable", ""], &[]],
    ),
    // What was downloaded is no longer asked about.
    Command::cases(
        words!("xattr"),
        &[],
        &[&[
            Case(Test(lifts_quarantine), &execution::GUARD_OFF),
            Case(Always, &execution::COMMAND),
        ]],
        [
            &[],
            &["", "-l a", "-p com.apple.quarantine a", "-d com.apple.metadata a"],
            &["-d com.apple.quarantine a", "-dr com.apple.quarantine a", "-cr a", "-c a"],
            &[],
        ],
    ),
    Command::cases(
        words!("apparmor_parser"),
        VALUED,
        &[&[
            Case(Any(&[Option('R', "remove"), Option('C', "Complain")]), &execution::GUARD_OFF),
            Case(Always, &execution::COMMAND),
        ]],
        [&[], &["-Q a", "-r a"], &["-R a", "--remove a"], &[]],
    ),
    Command::cases(
        words!("aa-complain aa-disable aa-teardown"),
        &[],
        &[ASKS, &[Case(Always, &execution::GUARD_OFF)]],
        [&["--version"], &[], &["/usr/bin/a", ""], &[]],
    ),
    Command::cases(
        words!("semanage"),
        &[],
        &[&[
            Case(All(&[Verbs("permissive"), Word("-a --add")]), &execution::GUARD_OFF),
            Case(Always, &execution::COMMAND),
        ]],
        [&[], &["permissive -l", "port -l"], &["permissive -a httpd_t"], &[]],
    ),
    Command::cases(
        words!("dscl"),
        VALUED,
        &[
            ASKS,
            &[Case(
                Word("read readall list search diff -read -readall -list -search -diff"),
                READS,
            )],
            ELSE,
        ],
        [&[". -list /Users", "--version"], &[], &[". -delete /Users/x", ""], &[]],
    ),
    Command::cases(
        words!("ip"),
        VALUED,
        &[&[
            Case(Operand(99, "add del delete set flush replace change exec"), &execution::SYSTEM),
            Case(Always, READS),
        ]],
        [&["", "addr show", "--version"], &[], &["link set eth0 down", "route flush all"], &[]],
    ),
    Command::cases(
        words!("date"),
        &["-d", "-f", "-r"],
        &[&[
            Case(
                Any(&[Option('s', "set"), Operand(1, "0* 1* 2* 3* 4* 5* 6* 7* 8* 9*")]),
                &execution::SYSTEM,
            ),
            Case(Always, READS),
        ]],
        [
            &["", "+%F", "-d 2020-01-01", "-u"],
            &[],
            &["-s 2020-01-01", "--set=x", "010203042020"],
            &[],
        ],
    ),
    Command::said(
        words!("hostname"),
        Said::cases(
            &[],
            &[&[
                Case(
                    Any(&[Operands(1), Option('F', "file"), Option('b', "boot")]),
                    &execution::SYSTEM,
                ),
                Case(Always, READS),
            ]],
        )
        .gives(Gives::Machine),
        [&["", "-f", "-I", "--version"], &[], &["other", "-F x", "-b other"], &[]],
    ),
    // `-p` reads a file of settings and makes them.
    Command::cases(
        words!("sysctl"),
        &["-n", "-r"],
        &[&[
            Case(
                Any(&[Option('w', "write"), Word("-p* --load* --system"), Operand(99, "*=*")]),
                &execution::SYSTEM,
            ),
            Case(Always, READS),
        ]],
        [&["-a", "kernel.hostname"], &[], &["-w a=1", "a=1", "-p x.conf", "--system"], &[]],
    ),
    Command::cases(
        words!("iptables ip6tables nft"),
        VALUED,
        &[ASKS, &[Case(Any(&[Option('L', "list"), Option('S', ""), Verbs("list")]), READS)], ELSE],
        [&["-L -n", "list", "--version"], &[], &["-F", "flush ruleset", ""], &[]],
    ),
    Command::cases(
        words!("journalctl"),
        VALUED,
        &[&[Case(Word("--vacuum* --rotate --flush"), &execution::SYSTEM), Case(Always, READS)]],
        [&["", "-u web -n 20"], &[], &["--vacuum-time=1s", "--rotate"], &[]],
    ),
    Command::cases(
        words!("dmesg"),
        VALUED,
        &[&[
            Case(Any(&[Option('C', "clear"), Option('c', "read-clear")]), &execution::SYSTEM),
            Case(Always, READS),
        ]],
        [&["", "-T"], &[], &["-C", "--clear"], &[]],
    ),
    Command::cases(
        words!("defaults"),
        VALUED,
        &[ASKS, &[Case(Operand(2, "read* domains find help"), READS)], ELSE],
        [&["read com.apple.dock", "--version"], &[], &["write a b c", "delete a", ""], &[]],
    ),
    Command::cases(
        words!("fuser"),
        VALUED,
        &[&[
            // What listens at one port of one's own.
            Case(
                All(&[Option('k', "kill"), Test(one_port), Not(&Operands(2))]),
                &execution::PROCESS,
            ),
            Case(Option('k', "kill"), &execution::SYSTEM),
            Case(Always, READS),
        ]],
        [&["", "8080/tcp"], &["-k 8080/tcp"], &["-k 22/tcp", "-k -m /srv"], &[]],
    ),
];

/// The mark of a download is taken away, or all marks are.
fn lifts_quarantine(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    let letter = |letter: char| {
        given.words[1..].iter().any(|word| word.is_option() && word.text.contains(letter))
    };
    let marked = given.words.iter().any(|word| word.text == "com.apple.quarantine");
    letter('c') || (letter('d') || letter('w')) && marked
}

/// A port is named that every user may open: `3000/tcp`.
fn one_port(_walker: &Walker<'_>, given: &Given<'_>) -> bool {
    given.operands.first().is_some_and(|port| {
        let (number, kind) = port.text.split_once('/').unwrap_or_default();
        number.parse::<u16>().is_ok_and(|number| number >= 1024) && matches!(kind, "tcp" | "udp")
    })
}
