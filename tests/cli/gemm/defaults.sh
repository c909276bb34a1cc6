# What a command takes where nothing is named follows the operator of the kernel.
assay bench --manifest "$ASSAY_SOURCE/assay.yaml" --kernel gemm_simd --dry-run
assay fuzz --suite gemm_quick | grep '^[0-9]*/'
assay bench --manifest "$ASSAY_SOURCE/assay.yaml" --kernel gemm_simd --vs torch:flash --dry-run
echo "exit code $?"
assay fuzz --manifest "$ASSAY_SOURCE/assay.yaml" --kernel gemm_simd --suite boundary --list | head -1
