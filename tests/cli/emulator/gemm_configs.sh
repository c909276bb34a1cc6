# What gemm_sm80's check_config accepts can be compiled.
. "$ASSAY_SOURCE/tests/cli/emulator/_emulator.sh"
"$cxx" "${flags[@]}" -O0 -I"$ASSAY_SOURCE/kernels" "$ASSAY_SOURCE/tests/cli/emulator/_gemm_configs.cpp" "$built"/*.o -o configs && ./configs
