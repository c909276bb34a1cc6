# slow with sanitizers: their own memory would count
# assay's own tensors and references are no memory of a kernel's: too many of them are refused with the figures.
sed -n '/^```c$/,/^```$/p' "$ASSAY_SOURCE/docs/adding.md" | sed '1d;$d' >scale_plain.c
printf 'version: 1\nkernels: {plain: {operator: scale, backend: cpu, source: scale_plain.c}}\nlimits: {memory_gb: 0.085}\n' >assay.yaml
measure() {
    assay bench "$@" --cache warm --iters 5 --json >out.json; echo "exit $?"
    python3 -c '
import json
check = json.load(open("out.json"))["cases"][0]["checks"][0]
print(check["outcome"], check.get("message", ""))' | sed 's/this machine has .* GB/this machine has N GB/'
}
measure --kernel plain --problem scale/fp32/n4000000
measure --kernel plain --problem scale/fp32/n40000000
sed -i '/^limits/d' assay.yaml
measure --kernel naive --problem attention/fp32/b56/h32/s65536/d128
