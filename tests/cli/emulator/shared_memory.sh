# A problem that is prepared later takes no shared memory from those that were prepared before it.
. "$ASSAY_SOURCE/tests/cli/emulator/_emulator.sh"
"$cxx" "${flags[@]}" -O0 -I"$ASSAY_SOURCE/kernels" "$ASSAY_SOURCE/tests/cli/emulator/_shared_memory.cpp" "$built"/*.o -o shared && ./shared
