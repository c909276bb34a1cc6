# long: real gates
# On the processor, in a real repository: four commits of other machine code each (BISECT_COMMITS: sixteen in `make campaign`), of which
# one computes every 16th row twice (6.25 %).
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; git tag good
commits=${BISECT_COMMITS:-4}
slow=$((commits * 11 / 16 + 1))
for i in $(seq "$commits"); do
    sed -i '/commit_number/d' csrc/mine.c; echo "const int commit_number = $i;" >>csrc/mine.c
    [ "$i" = $slow ] && slow_down
    git commit -qam "commit $i$([ "$i" != $slow ] || echo ', slow')"
done
assay bisect good..HEAD --problem attention/fp32/b1/h2/s160/d32 --json >out.json 2>err; echo "exit $?"
grep -v "^note: " err # notes tell of rounds that a busy machine spoilt: they are its affair
/usr/bin/python3 - <<'P'
import json, sys
record = json.load(open("out.json"))
subjects = [suspect["subject"].split(", ") for suspect in record["suspects"]]
print(record["outcome"], [words[1:] for words in subjects])
print("gates:", record["gate_count"], record["sentence"], file=sys.stderr)
P
