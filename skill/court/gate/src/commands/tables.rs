//! Lists of names and words that several commands ask for. Not here: what each program does (see `registry`).

use super::words::words;
use crate::shell::Field;

/// Only read, whatever their options say. What they read is checked for secrets.
pub(super) const READ_ONLY: &[&str] = words!(
    "dir vdir groups uname nproc uptime w tty stat file du df \
     tree whereis wc md5sum sha1sum sha256sum sha512sum b2sum cksum sum cmp diff \
     diff3 comm join paste column fold fmt expand unexpand od hexdump \
     zgrep rgrep ag ack expr factor numfmt cal locale getconf \
     free vmstat lscpu lsblk top htop pstree ss netstat sleep times jobs getopts \
     shift return exit break continue pr tsort shuf nm objdump readelf size ldd \
     otool whatis help tput clear reset stty cloc tokei scc exa eza lsd delta \
     difft colordiff shellcheck hadolint yamllint actionlint lsb_release sw_vers \
     ulimit umask tldr look lsmod lspci lsusb dmidecode arp getent sha224sum \
     sha384sum popd dirs last xmllint csvlook bc"
);

/// Ordinary work whose arguments are never commands.
pub(super) const ORDINARY: &[&str] = words!(
    "rustc rustfmt gcc g++ cc c++ clang clang++ ld ar as tsc eslint prettier \
     biome cypress webpack vite rollup esbuild next nuxt astro ruff black isort \
     mypy flake8 pylint pyright coverage javac kotlinc scalac swiftc protoc buf \
     sqlc mkdocs sphinx-build pandoc convert ffmpeg dot golangci-lint \
     gofmt staticcheck rspec rubocop phpunit stylelint traceroute whois open \
     xdg-open pbcopy gzip bzip2 xz zstd say notify-send"
);

/// Take text, not paths: what stands in their arguments is not touched.
pub(super) const TAKES_TEXT: &[&str] = words!(
    "cp install openssl echo printf ls stat test [ touch mkdir rmdir rm find chmod chown cd \
     pushd basename dirname realpath readlink which type command export alias unset expr git \
     gh sudo doas env xargs tee trap true false : seq sleep kill pkill pgrep ps du df file \
     source . eval bash sh zsh dash docker podman nohup timeout time nice mktemp ln mv unlink \
     read set declare local readonly typeset exit return tree let [["
);

/// Take a pattern or a program first, then paths.
pub(super) const PATTERN_FIRST: &[&str] =
    words!("grep egrep fgrep zgrep rgrep rg ag ack sed awk gawk mawk jq yq perl");

/// Print code for a shell's start when they are asked for it.
pub(super) const SETS_UP: &[&str] = words!(
    "direnv brew starship rbenv pyenv nodenv fnm opam conda zoxide mise kubectl helm gh \
     docker rustup npm pip poetry uv cargo"
);

/// Verbs that destroy, whatever the program is.
pub(super) const DESTROY_VERBS: &[&str] = words!(
    "destroy wipe nuke purge erase undefine obliterate terminate decommission teardown \
     truncate shutdown drop dropdb poweroff factory-reset wipeall flushall deleteall \
     delete-all removeall zap selfdestruct self-destruct"
);

/// Verbs that remove: with force, or of something that a noun names.
pub(super) const REMOVE_VERBS: &[&str] =
    &["delete", "remove", "rm", "del", "reset", "prune", "kill", "stop", "clear", "uninstall"];

/// Options that ask for no confirmation.
pub(super) const FORCES: &[&str] = words!(
    "--yes -y --force -f --auto-approve --no-confirm --no-prompt --all -a --noconfirm \
     --confirm --non-interactive --assume-yes -q --quiet"
);

/// Commands that count where they stand behind an unknown wrapper.
pub(super) const DANGEROUS: &[&str] = words!(
    "rm dd shred mkfs wipefs truncate bash sh zsh dash ksh eval sudo doas chmod chown curl \
     wget nc ncat socat ssh scp rsync git find mv xargs env python python3 perl ruby node \
     kill killall terraform kubectl docker unlink rmdir tee crontab systemctl reboot shutdown \
     busybox court"
);

/// Tools that print the code with which a shell is set up; it is theirs as much as the tool is.
pub(super) fn sets_up_shell(name: &str, words: &[Field]) -> bool {
    const VERBS: &[&str] = words!(
        "hook completion completions shellenv init env activate shell.bash \
         generate-shell-completion"
    );
    let first = words.get(1).map_or("", |word| word.text.as_str());
    match name {
        "ssh-agent" => matches!(first, "" | "-s" | "-c"),
        "dircolors" => true,
        "conda" if first == "env" => false,
        "npm" if first == "init" => false,
        _ => SETS_UP.contains(&name) && VERBS.contains(&first),
    }
}
