# A named device that is missing is refused; without a named device the default targets are built.
. "$ASSAY_SOURCE/tests/cli/build/_cuda.sh"
for device in cuda:77 GPU-00000000-0000-0000-0000-000000000000; do
    assay build --kernel tiny --device $device >out 2>&1
    echo "$device: exit $?"
    wc -l <out
done >refused
wants refused "cuda:77: exit 69" 1 "GPU-*: exit 69" 1
assay build --kernel tiny --json >usual.json || exit 8
assay build --kernel tiny --device cuda:77 --arch sm_80 --json >named.json || exit 7
[ "$(figure named.json targets)" = "['sm_80']" ] || exit 6
echo "as it should be"
