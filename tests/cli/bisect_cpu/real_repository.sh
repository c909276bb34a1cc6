# long: five real gates
# On the processor, in a real repository: 16 commits of other machine code each, of which one computes every 16th row twice (6.25 %).
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; git tag good
for i in $(seq 16); do
    sed -i '/commit_number/d' csrc/mine.c; echo "const int commit_number = $i;" >>csrc/mine.c
    [ "$i" = 11 ] && slow_down
    git commit -qam "commit $i"
done
assay bisect good..HEAD --problem attention/fp32/b1/h2/s160/d32 --json >out.json 2>err; echo "exit $?"
grep -v "^note: " err # notes tell of rounds that a busy machine spoilt: they are its affair
/usr/bin/python3 - <<'P'
import json, sys
record = json.load(open("out.json"))
print(record["outcome"], [suspect["subject"] for suspect in record["suspects"]])
print("gates:", record["gate_count"], record["sentence"], file=sys.stderr)
P
