#!/bin/sh
# Makes a release of this source folder: an archive that installs below any prefix without a toolchain,
# and a package for Debian and its kin. Both have the files that deploy/install.sh lays out.
#
# The version is the one that the programs print. Times, owners and order are fixed, so that the same
# programs make the same archives.
set -eu
umask 022
unset CDPATH
export LC_ALL=C

usage() {
    cat <<'TEXT'
Make the archive and the Debian package of a release.

Usage: deploy/dist.sh [OPTIONS]

  --from DIR       take the programs from DIR instead of building them
  --profile NAME   build with this profile of Cargo.toml [default: release, client, lto: what suits each]
  --output DIR     where to put them [default: target/dist]
  --help           show this text

The time that the files bear is SOURCE_DATE_EPOCH, else that of the commit.
TEXT
}

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

root=$(cd -- "$(dirname -- "$0")/.." && pwd)
from='' profile='' output=${CARGO_TARGET_DIR:-$root/target}/dist
while [ $# -gt 0 ]; do
    case $1 in
    --from | --profile | --output)
        [ $# -ge 2 ] || fail "$1 needs a value"
        case $1 in
        --from) from=$2 ;;
        --profile) profile=$2 ;;
        --output) output=$2 ;;
        esac
        shift
        ;;
    --help | -h)
        usage
        exit 0
        ;;
    *) fail "unknown option $1 (--help shows the options)" ;;
    esac
    shift
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# --- The files, as below /usr.

tree=$work/tree
"$root/deploy/install.sh" --prefix /usr --destdir "$tree" --with-court \
    ${from:+--from "$from"} ${profile:+--profile "$profile"}

version=''
for program in "$tree"/usr/bin/*; do
    its=$("$program" --version) || fail "${program##*/} does not print its version"
    its=${its##* }
    : "${version:=$its}"
    [ "$its" = "$version" ] || fail "${program##*/} is $its and others are $version: build all of them anew"
done
machine=$(uname -m)
name=codex-bridge-$version-$machine-unknown-linux-gnu

epoch=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/Cargo.toml")}
export SOURCE_DATE_EPOCH="$epoch"
dated() { find "$1" -exec touch --no-dereference --date="@$epoch" {} +; }

mkdir -p "$output" "$work/out"
output=$(cd -- "$output" && pwd)

# --- The archive.

mkdir "$work/$name"
cp -R "$tree/usr/bin" "$tree/usr/share" "$work/$name/"
cp "$root/deploy/install.sh" "$root/LICENSE" "$root/docs/INSTALL.md" "$work/$name/"
(cd "$work/$name" && find . -type f -print0 | sort -z | xargs -0 sha256sum >"$work/sums")
cp "$work/sums" "$work/$name/SHA256SUMS"
archive=$name.tar.gz
tar --create --directory "$work" --format=ustar --sort=name --mtime="@$epoch" --owner=0 --group=0 \
    --numeric-owner "$name" | gzip --no-name >"$work/out/$archive"
set -- "$archive"

# --- The package.

if command -v dpkg-deb >/dev/null 2>&1; then
    usr=$tree/usr share=$tree/usr/share
    # The programs lie together in a folder of their own, and links to them in the one for all. There `ci` is the
    # name of a program of the package rcs, so ours is code-intel, with its pages and completions.
    mkdir -p "$usr/lib/codex-bridge"
    mv "$usr/bin" "$usr/lib/codex-bridge/bin"
    mkdir "$usr/bin"
    for program in "$usr"/lib/codex-bridge/bin/*; do
        program=${program##*/}
        case $program in
        ci) link=code-intel ;;
        *) link=$program ;;
        esac
        ln -s "../lib/codex-bridge/bin/$program" "$usr/bin/$link"
    done
    for page in "$share"/man/man1/ci.1 "$share"/man/man1/ci-*.1; do
        its=${page##*/ci}
        mv "$page" "$share/man/man1/code-intel$its"
    done
    renamed() { # FROM TO EXPRESSION
        sed -e "$3" "$share/$1" >"$share/$2"
        rm "$share/$1"
    }
    renamed bash-completion/completions/ci bash-completion/completions/code-intel 's/ default ci$/ default code-intel/'
    renamed zsh/site-functions/_ci zsh/site-functions/_code-intel \
        's/^#compdef ci$/#compdef code-intel/; s/compdef _ci ci$/compdef _ci code-intel/'
    renamed fish/vendor_completions.d/ci.fish fish/vendor_completions.d/code-intel.fish 's/complete -c ci /complete -c code-intel /'
    # dpkg removes what it installed; what Debian keeps elsewhere goes there.
    rm "$share/codex-bridge/install.sh"
    mkdir -p "$usr/lib/systemd/system" "$share/doc/codex-bridge" "$share/zsh/vendor-completions"
    cp "$share/codex-bridge/systemd/codex-bridge.service" "$share/codex-bridge/systemd/codex-bridge.socket" \
        "$usr/lib/systemd/system/"
    mkdir -p "$usr/lib/systemd/user"
    cp "$share/codex-bridge/systemd/user/codex-bridge.service" "$usr/lib/systemd/user/"
    mv "$share"/zsh/site-functions/* "$share/zsh/vendor-completions/"
    rmdir "$share/zsh/site-functions"
    mv "$share/codex-bridge/LICENSE" "$share/doc/codex-bridge/copyright"
    find "$share/man" -name '*.1' -exec gzip --no-name --best {} +

    # The newest C library that a program asks for; the oldest that Rust works with where none does.
    libc=$(grep -aohE 'GLIBC_2\.[0-9]+' "$usr"/lib/codex-bridge/bin/* | sort -uV | tail -n 1)
    libc=${libc:-GLIBC_2.17}
    size=$(find "$usr" -type f -printf '%s\n' | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')
    case $machine in
    x86_64) architecture=amd64 ;;
    aarch64) architecture=arm64 ;;
    *) architecture=$(dpkg --print-architecture) ;;
    esac
    # What is before a release sorts before it: 0.1.0~dev.
    deb_version=$(printf '%s' "$version" | tr - '~')
    mkdir "$tree/DEBIAN"
    sed -e "s/@VERSION@/$deb_version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@SIZE@/$size/" \
        -e "s/@LIBC@/${libc#GLIBC_}/" "$root/deploy/debian/control" >"$tree/DEBIAN/control"
    for script in postinst prerm postrm; do
        cp "$root/deploy/debian/$script" "$tree/DEBIAN/$script"
        chmod 755 "$tree/DEBIAN/$script"
    done
    (cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    dated "$tree"
    package=codex-bridge_${deb_version}_$architecture.deb
    dpkg-deb --root-owner-group -Zgzip --build "$tree" "$work/out/$package" >/dev/null
    set -- "$@" "$package"
else
    echo "no Debian package: there is no dpkg-deb here" >&2
fi

(cd "$work/out" && sha256sum "$@" >SHA256SUMS)
mv "$work"/out/* "$output/"
for file; do printf '%s/%s\n' "$output" "$file"; done
