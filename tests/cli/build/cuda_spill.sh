# slow with sanitizers: build/cuda_names and install/shipped take its branches
# Too few registers: the spill is reported, in the text too.
. "$ASSAY_SOURCE/tests/cli/build/_cuda.sh"
python3 - <<'P'
text = open("csrc/tiny.cu").read()
wide = """float a[40], x = 0;
    for (int i = 0; i < 40; i++) a[i] = y[i * 7 + threadIdx.x];
    for (int k = 0; k < (int)y[0]; k++)
        for (int i = 0; i < 40; i++) a[i] = a[i] * a[(i * 7 + 3) % 40] + y[k];
    for (int i = 0; i < 40; i++) x += a[i];"""
assert "float x = y[threadIdx.x];" in text
open("csrc/tiny.cu", "w").write(text.replace("float x = y[threadIdx.x];", wide))
P
assay build --kernel tiny --arch sm_80 --json >wide.json || exit 9
printf 'version: 1\nkernels:\n  tiny: {operator: attention, source: csrc/tiny.cu, flags: [-maxrregcount=24]}\n' >assay.yaml
assay build --kernel tiny --arch sm_80 --json >spilled.json || exit 9
[ "$(figure wide.json spill_bytes)" = 0 ] && [ "$(figure spilled.json spill_bytes)" -gt 0 ] || exit 8
[ "$(figure wide.json registers)" -gt 24 ] && [ "$(figure spilled.json registers)" -le 24 ] || exit 7
assay build --kernel tiny --arch sm_80 --verbose >text || exit 6
wants text "tiny for sm_80:" "  sm_80 tiny: * registers, [1-9]* bytes spilled, *" "*bytes spill stores*"
echo "as it should be"
