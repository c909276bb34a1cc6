#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# On the PATH of tests as `wait_until`: waits for what another process does, as long as a busy machine may take.
# usage: wait_until COMMAND...    e.g. wait_until test -S socket; wait_until grep -qs word file
# The exit code is 0 once the command succeeds; 1, with a line on standard error, if it has not in two minutes. Never a test's subject:
# what must happen soon is asserted by its own limit.
end=$((SECONDS + 120))
until "$@" 2>/dev/null; do
    [ $SECONDS -lt $end ] || { echo "not in two minutes: $*" >&2; exit 1; }
    sleep 0.05
done
