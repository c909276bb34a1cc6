# What is wrong in a declaration, at its line and column.
try() { # the operator's name and mapping
    printf 'version: 1\noperators:\n  %s: %s\n' "$1" "$2" >assay.yaml
    assay list operators >/dev/null 2>err; code=$?
    echo "$1: $2"
    echo "  $code: $(sed 's/^assay: error: //; s,/.*/assay.yaml,assay.yaml,' err)"
}
y='outputs: {y: "fp32[n]"}'
try one "{axes: {n: 64}, output: {}}"
try one "{axes: {n: 64}, inputs: {x: \"fp32[n]\"}}"
try one "{axes: {n: 64}, inputs: {x: \"fp32[m]\"}, $y}"
try one "{axes: {size: 64}, inputs: {x: \"fp32[sise]\"}, outputs: {y: \"fp32[]\"}}"
try one "{axes: {n: 64}, inputs: {x: \"float[n]\"}, $y}"
try one "{axes: {n: 64}, inputs: {x: \"fp32[n] normall\"}, $y}"
try one "{axes: {n: 0}, $y}"
try one "{axes: {n: \"2 * m\"}, $y}"
try one "{axes: {n: 1099511627776, m: n * n}, $y}"
try one "{axes: {n: 64}, where: [n], $y}"
try one "{axes: {n: 64}, where: [n % 3 == 0], $y}"
try one "{axes: {n: 64}, $y, reference: ../one.c}"
try one "{axes: {n: 64}, $y, flops: 2 * k}"
try one "{axes: {n: 64, k: 3}, $y}" # no mistake: a number that the reference and kernels take
try one "{axes: {n: 64.5}, $y}"
try one "{axes: {n: 64}, inputs: {x: \"fp32[{n}]\"}, $y}"
try one "{axes: {n: 64}, inputs: {x: \"double[n]\"}, $y}"
try one "{axes: {n: 64}, inputs: {x: \"floaty[n]\"}, $y}"
try one "{axes: {n: 64}, inputs: {x: \"fp32[n - 64]\"}, $y}"
try one "{axes: {n: 64}, inputs: {my x: \"fp32[n]\"}, $y}"
try one "{axes: {kv-heads: 64}, outputs: {y: \"fp32[8]\"}}"
try one "{axes: {n: 1099511627776, m: n}, inputs: {x: \"fp32[n, m]\"}, $y}"
try one "[axes, $y]"
try one "
    axes: {n: 64}
      inputs: {x: \"fp32[n]\"}"
try gemm "{axes: {n: 64}, $y}"
try "my norm" "{axes: {n: 64}, $y}"
try MyNorm "{axes: {n: 64}, $y}"
