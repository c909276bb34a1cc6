# A fixed number of rounds that limits.gate_s cuts decides nothing (3), however clear it looks, nor does it when it is resumed
# and cut again: only all of them are a decision.
printf 'version: 1\nlimits: {gate_s: 1}\nkernels:\n  slower10: {operator: scale, backend: sim, sim: {base_us: 100, slower_pct: 10}}\n' >assay.yaml
say() { echo "exit $?: $(grep -o 'the time of the run was over after [0-9]* of 1000 valid rounds' out | tail -1 | sed 's/after [0-9]*/after N/')"; }
count() { grep -o 'after [0-9]* of 1000' out | tail -1 | tr -dc '0-9 ' | cut -d' ' -f2; }
assay gate --device sim:promise --candidate slower10 --baseline sim --suite sim27 --only p0 --no-check --rounds 1000 >out
say; first=$(count)
assay gate --resume last >out
say; second=$(count)
[ "$second" -gt "$first" ] && echo "resumed with more rounds"
