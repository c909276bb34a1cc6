# A revision's kernels are its manifest's scripts.
git init -q -b main . && git config user.email a@b && git config user.name n
cat >assay.yaml <<'Y'
version: 1
kernels: {mine: {operator: scale, backend: sim, sim: {base_us: 100}}}
gate: {candidate: mine, baseline: "git:HEAD"}
Y
git add . && git commit -qm one
report_of gate --device sim:steady | sed -n 2p
sed -i 's/base_us: 100/base_us: 106/' assay.yaml
report_of gate --device sim:steady --only p0
