# C is read and written (/acc): a right kernel passes and is measured, one that loses what C held fails, and so does one that
# does nothing once it is timed. Sums in another order every time are no fault of a product, and are one of attention.
cp "$ASSAY_SOURCE/tests/cli/gemm/_accumulate.c" accumulate.c
cat >assay.yaml <<'Y'
version: 1
kernels:
  right:      {operator: gemm, backend: cpu, source: accumulate.c, flags: [-DRIGHT]}
  overwrites: {operator: gemm, backend: cpu, source: accumulate.c, flags: [-DOVERWRITES]}
  lazy:       {operator: gemm, backend: cpu, source: accumulate.c, flags: [-DLAZY]}
  any_order:  {operator: gemm, backend: cpu, source: accumulate.c, flags: [-DANY_ORDER]}
suites:
  acc: {problems: {small: gemm/fp32/m40/n72/k65/acc, wide: gemm/fp32/m64/n256/k64/acc}}
  products: {problems: {plain: gemm/fp32/m40/n72/k65, acc: gemm/fp32/m64/n256/k64/acc}}
Y
assay fuzz --kernel right --suite acc | grep '^[0-9]*/'
assay fuzz --kernel overwrites --suite acc | grep '^[0-9]*/'
assay fuzz --kernel any_order --suite products --repeat 5 | grep '^[0-9]*/'
for kernel in right lazy any_order; do
    for isolation in process none; do
        assay bench --kernel $kernel --suite acc --isolation $isolation --iters 10 --output $kernel.json >said 2>&1
        echo "$kernel, $isolation: exit $?"
    done
done
