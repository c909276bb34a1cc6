# a run of a Python kernel is not resumed after its source has changed
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
for kernel in plain kern.plain:forward; do
    rm -rf runs
    set -m
    assay bench --kernel $kernel --problem attention/fp32/b1/h1/s2/d2 --iters 5 --rounds 500 --quiet >out 2>&1 &
    pid=$!
    set +m
    wait_until sh -c "grep -q '\"kind\":\"samples\"' runs/*/journal.jsonl"
    kill -INT $pid; wait $pid; echo "interrupted: $?"
    before=$(grep -c '"kind":"samples"' runs/*/journal.jsonl)
    echo '# does the work five times' >>kern/plain.py
    report_of bench --resume last >out 2>&1; echo "resumed: $?"
    sed "s|, below .*)|)|" out
    [ "$before" = "$(grep -c '"kind":"samples"' runs/*/journal.jsonl)" ] && echo "nothing was measured"
done
