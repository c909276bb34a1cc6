# slow
# The kernel with defects to be explained (tests/slow) computes right results with each of them.
. "$ASSAY_SOURCE/tests/cli/emulator/_emulator.sh"
cat >assay.yaml <<'Y'
version: 1
suites:
  right: {problems: {small: attention/fp32/b1/h2/s64/d64, apart: attention/fp32/b2/h4/hkv2/sq128/sk160/d64/lse}}
Y
for defect in STAGES=3 NEEDLESS_BARRIER=1 UNCOALESCED=1 CONFLICTS=1 STAGES=1; do
    "$cxx" "${flags[@]}" -O1 -I"$ASSAY_SOURCE/kernels" -D$defect -DEMULATED_FILE="\"$ASSAY_SOURCE/tests/slow/slow_attention.cu\"" \
        -DEMULATED_PROBLEM=slow_problem -shared "$emulator/module.cpp" "$built"/*.o -o slow.so || exit 9
    echo "$defect"
    checks slow --suite right
done
