#!/bin/sh
# The hook belongs to the plugin `context`, which lies beside this one. This plugin registers none; settings
# that name this file go on with it.
exec "${0%/*}/../../context-plugin/hooks/context-inject-global.sh" "$@"
