# The disk is full in the middle of a gate (a file size limit stands for it): 74 and a sentence, what was measured is kept,
# and the run goes on when there is room again.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
(ulimit -f 150; exec assay gate --device sim:steady --candidate sim_slower5 --baseline sim --iters 200 --rounds 10 --quiet) >/dev/null 2>err
echo "full: $?"
grep -o "journal.jsonl'*: .*" err | head -1
no_workers
kept=$(grep -c '"kind":"case_state"' runs/*/journal.jsonl); [ "$kept" -ge 1 ] && echo "kept something"
report_of gate --resume last >second.out; code=$?
[ $code = 1 ] || cat second.out >&2
[ "$(grep -c '"kind":"case_state"' runs/*/journal.jsonl)" -gt "$kept" ] && echo "went on"
exit $code
