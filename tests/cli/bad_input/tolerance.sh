# A tolerance without a reason, one that changes nothing, and values that no tolerance has: 78, each with its place.
for text in "{atol: 1e-3}" "{atol: 1e-3, why: \" \"}" "{why: nothing}" "{atol: -1, why: x}" "{atol: .nan, why: x}" "{atol: .inf, why: x}" \
    "{rtol: 0.9, why: x}" "{min_pass: 0, why: x}" "{min_pass: 99, why: x}" "{two_x: no, why: x}" "{atoll: 1, why: x}" "[1]"; do
    printf 'version: 1\nkernels:\n  mine: {operator: scale, source: m.c, tolerance: %s}\n' "$text" >assay.yaml
    assay list kernels >/dev/null 2>err; echo "$? $(sed 's/.*assay.yaml/assay.yaml/' err)"
done
printf 'version: 1\nsuites:\n  pr: {from: cpu, tolerance: {two_x: off}}\n' >assay.yaml
assay list suites >/dev/null 2>err; echo "$? $(sed 's/.*assay.yaml/assay.yaml/' err)"
