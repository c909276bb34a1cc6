# Change points of stored series: marked in the plot with the commit, listed, and as JSON. Commits of a made repository; the fifth from
# the end makes `b` 5 % slower.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
unset ASSAY_STORE
for commit in $(seq 14); do
    [ "$commit" != 10 ] || sed -i 's/base_us: 100/base_us: 105/' assay.yaml
    echo "$commit" >counter
    git add -A && git commit -qm "commit $commit"
    assay bench --device sim:steady --kernel mine --suite pr --quiet --iters 20 >/dev/null 2>&1 || echo "bench: $?"
    git tag "c$commit"
done
assay history changes >changes.txt
cat changes.txt | sed "s/$(git rev-parse --short=7 c9)/NINTH  /; s/$(git rev-parse --short=7 c10)/TENTH  /; s/[0-9.]* % slower ([0-9.]* to [0-9.]*)/N % slower (N to N)/; s/ 20[0-9T:-]*/ WHEN/; s/  */ /g"
assay history changes --json >changes.json
python3 - <<'P'
import json
changes = json.load(open("changes.json"))["changes"]
print(len(changes), "changes")
for change in changes:
    print(change["problem"], round(change["change_pct"]), change["change_low_pct"] < change["change_pct"] < change["change_high_pct"], change["p"] < 0.01)
P
assay history plot --problem scale/fp32/n64 --side mine | grep -c slower
assay history plot --problem scale/fp32/n64 --side mine | sed -n 10p | grep -o '5\.[0-9] % slower' | sed 's/5\.[0-9]/5/'
assay history changes --problem scale/fp32/n16
