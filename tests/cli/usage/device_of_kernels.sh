# Without --device a command runs where its kernels do: those named, else those that it takes without a name.
cat >assay.yaml <<'Y'
version: 1
kernels:
  card: {operator: attention, backend: cuda, library: card.so}
  card2: {operator: attention, backend: cuda, library: card2.so}
  host: {operator: attention, backend: cpu, library: host.so}
  script: {operator: attention, sim: {base_us: 100}}
gate: {suite: quick, candidate: card, baseline: card2}
Y
device() { echo "$* -> $("$@" --dry-run --json --suite quick 2>/dev/null | grep '^ "device"')"; }
device assay bench --kernel card
device assay bench --kernel card --vs torch
device assay bench --kernel torch:flash
device assay bench --kernel torch:flash --vs card2
device assay bench --kernel host --vs torch:math
device assay bench --kernel cudnn
device assay bench
device assay bench --kernel card --device sim:steady
assay run quick --dry-run --json | grep '^ "device"'
assay bench --kernel card --vs host
echo "code $?"
assay bench --kernel host,torch:efficient
echo "code $?"
sed -i 's/baseline: card2/baseline: host/' assay.yaml
assay gate --candidate card --dry-run 2>&1
echo "code $?"
sed -i 's/baseline: host/baseline: card2/; /host:/d' assay.yaml
device assay bench
assay bench --kernel script --dry-run
echo "code $?"
