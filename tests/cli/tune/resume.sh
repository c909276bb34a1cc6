# Killed after some heats, and in the middle of one: the same elite, and no heat is measured twice.
. "$ASSAY_SOURCE/tests/cli/tune/_space.sh"
tune --quiet --output whole.json --output-dir whole >/dev/null
cp -r whole/* . 2>/dev/null; run=$(basename whole/2*)
mkdir -p runs/"$run" && cp -r whole/"$run"/. runs/"$run"
rm -rf runs/"$run"/final runs/"$run"/heat-003 runs/"$run"/heat-004 runs/"$run"/heat-005 runs/"$run"/heat-006
journal=runs/$run/heat-002/journal.jsonl
head -c $(($(stat -c %s "$journal") / 2)) "$journal" >half && mv half "$journal"
first=$(sha256sum <runs/"$run"/heat-001/journal.jsonl)
tune --quiet --output resumed.json --resume last >/dev/null; echo "exit $?"
[ "$first" = "$(sha256sum <runs/"$run"/heat-001/journal.jsonl)" ] && echo "heat 1 was not measured again"
/usr/bin/python3 - <<'P'
import json
whole, resumed = (json.load(open(f"{name}.json")) for name in ("whole", "resumed"))
assert [v["config"] for v in whole["variants"]][:13] == [v["config"] for v in resumed["variants"]][:13]
assert whole["finalists"][0]["config"] == resumed["finalists"][0]["config"], (whole["finalists"], resumed["finalists"])
print("the same elite")
P
tune --resume nothing --quiet 2>&1; echo "exit $?"
# Killed in the final that its limits led to: what is resumed without them measures the variants that this final has, and no heat more.
run=$(tune --quiet --max-variants 9 --output few.json --output-dir few >/dev/null; echo few/2*)
journal=$run/final/journal.jsonl
head -c $(($(stat -c %s "$journal") / 2)) "$journal" >half && mv half "$journal"
tune --quiet --output-dir few --output more.json --resume last >/dev/null; echo "exit $?"
ls "$run" | tr '\n' ' '; /usr/bin/python3 -c '
import json
few, more = (json.load(open(f"{name}.json")) for name in ("few", "more"))
print(few["finalists"] == more["finalists"], few["variants"] == more["variants"])'
# Killed in a heat that its limit made small: resumed with a larger one, this heat has the same variants, and the next one has more.
cp -r few larger; rm -r larger/*/final
head -c $(($(stat -c %s larger/*/heat-002/journal.jsonl) / 2)) larger/*/heat-002/journal.jsonl >half && mv half larger/*/heat-002/journal.jsonl
tune --quiet --output-dir larger --max-variants 12 --output larger.json --resume last >/dev/null; echo "exit $?"
/usr/bin/python3 -c '
import json
few, larger = ([(v["config"], v["heat"], v["fate"] == "not_built") for v in json.load(open(f"{name}.json"))["variants"]] for name in ("few", "larger"))
print(few == larger[:9], [v[1:] for v in larger[9:]])'
# A final without the heats that led to it: nothing is decided.
mkdir kept; mv "$run/heat-002" kept
tune_report --output-dir few --resume last 2>&1 | sed "s|$run|RUN|"; echo "exit ${PIPESTATUS[0]}"
mv "$run/heat-001" kept
tune_report --output-dir few --resume last 2>&1 | sed "s|$run|RUN|"; echo "exit ${PIPESTATUS[0]}"
# Interrupted while a variant hangs, it says how to go on: with the tuning, not with one of its heats.
manifest "values: {A: [1, 2]}, effects: [{when: {A: 2}, sim: {hang_at_launch: 1}}]" "a: scale/fp32/n64"
assay tune --device sim:promise --suite pr --output-dir ended >out 2>said &
until [ -s ended/2*/heat-001/journal.jsonl ] || ! kill -0 $!; do sleep .1; done
kill -INT $!; wait $!; echo "exit $?"
sed 's|ended/2.*-tune-....|ended/...|' said
