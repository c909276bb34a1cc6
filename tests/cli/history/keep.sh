# Runs are kept beside the manifest, listed, plotted, exported, shown again and imported; a store that cannot be written is a
# warning and changes no exit code.
. "$ASSAY_SOURCE/tests/cli/history/_store.sh"
printf 'version: 1\nkernels: {}\n' >assay.yaml
gate() { report_of gate --device sim:steady --candidate sim --baseline sim --measure-same "$@"; }
if assay history 2>&1 | grep -q "built without a store"; then echo "SKIPPED: this assay was built without a store"; exit 0; fi
assay history 2>err; [ $? = 66 ] || complain "a store that is not there: not 66"
grep -q "there is no store '.*' yet" err || complain "not said: there is no store"
gate >out 2>err || complain "the gate failed"
[ -s err ] && complain "keeping a run printed something: $(cat err)"
assay bench --device sim:steady --kernel sim --quiet >/dev/null 2>&1 || complain "the bench failed"
is_file && { [ -s .assay/history.db ] || complain "there is no store"; }
is_file || [ ! -e .assay ] || complain "there is a file, too"
assay history >listed
[ "$(grep -c 20..-..-..T listed)" = 2 ] || complain "not two runs"
grep -q "10.*maintained" listed || complain "the gate's verdict is not listed"
run=$(assay history --json | grep -o '"run_id": "[^"]*gate[^"]*"' | cut -d'"' -f4)
assay history show "$run" | grep -q "nothing got worse: 10 maintained" || complain "the run cannot be shown again"
assay history plot --problem scale/fp32/n64 | grep -q '[#█]' || complain "nothing is plotted"
[ "$(assay history export --problem scale/fp32/n64 | wc -l)" = 4 ] || complain "export: not a head and three sides"
assay history export --format json | python3 -c 'import json, sys; assert len(json.load(sys.stdin)["results"]) == 30' || complain "export as JSON"
assay history import runs | grep -qx "0 new, 2 already there" || complain "import is not idempotent"
assay history import "runs/$run" | grep -qx "0 new, 1 already there" || complain "the folder of a run is not its run"
part=$(ls runs/result_*.json | head -1)
assay history import "$part" | grep -qx "0 new, 1 already there" || complain "a single problem's file took the place of its run"
assay history import --store other.db runs | grep -qx "2 new, 0 already there" || complain "import into another store"
assay history import README 2>/dev/null; [ $? = 66 ] || complain "a file that is not there: not 66"
for i in 1 2 3 4 5 6; do mkdir -p some/$i; sed "s/\"run_id\": \"[^\"]*\"/\"run_id\": \"some-$i\"/" runs/*bench*/result.json >some/$i/result.json; done
echo cut >some/3/result.json; echo cut >some/5/result.json
assay history import --store other.db some 2>err; [ $? = 65 ] || complain "a damaged file: not 65"
grep -q "some/3/result.json" err || complain "not the first damaged file: $(cat err)"
rm some/3/result.json some/5/result.json
assay history import --store other.db some >/dev/null
[ "$(assay history --store other.db | grep -c some-)" = 4 ] || complain "import of several: $(assay history --store other.db)"
assay history show none 2>/dev/null; [ $? = 66 ] || complain "no such run: not 66"
assay history frob 2>/dev/null; [ $? = 64 ] || complain "no such action: not 64"
assay history prune --before 2100-01-01 --dry-run | grep -qx "2 runs would be removed" || complain "prune, dry"
assay history prune --before 2100-01-01 | grep -qx "2 runs removed" || complain "prune"
assay history | grep -q "no run fits" || complain "an empty store"
is_file || exit $failed
# what cannot be kept is a warning
rm -rf .assay; echo "no folder" >.assay
gate >out 2>err || complain "a store that cannot be made changed the exit code"
grep -q "warning: this run is not in the history" err || complain "not warned"
ASSAY_STORE=none gate >out 2>err || complain "the gate failed"
[ -s err ] && complain "ASSAY_STORE=none warned"
exit $failed
