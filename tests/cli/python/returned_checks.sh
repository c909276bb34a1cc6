# Kernels that return tensors (with a small stand-in for PyTorch): results are copied into the outputs, refused if they are not new
# tensors, detected if they are kept from earlier launches.
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
export PYTHONPATH=$ASSAY_SOURCE/tests/cli/python/_fake
for kernel in fresh in_place same view_of_input other_shape too_many first_kept; do
    assay fuzz --kernel kern.torchy:$kernel --problem attention/fp32/b1/h2/s3/d4 >out
    echo "$kernel: exit $?"
    grep -E '^ +[a-z_]+: |PASS' out | grep -v repeat
done
