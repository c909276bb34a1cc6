# Documents of a project whose operators this program does not have are read, shown, compared, kept and imported; a launch's work is what
# they state. They are not measured: a baseline of theirs, and a run of theirs to be continued, end with 65 and the sentence.
cat >assay.yaml <<'Y'
version: 1
kernels:
  mine: {operator: scale, backend: sim, sim: {base_us: 100, cv_pct: 1}}
suites:
  pr: {problems: {n64: scale/fp32/n64, n65: scale/fp32/n65}}
Y
theirs() { sed -e 's#scale/fp32/n#rmsnorm/bf16/rows#g' -e 's#"op": "scale"#"op": "rmsnorm"#' "$1"; }
assay bench --kernel mine --suite pr --device sim:steady --quiet --output ours.json
theirs ours.json | sed 's/"flop_count": 64/"flop_count": 640000/' >theirs.json
assay report theirs.json --color never | grep -E '^(\[1/2\] n64|.* GFLOP/s)'
assay report theirs.json --format flashinfer | head -1 | cut -c1-24
assay compare theirs.json theirs.json --color never | sed -n 2p
assay compare ours.json theirs.json --color never | grep -o 'n64: not the same problem: .* inputs (' 
export ASSAY_STORE=$PWD/store.db
assay history import theirs.json | tail -1
assay history --json | /usr/bin/python3 -c 'import json, sys; print(len(json.load(sys.stdin)["runs"]), "run")'
export ASSAY_STORE=none
assay baseline check theirs.json --device sim:steady
echo "baseline: $?"
assay gate --candidate mine --baseline mine --suite pr --device sim:steady --measure-same --quiet
run=$(ls -d runs/*-gate-*)
theirs "$run/plan.json" >plan.json && mv plan.json "$run/plan.json"
assay gate --resume "$(basename "$run")"
echo "resume: $?"
