# Targets: what nvcc does not know, and what the manifest does not allow.
. "$ASSAY_SOURCE/tests/cli/build/_cuda.sh"
for arch in sm_1 sm_90b gfx90a ""; do
    assay build --kernel tiny --arch "$arch" 2>&1
    echo "'$arch': exit $?"
done >unknown
wants unknown "*nvcc*has no target 'sm_1'; there are *sm_80*" "'sm_1': exit 64" "'sm_90b': exit 64" "'gfx90a': exit 64" "'': exit 64"
printf 'version: 1\nkernels:\n  tiny: {operator: attention, source: csrc/tiny.cu, arch: [sm_80]}\n' >assay.yaml
{ assay build --kernel tiny --arch sm_90a 2>&1; echo "exit $?"; } >refused
wants refused "*'tiny'*not for the target 'sm_90a'*'arch' in the manifest is sm_80*" "exit 64"
assay build --kernel tiny --json >own.json && [ "$(figure own.json targets)" = sm_80 ] || exit 8
printf 'version: 1\nkernels:\n  tiny: {operator: attention, library: csrc/tiny.so, arch: sm_80}\n' >assay.yaml
{ assay build --kernel tiny 2>&1; echo "exit $?"; } >library
wants library "*assay.yaml:3:*arch*has no effect here*" "exit 78"
echo "as it should be"
