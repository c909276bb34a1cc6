# SPDX-License-Identifier: Apache-2.0
# Sourced by tests: a GPU without a GPU. The fake driver and the fake NVML (tests/fakes) stand in for NVIDIA's; FAKE_NVML is
# the script of the latter, and calls that change clocks are in nvml.log. Skips the test of a program that has no fakes beside it
# (an installed one). What is expected stands in the test itself, so that one that is skipped passes.
fakes=$(dirname "$(readlink -f "$ASSAY")")/tests/fakes
export ASSAY_CUDA_DRIVER=$fakes/libfake_cuda.so ASSAY_NVML=$fakes/libfake_nvml.so FAKE_NVML='' FAKE_NVML_LOG=$PWD/nvml.log
# Events see a virtual time: the kernels run on this machine's processors, whose real times are noise.
export ASSAY_FAKE_CUDA=call_ns=20000,l2_kib=64
kernel=$fakes/libfake_cuda_attention.so
small="--device cuda:0 --module $kernel --problem attention/fp32/b1/h2/s32/d32 --iters 10" # the kernel is computed here
long="--device cuda:0 --module $kernel --problem attention/fp32/b1/h2/s128/d32 --iters 100000 --case-time 50s"
for file in "$ASSAY_CUDA_DRIVER" "$ASSAY_NVML" "$kernel"; do
    [ -e "$file" ] || { echo "SKIPPED: $file is not built"; exit 0; }
done
if ! assay devices >listed 2>&1 || ! grep -q '^cuda:0' listed; then
    echo "cuda:0 is not listed, although the fake driver is there:"
    cat listed
    exit 1
fi
rm listed
failed=0
complain() { echo "$1"; failed=1; }
# Runs a command, its output into out and err; its exit code must be $1.
ends_with() {
    local wanted=$1 code
    shift
    "$@" >out 2>err
    code=$?
    [ $code = "$wanted" ] && return
    complain "exit code $code, wanted $wanted: $*"
    cat out err
    grep -hos '"kind":"case_state".*"is_valid":false.*' runs/*/journal.jsonl | tail -3 # why a measurement did not count
}
# Runs a command up to TRIES times until it finds something wrong (1), which takes a draw. An exit code of the pattern MISSED is
# another try, any other one is a failure.
found_within() { # TRIES MISSED COMMAND...
    local tries=$1 missed=$2 code
    shift 2
    for _ in $(seq "$tries"); do
        "$@" >out 2>err
        code=$?
        case $code in $missed) ;; *) break ;; esac
    done
    [ $code = 1 ] || { complain "exit code $code, wanted 1: $*"; cat out err; }
}
# Words that must stand, or not, in out or err.
says() { grep -qF -- "$1" out err || { complain "not said: $1"; cat out err; }; }
says_not() { if grep -qF -- "$1" out err; then complain "said: $1"; cat out err; fi; }
# nvml.log must become this; letting go is another process's work and may take a moment.
log_becomes() {
    for _ in $(seq 2400); do
        [ "$(cat nvml.log 2>/dev/null)" = "$1" ] && return
        sleep 0.05
    done
    complain "nvml.log is:"
    cat nvml.log
}
