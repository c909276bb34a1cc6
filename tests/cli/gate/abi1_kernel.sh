# campaign: a gate that settles on the real clock; fuzz/abi1_kernel checks the same kernel
# A kernel that was built against the header of ABI version 1 is gated.
cc=${CC:-cc}
abi1=$ASSAY_SOURCE/tests/golden/abi1
"$cc" -O2 -fPIC -shared -fvisibility=hidden -I"$abi1" "$abi1/scale_abi1.c" -o old.so || exit 9
printf 'version: 1\nkernels: {old: {operator: scale, backend: cpu, library: old.so}}\n' >assay.yaml
assay gate --candidate old --baseline old --measure-same --no-check --problem scale/fp32/n65536 --rounds 5 --json >gate.json
echo "exit code $?"
grep -o '"verdict": "[a-z_]*"' gate.json | sort -u
