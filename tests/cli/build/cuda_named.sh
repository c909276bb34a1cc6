# A compiler that the user names is used or refused, never silently replaced.
mkdir csrc && cp "$ASSAY_SOURCE/tests/cli/build/_tiny.cu" csrc/tiny.cu
printf 'version: 1\nkernels:\n  tiny: {operator: attention, source: csrc/tiny.cu}\n' >assay.yaml
unset ASSAY_NVCC CUDACXX NVCC CUDA_HOME CUDA_PATH
for variable in ASSAY_NVCC CUDACXX NVCC CUDA_HOME CUDA_PATH; do
    env "$variable=/no/such/place" assay build --kernel tiny 2>&1
    echo "$variable: $?"
done
ASSAY_NVCC='' assay build --kernel tiny 2>&1; echo "hidden: $?"
# The first one counts.
printf '#!/bin/sh\necho asked >&2; exit 1\n' >nvcc && chmod +x nvcc
CUDACXX=$PWD/nvcc CUDA_HOME=/no/such/place assay build --kernel tiny 2>&1; echo "own: $?"
