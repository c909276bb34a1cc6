# SPDX-License-Identifier: Apache-2.0
# Sourced by tests: $python is an interpreter that has the packages named as arguments; else the test is skipped.
. "$ASSAY_SOURCE/tests/cli/python/_project.sh" # skipped without an interpreter or the library that it loads
has() { for package in "${@:2}"; do "$1" -c "import $package" 2>/dev/null || return; done; }
python=python3
has "$python" "$@" || python=/usr/bin/python3
has "$python" "$@" || { echo "SKIPPED: neither python3 nor /usr/bin/python3 has $*"; exit 0; }
