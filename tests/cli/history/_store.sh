# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of the history that run on both engines: HISTORY_ADDRESS names a server's store (postgres.sh); without, the
# store is the file beside the manifest.
unset ASSAY_STORE
[ -z "${HISTORY_ADDRESS:-}" ] || export ASSAY_STORE=$HISTORY_ADDRESS
is_file() { [ -z "${HISTORY_ADDRESS:-}" ]; }
failed=0
complain() { echo "$1"; failed=1; }
