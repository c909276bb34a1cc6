# Without nvcc: what is missing and where it is looked for. A tool's folder stays on PATH, nvcc's does not.
mkdir csrc bin && cp "$ASSAY_SOURCE/tests/cli/build/_tiny.cu" csrc/tiny.cu
printf 'version: 1\nkernels:\n  tiny: {operator: attention, source: csrc/tiny.cu}\n' >assay.yaml
ln -s "$ASSAY" bin/assay
ASSAY_NVCC='' CUDACXX='' NVCC='' CUDA_HOME='' CUDA_PATH='' PATH=$PWD/bin assay build --kernel tiny
