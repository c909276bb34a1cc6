#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What --isolation process costs on a GPU, and whether it measures the same: h200_hosts.sh ASSAY MODULES OUT [DEVICE]. MODULES is
# what bench/h200_build.sh has built. Prints, last, a table: medians of both forms, what the judge's clock says, times of gates.
# Exit 1 as soon as a host does not start, so that a wrong sandbox or driver costs no device time. About 6 minutes.
set -uo pipefail
assay=${1:?usage: h200_hosts.sh ASSAY MODULES OUT [DEVICE]} modules=${2:?} out=${3:?} device=${4:-cuda:0}
mkdir -p "$out"
cd "$out"
nvidia-smi --query-gpu=name,driver_version,compute_mode,persistence_mode --format=csv,noheader
small=attention/bf16/b1/h4/s512/d64
# 1. A kernel in a process of its own: sandbox, cuInit, JIT, import of memory, check.
start=$(date +%s.%N)
if ! "$assay" fuzz --isolation process --device "$device" --module "$modules/fa_sm90.so" --problem $small >first.txt 2>&1; then
    cat first.txt
    echo "h200_hosts.sh: a kernel of a GPU does not run in a process of its own here"
    exit 1
fi
echo "one check in a process of its own: $(awk "BEGIN{print $(date +%s.%N) - $start}") s"
# 2. The exchange: what the judge's clock has beyond the events, per sample.
cat >assay.yaml <<Y
version: 1
kernels:
  sm90: {operator: attention, backend: cuda, library: $modules/fa_sm90.so}
  sm80: {operator: attention, backend: cuda, library: $modules/fa_sm80.so}
suites:
  s: {problems: {s1k: attention/bf16/b4/h16/s1024/d128, s4k: attention/bf16/b2/h16/s4096/d128, small: $small}}
gate: {suite: s, check: s, candidate: sm90}
Y
for form in process none process none; do
    "$assay" bench --isolation $form --device "$device" --kernel sm90,sm80 --suite s --iters 60 --output "$form.json" >"bench_$form.txt" 2>&1
    echo "bench $form: exit $?"
done
# 3. Gates: the same verdicts, and at most 1.25 x the time.
for form in none process; do
    start=$(date +%s.%N)
    "$assay" gate --isolation $form --device "$device" --candidate sm90 --baseline sm80 --suite s --check s --rounds 5 >"gate_$form.txt" 2>&1
    code=$?
    echo "gate $form: exit $code, $(awk "BEGIN{print $(date +%s.%N) - $start}") s"
    "$assay" gate --isolation $form --device "$device" --candidate sm90 --baseline sm90 --suite s --check s --rounds 5 --measure-same \
        >"same_$form.txt" 2>&1
    echo "sm90 against itself, $form: exit $?"
done
# 4. What is said of wrong kernels.
for module in "$modules"/broken/*.so; do
    [ -e "$module" ] || continue
    "$assay" fuzz --isolation process --device "$device" --module "$module" --problem $small >"broken.txt" 2>&1
    echo "$(basename "$module" .so): exit $?, $(grep -m1 -oE '[a-z_]+: .{0,90}' broken.txt)"
done 2>/dev/null | head -20
nvidia-smi --query-compute-apps=pid,used_memory --format=csv,noheader # nothing of ours is left
python3 - runs/*bench*/journal.jsonl <<'P'
import collections, json, statistics, sys
medians = collections.defaultdict(list)
for path in sys.argv[1:]:
    for line in open(path):
        record = json.loads(line)
        if record.get("kind") != "samples":
            continue
        samples = record["samples"]
        times, judged, discard = samples["duration_ns"], samples.get("judge_ns"), samples.get("discard", {})
        kept = [i for i in range(len(times)) if str(i) not in discard]
        form = "process" if judged else "none"
        key = (record["case"], record["side"], form)
        reasons = collections.Counter(discard.values())
        beyond = [(judged[i] - times[i]) / 1e3 for i in range(len(times)) if judged and discard.get(str(i)) != "first_pair"]
        medians[key].append(statistics.median(times[i] for i in kept) if kept else float("nan"))
        print(key, f"sample {medians[key][-1] / 1e3:.1f} us, {len(kept)} count, {dict(reasons)}",
              f"judge beyond it: median {statistics.median(beyond):.1f}, {min(beyond):.1f} to {max(beyond):.1f} us" if beyond else "")
for (case, side, form), values in sorted(medians.items()):
    if form == "process" and (case, side, "none") in medians:
        other = medians[case, side, "none"]
        print(f"case {case} side {side}: process / none = {statistics.mean(values) / statistics.mean(other):.4f}"
              f" (none against itself {max(other) / min(other):.4f})")
P
