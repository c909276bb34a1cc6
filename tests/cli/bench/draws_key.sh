# Each worker's last record has the key that it drew under, another one each time; a simulated worker draws from the seed.
keys() { sed -nE 's/.*"kind":"bye".*"draws_key":"([0-9a-f]{64})".*/\1/p' runs/*/journal.jsonl; }
report_of bench --kernel naive --manifest "$ASSAY_SOURCE/assay.yaml" --problem attention/fp32/b1/h1/s2/d2 --iters 5 --rounds 2 --output-dir runs >out 2>&1
echo "measures: $?"
[ "$(keys | wc -l)" = "$(grep -c '"kind":"bye"' runs/*/journal.jsonl)" ] && echo "all workers have one"
[ "$(keys | wc -l)" -ge 3 ] && [ -z "$(keys | sort | uniq -d)" ] && echo "none has another's"
rm -rf runs
report_of gate --device sim:steady --candidate sim_slower5 --baseline sim >out 2>&1; echo "decides: $?"
grep -q '"kind":"bye"' runs/*/journal.jsonl && echo "draws from the seed: $(grep -c draws_key runs/*/journal.jsonl) keys"
