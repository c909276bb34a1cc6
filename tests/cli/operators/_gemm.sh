# gemm, which is compiled in, and the same product as an operator that a manifest declares, with the same kernels: a right one, and
# one for each known wrong result of gemm. Callers set: mutants, problems (M/N/K).
cp -r "$ASSAY_SOURCE/kernels" .
cat >reference.c <<'C'
#include <math.h>
void product(const double *a, const double *b, const double *bias, double *c, int m, int n, int k, double activation) {
    for (int i = 0; i < m; ++i, a += k, c += n)
        for (int j = 0; j < n; ++j) {
            double sum = bias[j] + c[j];
            for (int t = 0; t < k; ++t) sum += a[t] * b[(long)t * n + j];
            c[j] = activation == 1 ? (sum > 0 ? sum : 0) : activation == 2 ? sum * erfc(-sum / sqrt(2)) / 2 : sum;
        }
}
C
cat >assay.yaml <<'Y'
version: 1
operators:
  product:
    axes: {m: 64, n: 64, k: 64}
    inputs: {a: "fp32[m, k]", b: "fp32[k, n]", bias: "fp32[n]", activation: 2}
    inout: {c: "fp32[m, n]"}
    reference: reference.c
    reference_call: "product(a, b, bias, c, int m, int n, int k, double activation)"
kernels:
Y
# mutant NAME EXPRESSION: of sed; a kernel of each operator
mutant() {
    sed "$2" kernels/gemm/gemm_naive.c >"kernels/gemm/$1.c"
    [ "$1" = right ] || ! cmp -s "kernels/gemm/$1.c" kernels/gemm/gemm_naive.c || { echo "$1: gemm_naive.c has no such line"; exit 9; }
    sed 's/\.op = "gemm"/.op = "product"/' "kernels/gemm/$1.c" >"kernels/gemm/$1_declared.c"
    printf '  %s: {operator: gemm, backend: cpu, source: kernels/gemm/%s.c}\n' "$1" "$1" >>assay.yaml
    printf '  %s_declared: {operator: product, source: kernels/gemm/%s_declared.c}\n' "$1" "$1" >>assay.yaml
}
tail_of() { echo "args->$1 > 16 ? args->$1 \\/ 16 * 16 : args->$1"; }
mutant right ''
mutant last_term_lost 's/d < args->k && !/d < args->k - (args->k > 1) \&\& !/'
mutant k_tail_lost "s/d < args->k && !/d < ($(tail_of k)) \\&\\& !/"
mutant row_tail_stale "s/^    float \*a = job->workspace/    if (index >= ($(tail_of m))) return;\n&/"
mutant column_tail_stale "s/args->dtype_out, count, c_row/args->dtype_out, first + count <= ($(tail_of n)) ? count : ($(tail_of n)) - first, c_row/"
mutant b_flipped 's/!args->is_b_transposed/args->n != args->k/; s/c < count && args->is_b_transposed/c < count \&\& args->n == args->k/'
mutant bias_missing 's/if (job->data.bias) value/if (!job->data.c) value/'
mutant bias_shifted 's/job->data.bias, first + c,/job->data.bias, (first + c + 1) % args->n,/'
mutant former_c_lost 's/if (args->is_accumulating)/if (!job->data.c)/'
mutant activation_missing 's/gemm_activate(value, args->activation)/value/'
mutant activation_wrong 's/gemm_activate(value, args->activation)/gemm_activate(value, 3 - args->activation)/'
# found KERNEL PROBLEMS: the exit code, and of each problem whether something is wrong (what differs by chance: inputs do)
found() {
    assay fuzz --kernel "$1" --problem "$2" --no-shrink >out 2>err
    echo "exit $?: $(sed -nE 's/^\[.*\] [^ ]*( .*)? \.\.\. PASS.*/right/p; /^ *repeat:/d; s/^        [a-z_]+: .*/wrong/p' out | paste -sd' ')"
}
list() { printf "$1," $(sed "s/ /\n/g" <<<"$problems") | sed 's/,$//'; }
for name in $mutants; do
    compiled=$(found "$name" "$(list 'gemm/fp32/%s/bias/acc/gelu')")
    declared=$(found "${name}_declared" "$(list 'product/%s')")
    echo "$name: $compiled"
    [ "$compiled" = "$declared" ] || echo "$name, declared: $declared"
done
