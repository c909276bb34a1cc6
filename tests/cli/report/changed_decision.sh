# A decision is printed as recorded. Where its figures are not those of the samples beside it, a warning says so, in every format for people.
report_of gate --device sim:steady --suite sim --only p0,p1 --candidate sim_slower5 --baseline sim --no-check --output gate.json >gate.txt 2>&1
echo "gate: $?, $(grep -c 'recorded decision' gate.txt) warnings of it"
assay report gate.json --format markdown | grep -c 'recorded decision'
python3 - <<'P'
import json
document = json.load(open("gate.json"))
for case in document["decision"]["cases"]:
    case.update(median_cand_ns=1.0, change_pct=-40.0, change_low_pct=-41.0, change_high_pct=-39.0, verdict="improvement")
json.dump(document, open("changed.json", "w"))
P
warned() { grep -o 'the recorded decision .*([a-z0-9]*: recorded medians [0-9.]* and 1, change -40.00 %, improvement; by its samples' | sed 's/medians [0-9.]*/medians N/'; }
assay report changed.json >text.txt
echo "exit $?"
fold_free() { tr '\n' ' ' | tr -s ' '; }
fold_free <text.txt | warned
assay report changed.json --format markdown | sed 's/\\//g' | warned
assay report changed.json --format html | warned
assay report changed.json --json | grep -c 'recorded decision'
assay report changed.json --format summary | grep -o '^warnings *[0-9]*' | tr -s ' '
