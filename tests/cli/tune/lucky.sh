# A variant that is fast in few of its processes, and a wrong one that is three times as fast: neither is ever in the elite, nor claimed.
. "$ASSAY_SOURCE/tests/cli/tune/_manifest.sh"
manifest "values: {A: [1, 2, 3, 4]}, effects: [
    {when: {A: 2}, sim: {slower_pct: -40, slow_process_pct: 90, slow_process_share_pct: 90}},
    {when: {A: 3}, sim: {slower_pct: -70, skips_work_at_launch: 1}},
    {when: {A: 4}, sim: {slower_pct: -10}}]" "a: scale/fp32/n64, b: scale/fp32/n65"
for seed in 1 2 3 4 5 6 7 8 9 10; do
    assay tune --kernel mine --device sim:promise --suite pr --strategy exhaustive --rounds 2 --seed $seed --quiet --output tune-$seed.json >/dev/null || echo "seed $seed: exit $?"
done
/usr/bin/python3 - <<'P'
import json
lucky = 0
for seed in range(1, 11):
    record = json.load(open(f"tune-{seed}.json"))
    tried = {v["config"]: v for v in record["variants"]}
    assert tried["A=3"]["fate"] == "wrong_result" and "speedup" not in tried["A=3"], tried
    lucky += tried["A=2"].get("speedup", 0) > 1.1 # in the race it looked good
    assert [f["config"] for f in record["finalists"] if f["rank"] == "elite"] == ["A=4"], record["finalists"]
print("ten seeds; it looked good in some:", lucky > 0)
P
