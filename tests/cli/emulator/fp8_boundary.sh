# campaign: minutes of emulated threads; emulator/fa_sm90 and emulator/mma_sync take the boundaries of the same code in fp16
# Every boundary of the kernels for fp8.
. "$ASSAY_SOURCE/tests/cli/emulator/_emulator.sh"
for kernel in fa_sm90_fp8 fp8_sm89; do
    emulate $kernel "$ASSAY_SOURCE/kernels" $kernel.so
    checks $kernel --suite fp8_e4m3 --boundary
done
