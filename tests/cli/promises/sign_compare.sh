# slow
# Files of a candidate 10 % faster and of one 10 % slower, 20 seeds: compare calls each slower one a regression and no
# faster one, whichever way round they are given; the slower ones are never an improvement.
cat >assay.yaml <<'Y'
version: 1
kernels:
  faster10: {operator: scale, backend: sim, sim: {base_us: 100, slower_pct: -10}}
  slower10: {operator: scale, backend: sim, sim: {base_us: 100, slower_pct: 10}}
Y
measure() { # $1: kernel, $2: seed, $3: where to
    assay bench --kernel "$1" --device sim:steady --only p0,p1,p2 --seed "$2" --output-dir runs --output "$3" --quiet >/dev/null
}
verdicts() { # $1: baseline, $2: candidate -> "exit code: verdicts"
    assay compare "$1" "$2" --json >decision.json
    echo "$?: $(grep -o '"verdict": "[a-z_]*"' decision.json | sort | uniq -c | tr -s ' ' | tr '\n' ';')"
}
for seed in $(seq 1 20); do
    measure sim "$seed" base.json
    measure faster10 "$seed" faster.json
    measure slower10 "$seed" slower.json
    verdicts base.json faster.json >>faster
    verdicts base.json slower.json >>slower
    verdicts slower.json base.json >>slower_swapped
    rm -rf runs
done
for list in faster slower slower_swapped; do
    echo "$list: $(grep -c regression $list) of $(wc -l <$list) with a regression, $(grep -c improvement $list) with an improvement," \
        "exit codes $(sed 's/:.*//' $list | sort -u | paste -sd,)"
done
