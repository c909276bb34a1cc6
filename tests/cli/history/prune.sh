# prune removes what is older and fits every filter; what another filter leaves out stays.
. "$ASSAY_SOURCE/tests/cli/history/_store.sh"
printf 'version: 1\nkernels: {}\n' >assay.yaml
if assay history 2>&1 | grep -q "built without a store"; then echo "SKIPPED: this assay was built without a store"; exit 0; fi
assay bench --device sim:steady --kernel sim --quiet >/dev/null 2>&1 || complain "the bench failed"
made() { # $1: its name, $2: suite, $3: time
    mkdir -p "made/$1"
    sed "s/\"run_id\": \"[^\"]*\"/\"run_id\": \"$1\"/; s/\"suite\": \"sim\"/\"suite\": \"$2\"/
         s/\"created_utc\": \"[^\"]*\"/\"created_utc\": \"$3\"/" runs/*/result.json >"made/$1/result.json"
}
made one sim 2026-01-01T10:00:00Z; made two other 2026-01-01T10:00:30Z; made three other 2026-03-01T00:00:00Z
assay history import made | grep -qx "3 new, 0 already there" || complain "import"
would() { # $1: how many, then options
    local count=$1; shift
    assay history prune --dry-run "$@" >out 2>&1
    grep -qxE "$count runs? would be removed" out || complain "prune $*: $(cat out), not $count"
}
would 4 --before 2100-01-01
would 3 --before 2026-04-01
would 2 --before 2026-04-01 --suite other
would 0 --before 2026-04-01 --suite none
would 0 --before 2026-04-01 --branch none
would 0 --before 2026-04-01 --on H100
would 0 --before 2026-04-01 --commit c0ffee0
would 1 --before 2026-04-01 --since 2026-02-01
# a minute begins at its first second
would 0 --before 2026-01-01T10:00Z
would 1 --before 2026-01-01T10:00:01Z
would 3 --before 2026-04-01 --since 2026-01-01T10:00
assay history prune --before 2026-02-01 --suite other | grep -qx "1 run removed" || complain "prune"
assay history --json | grep -o '"run_id": "[a-z]*"' | tr -dc 'a-z\n' | sort >left
[ "$(grep -cE 'one|three' left)" = 2 ] || complain "another run was removed: $(cat left)"
exit $failed
