# campaign: eleven kernels, each of gemm and of the same product declared, on a dozen problems
mutants="right last_term_lost k_tail_lost row_tail_stale column_tail_stale b_flipped bias_missing bias_shifted former_c_lost activation_missing activation_wrong"
problems="m1/n1/k1 m2/n3/k5 m17/n33/k33 m5/n40/k70 m64/n64/k64 m100/n100/k100 m129/n127/k65 m1/n257/k129 m257/n1/k129 m256/n384/k513 m3/n5/k2049 m640/n320/k192"
. "$ASSAY_SOURCE/tests/cli/operators/_gemm.sh"
