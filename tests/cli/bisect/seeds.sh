# slow
# The acceptance: the planted commit among 64 in at most seven gates in 19 of 20 seeds, on the device of the promises (processes spread
# by 2 %) too. BISECT_SEEDS draws more of them.
. "$ASSAY_SOURCE/tests/cli/bisect/_history.sh"
export GIT_AUTHOR_DATE=2026-01-01T00:00:00Z GIT_COMMITTER_DATE=2026-01-01T00:00:00Z # ids seed what is drawn
history 64 64
seeds=${BISECT_SEEDS:-20}
for device in steady promise; do
    found=0
    for seed in $(seq "$seeds"); do
        culprit=$((1 + seed * 37 % 64))
        git checkout -q good && git tag -d $(git tag -l 'c*') >/dev/null
        for i in $(seq 64); do
            script "$((100 + (i >= culprit ? 6 : 0))).$(printf %03d "$i")"
            git commit -qam "commit $i"
        done
        assay bisect good..HEAD --device sim:$device --problem scale/fp32/n64 --seed "$seed" --json >out.json 2>err || cat err
        /usr/bin/python3 - "$culprit" <<'P' && found=$((found + 1))
import json, sys
record = json.load(open("out.json"))
suspects = [suspect["subject"] for suspect in record["suspects"]]
right = record["outcome"] == "found" and suspects == ["commit " + sys.argv[1]] and record["gate_count"] <= 7
if not right: print("commit", sys.argv[1], suspects, record["gate_count"], record["sentence"], file=sys.stderr)
sys.exit(not right)
P
    done
    [ $((found * 20)) -ge $((seeds * 19)) ] && echo "sim:$device: enough" || echo "sim:$device: $found of $seeds"
done
