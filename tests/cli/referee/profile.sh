# SPDX-License-Identifier: Apache-2.0
# With --profile a right candidate has its bottleneck, or the reason why nothing was counted; a wrong one has none, and a server
# runs no candidate outside of its sandbox.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
. "$ASSAY_SOURCE/tests/cli/referee/_project.sh"
candidate wrong.c 'for (int i = 0; i < n; ++i) y[i] = 3 * x[i];'
profile_of() { # MEMBER
    python3 -c 'import json, sys; print((json.load(open("answer.json")).get("profile") or {}).get(sys.argv[1], ""))' "$1"
}
assay referee twice candidates/right.c --rounds 0 --problem twice/n1000 --profile --json >answer.json 2>err || complain "code $?: $(cat err answer.json)"
[ "$(profile_of problem)" = twice/n1000 ] && [ -n "$(profile_of sentence)" ] || complain "$(cat answer.json)"
case $(profile_of bottleneck) in # many virtual machines count little, and some nothing
    compute_bound | memory_bound | latency_bound) ;;
    unknown) grep -q 'not counted' <<<"$(profile_of sentence)" || complain "unknown, and why? $(profile_of sentence)" ;;
    *) grep -q '^nothing was counted: ' <<<"$(profile_of sentence)" || complain "$(cat answer.json)" ;;
esac
assay referee twice candidates/wrong.c --rounds 0 --problem twice/n1000 --profile --no-shrink --json >answer.json 2>err
[ $? = 1 ] && [ -z "$(profile_of sentence)" ] || complain "the wrong one: $(cat answer.json)"
ends_with 64 assay referee twice --problem twice/n1000 --profile --listen "$PWD/socket"
says "outside of its sandbox"
export ASSAY_CUPTI=$fakes/libfake_cupti.so FAKE_CUPTI=''
if [ -e "$ASSAY_CUPTI" ]; then
    assay referee attention "$kernel" --device cuda:0 --problem attention/fp32/b1/h2/s96/d32 --rounds 0 --profile --json >answer.json 2>err ||
        complain "the GPU's: code $?: $(cat err answer.json)"
    [ "$(profile_of profiler)" = CUPTI ] && [ -n "$(profile_of bottleneck)" ] || complain "the GPU's: $(cat answer.json)"
fi
exit $exit_code
