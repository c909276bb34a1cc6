# Options whose 0 would mean "not given", and an empty reason, are refused before anything is done; the sentence has the range.
for options in "tune --budget 0s" "tune --variant-time 0ms" "tune --proposer-time 0s" "tune --max-variants 0" "tune --rounds 0" \
    "tune --final-rounds 0" "bisect --max-gates 0" "bisect --rounds 0" "gate --rounds 0" "bench --rounds 0" "run sim --rounds 0" \
    "run integrated --batch 0" "baseline set --rounds 0" "fuzz --repeat 0" "bench --threads 0" "bench --sample-time 0us" \
    "bench --case-time 0s" "bench --until 0" "bench --until -1%" "bench --until 101%" "bench --busy-limit 0" "bench --busy-limit 101"; do
    # shellcheck disable=SC2086
    assay $options 2>said >out
    echo "$options: $?: $(sed 's/^assay: error: //' said)"
    [ ! -s out ] || cat out
done
for reason in "" "  " $'\t\n'; do
    report_of gate --device sim:steady --candidate sim_slower5 --baseline sim --accept "$reason" 2>said >out
    echo "an empty reason: $?: $(sed 's/^assay: error: //' said)"
done
report_of gate --device sim:steady --candidate sim_slower5 --baseline sim --accept "64-bit offsets" >out
echo "a reason: $?"
assay bench --device sim:steady --kernel sim --busy-limit 100 --until 100% --quiet >/dev/null
echo "the largest: $?"
