#!/bin/sh
# The old name of the hook: becomes the new one, and does nothing else.
exec "${0%/*}/context-inject-global.sh" "$@"
