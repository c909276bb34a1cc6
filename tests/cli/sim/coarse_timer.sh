# A timer with steps of 0.5 us: cold samples of 8 us do not count, of 60 us they do; the default cache mode repeats launches and sees 5 %.
cat >assay.yaml <<'Y'
version: 1
devices:
  "sim:tick": {timer_step_ns: 500, noise: {cv_pct: 1}}
kernels:
  short:  {operator: scale, backend: sim, sim: {base_us: 8.25}}
  short5: {operator: scale, backend: sim, sim: {base_us: 8.25, slower_pct: 5}}
  long:   {operator: scale, backend: sim, sim: {base_us: 60}}
  long5:  {operator: scale, backend: sim, sim: {base_us: 60, slower_pct: 5}}
Y
gate="report_of gate --device sim:tick --only p0 --measure-same"
$gate --candidate short --baseline short --cache cold | grep -E '^p0|^- p0|exit'; echo "short: ${PIPESTATUS[0]}"
$gate --candidate short5 --baseline short --cache cold | sed -n 1,2p; echo "5 % slower: ${PIPESTATUS[0]}"
$gate --candidate long --baseline long --cache cold | sed -n 2p; echo "long: ${PIPESTATUS[0]}"
$gate --candidate long5 --baseline long --cache cold | sed -n 2p; echo "5 % slower: ${PIPESTATUS[0]}"
$gate --candidate short --baseline short | sed -n 2p; echo "rotate: ${PIPESTATUS[0]}"
$gate --candidate short5 --baseline short | sed -n 2p; echo "5 % slower: ${PIPESTATUS[0]}"
