# slow with sanitizers: unit/test_device_lock and lock/interrupted take its branches
# Two gates of one commit on one device, begun together: one waits for the other, says so once, and is a rerun of it. Both decide.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
export XDG_CACHE_HOME=$PWD/cache
project
sed -i 's/#define EXTRA_ROWS 0/#define EXTRA_ROWS 1/' csrc/mine.c # every row twice: five rounds decide on a busy machine, too
assay build --kernel mine --quiet >/dev/null
for i in 1 2; do
    (assay gate --baseline git:HEAD --only a --iters 10 --quiet >"out.$i" 2>"err.$i"; echo "exit $?" >"code.$i") &
done
wait
sort code.1 code.2
cat out.1 out.2 | grep -c 'the candidate is slower'
cat out.1 out.2 | grep -o '^rerun [0-9]*'
python3 - runs/*/journal.jsonl <<'P'
import json, sys
spans = []
for path in sys.argv[1:]:
    lines = [json.loads(line) for line in open(path)]
    spans.append((lines[0]["time_ns"], max(line.get("time_ns", 0) for line in lines)))
spans.sort()
assert len(spans) == 2
print("one after the other" if spans[0][1] < spans[1][0] else f"at the same time: {spans}")
P
