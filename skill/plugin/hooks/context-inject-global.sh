#!/bin/sh
# The hook belongs to the plugin `context`. The advisor's plugin registers none; settings that name this
# file go on with it.
exec "${0%/*}/../../context/plugin/hooks/context-inject-global.sh" "$@"
