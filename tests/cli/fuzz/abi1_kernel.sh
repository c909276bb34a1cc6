# A kernel that was built against the header of ABI version 1 loads and passes its checks.
cc=${CC:-cc}
abi1=$ASSAY_SOURCE/tests/golden/abi1
"$cc" -O2 -fPIC -shared -fvisibility=hidden -I"$abi1" "$abi1/scale_abi1.c" -o old.so || exit 9
printf 'version: 1\nkernels: {old: {operator: scale, backend: cpu, library: old.so}}\n' >assay.yaml
assay fuzz --kernel old --boundary | sed -nE 's|^([0-9]{2,})/\1 |all |p'
