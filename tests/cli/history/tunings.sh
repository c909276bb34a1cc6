# A tuning is kept with its elite and its document, listed, shown again as it was printed and as its log; a resumed one takes its own
# place; it goes when runs are pruned.
. "$ASSAY_SOURCE/tests/cli/history/_store.sh"
. "$ASSAY_SOURCE/tests/cli/tune/_space.sh"
if assay history 2>&1 | grep -q "built without a store"; then echo "SKIPPED: this assay was built without a store"; exit 0; fi
rows() { assay history tunings "$@" | grep -c 20..-..-..T; }
tune_report --output tune.json >printed 2>err || complain "the tuning failed: $(cat err)"
[ -s err ] && complain "keeping a tuning printed something: $(cat err)"
[ "$(rows)" = 1 ] || complain "not one tuning"
assay history tunings --json >list.json
python3 - <<'P' || complain "the row of the tuning"
import json
row = json.load(open("list.json"))["tunings"][0]
tuning = json.load(open("tune.json"))
elite = [f for f in tuning["finalists"] if f["rank"] == "elite"]
assert row["run_id"] == tuning["run_id"] and row["kernel"] == "mine" and row["suite"] == "pr" and row["device"] == "sim:promise", row
assert row["config"] == elite[0]["config"] and row["elite_count"] == len(elite), row
assert row["speedup"] == elite[0]["speedup"] and row["speedup_low"] < row["speedup"] < row["speedup_high"], row
assert row["variant_count"] == len(tuning["variants"]) and row["sentence"] == tuning["sentence"], row
P
id=$(grep -o '"id": [0-9]*' list.json | tr -dc 0-9)
assay history tunings "$id" --json | diff - tune.json >/dev/null || complain "the document is another"
assay history tunings "$id" | diff - <(grep -v '^log: ' printed) || complain "shown otherwise than printed"
assay history tunings "$id" --format log | diff - runs/*-tune-*/log.md || complain "the log is another"
assay history tunings "$id" --format csv 2>err; [ $? = 64 ] || complain "another format: not 64"
tune --quiet --resume last >/dev/null 2>err || complain "the resumed tuning failed: $(cat err)"
[ "$(rows)" = 1 ] || complain "a resumed tuning is kept twice"
tune --quiet --no-store --try BLOCK_M=64 >/dev/null 2>err || complain "the trial failed: $(cat err)"
[ "$(rows)" = 1 ] || complain "--no-store keeps one"
tune --quiet --try BLOCK_M=16,STAGES=1,WARPS=2 >/dev/null 2>err; [ $? = 3 ] || complain "the baseline against itself: not 3 $(cat err)"
[ "$(rows)" = 2 ] || complain "not two tunings"
assay history tunings --limit 1 | grep -q " none" || complain "what has no elite does not say none"
[ "$(rows --side mine)" = 2 ] || complain "the kernel does not find both"
[ "$(rows --on sim:promise --suite pr)" = 2 ] || complain "device and suite do not find both"
for filter in "--side other" "--on cpu" "--suite x" "--since 2100-01-01" "--commit c" "--branch b"; do
    assay history tunings $filter | grep -q "no tuning fits" || complain "$filter finds one"
done
assay history tunings 999 2>err; [ $? = 66 ] || complain "no such tuning: not 66"
grep -q "no tuning 999; 'assay history tunings' shows them" err || complain "not said: $(cat err)"
assay history tunings some 2>err; [ $? = 64 ] || complain "no number: not 64"
assay history prune --before 2100-01-01 >/dev/null || complain "prune"
assay history tunings | grep -q "no tuning fits" || complain "tunings outlive their time"
is_file || exit $failed
rm -rf .assay; echo "no folder" >.assay
tune --quiet --try BLOCK_M=64 >out 2>err || complain "a store that cannot be made changed the exit code"
grep -q "warning: this tuning is not in the history" err || complain "not warned: $(cat err)"
exit $failed
