#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Starts a PostgreSQL server for a test, runs the command with its address in ASSAY_TEST_POSTGRES, and stops it. The server
# listens on a socket in a temporary folder only, asks for passwords (of the user "assay" it is "se%cret"), and goes with the folder.
# ASSAY_TEST_PGDATA is its data folder; "tests/postgres.sh --stop FOLDER" stops it early, as a crash does.
# Prints SKIPPED: and ends with 77 where no server program is installed; ASSAY_EXPECT="PostgreSQL" makes that a failure.
# usage: tests/postgres.sh COMMAND...
set -uo pipefail

server_program() { # $1: its name
    command -v "$1" || find /usr/lib/postgresql/*/bin -name "$1" 2>/dev/null | sort -V | tail -1
}
postgres=$(server_program postgres) initdb=$(server_program initdb) pg_ctl=$(server_program pg_ctl)
if [ -z "$postgres" ] || [ -z "$initdb" ] || [ -z "$pg_ctl" ]; then
    echo "SKIPPED: no PostgreSQL server (Debian: postgresql)"
    exit 77
fi
# It does not run as root.
as_server=()
if [ "$(id -u)" = 0 ]; then
    owner=nobody
    id postgres >/dev/null 2>&1 && owner=postgres
    as_server=(setpriv --reuid "$owner" --regid "$(id -g "$owner")" --clear-groups --)
fi
stop() { # $1: the data folder, $2: the mode
    "${as_server[@]}" "$pg_ctl" stop -D "$1" -m "$2" -w >/dev/null 2>&1
}
if [ "${1:-}" = --stop ]; then
    stop "$2" immediate
    exit
fi

folder=$(mktemp -d /tmp/assay-pg.XXXXXX) # short: a socket's path has at most 107 bytes
trap 'stop "$folder/data" fast; rm -rf "$folder"' EXIT
mkdir "$folder/data"
printf 'se%%cret\n' >"$folder/password"
[ ${#as_server[@]} = 0 ] || chown -R "$owner" "$folder"
log=$folder/log
start() {
    "${as_server[@]}" "$initdb" -D "$folder/data" -U assay --pwfile "$folder/password" -A scram-sha-256 -E UTF8 --locale C.UTF-8 \
        --no-sync >"$log" 2>&1 &&
        "${as_server[@]}" "$pg_ctl" start -D "$folder/data" -w -t 60 -l "$folder/server.log" \
            -o "-k $folder -c listen_addresses=''" >>"$log" 2>&1
}
if ! (cd / && start); then
    echo "postgres.sh: the server does not start:"
    cat "$log" "$folder/server.log"
    exit 1
fi
export ASSAY_TEST_PGDATA=$folder/data
export ASSAY_TEST_POSTGRES="postgresql://assay:se%25cret@/postgres?host=$folder"
"$@"
