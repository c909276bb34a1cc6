# campaign: minutes of emulated threads
# The earlier rungs of fa_sm80: tensor cores for the scores alone, and none.
. "$ASSAY_SOURCE/tests/cli/emulator/_emulator.sh"
for kernel in fa_sm80_mma fa_sm80_scalar; do
    emulate $kernel "$ASSAY_SOURCE/kernels" $kernel.so
    checks $kernel --suite fp16
done
