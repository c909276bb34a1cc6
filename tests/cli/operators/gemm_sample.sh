# A sample of operators/gemm: what is found of gemm's known wrong results is found of the same product as a declared operator.
mutants="right k_tail_lost column_tail_stale b_flipped former_c_lost" problems="m17/n33/k33 m5/n40/k70"
. "$ASSAY_SOURCE/tests/cli/operators/_gemm.sh"
