# Equal machine code is not measured again: of 40 commits of which two touch the kernel, four gates, whatever else changes.
. "$ASSAY_SOURCE/tests/cli/bisect/_history.sh"
sim_project; git tag good
for i in $(seq 40); do
    echo "$i" >notes
    [ "$i" = 10 ] && script 100.5
    [ "$i" = 23 ] && script 107
    git add -A; git commit -qm "commit $i"
done
bisect good..HEAD --quiet --json >out.json; echo "exit $?"
/usr/bin/python3 - <<'P'
import json
record = json.load(open("out.json"))
print(record["outcome"], [suspect["subject"] for suspect in record["suspects"]], record["gate_count"], "gates")
print(sum(step["answer"] == "same_code" for step in record["steps"]) > 0)
P
