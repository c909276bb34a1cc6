# slow with sanitizers
# tests/broken_cuda/gate.py on a GPU without a GPU: modules of the fake driver have the names of kernels that attack. What is right passes;
# another finding, an improvement and a blamed baseline do not; the results of every call are kept.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
command -v python3 >/dev/null || { echo "SKIPPED: no python3"; exit 0; }
honest=$fakes/libfake_cuda_honest.so
[ -e "$honest" ] || { echo "SKIPPED: $honest is not built"; exit 0; }
# In one process: events see a virtual time, the clock of a judge outside would not.
attack() { # MODE@QUERIES RIGHT CANDIDATE EXIT NAME...
    local mode=$1 right=$2 candidate=$3 code=$4 name
    shift 4
    rm -rf modules
    mkdir modules
    cp "$right" modules/right.so
    for name in "$@"; do cp "$candidate" "modules/$name.so"; done
    ASSAY_FAKE_ATTENTION=$mode ends_with "$code" "$ASSAY_SOURCE/tests/broken_cuda/gate.py" --isolation none --output results modules "$@"
}
attack honest@1 "$honest" "$honest" 0 works_ahead
says "0/0 maintained"
says "1 as expected, 0 not"
attack past_end@33 "$honest" "$kernel" 1 works_ahead under_the_blocker
says "NOT: fuzz ends with 1; fuzz says FAIL:out_of_bounds; the gate says FAIL:out_of_bounds"
says "0 as expected, 2 not"
attack past_end@32 "$kernel" "$honest" 1 works_ahead
says "blames right: FAIL:out_of_bounds"
attack honest@32 "$kernel" "$honest" 1 batches_and_skips # 7.4 us less a launch
says "0/0 improvement"
says "NOT: the gate says improvement; passes 27.0 % faster than right"
[ "$(grep -c '"kernel"' results/results.json)" = 3 ] || { complain "one row for each kernel is wanted:"; cat results/results.json; }
[ -s results/batches_and_skips_gate.json ] || complain "no result document is kept"
rm modules/batches_and_skips.so
ends_with 1 "$ASSAY_SOURCE/tests/broken_cuda/gate.py" modules batches_and_skips
says "has no batches_and_skips: tests/broken_cuda/build.sh FOLDER builds them"
exit $failed
