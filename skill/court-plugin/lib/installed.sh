# shellcheck shell=sh
# Where the installed programs of codex-bridge are. Read by the shims in `bin/`, which lie on the PATH
# of Claude Code's Bash tool and must not find themselves.

# installed ROOT NAME: prints the path of the program NAME, or fails.
#
# CODEX_BRIDGE_BIN_DIR alone where it is set; else beside the plugin (PREFIX/share/codex-bridge/plugin
# has its programs in PREFIX/bin), on the PATH, in ~/.local/bin and in ~/.cargo/bin.
installed() {
    if [ -n "${CODEX_BRIDGE_BIN_DIR:-}" ]; then
        runnable "$CODEX_BRIDGE_BIN_DIR/$2" "$1"
        return
    fi
    runnable "$1/../../../bin/$2" "$1" && return
    (
        IFS=:
        set -f
        for folder in $PATH; do
            runnable "${folder:-.}/$2" "$1" && exit 0
        done
        exit 1
    ) && return
    [ -n "${HOME:-}" ] || return
    runnable "$HOME/.local/bin/$2" "$1" || runnable "$HOME/.cargo/bin/$2" "$1"
}

# runnable FILE ROOT: prints FILE, unless it cannot be executed or is a shim of the plugin in ROOT.
runnable() {
    [ -f "$1" ] && [ -x "$1" ] || return
    # POSIX has `-ef` since 2024; dash, bash, ksh and busybox had it before.
    # shellcheck disable=SC3013
    if [ "$1" -ef "$2/bin/${1##*/}" ]; then return 1; fi
    printf '%s\n' "$1"
}
