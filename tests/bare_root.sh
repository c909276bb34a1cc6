#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# To a first verdict where nothing is but Debian's base: roots by `debootstrap --variant=minbase bookworm`, one a part, and in them what README.md
# and docs/tutorial.md tell a newcomer. As root; asks a Debian mirror (DEBIAN_MIRROR) for packages. Prints the rows of a table in Markdown
# (docs/measurements.md). Packages are those of `make package`, in build/packages or in PACKAGES.
#   tarball  gcc, libc6-dev and Ninja are installed; unpacked, it checks and gates the kernel of `assay init`, as root and as an ordinary user
#   deb      the RUN line of Containerfile: apt installs it and what it recommends; the same, then purge leaves nothing
#   wheel    pip installs it without an index into an environment of Debian's Python, and of another one where OTHER_PYTHON names its folder
#            (copied in under its own path); the same, then tests in pytest and a gate of them (without pytest: the module alone)
#   clone    the commands of README and tutorial as they stand, then `make uninstall`
# Roots, packages of Debian and what was printed (*.log) stay in the folder WORK where it is given; a second run then asks for little.
# usage: tests/bare_root.sh [tarball|deb|wheel|clone]...    1 if a row is not as it should be, 69 where no root can be made
set -u
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
packages=$(realpath -m "${PACKAGES:-$source/build/packages}")
[ $# -gt 0 ] || set -- tarball deb wheel clone
[ "$(id -u)" = 0 ] || { echo "bare_root: only root can make a root" >&2; exit 69; }
command -v debootstrap >/dev/null || { echo "bare_root: no debootstrap; apt-get install debootstrap" >&2; exit 69; }
work=${WORK:-}
[ -n "$work" ] || { work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT; }
mkdir -p "$work/debs/partial" && cd "$work" && work=$PWD || exit 73
wrong=0

# ---- roots ----

base() {
    [ -e base/complete ] && return
    rm -rf base
    debootstrap --variant=minbase --cache-dir="$work/debs" bookworm base "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >debootstrap.log 2>&1 ||
        { echo "bare_root: debootstrap failed: $(tail -1 debootstrap.log)" >&2; exit 69; }
    touch base/complete
}
root() { # $1: its name
    rm -rf "$1" && cp -a base "$1" && mkdir -p "$1/packages" && inside "$1" root 'useradd -m tester'
}

# inside ROOT USER COMMANDS: as a login of the root's own would run them, with nothing of our environment, in mounts and process numbers that go with
# it. USER is root or tester. A chroot: in one Linux gives tester no user namespace, so kernels' processes run without (docs/sandbox.md).
inside() {
    local home=/home
    [ "$2" = root ] || home=/home/$2
    unshare --mount --pid --fork --kill-child bash -c 'cd "$1" && mount --bind "$2/debs" var/cache/apt/archives && mount -t proc proc proc &&
        exec chroot --userspec="$3:$3" . env -i HOME="$4" USER="$3" TERM=dumb DEBIAN_FRONTEND=noninteractive \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -c "cd; $5"' - "$work/$1" "$work" "$2" "$home" "$3"
}
apt() { inside "$1" root "apt-get update -qq && apt-get install -qq -y $2"; } # $1: the root, $2: options and packages

# ---- rows ----

says() { grep -qE -- "$1" "$2" || { echo "no line '$1'"; return 1; }; }
console() { sed -n '/^```console/,/^```/s/^\$ //p' "$1"; } # the commands of a page, one session
ms() { local now=${EPOCHREALTIME/./}; echo $((now / 1000)); }
line() { printf '| %s | %s | %d.%d s |\n' "$1" "$2" $(($3 / 1000)) $(($3 / 100 % 10)); } # $3: milliseconds

row() { # $1: a log's name, $2: what; the rest: a command
    local state=yes started
    started=$(ms)
    "${@:3}" >"$work/$1.log" 2>&1 || state='**no**' wrong=1
    line "$2" "$state" $(($(ms) - started))
    [ "$state" = yes ] || tail -20 "$work/$1.log" >&2
}

# ---- what a user does first with a program that lies in the folder $bin of the root ----

first='set -ex; export PATH=$bin:$PATH
assay --version
mkdir try && cd try
assay init
assay fuzz --kernel mine --suite boundary'
# One kernel compiled in two ways: what a gate says of either order is known. One that found the machine busy is repeated.
gates='set -x; export PATH=$bin:$PATH; cd try
sed -i "s|^kernels:|&\n  slow: {operator: attention, backend: cpu, source: kernels/mine.c, flags: [-O1]}|" assay.yaml
gate() { # $1: the exit code
    local code try
    for try in 1 2 3; do assay gate --quiet "${@:2}"; code=$?; [ $code = 3 ] || break; done
    [ $code = $1 ]
}
gate 1 --candidate slow --baseline mine && gate 0 --candidate mine --baseline slow'

# first_verdict ROOT USER COMMANDS: what the commands take (they come first, and say what $bin is) counts.
first_verdict() { inside "$1" "$2" "$3; $first" >said 2>&1; cat said; says '^([0-9]+)/\1 mine$' said; }
gate() { inside "$1" "$2" "bin=$3; $gates" >said 2>&1; cat said; says 'regressions? \(exit 1\)' said && says 'improvements? \(exit 0\)' said; }

# ---- the tarball ----

part_tarball() {
    local bin='"$HOME/some place/bin"' user
    local unpack='mkdir "$HOME/some place" && tar -xzf /packages/assay_*.tar.gz -C "$HOME/some place" --strip-components=1'
    root tarball && cp "$packages"/assay_*.tar.gz tarball/packages/ || exit 66
    row tarball-packages 'gcc, libc6-dev and ninja-build' apt tarball '--no-install-recommends gcc libc6-dev ninja-build'
    for user in root tester; do
        row "tarball-$user" "**from the tarball to the first verdict**, as $user" first_verdict tarball "$user" "$unpack && bin=$bin"
        row "tarball-gate-$user" "gates of a slower and a faster kernel, as $user" gate tarball "$user" "$bin"
    done
}

# ---- the Debian package ----

pages() { inside deb tester 'ls /usr/share/man/man1/assay-gate.1* && assay list kernels' >said; cat said; says '^assay:simd ' said; }
purge() {
    inside deb root 'dpkg -L assay | while read -r path; do [ -d "$path" ] || echo "$path"; done >~/was && apt-get purge -qq -y assay'
    [ -s deb/home/was ] && while read -r path; do [ ! -e "deb$path" ] || { echo "left: $path"; return 1; }; done <deb/home/was
}
part_deb() {
    root deb && cp "$packages"/assay_*.deb deb/packages/ || exit 66
    row deb-apt 'the RUN line of Containerfile: apt installs the package and what it recommends' \
        inside deb root "$(sed -n 's/^RUN //p' "$source/Containerfile")"
    row deb-tester '**from the installed package to the first verdict**' first_verdict deb tester 'bin=/usr/bin'
    row deb-gate-tester 'gates of a slower and a faster kernel' gate deb tester /usr/bin
    row deb-pages 'manual pages, shipped kernels' pages
    row deb-purge '`apt-get purge` leaves nothing' purge
}

# ---- the wheel ----

venv() { # $1: the Python; options for venv
    printf '"%s" -m venv %s "$HOME/env" && "$HOME/env/bin/pip" install --no-index /packages/assay-*.whl && bin=$HOME/env/bin' "$1" "${*:2}"
}
pytests='set -x; export PATH=$HOME/env/bin:$PATH; cd try && cat >test_mine.py <<P
import pytest

def test_mine(assay):
    assay.check("mine", suite="quick")

@pytest.mark.assay_gate(suite="sim")
@pytest.mark.parametrize("kernel", ["sim", "sim_slower5"])
def test_simulated(assay, kernel): # whose gate no load of the machine disturbs
    assay.check(kernel, device="sim:promise", suite="sim")
P
python3 -m pytest -q -n 2 --assay-gate=sim; [ $? = 1 ]'
pytests() {
    inside wheel tester "$pytests" >said 2>&1
    cat said
    says '^3 passed' said && says '^sim: same machine code' said && says '^sim_slower5: .*\(exit 1\)$' said && says 'over 2 kernels: exit 1$' said
}
module() { # of the other Python, which has no pytest
    inside wheel root 'cd ~/try && ~/env/bin/python -c "import assay, sys; run = assay.check(\"mine\", suite=\"quick\"); print(sys.version, run.ok)"' >said 2>&1
    cat said
    says '^3.* True$' said
}
part_wheel() {
    root wheel && cp "$packages"/assay-*.whl wheel/packages/ || exit 66
    row wheel-packages 'python3-venv, python3-pytest-xdist, gcc, libc6-dev and ninja-build' \
        apt wheel '--no-install-recommends gcc libc6-dev ninja-build python3-venv python3-pytest-xdist'
    row wheel-tester "**from the wheel to the first verdict**, Debian's Python" \
        first_verdict wheel tester "$(venv /usr/bin/python3 --system-site-packages)"
    row wheel-gate 'gates of a slower and a faster kernel' gate wheel tester '$HOME/env/bin'
    row wheel-pytest 'pytest: two tests in two workers, one gate' pytests
    [ -n "${OTHER_PYTHON:-}" ] || return
    mkdir -p "wheel/${OTHER_PYTHON%/*}" && cp -a "$OTHER_PYTHON" "wheel/${OTHER_PYTHON%/*}/" && chmod a+x wheel/root || exit 66
    row wheel-other "the same to the first verdict, $("$OTHER_PYTHON/bin/python3" --version) of another machine" \
        first_verdict wheel root "$(venv "$OTHER_PYTHON/bin/python3")"
    row wheel-module 'its module checks the same kernel' module
}

# ---- a clone ----

install_program() { # the block below "Install"
    sed -n '/^## Install/,/^## /p' "$source/README.md" | sed -n '/^```sh/,/^```/p' | grep -v '^```' >clone/home/install.sh
    inside clone root 'cd ~/assay && set -ex && . ~/install.sh && assay --version'
}
readme() {
    console "$source/README.md" >clone/home/readme.sh
    inside clone root 'export PATH=$HOME/.local/bin:$PATH PS4="+ \$EPOCHSECONDS "; mkdir ~/try && cd ~/try && set -x && . ~/readme.sh' >readme.said 2>&1
    cat readme.said
    says '^([0-9]+)/\1 mine$' readme.said && says '^[0-9]+/[0-9]+ mine: [0-9]+ failed$' readme.said && says 'mine +naive +over naive' readme.said
}
tutorial() {
    console "$source/docs/tutorial.md" >clone/home/tutorial.sh
    inside clone root 'export PATH=$HOME/.local/bin:$PATH && git config --global user.name N && git config --global user.email n@example.org &&
                       mkdir ~/learn && cd ~/learn && set -x && . ~/tutorial.sh' >tutorial.said 2>&1
    cat tutorial.said
    says '^([0-9]+)/\1 mine$' tutorial.said && says '^smallest problem .*hkv2/s1/d1$' tutorial.said && says '^same machine code' tutorial.said &&
        says '^the candidate is slower: 2 regressions' tutorial.said && says '2 improvements' tutorial.said && says '^wrote .github' tutorial.said
}
uninstall() {
    inside clone root 'cd ~/assay && make uninstall PREFIX=$HOME/.local && find ~/.local -mindepth 1'
    [ -z "$(find clone/home/.local -mindepth 1 -print -quit 2>/dev/null)" ]
}
part_clone() {
    local started verdict
    root clone || exit 69
    started=$EPOCHSECONDS
    row clone-packages 'git, make, a clone' clone
    row clone-install '`make deps-build`, `make install`, `assay` on the path' install_program
    row clone-readme 'README: init, all problems right, bench, a bug found and shrunk' readme
    verdict=$(sed -n 's/^++* \([0-9]*\) assay bench .*/\1/p' readme.said | head -1) # begins when the verdict is there
    line '**from the clone to the first verdict**' "" $(((${verdict:-0} - started) * 1000))
    row clone-tutorial 'the tutorial: gates of an equal, a slower and a faster version, workflow' tutorial
    row clone-uninstall '`make uninstall` leaves nothing' uninstall
}
clone() { apt clone 'git make' && git clone -q "$source" clone/home/assay; }

for part in "$@"; do
    declare -F "part_$part" >/dev/null || { echo "bare_root: no part '$part'; parts: tarball deb wheel clone" >&2; exit 64; }
done
base
echo "load before: $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) processors, commit $(git -C "$source" rev-parse --short HEAD)"
echo '| step | so | time |'
echo '| --- | --- | ---: |'
for part in "$@"; do "part_$part"; done
echo "load after: $(cut -d' ' -f1-3 /proc/loadavg)"
exit $wrong
