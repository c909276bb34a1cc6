# OpenBLAS as a kernel: right where it is installed.
ldconfig -p | grep -q 'libopenblas\.so\.0' || { echo "SKIPPED: OpenBLAS is not installed"; exit 0; }
. "$ASSAY_SOURCE/tests/cli/_sums.sh"
assay fuzz --kernel openblas --suite gemm_quick --boundary | grep '^[0-9]*/' | sums | sed 's/@[0-9.]*:/@VERSION:/'
assay fuzz --kernel openblas --suite gemm_quick --dtype bf16 | grep -c 'UNSUPPORTED (cblas_sgemm is for fp32)'
