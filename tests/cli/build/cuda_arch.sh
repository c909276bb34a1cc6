# Targets: what nvcc does not know, and what the manifest does not allow.
. "$ASSAY_SOURCE/tests/cli/build/_cuda.sh"
for arch in sm_1 sm_90b gfx90a ""; do
    assay build --kernel tiny --arch "$arch" 2>&1
    echo "'$arch': exit $?"
done >unknown
wants unknown "*nvcc*has no target 'sm_1'; there are sm_* sm_89, sm_90, sm_100,*sm_120f*" "'sm_1': exit 64" "'sm_90b': exit 64" "'gfx90a': exit 64" "'': exit 64"
printf 'version: 1\nkernels:\n  tiny: {operator: attention, source: csrc/tiny.cu, arch: [sm_80]}\n' >assay.yaml
{ assay build --kernel tiny --arch sm_90a 2>&1; echo "exit $?"; } >refused
wants refused "*'tiny'*not for the target 'sm_90a'*'arch' in the manifest is sm_80*" "exit 64"
assay build --kernel tiny --json >own.json && [ "$(figure own.json targets)" = "['sm_80']" ] || exit 8
printf 'version: 1\nkernels:\n  tiny: {operator: attention, library: csrc/tiny.so, arch: sm_80}\n' >assay.yaml
{ assay build --kernel tiny 2>&1; echo "exit $?"; } >library
wants library "*assay.yaml:3:*arch*has no effect here*" "exit 78"
printf 'version: 1\nkernels:\n  tiny: {operator: attention, source: csrc/tiny.cu, arch: [sm_80, sm_999]}\n' >assay.yaml
{ assay build --kernel tiny 2>&1; echo "exit $?"; } >unknown
wants unknown "*has no target 'sm_999'; there are *" "exit 64"
for arch in "[80]" "[]" "[sm_80, sm_9]" sm_80x sm_80aa; do
    printf 'version: 1\nkernels:\n  tiny:\n    operator: attention\n    source: csrc/tiny.cu\n    arch: %s\n' "$arch" >assay.yaml
    assay build --kernel tiny 2>&1
    echo "$arch: exit $?"
done >manifest
wants manifest "*assay.yaml:6:12: kernels.tiny.arch: a target is sm_ and two or three digits*" "?80?: exit 78" \
    "*assay.yaml:6:11: *names no target*" "??: exit 78" "*assay.yaml:6:19: *not 'sm_9'" "*: exit 78" "*: exit 78" "*: exit 78"
printf 'version: 1\nkernels:\n  tiny: {operator: attention, source: csrc/tiny.cu}\n' >assay.yaml
assay build --kernel tiny --arch " sm_80 , sm_80" --json >own.json && [ "$(figure own.json targets)" = "['sm_80']" ] || exit 7
# Where no source is compiled for targets.
printf 'version: 1\nkernels:\n  cpu: {operator: attention, source: csrc/cpu.c}\n  lib: {operator: attention, library: csrc/x.so}\n  py: {operator: attention, backend: cuda, python: "a:b"}\n' >assay.yaml
for kernel in cpu lib py; do assay build --kernel $kernel --arch sm_80 2>&1; echo "$kernel: exit $?"; done >idle
wants idle "*--arch has no effect here*" "cpu: exit 64" "lib: exit 64" "py: exit 64"
assay build --module csrc/x.so --arch sm_80 >module 2>&1; [ $? = 64 ] || [ $? = 66 ] || exit 6
echo "as it should be"
