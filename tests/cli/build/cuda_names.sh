# Instances of a template are told apart; ccache's figures are those of this call.
. "$ASSAY_SOURCE/tests/cli/build/_cuda.sh"
unset CCACHE_DIR
command -v c++filt >/dev/null || { echo "SKIPPED: no c++filt"; exit 0; }
python3 - <<'P'
text = open("csrc/tiny.cu").read()
kernels = """#include <cuda_fp16.h>
namespace deep { template <class T, int N> __global__ void wide(T *y) { __shared__ T s[N]; s[threadIdx.x] = y[N]; __syncthreads(); y[0] = s[y[1] > T(0) ? 0 : N - 1]; } }
template __global__ void deep::wide<half, 128>(half *);
template __global__ void deep::wide<float, 64>(float *);
#ifndef SCALE"""
assert "#ifndef SCALE" in text
open("csrc/tiny.cu", "w").write(text.replace("#ifndef SCALE", kernels))
P
assay build --kernel tiny --arch sm_80 >text || exit 8
sort text >sorted
wants sorted "  sm_80 tiny: *" "  sm_80 wide<float, 64>: * registers, * 256 bytes static shared memory" \
    "  sm_80 wide<half, 128>: * registers, * 256 bytes static shared memory"
wants text "1 compiled, 0 from ccache*"
assay build --kernel tiny --arch sm_80 >again || exit 7
! grep ccache again || exit 6
command -v ccache >/dev/null || { echo "as it should be"; exit 0; }
rm -r .cache/assay/modules
assay build --kernel tiny --arch sm_80 >again || exit 5
wants again "0 compiled, 1 from ccache (since its statistics began: 1 of *)"
rm -r .cache/assay/modules
assay build --kernel tiny --arch sm_80 --json >again.json || exit 4
python3 -c 'import json; c = json.load(open("again.json"))["ccache"]; assert c["compiled"] == 0 and c["from_ccache"] == 1 and c["total_hits"] == 2, c' || exit 3
echo "as it should be"
