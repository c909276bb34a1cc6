# A limit of what others may take, by the option or the manifest: below it everything counts; results with unlike limits are not compared.
cat >assay.yaml <<'Y'
version: 1
devices:
  "sim:loaded": {noise: {cv_pct: 0.3}, episodes: [{from_round: 1, to_round: 100, others_pct: 12}]}
Y
gate="report_of gate --device sim:loaded --candidate sim --baseline sim --measure-same --only p0"
$gate >/dev/null; echo "default: $?"
$gate --busy-limit 15% | grep -E '^p0|^others'; echo "15 %: ${PIPESTATUS[0]}"
$gate --busy-limit 10% >/dev/null; echo "10 %: $?"
echo 'limits: {busy_pct: 15}' >>assay.yaml
$gate --json >gate.json; echo "manifest: $?, $(grep -c '"busy_limit": "15 %"' gate.json)"
assay bench --device sim:loaded --kernel sim --only p0 --quiet --output a.json >/dev/null; echo "bench: $?"
assay bench --device sim:loaded --kernel sim --only p0 --quiet --busy-limit 20% --output b.json >/dev/null; echo "bench: $?"
assay compare a.json b.json | sed -n 2p; assay compare a.json b.json --allow-different busy_limit >/dev/null; echo "let through: $?"
assay gate --busy-limit 15 --priority highest 2>&1; echo "usage: $?"
sed -i 's/busy_pct: 15/priority: highest/' assay.yaml; $gate 2>&1 | sed 's/.*assay.yaml/assay.yaml/'; echo "manifest: ${PIPESTATUS[0]}"
