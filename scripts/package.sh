#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What can be handed out: a Debian package of the default preset, and of the static one a tarball that is unpacked anywhere and needs no
# installation, and a wheel for pip. None builds a test.
#   scripts/package.sh [deb|tarball|wheel]         builds what it takes, packs it (or all) into build/packages, and says how long it took
#   scripts/package.sh deb|tarball|wheel BUILD TO  packs what BUILD installs into the folder TO
# One build packed twice gives the same bytes: names are sorted, owner and times do not depend on who packs, and when. JOBS as in make.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# The commit's time; in an unpacked `git archive` the files have it.
: "${SOURCE_DATE_EPOCH:=$(git -C "$source" log -1 --format=%ct 2>/dev/null || stat -c %Y "$source/CMakeLists.txt")}"
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DESTDIR=

# quietly COMMAND...: its words only where it fails.
quietly() { "$@" >"$work/log" 2>&1 || { tail -20 "$work/log" >&2; return 1; }; }

deb() { # $1: the build, $2: where to
    quietly cpack --config "$1/CPackConfig.cmake" -B "$work/cpack"
    mv "$work"/cpack/*.deb "$2/"
}

# The archive holds one folder of its own name. gzip, since every system can read it.
tarball() { # $1: the build, $2: where to
    local name
    name=assay_$("$1/assay" --version | sed 's/.* //')_$(uname -m)
    quietly cmake --install "$1" --prefix "$work/$name" --strip
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --mode=u+w,go=u,go-w -C "$work" -c "$name" |
        gzip -9n >"$2/$name.tar.gz"
}

wheel() { # $1: the build, $2: where to
    local made
    quietly cmake --install "$1" --prefix "$work/wheel" --strip
    made=$(PYTHONDONTWRITEBYTECODE=1 "$source/scripts/wheel.py" "$work/wheel" "$2")
    quietly env PYTHONDONTWRITEBYTECODE=1 "$source/scripts/check_wheel.py" "$made" || { cat "$work/log" >&2; return 1; }
}

# ccache, where there is one: most files compile alike in both presets, but for the build folder's name.
build() { # $1: preset
    quietly cmake --preset "$1" -S "$source"
    CCACHE_NOHASHDIR=1 cmake --build "$source/build/$1" -j "${JOBS:-$(nproc)}" --target installed
}

pack() {
    local packages=build/packages started=$SECONDS kind preset
    cd "$source"
    [ $# = 1 ] || rm -rf "$packages"
    mkdir -p "$packages"
    for kind in "$@"; do
        preset=static
        [ "$kind" = deb ] && preset=default
        build $preset
        "$kind" build/$preset "$packages"
    done
    for file in "$packages"/*; do
        printf '%s  %s kB\n' "$file" "$(($(stat -c %s "$file") / 1000))"
    done
    echo "packages: $((SECONDS - started)) s"
}

case $#:${1:-} in
0:) pack deb tarball wheel ;;
1:deb | 1:tarball | 1:wheel) pack "$1" ;;
3:deb | 3:tarball | 3:wheel) mkdir -p "$3" && "$1" "$(realpath "$2")" "$(realpath "$3")" ;;
*)
    echo "usage: package.sh [deb|tarball|wheel [BUILD TO]]" >&2
    exit 64
    ;;
esac
