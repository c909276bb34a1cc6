# long: half a minute of emulated threads
# The kernel of gemm that uses mma.sync, both shapes of its tiles: every boundary, both layouts of B, all epilogues.
. "$ASSAY_SOURCE/tests/cli/emulator/_emulator.sh"
emulate gemm_sm80 "$ASSAY_SOURCE/kernels" gemm_sm80.so
checks gemm_sm80 --suite gemm_quick --dtype fp16 --boundary
checks gemm_sm80 --suite gemm_quick --dtype bf16 --boundary
