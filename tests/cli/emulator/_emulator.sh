# SPDX-License-Identifier: Apache-2.0
# Sourced by tests: CUDA kernels on the processor (tests/emulator), as modules for the backend "cpu". Ends the test where there is
# no C++ compiler.
cxx=${CXX:-c++}
command -v "$cxx" >/dev/null || { echo "SKIPPED: no C++ compiler"; exit 0; }
emulator=$ASSAY_SOURCE/tests/emulator
built=$SHARED_FOLDER/emulator
flags=(-std=c++17 -fPIC -fno-strict-aliasing -fvisibility=hidden -w -Wno-psabi -I"$emulator" -I"$ASSAY_SOURCE/include")
{
    printf 'version: 1\nsuites:\n'
    for type in fp16 bf16 fp8_e4m3; do
        cat <<Y
  $type:
    problems:
      tiles: attention/$type/b2/h2/s300/d64
      wide: attention/$type/b1/h2/s300/d128
      causal: attention/$type/b1/h4/hkv2/sq300/sk520/d64/causal_br
      causal_wide: attention/$type/b1/h2/s333/d128/causal/lse
      many: attention/$type/b1/h2/sq40/sk1200/d64/lse
Y
    done
} >assay.yaml
( # by the first test of a run; others wait for it
    flock 7
    [ -d "$built" ] && exit
    rm -rf "$built.part" && mkdir "$built.part"
    for part in emulator matrix runtime; do # -O3: loops over elements become vector code
        "$cxx" "${flags[@]}" -O3 -I"$ASSAY_SOURCE/kernels" -c "$emulator/$part.cpp" -o "$built.part/$part.o" || exit
    done
    mv "$built.part" "$built"
) 7>"$built.lock" || exit 9
# emulate NAME KERNELS MODULE [FLAG]...: NAME.cu of KERNELS, in its operator's folder, as MODULE
emulate() {
    local problem=fa_sm80_problem folder=attention
    [[ $1 == fa_sm90* ]] && problem=fa_hopper_problem
    [[ $1 == gemm_* ]] && problem=gemm_mma_problem folder=gemm
    "$cxx" "${flags[@]}" -O1 -I"$2" -DEMULATED_FILE="\"$folder/$1.cu\"" -DEMULATED_PROBLEM=$problem -shared \
        "${@:4}" "$emulator/module.cpp" "$built"/*.o -o "$3" || exit 9
}
. "$ASSAY_SOURCE/tests/cli/_sums.sh"
# checks MODULE OPTIONS...: every verdict but PASS, and the sum (_sums.sh)
# In the worker itself: a process of its own would not see the emulator's variables.
checks() {
    local module=$1
    shift
    assay fuzz --isolation none --module "./$module.so" "$@" | sums
}
