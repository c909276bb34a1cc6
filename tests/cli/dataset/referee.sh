# A candidate against a definition of a set: once, by a server, as a file alone; and its answers in a store.
. "$ASSAY_SOURCE/tests/cli/operators/_python.sh" numpy
. "$ASSAY_SOURCE/tests/cli/dataset/_set.sh"
printf 'version: 1\npython_interpreter: %s\n' "$("$python" -c 'import sys; print(sys.executable)')" >assay.yaml
cat >mine.py <<'P'
import numpy as np
def run(cache, kv_indptr, kv_indices, scale, shift):
    rows = [cache[kv_indices[a:b]].sum(0) for a, b in zip(kv_indptr, kv_indptr[1:])]
    return (scale * np.stack(rows)).astype(np.float32), (np.diff(kv_indptr) + shift).astype(np.int32)
P
sed 's/scale \*/1.03 * scale */; s/kv_//g' mine.py >other.py
paged=(--dataset "$set/trace" --definition paged_sum_h8 --rounds 0)
short_answer() { sed -n 's/ on [0-9]* checks//; s/: [^:]*; [0-9]* of.*//; s/--seed.*//; 1p; /^repeat/p' out | short; }
assay referee "${paged[@]}" mine.py:run >out 2>err; echo "once: $?, $(short_answer)"
assay referee "${paged[@]}" --listen socket >listens 2>&1 & server=$!
wait_until test -S socket
order='(cache, kv_indptr, kv_indices, scale, shift)'
assay referee --connect socket "$PWD/other.py:run$order" --name other >out 2>err; echo "by a server: $?, $(short_answer)"
kill $server; wait $server 2>/dev/null
short <listens
assay referee "${paged[@]}" mine.py --json >out 2>err; echo "a file alone: $?, $(sed -n 's/^ *"verdict": //p' out)"
sed 's/def run/def walk/' mine.py >walk.py
says referee "${paged[@]}" walk.py >/dev/null; sed -n 's/^.*does not load: //p' out | short
says referee "${paged[@]}" mine.py other.py
says referee "${paged[@]}"
# What was answered goes to a store later: a run's folder, or the document alone; twice is once.
run=$(ls -d runs/*-referee-* | head -1)
assay history import --store answers.db runs
assay history import --store answers.db "$run/referee.json"
sed '/"verdict"/s/right/wright/' "$run/referee.json" >damaged.json
says history import --store answers.db damaged.json
