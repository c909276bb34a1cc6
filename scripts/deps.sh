#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the missing Debian packages for the tasks given: scripts/deps.sh build|test|lint|fuzz|package|bare|bench|pages|python ...
# Uses sudo unless root. On other systems it prints the list and stops.
set -euo pipefail

packages_of() {
    case $1 in
    build) echo build-essential cmake ninja-build pkg-config git libyaml-dev nettle-dev libxxhash-dev libseccomp-dev \
        libsqlite3-dev libzstd-dev libpq-dev libmicrohttpd-dev libsodium-dev ;;
    test) echo g++ libcmocka-dev libbenchmark-dev ccache curl file wrk zsh groff python3 python3-jsonschema python3-pytest python3-pytest-xdist python3-venv python3-yaml valgrind postgresql ;;
    lint) echo clang clang-format clang-tidy mypy python3-pytest ;; # pytest: for the types of its plugins
    fuzz) echo clang lld libclang-rt-14-dev libjansson-dev ;;
    package) echo file dpkg-dev python3 ;; # dpkg-shlibdeps, which names what the program links to
    bare) echo debootstrap ;;
    bench) echo libopenblas-dev python3 ;; # plus python3-scipy for the comparison with SciPy
    python) echo python3-numpy python3-torch libtorch-dev pybind11-dev python3-pybind11 python3-dev python3-setuptools \
        python3-numba ;; # of kernels and references in Python, extension modules among them; some hundred MB
    pages) echo chromium nodejs npm python3 ;;
    *)
        echo "deps.sh: unknown group '$1'; there are build, test, lint, fuzz, package, bare, bench, pages, python" >&2
        exit 64
        ;;
    esac
}

wanted=()
for group in "${@:-build}"; do
    list=$(packages_of "$group")
    read -ra names <<<"$list"
    wanted+=("${names[@]}")
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    for tool in cmake ninja cc git; do
        command -v "$tool" >/dev/null || missing_tool=1
    done
    [ -z "${missing_tool:-}" ] && exit 0 # a machine that was set up by hand: CMake says what else is missing
    echo "These packages (Debian's names) are needed: ${wanted[*]}"
    echo "This is not a Debian system: install their equivalents with its package manager, then run make again."
    exit 69
fi

missing=()
for name in "${wanted[@]}"; do
    [ "$name" = npm ] && command -v npm >/dev/null && continue # NodeSource's nodejs brings it, and conflicts with Debian's
    status=$(dpkg-query -W -f '${Status}' "$name" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing+=("$name")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "These packages are missing: ${missing[*]}"
        echo "Install them as root (apt-get install ${missing[*]}), or install sudo, then run make again."
        exit 69
    fi
    as_root=(sudo)
fi
echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
