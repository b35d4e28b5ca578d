//! What is hostile is judged in bounded work, and never passes silently.

use gate::{BYTES_MAX, Level, Outcome};
use proptest::prelude::*;

mod shell;

fn judge(command: &str) -> gate::Judgement {
    shell::judge(command, &gate::NoDisk)
}

/// What is over a limit says so and is L2.
fn refused(command: &str) {
    let judgement = judge(command);
    let start: String = command.chars().take(40).collect();
    assert!(judgement.level >= Level::L2, "{start}: {:?}", judgement.level);
    let Outcome::CouldNotJudge { reason } = judgement.outcome else { panic!("{start}: judged") };
    assert!(!reason.is_empty());
}

#[test]
fn a_command_over_a_limit_is_never_passed() {
    refused(&format!("echo {}", "a".repeat(BYTES_MAX)));
    refused(&format!("{}true{}", "( ".repeat(200), " )".repeat(200)));
    refused(&format!("{}true{}", "{ ".repeat(200), "; }".repeat(200)));
    refused(&format!("echo {}a{}", "$(echo ".repeat(200), ")".repeat(200)));
    refused(&format!("echo {}a{}", "\"$(echo ".repeat(200), ")\"".repeat(200)));
    refused(&format!("echo {}a{}", "${a:-".repeat(200), "}".repeat(200)));
    refused(&format!("{}true{}", "if true; then ".repeat(200), "; fi".repeat(200)));
    refused(&format!("{}true{}", "case a in a) ".repeat(200), ";; esac".repeat(200)));
    refused(&format!("{}true", "eval ".repeat(200)));
    refused(&format!("{}true", "sudo ".repeat(2_000)));
    refused(&"true;".repeat(12_000));
    refused(&"true|".repeat(12_000));
    refused(&"$(".repeat(30_000));
    refused(&"(".repeat(60_000));
    refused(&"((".repeat(30_000));
    refused(&"`".repeat(59_999));
    refused(&"${".repeat(30_000));
    refused(&"[[ ".repeat(20_000));
    refused(&"<(".repeat(30_000));
    refused(&"f() ".repeat(15_000));
    refused(&"coproc ".repeat(9_000));
    refused(&"if ".repeat(20_000));
    refused(&"'".repeat(59_999));
}

#[test]
fn work_stays_bounded_where_texts_grow() {
    let doubling: String =
        (0..60).map(|index| format!("a{}=$a{index}$a{index};", index + 1)).collect();
    judge(&format!("a0=xxxxxxxx;{doubling}echo $a60"));
    judge(&format!("echo {}", "{a,b}".repeat(40)));
    judge(&format!("echo {}", "{".repeat(60_000)));
    judge(&format!("echo {}", "{1..99999999}".repeat(10)));
    judge(&format!("x={}; echo ${{x##*{}}}", "a".repeat(30_000), "a*".repeat(50)));
    judge(&format!("x={}; echo ${{x//a/{}}}", "a".repeat(30_000), "b".repeat(1_000)));
    judge(&format!("printf '%s' {}", "a ".repeat(30_000)));
    judge(&format!(
        "for a in {0}; do for b in {0}; do for c in {0}; do echo $a$b$c; done; done; done",
        "x ".repeat(200)
    ));
    judge(&"f() { f; f; }; f; ".repeat(50));
    judge(&"a=(".repeat(15_000));
    judge(&format!("rm {}", "-r ".repeat(20_000)));
    judge(&format!("python3 -c '{}'", "os.system(\"rm -rf /\");".repeat(2_000)));
    judge(&format!("awk '{}'", "system(\"sh -c x\")".repeat(2_000)));
    judge(&format!("echo {} | tr a-z b-y | rev | base64 -d | sh", "abc".repeat(15_000)));
    judge(&format!("ls {}", "*".repeat(60_000)));
    judge(&format!("{} ls", "env -S ".repeat(5_000)));
    judge(&format!("sed '{}'", "s/a/b/;".repeat(8_000)));
}

#[test]
fn nothing_and_blanks_are_nothing() {
    for command in ["", " ", "\n\n", "# only a comment", "\\\n"] {
        assert_eq!(judge(command).level, Level::L0, "{command:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_judged(command in "\\PC{0,200}") {
        judge(&command);
    }

    #[test]
    fn any_shell_like_text_is_judged(command in "[a-z0-9$(){}<>|&;\"'`\\\\*?~/ =!\\[\\]#\n-]{0,120}") {
        let judgement = judge(&command);
        let judged = judgement.outcome == Outcome::Judged;
        prop_assert!(judged || judgement.level >= Level::L2);
    }

    #[test]
    fn what_is_appended_never_lowers_the_level(tail in "[a-z ]{0,20}") {
        let command = format!("rm -rf ~/docs; echo {tail}");
        prop_assert!(judge(&command).level >= Level::L2);
    }
}

/// What is only known when it runs is of one character that has several bytes.
#[test]
fn a_word_that_is_not_known_is_no_panic() {
    for command in [
        "npm exec $x",
        "npx $x",
        "uvx $x",
        "bunx é",
        "pnpm dlx $x",
        "go install $x",
        "cargo install $x",
    ] {
        judge(command);
    }
}

/// A command that ends too early is judged like any other: no option is missed by a slice.
#[test]
fn commands_without_their_operands_are_judged() {
    let programs = [
        "java",
        "git",
        "docker",
        "kubectl",
        "xargs",
        "parallel",
        "find",
        "sudo",
        "env",
        "timeout",
        "python3",
        "perl",
        "node",
        "psql",
        "curl",
        "wget",
        "tar",
        "chmod",
        "setfacl",
        "dd",
        "mkfs.ext4",
        "dc",
        "bq",
        "gh",
        "aws",
        "brew",
        "npm",
        "claude",
        "fzf",
        "taskkill",
        "format",
        "certutil",
        "pwsh",
        "C:/x/git.exe",
        "GIT.EXE",
        "hash",
        "declare",
        "read",
        "mapfile",
        "exec",
        "lvm",
        "arch",
        "tmutil",
        "nginx",
        "rsync",
        "patch",
        "strip",
        "http",
        "ssh",
        "unknown-tool",
        "delete-tool",
        "make",
        "time",
        "command",
        "coproc",
    ];
    let ends = [
        "",
        "-",
        "--",
        "-c",
        "-e",
        "-i",
        "-I",
        "-u",
        "-n",
        "-p",
        "-jar",
        "-x",
        "-C",
        "-exec",
        "-delete",
        "--help",
        "--exec",
        "--command=",
        "--reference",
        "-cI",
        "run",
        "exec",
        "delete",
        ":::",
        "DELETE",
        "athena",
        "|",
        ">",
    ];
    for program in programs {
        for end in ends {
            for command in [format!("{program} {end}"), format!("echo x | {program} {end}")] {
                let judgement = judge(&command);
                let judged = judgement.outcome == Outcome::Judged;
                assert!(judged || judgement.level >= Level::L2, "{command:?}");
            }
        }
    }
}
