//! Programs of which there is nothing more to say than that they only read, or that they are ordinary work.

use super::entry::{Command, Gives, Said};
use super::words::words;

pub(super) const COMMANDS: &[Command] = &[
    Command::said(
        words!(": true false"),
        Said::cases(&[], &[]).gives(Gives::Nothing),
        [&["README.md", ""], &[], &[], &[]],
    ),
    // They only read, whatever their options say. What they read is checked for secrets.
    Command::reads(
        words!(
            "dir vdir date whoami id groups uname nproc uptime who w tty stat file du df \
             tree whereis wc md5sum sha1sum sha256sum sha512sum b2sum cksum sum cmp diff \
             diff3 comm join paste column fold fmt expand unexpand od hexdump grep egrep \
             fgrep zgrep rgrep ag ack expr factor numfmt cal locale getconf hostname \
             free vmstat lscpu lsblk top htop pstree ss netstat sleep times jobs getopts \
             shift return exit break continue pr tsort shuf nm objdump readelf size ldd \
             otool whatis help tput clear reset stty cloc tokei scc exa eza lsd delta \
             difft colordiff shellcheck hadolint yamllint actionlint lsb_release sw_vers \
             ulimit umask tldr look lsmod lspci lsusb dmidecode arp getent sha224sum \
             sha384sum popd dirs logname users last xmllint csvlook bc"
        ),
        [&["README.md", "--version"], &[], &[], &[]],
    ),
    // Ordinary work whose arguments are never commands.
    Command::runs(
        words!(
            "rustc rustfmt gcc g++ cc c++ clang clang++ ld ar as tsc eslint prettier \
             biome cypress webpack vite rollup esbuild next nuxt astro ruff black isort \
             mypy flake8 pylint pyright coverage javac kotlinc scalac swiftc protoc buf \
             sqlc mkdocs sphinx-build pandoc convert ffmpeg dot pdflatex golangci-lint \
             gofmt staticcheck rspec rubocop phpunit stylelint traceroute whois open \
             xdg-open pbcopy gzip bzip2 xz zstd say notify-send"
        ),
        [&[], &["--version", "src/a.x rm -rf /"], &[], &[]],
    ),
];
