# slow with sanitizers: others take its branches, most of them gate/wrong_candidate, gate/time_limit_fixed and gemm/in_out
# limits.gate_s passes: what is decided stands, what is open is undecidable (3), the report says how to go on.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; printf 'limits: {gate_s: 2}\n' >>assay.yaml; git commit -qam limits; slow_down
assay gate --baseline git:HEAD --iters 400 >out; code=$?
grep -o 'the time limit of the run.*--resume' out; ls runs/*/report.md | wc -l
assay gate --resume last --json >/dev/null; echo "resumed: $?"
exit $code
