# SPDX-License-Identifier: Apache-2.0
# Sourced by tests: the operators of examples/operators, and for each the kernels NAME_v1 to NAME_v5, which are right in ways of their own.
cp -r "$ASSAY_SOURCE/examples/operators/." .
cp "$ASSAY_SOURCE/tests/cli/operators/_variants/examples.c" .
operators=(rmsnorm gemm_gelu rope softmax paged_decode topk quantize moe)
for operator in "${operators[@]}"; do
    call=$(sed -n "s/^  $operator: .* call: \(&[a-z_]* \)\?\(\".*\"\).*/\2/p; /^  $operator: {operator.*,$/{n; s/.*call: \(&[a-z_]* \)\?\(\".*\"\).*/\2/p}" assay.yaml | head -1)
    for variant in 1 2 3 4 5; do
        echo "  ${operator}_v$variant: {operator: $operator, source: examples.c, call: $call, flags: [-DVARIANT=$variant]}"
    done
done >>assay.yaml
