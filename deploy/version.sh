#!/bin/sh
# Prints the version of this source folder: the tag v1.2.3 is 1.2.3, twelve commits behind it
# 1.2.3+12.gcccbce2; without a tag it is the workspace's, before its release: 0.1.0-dev.837.gcccbce2.
# What is not committed adds `.dirty`. Without git or its folder it is the workspace's alone.
set -eu
unset CDPATH
root=$(cd -- "$(dirname -- "$0")/.." && pwd)

workspace=$(sed -n '/^\[workspace\.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml")
in_repository() { git -C "$root" "$@" 2>/dev/null; }

if [ ! -e "$root/.git" ] || ! commit=$(in_repository rev-parse --short HEAD); then
    printf '%s\n' "$workspace"
    exit
fi
dirty=''
[ -z "$(in_repository status --porcelain --untracked-files=no)" ] || dirty=.dirty
if described=$(in_repository describe --tags --long --abbrev=7 --match 'v[0-9]*'); then
    tag=${described%-*-g*}
    behind=${described#"$tag"-}
    if [ "${behind%-g*}" = 0 ] && [ -z "$dirty" ]; then
        printf '%s\n' "${tag#v}"
    else
        printf '%s+%s.g%s%s\n' "${tag#v}" "${behind%-g*}" "$commit" "$dirty"
    fi
else
    count=$(in_repository rev-list --count HEAD)
    printf '%s-dev.%s.g%s%s\n' "$workspace" "$count" "$commit" "$dirty"
fi
