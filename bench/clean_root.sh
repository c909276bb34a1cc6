#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# From a clone to a first verdict where nothing is but Debian's base: roots by `debootstrap --variant=minbase bookworm`, and in them the
# commands of README.md and docs/tutorial.md as they stand, `make uninstall`, then the package on a root of its own. As root; asks a Debian
# mirror for packages. Prints the rows of a table in Markdown (docs/measurements.md); what was printed stays in FOLDER/*.log.
# usage: bench/clean_root.sh [FOLDER]    1 if a row is not as it should be, 69 where no root can be made
set -u
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=${1:-$(mktemp -d)}
mkdir -p "$work" && cd "$work" || exit 73
[ "$(id -u)" = 0 ] || { echo "clean_root: a root is made by root only" >&2; exit 69; }
command -v debootstrap >/dev/null || { echo "clean_root: no debootstrap; apt-get install debootstrap" >&2; exit 69; }
wrong=0

leave() { for root in first second; do umount "$work/$root/proc" 2>/dev/null; done; }
trap leave EXIT

# inside ROOT COMMANDS: runs them as a login of the root's own would, with nothing of ours in the environment.
inside() { chroot "$work/$1" env -i HOME=/home USER=root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -c "$2"; }
says() { grep -qE -- "$1" "$2" || { echo "no line '$1'"; return 1; }; }
console() { sed -n '/^```console/,/^```/s/^\$ //p' "$1"; } # the commands of a page, one session

row() { # $1: what, $2: a function, whose output goes to its own log
    local started=$EPOCHREALTIME state=yes
    "$2" >"$work/$2.log" 2>&1 || { state='**no**' wrong=1; }
    printf '| %s | %s | %.0f s |\n' "$1" "$state" "$(echo "$EPOCHREALTIME - $started" | bc)"
    [ "$state" = yes ] || tail -20 "$work/$2.log" >&2
}

install_packages() { inside first 'apt-get update -qq && apt-get install -qq -y git make' && git clone -q "$source" first/home/assay; }
install_program() { # the block below "Install"
    sed -n '/^## Install/,/^## /p' "$source/README.md" | sed -n '/^```sh/,/^```/p' | grep -v '^```' >first/home/install.sh
    inside first 'cd ~/assay && set -ex && . ~/install.sh && assay --version'
}
readme() {
    console "$source/README.md" >first/home/readme.sh
    inside first 'export PATH=$HOME/.local/bin:$PATH PS4="+ \$EPOCHSECONDS "; mkdir ~/try && cd ~/try && set -x && . ~/readme.sh' >readme.said 2>&1
    cat readme.said
    says '^73/73 mine$' readme.said && says '^66/73 mine: 7 failed$' readme.said && says 'mine +naive +over naive' readme.said
}
tutorial() {
    console "$source/docs/tutorial.md" >first/home/tutorial.sh
    inside first 'export PATH=$HOME/.local/bin:$PATH && git config --global user.name N && git config --global user.email n@example.org &&
                  mkdir ~/learn && cd ~/learn && set -x && . ~/tutorial.sh' >tutorial.said 2>&1
    cat tutorial.said
    says '^73/73 mine$' tutorial.said && says '^smallest problem .*hkv2/s1/d1$' tutorial.said && says '^same machine code' tutorial.said &&
        says '^the candidate is slower: 2 regressions' tutorial.said && says '2 improvements' tutorial.said && says '^wrote .github' tutorial.said
}
uninstall() {
    inside first 'cd ~/assay && make uninstall PREFIX=$HOME/.local && find ~/.local -mindepth 1'
    [ -z "$(find first/home/.local -mindepth 1 -print -quit 2>/dev/null)" ]
}
package() {
    inside first 'cd ~/assay && make package' && cp first/home/assay/build/default/*.deb second/home/ &&
        inside second 'apt-get update -qq && apt-get install -qq -y ~/*.deb' &&
        inside second 'mkdir ~/own && cd ~/own && git init -q . && assay init && assay list kernels && assay fuzz --kernel mine --suite boundary &&
                       ls /usr/share/man/man1/assay*' >package.said 2>&1
    cat package.said
    says '^assay:simd ' package.said && says '^73/73 mine$' package.said && says 'assay-gate.1' package.said
}
purge() {
    inside second 'dpkg -L assay | while read -r path; do [ -d "$path" ] || echo "$path"; done >~/was && apt-get purge -qq -y assay'
    [ -s second/home/was ] && while read -r path; do [ ! -e "second$path" ] || { echo "left: $path"; return 1; }; done <second/home/was
}

debootstrap --variant=minbase bookworm first "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >debootstrap.log 2>&1 ||
    { echo "clean_root: debootstrap failed; see $work/debootstrap.log" >&2; exit 69; }
cp -a first second
for root in first second; do mount -t proc proc $root/proc || exit 69; done

echo "load before: $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) processors, commit $(git -C "$source" rev-parse --short HEAD)"
echo '| step | so | time |'
echo '| --- | --- | ---: |'
started=$EPOCHSECONDS
row 'git and make, a clone' install_packages
row '`make deps-build`, `make install`, `assay` on the path' install_program
row 'README: init, 73 of 73 right, bench, a bug found and shrunk' readme
verdict=$(sed -n 's/^++* \([0-9]*\) assay bench .*/\1/p' readme.said | head -1) # begins when the verdict is there
printf '| **from the clone to the first verdict** | | %d s |\n' $((${verdict:-0} - started))
row 'the tutorial: gates of an equal, a slower and a faster version, workflow' tutorial
row '`make uninstall` leaves nothing' uninstall
row 'the package on a second root: installs, lists kernels, checks its own' package
row '`apt-get purge` leaves nothing' purge
echo "load after: $(cut -d' ' -f1-3 /proc/loadavg)"
exit $wrong
