# What a kernel declares is listed once.
for config in FOO=1 BLOCK_M=7; do
    assay build --kernel tiled --config $config --manifest "$ASSAY_SOURCE/assay.yaml" 2>err; echo "$config: exit $?"
    head -1 err
    grep -c declares err; grep -c BLOCK_N err
done
