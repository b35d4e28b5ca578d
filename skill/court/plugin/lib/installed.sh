# shellcheck shell=sh
# Where the installed programs of codex-bridge are. Read by the shims in `bin/`, which lie on the PATH
# of Claude Code's Bash tool and must not find themselves, nor anything that a checkout, a neighbour or
# the search path puts in their way: what they become is allowed to run unasked.

# installed ROOT NAME: prints the path of the program NAME, or fails.
#
# First the installation that the plugin in ROOT belongs to: the installer has written its PREFIX into
# lib/prefix, and ROOT may be PREFIX/share/codex-bridge/*. The programs are in PREFIX/bin, those of our
# Debian package in PREFIX/lib/codex-bridge/bin. Then CODEX_BRIDGE_BIN_DIR, and that alone where it is
# set; then ~/.local/bin, ~/.cargo/bin and the system's folders; then the PATH, without what is relative
# and what belongs to the project in the working folder.
installed() {
    case $1 in
    /*) ;;
    *) set -- "$(cd -- "$1" && pwd)" "$2" ;;
    esac
    if [ -r "$1/lib/prefix" ] && read -r prefix <"$1/lib/prefix"; then
        of_prefix "$prefix" "$@" && return
    fi
    case $1 in
    */share/codex-bridge/*/*) ;;
    */share/codex-bridge/*) of_prefix "${1%/share/codex-bridge/*}" "$@" && return ;;
    esac
    if [ -n "${CODEX_BRIDGE_BIN_DIR:-}" ]; then
        # The user's own word: where its links lead, and whose the folders above it are, is not asked.
        runnable "$CODEX_BRIDGE_BIN_DIR/$2" "$1" "$CODEX_BRIDGE_BIN_DIR"
        return
    fi
    if [ -n "${HOME:-}" ]; then
        runnable "$HOME/.local/bin/$2" "$1" / || runnable "$HOME/.cargo/bin/$2" "$1" / && return
    fi
    runnable "/usr/local/bin/$2" "$1" / || of_prefix /usr "$@" && return
    project=$(project)
    # Not `for`, which drops empty words, and not $(..), which drops line ends.
    rest=${PATH:-}:
    while [ -n "$rest" ]; do
        folder=${rest%%:*}
        rest=${rest#*:}
        [ -z "$project" ] || ! within "$folder" "$project" || continue
        runnable "$folder/$2" "$1" / && return
    done
    return 1
}

# of_prefix PREFIX ROOT NAME: prints the path of the program NAME of an installation below PREFIX.
of_prefix() {
    runnable "$1/lib/codex-bridge/bin/$3" "$2" / || runnable "$1/bin/$3" "$2" /
}

# project: prints the root of the repository in the working folder, followed by a dot; nothing where
# there is none.
project() {
    here=$(pwd -P && echo .) || return
    here=${here%??}
    while [ -n "$here" ]; do
        if [ -e "$here/.git" ]; then
            printf '%s.\n' "$here"
            return
        fi
        here=${here%/*}
    done
}

# within FOLDER PROJECT: whether FOLDER really lies in the project.
within() {
    real=$(cd -P -- "$1" 2>/dev/null && pwd -P && echo .) || return
    case ${real%??}/ in
    "${2%.}"/*) return 0 ;;
    *) return 1 ;;
    esac
}

# runnable FILE ROOT TOP: prints FILE, unless it has no absolute path, cannot be executed, is a shim of
# the plugin in ROOT, or others than this user and root may replace it: it or a folder above it, up to
# TOP, is theirs or is open to everyone.
runnable() {
    case $1 in
    # RCS has a program of this name, which writes; no package of ours puts one there.
    /usr/bin/ci | /bin/ci) return 1 ;;
    /*) ;;
    *) return 1 ;;
    esac
    [ -f "$1" ] && [ -x "$1" ] || return
    # POSIX has `-ef` since 2024; dash, bash, ksh and busybox had it before.
    # shellcheck disable=SC3013
    if [ "$1" -ef "$2/bin/${1##*/}" ]; then return 1; fi
    is_safe "$1" "$3" || return
    # Where the path leads over links, both paths count, and the name stays the name.
    if [ "$3" = / ] && is_linked "$1"; then
        target=$(readlink -f -- "$1" && echo .) || return
        target=${target%??}
        [ "${target##*/}" = "${1##*/}" ] && is_safe "$target" / || return
    fi
    printf '%s\n' "$1"
}

# is_linked FILE: whether a part of its path is a link.
is_linked() {
    part=$1
    while [ -n "$part" ]; do
        if [ -L "$part" ]; then return 0; fi
        part=${part%/*}
    done
    return 1
}

# is_safe FILE TOP: whether only this user and root may write to FILE and the folders above it up to TOP.
# A folder that is open to everyone but sticky, as /tmp is, does as long as what lies in it is safe.
is_safe() {
    part=$1 top=${2%/} count=0
    set --
    while :; do
        set -- "$@" "${part:-/}"
        case $part in
        '' | "$top") break ;;
        esac
        part=${part%/*}
    done
    # GNU, busybox and toybox have it; without it nothing is safe.
    facts=$(stat -L -c '%u %A' -- "$@" 2>/dev/null) || return
    while read -r owner mode; do
        [ "$owner" = 0 ] || [ -O "$1" ] || return
        case $mode in
        ????????w?)
            case $mode in
            d????????[tT]) ;;
            *) return 1 ;;
            esac
            ;;
        esac
        shift
        count=$((count + 1))
    done <<FACTS
$facts
FACTS
    [ "$#" = 0 ] && [ "$count" -gt 0 ]
}
