# long: a minute and more of emulated threads
# The kernels that use mma.sync: fa_sm80, and fp8 of Ada, whose boundaries are in emulator/fp8_boundary. Its earlier rungs: emulator/rungs.
. "$ASSAY_SOURCE/tests/cli/emulator/_emulator.sh"
for kernel in fa_sm80 fp8_sm89; do emulate $kernel "$ASSAY_SOURCE/kernels" $kernel.so; done
checks fa_sm80 --suite fp16 --boundary
checks fa_sm80 --suite bf16
checks fp8_sm89 --suite fp8_e4m3
