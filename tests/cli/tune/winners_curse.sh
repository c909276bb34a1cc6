# campaign: 200 tunings, each with a later run of what it found
# No winner's curse, by the program itself on a noisy simulated device: what is claimed of the elite's first less what a later, independent
# run of it claims is zero within two standard errors on average, and the two intervals overlap in 95 % of the seeds.
. "$ASSAY_SOURCE/tests/cli/tune/_space.sh"
seeds=${TUNE_SEEDS:-200}
again() { /usr/bin/python3 -c 'import json, sys; print(next((f["config"] for f in json.load(open(sys.argv[1]))["finalists"] if f["rank"] == "elite"), ""))' "$1"; }
for seed in $(seq "$seeds"); do
    tune --seed "$seed" --max-variants 12 --rounds 3 --final-rounds 5 --quiet --output "found-$seed.json" --output-dir "runs-$seed" >/dev/null
    config=$(again "found-$seed.json")
    [ -n "$config" ] && tune --seed $((seed + 100000)) --try "$config" --final-rounds 5 --quiet --output "later-$seed.json" --output-dir "runs-$seed" >/dev/null
    rm -rf "runs-$seed"
done
/usr/bin/python3 - "$seeds" <<'P'
import json, math, os, statistics, sys
seeds, differences, overlaps = int(sys.argv[1]), [], 0
for seed in range(1, seeds + 1):
    if not os.path.exists(f"later-{seed}.json"): continue
    first = next(f for f in json.load(open(f"found-{seed}.json"))["finalists"] if f["rank"] == "elite")
    later = json.load(open(f"later-{seed}.json"))["finalists"][0]
    differences.append(math.log(first["speedup"] / later["speedup"]))
    overlaps += first["speedup_low"] <= later["speedup_high"] and later["speedup_low"] <= first["speedup_high"]
mean, error = statistics.mean(differences), statistics.stdev(differences) / math.sqrt(len(differences))
print(f"{len(differences)} of {seeds} seeds, {mean:+.5f} +- {error:.5f}, {overlaps} overlap", file=sys.stderr)
assert len(differences) >= 0.9 * seeds
assert abs(mean) <= 2 * error, (mean, error)
assert overlaps >= 0.95 * len(differences), overlaps
print("no winner's curse")
P
