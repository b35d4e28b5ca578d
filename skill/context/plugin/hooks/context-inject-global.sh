#!/bin/sh
# Becomes the installed `context-inject`: Claude Code's hook before each prompt. Where none is installed,
# the prompt goes through as it is, and the user is told.
case $0 in
*/hooks/*) root=${0%/hooks/*} ;;
hooks/*) root=. ;;
*) root=.. ;;
esac
# shellcheck source=lib/installed.sh
. "$root/lib/installed.sh"
if program=$(installed "$root" context-inject); then
    exec "$program" "$@"
fi
cat <<'JSON'
{"systemMessage":"[Limits] orchestrator unavailable: context-inject is not installed; install codex-bridge with `make install` in its source folder, or set CODEX_BRIDGE_BIN_DIR to the folder of its programs"}
JSON
exit 10
