#!/bin/sh
# Installs codex-bridge below a prefix, tells what it did, and takes all of it away again.
#
# Everything is first made in a folder of its own, then compared with what is installed: what is the
# same stays, what we installed is replaced, what somebody changed is copied beside it first. A
# manifest below the prefix names every file and folder that was made here, with its checksum.
set -eu

# The programs, in one place. A later one is a word more; the court is added where it is asked for.
PROGRAMS="codex-bridge codex-advisor codex-auto auto-tool-orchestrator context-inject ci xc"
# The folders of the plugins below the prefix.
PLUGINS="plugin context-plugin court-plugin"

usage() {
    cat <<'TEXT'
Install codex-bridge: the daemon, its command line, and what runs them.

From a source folder it builds them first; the copy in a release's archive brings them along.

Usage: install.sh [OPTIONS]

  --prefix DIR   where to install [default: ~/.local; with --systemd: /usr/local]
  --from DIR     take the programs from DIR instead of building them (root builds only what is root's)
  --profile NAME build with this profile of Cargo.toml [default: release, client, lto: what suits each]
  --systemd      also install, enable and start the system service (as root)
  --user         also install, enable and start a service of your own user
  --pm2          also start the daemon under pm2
  --plugin       also put the advisor's plugin into Claude Code (a skill, a command, an MCP server; no
                 hook), and allow what the skill needs of its one command
  --with-context also put the plugin `context` into Claude Code: a hook that looks up the code that each
                 prompt is about, in all projects of your user
  --with-court   also install the court and put its plugin into Claude Code, where that is found: hooks
                 that judge each tool call
  --codex        also install the pinned Codex below the prefix, with npm
  --with-hook    the hook of --with-context without a plugin, by Claude Code's settings
  --global       with --with-hook: in all projects of your user (the default)
  --project DIR  with --with-hook: only in this project; repeat the call for more
  --verify       say whether what is installed is in order, and change nothing
  --uninstall    remove what an earlier call installed below the prefix
  --purge        with --uninstall: remove what the programs made as well: state (history, token), caches,
                 logs of pm2, your settings in codex-bridge/ of your configuration folder, and the copies
                 that were made of Claude Code's settings
  --destdir DIR  for packagers: only write the files below DIR
  --dry-run      say what would be done, and do nothing
  --yes          do not ask
  --quiet        say nothing but what is wrong
  --help         show this text

Without --codex, Codex is neither installed nor updated: the daemon uses yours.
Exit codes: 0 done, 1 failed, 2 wrong command line.
TEXT
}

# The one door to the terminal: each character that it would act on, or that a reader would not see, becomes
# a question mark, whether it stands in a folder's name, a manifest or an option. The bytes are UTF-8's of
# U+0080 to U+009F and U+00AD, U+061C, U+200B to U+200F and U+2028 to U+202E, U+2060 to U+206F, U+FEFF,
# and U+E0000 to U+E0FFF.
unseen=$(printf 's/[[:cntrl:]]/?/g; s/\302[\200-\237\255]/?/g; s/\330\234/?/g; s/\342\200[\213-\217\250-\256]/?/g; s/\342\201[\240-\257]/?/g; s/\357\273\277/?/g; s/\363\240[\200-\277][\200-\277]/?/g')
visible() { LC_ALL=C sed "$unseen"; }

say() { printf '%s\n' "$*" | visible; }
step() { say "==> $*"; }
say_to() { printf '%s\n' "$2" >"$1"; }
fail() {
    say "error: $*" >&2
    exit 1
}
misuse() {
    say "error: $* (--help shows the options)" >&2
    exit 2
}

# What the caller's surroundings say is taken apart first: a folder that `cd` would look for elsewhere, a
# search path that leads into the working folder, a line end in a name that is written down by lines.
unset CDPATH OLDPWD
IFS=' 	
'
case ${TMPDIR:-/} in
/*) ;;
*) unset TMPDIR ;;
esac
rest=$PATH: absolute=''
while [ -n "$rest" ]; do
    case $rest in
    /*) absolute=$absolute${absolute:+:}${rest%%:*} ;;
    esac
    rest=${rest#*:}
done
PATH=${absolute:-/usr/bin:/bin}
# Between marks, so that no line end at the end of a name is lost.
names=$(
    printf '%s' "<${HOME:-}${XDG_CONFIG_HOME:-}${XDG_STATE_HOME:-}${XDG_CACHE_HOME:-}${CLAUDE_CONFIG_DIR:-}${CODE_INTEL_CACHE_DIR:-}${PM2_HOME:-}${CODEX_BRIDGE_STATE_DIR:-}${TMPDIR:-}${CARGO_TARGET_DIR:-}$0$*"
    pwd
    cd -- "$(dirname -- "$0")/.." && pwd -P
    printf '>'
)
case $(printf '%s' "$names" | wc -l)$(printf '%s' "$names" | visible) in
"2$names") ;;
*) fail "an option, the working folder, the folder of this checkout, or one of HOME, XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME, CLAUDE_CONFIG_DIR, CODE_INTEL_CACHE_DIR, PM2_HOME, CODEX_BRIDGE_STATE_DIR, TMPDIR and CARGO_TARGET_DIR, has a control character or an invisible one in it; choose another name" ;;
esac
here=$(cd -- "$(dirname -- "$0")" && pwd)
root=$(cd -- "$here/.." && pwd)
# Where the files come from: a release's archive, which has all of them, or a source folder. What is
# installed below a prefix is neither, and only uninstalls.
if [ -f "$here/SHA256SUMS" ]; then
    origin=archive
elif [ -f "$root/Cargo.toml" ]; then
    origin=source
else
    origin=none
fi
prefix='' from='' profile='' destdir='' supervisor='' plugin='' context='' codex='' hook='' global='' project='' court=''
action=install purge='' dry='' yes='' quiet=''
while [ $# -gt 0 ]; do
    case $1 in
    --prefix | --from | --profile | --destdir | --project)
        [ $# -ge 2 ] || misuse "$1 needs a value"
        case $1 in
        --prefix) prefix=$2 ;;
        --from) from=$2 ;;
        --profile) profile=$2 ;;
        --destdir) destdir=$2 ;;
        --project) project=$2 ;;
        esac
        shift
        ;;
    --prefix=*) prefix=${1#*=} ;;
    --from=*) from=${1#*=} ;;
    --profile=*) profile=${1#*=} ;;
    --destdir=*) destdir=${1#*=} ;;
    --project=*) project=${1#*=} ;;
    --systemd | --user | --pm2)
        [ -z "$supervisor" ] || [ "$supervisor" = "${1#--}" ] ||
            misuse "choose one of --systemd, --user and --pm2"
        supervisor=${1#--}
        ;;
    --plugin) plugin=yes ;;
    --with-context) context=yes ;;
    --with-court) court=yes ;;
    --codex) codex=yes ;;
    --with-hook) hook=yes ;;
    --global) global=yes ;;
    --verify) action=verify ;;
    --uninstall) action=uninstall ;;
    --purge) purge=yes ;;
    --dry-run) dry=yes ;;
    --yes | -y) yes=yes ;;
    --quiet | -q) quiet=yes ;;
    --help | -h)
        usage
        exit 0
        ;;
    *) misuse "unknown option $1" ;;
    esac
    shift
done
[ -z "$purge" ] || [ "$action" = uninstall ] || misuse "--purge goes with --uninstall"
[ -z "$global$project" ] || [ -n "$hook" ] || misuse "--global and --project go with --with-hook"
[ -z "$global" ] || [ -z "$project" ] || misuse "choose one of --global and --project"
if [ -n "$project" ]; then
    # `cd -` is another folder than `-`.
    case $project in
    /*) ;;
    *) project=./$project ;;
    esac
    project=$(cd -- "$project" 2>/dev/null && pwd) || fail "--project names no folder"
fi
case $from in
/* | '') ;;
*) from=$(pwd)/$from ;;
esac
case $destdir in
/* | '') ;;
*) destdir=$(pwd)/$destdir ;;
esac
if [ -n "$destdir" ] && [ "$action$supervisor$plugin$codex$hook" != install ]; then
    misuse "--destdir writes files and does nothing else"
fi
[ -z "$quiet" ] || exec >/dev/null
case ${HOME:-} in
/*) ;;
*) fail "HOME is not set, or is no absolute path" ;;
esac
if [ -z "$prefix" ]; then
    if [ "$supervisor" = systemd ]; then prefix=/usr/local; else prefix=$HOME/.local; fi
fi
case $prefix in
/*) ;;
*) prefix=$(pwd)/$prefix ;;
esac
[ "$prefix" = / ] || prefix=${prefix%/}
case $prefix/ in
*/../* | */./* | *//*) [ "$prefix" = / ] || fail "the prefix $prefix has parts that lead elsewhere; write it without . and .." ;;
esac
case $prefix in
*[!A-Za-z0-9/._+@~-]*) fail "the prefix $prefix has characters that unit files do not take; choose another" ;;
esac

share=$prefix/share/codex-bridge
manifest=$share/install-manifest
# Relative ones are passed over, as the XDG specification has it.
config_home=$HOME/.config state_home=$HOME/.local/state cache_home=$HOME/.cache client_home=$HOME/.claude
case ${XDG_CONFIG_HOME:-} in /*) config_home=$XDG_CONFIG_HOME ;; esac
case ${XDG_STATE_HOME:-} in /*) state_home=$XDG_STATE_HOME ;; esac
case ${XDG_CACHE_HOME:-} in /*) cache_home=$XDG_CACHE_HOME ;; esac
case ${CLAUDE_CONFIG_DIR:-} in /*) client_home=$CLAUDE_CONFIG_DIR ;; esac
state=$state_home/codex-bridge
case ${CODEX_BRIDGE_STATE_DIR:-} in
'') ;;
/*) state=$CODEX_BRIDGE_STATE_DIR ;;
'~'/*) state=$HOME/${CODEX_BRIDGE_STATE_DIR#'~/'} ;;
*) state=$(pwd)/$CODEX_BRIDGE_STATE_DIR ;;
esac
user_units=$config_home/systemd/user
system_units=/etc/systemd/system
stamp=$(date -u +%Y%m%dT%H%M%SZ)
stage=$(mktemp -d)
umask 022
trap 'rm -rf "$stage" "$share/.doctor"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM

have() { command -v "$1" >/dev/null 2>&1; }
# By its content alone: of a file with a backslash in its name, the checksum would begin with one.
checksum() { sha256sum <"$1" | cut -d ' ' -f 1; }

me=$(id -u)
# The number of the user to whom a file belongs.
owner() { stat -L -c %u -- "$1"; }
# Whether a file is of this user or of root.
is_ours() {
    case $(owner "$1") in
    0 | "$me") ;;
    *) return 1 ;;
    esac
}

# Whether a path of the manifest is one that an installation below this prefix makes: it lies below the
# prefix by its name and over all links, or is one of our units. The manifest is a file like any other,
# and what it names is removed.
is_below_prefix() {
    case $1 in
    "$user_units/codex-bridge.service" | "$system_units/codex-bridge.service" | "$system_units/codex-bridge.socket") return 0 ;;
    */../* | */.. | */./* | */. | *//*) return 1 ;;
    "${prefix%/}"/*) ;;
    *) return 1 ;;
    esac
    real_prefix=$(cd -P -- "$prefix" 2>/dev/null && pwd -P) || return 1
    above=$(dirname -- "$1")
    # Where its folder is gone, there is nothing to remove.
    [ -d "$above" ] || return 0
    real=$(cd -P -- "$above" 2>/dev/null && pwd -P) || return 1
    case $real/ in
    "${real_prefix%/}"/*) ;;
    *) return 1 ;;
    esac
}

# Says which path of the manifest is left alone; fails if it is one of ours.
is_foreign() {
    ! is_below_prefix "$1" || return 1
    say "  keep    $1 (the manifest names it, but it is not below $prefix)"
}

# The kind ($1) of entries in the manifest: "KIND CHECKSUM PATH", a dash where there is none.
entries() { [ ! -f "$manifest" ] || sed -n "s/^$1 //p" "$manifest"; }
# Kept in memory: it is asked about each file.
line_end='
'
installed=$line_end
[ ! -f "$manifest" ] || installed=$line_end$(cat "$manifest")$line_end
was_installed() { # CHECKSUM PATH
    case $installed in
    *"${line_end}file $1 $2$line_end"*) ;;
    *) return 1 ;;
    esac
}
has_entry() { entries "$1" | grep -qxF -e "- $2"; }

# The court is opt-in. Once installed, an update brings its program too.
if [ -n "$court" ] || entries file | grep -qF -e " $prefix/bin/court"; then
    PROGRAMS="$PROGRAMS court"
fi

confirm() {
    [ -z "$yes$dry" ] || return 0
    [ -t 0 ] || misuse "nobody can be asked here: give --yes, or --dry-run to see what would be done"
    printf '%s [y/N] ' "$1" | visible >&2
    read -r answer
    case $answer in
    y | Y | yes) ;;
    *) fail "nothing was changed" ;;
    esac
}

# --- What is to be installed: a tree below $stage/tree, laid out as on this machine.

put() { # FILE TARGET
    mkdir -p "$(dirname "$stage/tree$2")"
    ln "$1" "$stage/tree$2" 2>/dev/null || cp "$1" "$stage/tree$2"
}

unit() { # FILE TARGET
    mkdir -p "$(dirname "$stage/tree$2")"
    sed -E "s#^ExecStart=[^ ]+#ExecStart=$prefix/bin/codex-bridge#" "$1" >"$stage/tree$2"
}

# Which profile of Cargo.toml a program is built with. The daemon, the orchestrator, `ci mcp` and `xc` catch a
# panic, which the clients' profile would make their end.
profile() {
    case $profile,$1 in
    ,auto-tool-orchestrator | ,ci) echo release ;;
    ,codex-bridge | ,xc) echo lto ;;
    ,*) echo client ;;
    *) echo "$profile" ;;
    esac
}

# Which package of the workspace a program belongs to.
package() {
    case $1 in
    auto-tool-orchestrator) echo orchestrator ;;
    ci) echo code-intel ;;
    context-inject) echo codex-auto ;;
    *) echo "$1" ;;
    esac
}

# Root builds nothing that others may have written: a build runs what it finds.
check_builder() {
    [ "$me" = 0 ] || return 0
    for place in "$root" "$root"/* "$root"/.[!.]* "${CARGO_HOME:-$HOME/.cargo}" "$(command -v cargo || echo /)"; do
        if [ -e "$place" ] && [ "$(owner "$place")" != 0 ]; then
            fail "root builds nothing from files of somebody else, and $place belongs to user $(owner "$place")${SUDO_UID:+ (you are root through sudo of user $SUDO_UID)}; as that user, install below a prefix of their own (deploy/install.sh), then here with --from and its folder bin, such as --from ~/.local/bin"
        fi
    done
}

build() {
    check_builder
    have cargo || fail "cargo is needed to build: https://rustup.rs; or give --from DIR with the programs"
    # Nothing but the packager's own word comes before what the source folder says of itself.
    : "${CODEX_BRIDGE_BUILD_VERSION:=$("$root/deploy/version.sh" 2>/dev/null || true)}"
    export CODEX_BRIDGE_BUILD_VERSION
    # On a terminal cargo shows how far it is; elsewhere it would print a line for each of 250 packages.
    talk=--quiet
    if [ -z "$quiet" ] && [ -t 2 ]; then talk=--color=auto; fi
    # shellcheck disable=SC2086 # a list of words
    set -- $PROGRAMS
    total=$# number=0
    step "building $total programs of codex-bridge $CODEX_BRIDGE_BUILD_VERSION; the first time takes some minutes"
    begun=$(date +%s)
    for program; do
        number=$((number + 1))
        say "  [$number/$total] $program (profile $(profile "$program"), after $(($(date +%s) - begun)) s)"
        (cd "$root" && cargo build --locked "$talk" --profile "$(profile "$program")" \
            --package "$(package "$program")" --bin "$program")
    done
    say "  built in $(($(date +%s) - begun)) s"
}

# Brings what is built into one folder, as --from names one.
gather() {
    from=$stage/programs
    mkdir -p "$from"
    for program in $PROGRAMS; do
        folder=$(profile "$program")
        [ "$folder" != dev ] || folder=debug
        built=${CARGO_TARGET_DIR:-$root/target}/$folder/$program
        [ -x "$built" ] ||
            fail "$program is not built yet, and a dry run builds nothing; give --from DIR, or install without --dry-run"
        ln "$built" "$from/$program" 2>/dev/null || cp "$built" "$from/$program"
    done
}

# What the programs say of themselves: completions and manual pages.
generate() { # PROGRAM
    case $1 in
    auto-tool-orchestrator) option=-- ;;
    *) option='' ;;
    esac
    for shell in bash zsh fish; do
        "$from/$1" "${option}completions" "$shell" >"$stage/said" ||
            fail "$from/$1 prints no completions for $shell"
        put "$stage/said" "$(completion "$1" "$shell")"
        rm "$stage/said"
    done
    # One text of many pages; before each is the name of its file.
    mkdir -p "$stage/tree$prefix/share/man/man1"
    "$from/$1" "${option}manual" >"$stage/said" || fail "$from/$1 prints no manual"
    (cd "$stage/tree$prefix/share/man/man1" && awk '
        /^\.\\" page [a-z-]+\.1$/ { if (page) close(page); page = $3; next }
        page { print > page }' "$stage/said")
    rm "$stage/said"
}

completion() { # PROGRAM SHELL
    case $2 in
    bash) echo "$prefix/share/bash-completion/completions/$1" ;;
    zsh) echo "$prefix/share/zsh/site-functions/_$1" ;;
    fish) echo "$prefix/share/fish/vendor_completions.d/$1.fish" ;;
    esac
}

# Where a plugin's folder $1 lies in the source.
source_of() {
    case $1 in
    plugin) echo skill/advisor/plugin ;;
    *) echo "skill/${1%-plugin}/plugin" ;;
    esac
}

# The version that a program prints. It is written into the plugins' manifests.
version_of() {
    version=$("$1" --version) || fail "$1 does not print its version"
    version=${version##* }
    case $version in
    '' | *[!A-Za-z0-9.+~-]*) fail "$1 prints no version" ;;
    esac
    echo "$version"
}

prepare_source() {
    for program in $PROGRAMS; do
        [ -x "$from/$program" ] || fail "$from/$program is no program; build it, or give another --from"
        put "$from/$program" "$prefix/bin/$program"
        generate "$program"
    done
    put "$root/deploy/x-code" "$prefix/bin/x-code"
    version=$(version_of "$from/codex-bridge")
    for plugin_folder in $PLUGINS; do
        folder=$root/$(source_of "$plugin_folder")
        for file in $(cd "$folder" && find . -type f | sort); do
            put "$folder/${file#./}" "$share/$plugin_folder/${file#./}"
        done
        made=$stage/tree$share/$plugin_folder/.claude-plugin/plugin.json
        rm "$made"
        sed "s/\"version\": \"[^\"]*\"/\"version\": \"$version\"/" \
            "$folder/.claude-plugin/plugin.json" >"$made"
    done
    # The names of the hook that the documents have.
    mkdir -p "$stage/tree$share/plugin/hooks"
    for file in augment-context-global.sh context-inject-global.sh; do
        made=$stage/tree$share/plugin/hooks/$file
        sed 's#/context/plugin/#/context-plugin/#' "$root/skill/plugin/hooks/$file" >"$made"
        chmod 755 "$made"
    done
    mkdir -p "$stage/tree$share/.claude-plugin"
    sed 's#"./skill/advisor/plugin"#"./plugin"#; s#"./skill/\([a-z]*\)/plugin"#"./\1-plugin"#' "$root/.claude-plugin/marketplace.json" \
        >"$stage/tree$share/.claude-plugin/marketplace.json"
    for file in codex-bridge.service codex-bridge.socket user/codex-bridge.service; do
        unit "$root/deploy/systemd/$file" "$share/systemd/$file"
    done
    put "$root/deploy/systemd/shell.conf" "$share/systemd/shell.conf"
    for file in ecosystem.config.js docs/INSTALL.md docs/OPERATIONS.md LICENSE; do
        put "$root/$file" "$share/${file##*/}"
    done
    put "$root/deploy/install.sh" "$share/install.sh"
    for file in package.json package-lock.json; do
        put "$root/deploy/$file" "$share/codex/$file"
    done
}

# An archive has the tree of another prefix: what names that one is written anew.
prepare_archive() {
    (cd "$here" && sha256sum --check --quiet --strict SHA256SUMS) >&2 ||
        fail "the archive is not whole: unpack it anew, or fetch it again"
    for file in $(cd "$here" && find bin share -type f | sort); do
        case " $PROGRAMS " in
        *' court '*) ;;
        *)
            case ${file##*/} in
            court | _court | court.fish | court.1 | court-*.1) continue ;;
            esac
            ;;
        esac
        case $file in
        share/codex-bridge/systemd/*.service) unit "$here/$file" "$prefix/$file" ;;
        *) put "$here/$file" "$prefix/$file" ;;
        esac
    done
}

prepare() {
    "prepare_$origin"
    # By these the shims know whose plugin they are.
    for plugin_folder in $PLUGINS; do
        rm -f "$stage/tree$share/$plugin_folder/lib/prefix"
        say_to "$stage/tree$share/$plugin_folder/lib/prefix" "$prefix"
    done
    units=$stage/tree$share/systemd
    case $supervisor in
    systemd)
        put "$units/codex-bridge.service" "$system_units/codex-bridge.service"
        put "$units/codex-bridge.socket" "$system_units/codex-bridge.socket"
        ;;
    user) put "$units/user/codex-bridge.service" "$user_units/codex-bridge.service" ;;
    esac
    # By what each path begins with, and not by a pattern: the temp folder has any name.
    (cd "$stage/tree" && find . -type f) | cut -c 2- | sort >"$stage/files"
    # In one call. Of a file with a backslash in its name, the line begins with one.
    (cd "$stage/tree" && sed 's/^/./' "$stage/files" | tr '\n' '\0' | xargs -0 sha256sum) |
        sed 's/^\\//' | cut -c 1-64 >"$stage/each"
    paste -d ' ' "$stage/each" "$stage/files" >"$stage/sums"
}

# --- What is wrong is said before anything is written.

check_install() {
    case $supervisor in
    systemd)
        [ "$(id -u)" = 0 ] || fail "--systemd installs for the whole system: run it as root, or use --user"
        have systemctl || fail "there is no systemctl here; use --pm2, or run codex-bridge serve"
        case $prefix in
        /home/* | /root/* | /run/user/*) fail "the system service sees no home folders; choose another --prefix, such as /usr/local" ;;
        esac
        ;;
    user) have systemctl || fail "there is no systemctl here; use --pm2, or run codex-bridge serve" ;;
    pm2) have pm2 || fail "pm2 is not on the PATH: npm install -g pm2" ;;
    esac
    [ -z "$plugin$context" ] || have claude ||
        fail "claude is not on the PATH: npm install -g @anthropic-ai/claude-code"
    if [ -n "$codex" ]; then
        have npm || fail "npm is needed to install Codex: https://nodejs.org"
        link=$prefix/bin/codex
        if [ -e "$link" ] || [ -L "$link" ]; then
            has_entry link "$link" || fail "$link is there already; leave --codex out to use it"
        fi
    fi
}

# --- Installing

# Makes a folder and notes each one that was not there before.
make_folder() {
    [ ! -d "$1" ] || return 0
    make_folder "$(dirname "$1")"
    mkdir "$1"
    say "folder - $1" >>"$stage/manifest"
}

mode_of() { # TARGET: sets $mode
    case $1 in
    */bin/* | */install.sh | */hooks/*.sh) mode=755 ;;
    *) mode=644 ;;
    esac
}

place() { # CHECKSUM TARGET
    sum=$1
    shift
    new=$stage/tree$1
    mode_of "$1"
    if [ -f "$1" ] && cmp -s "$1" "$new"; then
        if ! was_installed "$sum" "$1"; then
            say "  same    $1 (it was there already, so --uninstall will leave it)"
            return 0
        fi
        if [ "$mode" = 755 ] && [ ! -x "$1" ]; then
            changed=$((changed + 1))
            say "  mode    $1"
            [ -n "$dry" ] || chmod 755 "$1"
        fi
    else
        changed=$((changed + 1))
        if [ -e "$1" ] || [ -L "$1" ]; then
            if [ -f "$1" ] && was_installed "$(checksum "$1")" "$1"; then
                say "  update  $1"
            else
                say "  replace $1 (kept as ${1##*/}.bak-$stamp)"
                [ -n "$dry" ] || mv "$1" "$1.bak-$stamp"
            fi
        else
            say "  new     $1"
        fi
        if [ -z "$dry" ]; then
            make_folder "${1%/*}"
            # In one step: a program that runs keeps its old file.
            cp "$new" "$1.new-$$"
            chmod "$mode" "$1.new-$$"
            mv -f "$1.new-$$" "$1"
        fi
    fi
    say "file $sum $1" >>"$stage/manifest"
}

# Files that an earlier version installed and this one does not.
drop_old() {
    entries file >"$stage/old-files"
    while read -r sum path; do
        if [ ! -f "$path" ] || grep -qxF -e "$path" "$stage/files"; then continue; fi
        if is_foreign "$path"; then continue; fi
        # Another call's unit stays: an update without --user does not take the service away.
        case $path in
        "$user_units"/* | "$system_units"/*)
            say "file $sum $path" >>"$stage/manifest"
            continue
            ;;
        esac
        changed=$((changed + 1))
        if [ "$(checksum "$path")" = "$sum" ]; then
            say "  remove  $path"
            [ -n "$dry" ] || rm -f "$path"
        else
            say "  keep    $path (changed since; no part of this version)"
        fi
    done <"$stage/old-files"
}

note() { # KIND [PATH]: remembers what is undone at the end
    has_entry "$1" "${2:-}" || changed=$((changed + 1))
    say "$1 - ${2:-}" >>"$stage/manifest"
}

install_codex() {
    target=$share/codex
    if ! has_entry tree "$target/node_modules" || [ ! -d "$target/node_modules" ]; then
        step "installing the pinned Codex with npm"
        [ -n "$dry" ] || npm ci --prefix "$target" --ignore-scripts --no-audit --no-fund --no-update-notifier
    fi
    [ -n "$dry" ] || ln -sfn "$target/node_modules/.bin/codex" "$prefix/bin/codex"
    note tree "$target/node_modules"
    note link "$prefix/bin/codex"
}

start_service() {
    case $supervisor in
    systemd)
        step "starting codex-bridge.service"
        note service system
        [ -z "$dry" ] || return 0
        if [ ! -d /run/systemd/system ]; then
            say "systemd does not run here; later: systemctl enable --now codex-bridge.service"
            return 0
        fi
        systemctl daemon-reload
        systemctl enable --quiet codex-bridge.service
        systemctl restart codex-bridge.service ||
            fail "it does not start; see: journalctl -u codex-bridge.service"
        ;;
    user)
        step "starting codex-bridge.service of your user"
        note service user
        [ -z "$dry" ] || return 0
        if ! systemctl --user show-environment >/dev/null 2>&1; then
            say "your service manager cannot be reached from here; later, in a session of yours:"
            say "  systemctl --user daemon-reload && systemctl --user enable --now codex-bridge.service"
            return 0
        fi
        systemctl --user daemon-reload
        systemctl --user enable --quiet codex-bridge.service
        systemctl --user restart codex-bridge.service ||
            fail "it does not start; see: journalctl --user -u codex-bridge.service"
        ;;
    pm2)
        step "starting codex-bridge under pm2"
        note service pm2
        [ -z "$dry" ] || return 0
        CODEX_BRIDGE_BIN=$prefix/bin/codex-bridge pm2 startOrReload "$share/ecosystem.config.js" >/dev/null ||
            fail "pm2 does not start it; see: pm2 logs codex-bridge"
        say "to have pm2 start it after a reboot: pm2 save, and pm2 startup once"
        ;;
    esac
}

# Has Claude Code install the plugin $1 of our marketplace, or bring its copy of an older one up to date.
give_plugin() {
    if ! claude plugin marketplace list 2>/dev/null | grep -qF "($share)"; then
        # It takes the place of one of the same name, which was another prefix's.
        claude plugin marketplace add "$share" || fail "Claude Code did not take the marketplace $share"
    fi
    if claude plugin list 2>/dev/null | grep -qF "$1@codex-bridge"; then
        # An installation of what is there changes nothing (Claude Code 2.1.197).
        claude plugin update "$1@codex-bridge" || fail "Claude Code did not update the plugin $1"
    else
        claude plugin install "$1@codex-bridge" || fail "Claude Code did not take the plugin $1"
    fi
}

install_plugin() {
    step "putting the plugin into Claude Code"
    note plugin claude-code
    if [ -n "$dry" ]; then
        "$from/codex-bridge" setup claude-code --dry-run
        return 0
    fi
    give_plugin codex-bridge
    "$prefix/bin/codex-bridge" setup claude-code ||
        fail "the plugin is installed, but its command is not allowed yet; mend the settings, then: codex-bridge setup claude-code"
}

# Calls `context-inject $1` for the user's settings or those of a project, as the manifest ($2) names them.
call_hook() {
    case $2 in
    user) "$prefix/bin/context-inject" "$1" ;;
    *) "$prefix/bin/context-inject" "$1" --project "$2" ;;
    esac
}

install_hooks() {
    [ -z "$hook" ] || note hook "${project:-user}"
    entries_now=$(sed -n 's/^hook - //p' "$stage/manifest")
    [ -n "$entries_now" ] || return 0
    step "putting the hook into Claude Code"
    printf '%s\n' "$entries_now" | sort -u >"$stage/hooks"
    while IFS= read -r place; do
        if [ -n "$dry" ]; then
            say "  hook    for $place"
        elif [ "$place" != user ] && [ ! -d "$place" ]; then
            say "  gone    $place"
        else
            call_hook install "$place" || fail "everything else is installed; mend the settings, then: context-inject install"
        fi
    done <"$stage/hooks"
}

remove_hooks() {
    [ -n "$(entries hook)" ] || return 0
    step "taking the hook out of Claude Code"
    if [ ! -x "$prefix/bin/context-inject" ]; then
        say "  keep    the hook's entry in the settings: context-inject is gone; take it out by hand"
        return 0
    fi
    # The projects first: their settings name the files that go with the user's.
    { entries hook | sed -n 's/^- //p' | grep -vx user || true; echo user; } >"$stage/hooks"
    while IFS= read -r place; do
        if [ -n "$dry" ] || { [ "$place" != user ] && [ ! -d "$place" ]; }; then
            say "  hook    for $place"
        else
            call_hook uninstall "$place" || fail "nothing else was removed; mend the settings, and call this again"
        fi
    done <"$stage/hooks"
}

install_context() {
    step "putting the plugin context into Claude Code"
    note plugin context
    [ -n "$dry" ] || give_plugin context
    say "the eight ci_* tools as MCP tools, if you want them too:"
    say "  claude mcp add --scope user ci -- $prefix/bin/ci mcp"
}

install_court() {
    if ! have claude; then
        say "the court is installed; to switch its hooks on once Claude Code is there:"
        say "  claude plugin marketplace add $share && claude plugin install court@codex-bridge"
        return 0
    fi
    step "putting the court's plugin into Claude Code"
    note plugin court
    [ -n "$dry" ] || give_plugin court
}

examine() {
    step "codex-bridge doctor"
    wrong=0
    # Where there is no state yet, looking must not leave any.
    if [ -d "$state" ]; then look=$state; else look=$share/.doctor; fi
    if CODEX_BRIDGE_STATE_DIR=$look PATH=$prefix/bin:$PATH "$prefix/bin/codex-bridge" doctor; then
        say "installed, and in order."
    else
        wrong=1
        say "installed. The doctor names above what to mend before the first question."
        [ -z "$quiet" ] || printf 'installed; codex-bridge doctor names what to mend\n' >&2
    fi
    entries hook | sed -n 's/^- //p' >"$stage/hooks"
    while IFS= read -r place; do
        step "context-inject verify ($place)"
        [ ! -d "$place" ] && [ "$place" != user ] || call_hook verify "$place" || wrong=1
    done <"$stage/hooks"
    case :$PATH: in
    *:"$prefix/bin":*) ;;
    *) say "note: $prefix/bin is not on your PATH" ;;
    esac
}

# What a package is made of: the files alone.
fill_destdir() {
    while read -r target; do
        mode_of "$target"
        mkdir -p "$destdir${target%/*}"
        cp "$stage/tree$target" "$destdir$target"
        chmod "$mode" "$destdir$target"
    done <"$stage/files"
    say "$(wc -l <"$stage/files") files below $destdir"
}

# The programs: an archive's own, those that are named, or those that are built here.
find_programs() {
    if [ "$origin" = archive ]; then
        [ -z "$from" ] || misuse "an archive has its own programs; --from is for source folders"
        from=$here/bin
    elif [ -z "$from" ]; then
        [ -n "$dry" ] || build
        gather
    fi
}

do_install() {
    [ "$origin" != none ] || fail "this copy only uninstalls; install from an archive or a source folder"
    if [ -n "$destdir" ]; then
        find_programs
        prepare
        fill_destdir
        return
    fi
    check_install
    [ ! -f "$manifest" ] || check_manifest
    confirm "Install codex-bridge below $prefix?"
    find_programs
    prepare
    step "installing below $prefix${dry:+ (dry run: nothing is written)}"
    changed=0
    : >"$stage/manifest"
    while read -r sum target; do place "$sum" "$target"; done <"$stage/sums"
    drop_old
    for kind in folder tree link service plugin hook; do
        entries "$kind" | sed "s#^#$kind #" >>"$stage/manifest"
    done
    [ -z "$codex" ] || install_codex
    if [ -z "$dry" ]; then
        make_folder "$share"
        sort -u "$stage/manifest" >"$stage/manifest.sorted"
        cmp -s "$stage/manifest.sorted" "$manifest" || cp "$stage/manifest.sorted" "$manifest"
    fi
    if [ "$changed" = 0 ]; then
        say "nothing to do: everything is installed as it should be"
    else
        say "$changed change(s)"
    fi
    [ -z "$supervisor" ] || start_service
    [ -z "$plugin" ] || install_plugin
    [ -z "$context" ] || install_context
    install_hooks
    [ -z "$court" ] || install_court
    if [ -z "$dry" ]; then
        sort -u "$stage/manifest" >"$stage/manifest.sorted"
        cmp -s "$stage/manifest.sorted" "$manifest" || cp "$stage/manifest.sorted" "$manifest"
        examine
    fi
}

# --- Uninstalling

stop_service() {
    entries service | while read -r _ kind; do
        step "stopping the service ($kind)"
        [ -z "$dry" ] || continue
        case $kind in
        system) systemctl disable --now codex-bridge.service codex-bridge.socket 2>/dev/null || true ;;
        user) systemctl --user disable --now codex-bridge.service 2>/dev/null || true ;;
        pm2) ! have pm2 || pm2 delete codex-bridge >/dev/null 2>&1 || true ;;
        esac
    done
}

remove_plugin() {
    [ -n "$(entries plugin)" ] || return 0
    step "taking the plugin out of Claude Code"
    [ -z "$dry" ] || return 0
    if have claude; then
        for name in court context; do
            ! has_entry plugin "$name" || claude plugin uninstall "$name@codex-bridge" || true
        done
        ! has_entry plugin claude-code || claude plugin uninstall codex-bridge@codex-bridge || true
        claude plugin marketplace remove codex-bridge || true
    fi
    [ ! -x "$prefix/bin/codex-bridge" ] || "$prefix/bin/codex-bridge" setup claude-code --remove || true
}

# Whether a folder is one to purge, and not one that a variable names by mistake: a daemon's state is in
# it, or nothing.
is_state() {
    [ -d "$1" ] || return 1
    [ ! -e "$1/.git" ] && [ ! -e "$1/Cargo.toml" ] || return 1
    [ -f "$1/state.sqlite" ] || [ -f "$1/token" ] || [ -z "$(ls -A -- "$1")" ]
}

# What the programs made: the state folders, and with --purge all else that bears our name. A folder that
# a variable names is looked at first; the others are ours by their name.
purge_made() {
    set -- "$state"
    case $services in
    *system*) set -- "$state" /var/lib/codex-bridge /var/lib/private/codex-bridge ;;
    esac
    for folder; do
        [ -e "$folder" ] || [ -L "$folder" ] || continue
        if [ -z "$purge" ]; then
            say "  keep    $folder (history and token; --purge removes it)"
        elif [ "$folder" != "$state_home/codex-bridge" ] && ! is_state "$folder"; then
            say "  keep    $folder (it does not look like a state folder of ours)"
        else
            drop "$folder"
        fi
    done
    [ -n "$purge" ] || return 0
    [ "$state" = "$state_home/codex-bridge" ] || drop "$state_home/codex-bridge"
    drop "$cache_home/codex-bridge"
    drop "$config_home/codex-bridge"
    drop "$client_home/plugins/cache/codex-bridge"
    # An index is a folder of segments; whatever else lies in a folder that a variable names stays.
    case ${CODE_INTEL_CACHE_DIR:-} in
    /*) purge_indexes "$CODE_INTEL_CACHE_DIR" ;;
    esac
    for file in "$client_home"/settings.json.bak-????????T*Z "${PM2_HOME:-$HOME/.pm2}"/logs/codex-bridge-*.log; do
        [ ! -f "$file" ] || drop "$file"
    done
}

# Indexes of the code, which are known by what is in them.
purge_indexes() { # FOLDER
    for index in "$1"/*-????????????????; do
        if [ -f "$index/manifest" ] && [ -f "$index/lock" ]; then drop "$index"; fi
    done
    # When it was last looked through for unused ones.
    drop "$1/last-prune"
}

drop() {
    [ -e "$1" ] || [ -L "$1" ] || return 0
    if [ -e "$1/.git" ] || [ -e "$1/Cargo.toml" ]; then
        say "  keep    $1 (it is somebody's work)"
        return 0
    fi
    say "  remove  $1"
    [ -n "$dry" ] || rm -rf -- "$1"
}

# Root follows the manifest of root alone, and a user that of root or the user's own: with it go
# programs that are called, and what is removed.
check_manifest() {
    [ -f "$manifest" ] || fail "nothing is installed below $prefix: there is no $manifest"
    for place in "$manifest" "$share" "$prefix/bin" "$prefix"; do
        if [ -e "$place" ] && ! is_ours "$place"; then
            fail "$place belongs to user $(owner "$place"): what was installed below $prefix is that user's; call this as that user"
        fi
    done
}

# Before its state goes, a daemon that was started by hand or by `codex-advisor ask --start` ends.
stop_daemon() {
    [ -n "$purge" ] && [ -x "$prefix/bin/codex-bridge" ] && [ -d "$state" ] || return 0
    step "stopping the daemon of $state"
    [ -z "$dry" ] || return 0
    if CODEX_BRIDGE_STATE_DIR=$state "$prefix/bin/codex-bridge" stop >"$stage/said" 2>&1; then
        visible <"$stage/said"
    else
        code=$?
        visible <"$stage/said" >&2
        # 78: the folder is not to be believed, and who uses it cannot be told.
        [ "$code" != 1 ] ||
            fail "a daemon still uses $state, and nothing was removed; end it (codex-bridge stop --timeout 600), then call this again"
    fi
}

do_uninstall() {
    check_manifest
    confirm "Remove codex-bridge from $prefix?"
    stop_service
    stop_daemon
    remove_hooks
    remove_plugin
    step "removing what was installed below $prefix${dry:+ (dry run: nothing is written)}"
    cp "$manifest" "$stage/manifest.old"
    entries file >"$stage/old-files"
    while read -r sum path; do
        [ -e "$path" ] || [ -L "$path" ] || continue
        if is_foreign "$path"; then continue; fi
        if [ -f "$path" ] && [ "$(checksum "$path")" = "$sum" ]; then
            say "  remove  $path"
            [ -n "$dry" ] || rm -f "$path"
        else
            say "  keep    $path (changed since; now ${path##*/}.bak-$stamp)"
            [ -n "$dry" ] || mv "$path" "$path.bak-$stamp"
        fi
    done <"$stage/old-files"
    entries link | while read -r _ path; do
        if is_foreign "$path" || [ "$path" != "$prefix/bin/codex" ]; then continue; fi
        say "  remove  $path"
        [ -n "$dry" ] || rm -f "$path"
    done
    entries tree | while read -r _ path; do
        if is_foreign "$path" || [ "$path" != "$share/codex/node_modules" ]; then continue; fi
        say "  remove  $path"
        [ -n "$dry" ] || rm -rf "$path"
    done
    services=$(entries service)
    if [ -z "$dry" ]; then
        entries folder | cut -d ' ' -f 2- | sort -r >"$stage/folders"
        # What a call that was killed may have left.
        rm -rf "$share/.doctor"
        rm -f "$manifest"
        # Only those made here, and only where nothing else is in them.
        while IFS= read -r folder; do
            case $prefix/ in
            "$folder"/*) ;;
            *) is_below_prefix "$folder" || [ "$folder" = "$user_units" ] || [ "$user_units" != "${user_units#"$folder"/}" ] || continue ;;
            esac
            rmdir -- "$folder" 2>/dev/null || true
        done <"$stage/folders"
        case $services in
        *system*) systemctl daemon-reload 2>/dev/null || true ;;
        *user*) systemctl --user daemon-reload 2>/dev/null || true ;;
        esac
    fi
    purge_made
    [ -n "$dry" ] || say "removed."
}

do_verify() {
    check_manifest
    examine
    [ "$wrong" = 0 ] || exit 1
}

case $action in
install) do_install ;;
verify) do_verify ;;
uninstall) do_uninstall ;;
esac
