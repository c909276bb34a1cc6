# A stored run becomes the baseline of a branch, is listed, shown, moved, kept by prune, and is what a gate can measure against.
. "$ASSAY_SOURCE/tests/cli/history/_store.sh"
printf 'version: 1\nkernels: {}\n' >assay.yaml
if assay history 2>&1 | grep -q "built without a store"; then echo "SKIPPED: this assay was built without a store"; exit 0; fi
command -v git >/dev/null || { echo "SKIPPED: no git"; exit 0; }
printf '.assay/\nruns/\n' >.gitignore
git init -q -b trunk . && git add assay.yaml .gitignore
git -c user.name=t -c user.email=t@t commit -qm first
git -c user.name=t -c user.email=t@t commit -qm second --allow-empty
bench() { assay bench --device sim:steady --kernel sim --quiet "$@" >/dev/null 2>&1 || complain "the bench failed"; }
newest() { assay history --limit 1 --json | grep -o '"run_id": "[^"]*"' | cut -d'"' -f4; }
bench; first=$(newest)
bench --seed 7; second=$(newest)
[ "$first" != "$second" ] || complain "one run"
assay history --limit 1 --json >listed
grep -q '"branch": "trunk"' listed || complain "the branch is not kept"
grep -q "\"parent\": \"$(git rev-parse --short=7 HEAD^)\"" listed || complain "the parent is not kept"
grep -q "\"commit\": \"$(git rev-parse --short=7 HEAD)\"" listed || complain "the commit is not kept"
grep -q '"seed": 7' listed || complain "the seed is not kept"
assay history --branch none | grep -q "no run fits" || complain "--branch does not filter"
[ "$(assay history --branch trunk | grep -c T)" = 2 ] || complain "--branch does not find"
assay history problems >problems
[ "$(grep -c '^ *scale/' problems)" = 10 ] || complain "not each problem once: $(cat problems)"

assay baseline list | grep -q "no baseline fits" || complain "a baseline before there is one"
assay baseline show 2>err; [ $? = 66 ] || complain "show without a baseline: not 66"
assay baseline set "$first" | grep -qx "$first is a baseline now" || complain "set"
assay baseline list | grep -q "trunk .*$first" || complain "list"
assay baseline set "$second" >/dev/null && assay baseline list >listed
grep -q "$first" listed && complain "the earlier baseline is still there"
assay baseline set "$first" --branch release >/dev/null
assay baseline list --branch release --json | grep -q "\"run_id\": \"$first\"" || complain "list of a branch as JSON"
assay baseline set none 2>/dev/null; [ $? = 66 ] || complain "no such run: not 66"
assay baseline show >shown || complain "show"
assay baseline show --json >base.json || complain "show as JSON"
grep -q "\"run_id\": \"$second\"" base.json || complain "shown is another run"
report_of gate --device sim:steady --candidate sim --baseline base.json --no-check >out 2>&1 ||
    complain "a gate against the stored baseline: $(cat out)"
assay history prune --before 2100-01-01 --dry-run | grep -qx "1 run would be removed" || complain "prune would remove a baseline"
assay history prune --before 2100-01-01 >/dev/null
[ "$(assay history | grep -c T)" = 2 ] || complain "prune removed a baseline"
git checkout -q --detach
assay baseline show 2>err; [ $? = 64 ] || complain "show without a branch: not 64"
grep -q "name one with --branch" err || complain "not said: --branch"
exit $failed
