# A kernel that is asked about problems of another operator: said at once, before anything is built or measured.
printf 'version: 1\nkernels:\n' >assay.yaml
printf '  mine: {operator: attention, backend: cpu, source: none.c}\n' >>assay.yaml
printf '  slow: {operator: attention, backend: cpu, source: slow.c}\n' >>assay.yaml
cp "$ASSAY_SOURCE/tests/cli/_slow_attention.c" slow.c
try() {
    assay "$@" 2>err
    echo "$* -> $?: $(sed 's/^assay: error: //' err)"
}
try bench --suite gemm --kernel mine
try bench --dry-run --suite gemm --kernel mine
try fuzz --suite gemm_boundary --kernel mine
try fuzz --problem gemm/fp32/m4/n4/k4 --kernel mine
try gate --candidate slow --baseline naive --suite quick --check gemm_boundary
try gate --candidate mine --baseline naive --suite gemm_cpu
try tune --kernel mine --suite gemm_cpu
