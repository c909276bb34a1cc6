# long: six bisections among 64 commits; bisect/finds and bisect/noisy take the path
# The acceptance: the planted commit among 64 in at most seven gates in 19 of 20 seeds, on the device of the promises (processes spread
# by 2 %) too; three seeds here, of which none may fail, BISECT_SEEDS=20 in `make campaign`. What is drawn follows from the commits' ids: their dates are fixed.
export GIT_AUTHOR_DATE="1767225600 +0000" GIT_COMMITTER_DATE="1767225600 +0000"
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
git tag good
seeds=${BISECT_SEEDS:-3}
# A history of 64 commits after good, the one given and later ones 6 % slower, as git fast-import reads it.
planted() { # $1: the commit
    /usr/bin/python3 - "$1" "$(git rev-parse good)" assay.yaml <<'P'
import re, sys
culprit, parent, manifest = int(sys.argv[1]), sys.argv[2], open(sys.argv[3]).read()
for commit in range(1, 65):
    base_us = f"{106 if commit >= culprit else 100}.{commit:03}"
    text, message = re.sub(r"base_us: [^},]*", f"base_us: {base_us}", manifest), f"commit {commit}\n"
    print(f"commit refs/heads/planted\ncommitter t <t@localhost> {1767225600 + commit} +0000\ndata {len(message)}\n{message}", end="")
    if commit == 1: print(f"from {parent}")
    print(f"M 100644 inline assay.yaml\ndata {len(text)}\n{text}")
P
}
for device in steady promise; do
    found=0
    for seed in $(seq "$seeds"); do
        culprit=$((1 + seed * 37 % 64))
        git checkout -q --detach good && planted "$culprit" | git fast-import --quiet --force && git checkout -q planted
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
