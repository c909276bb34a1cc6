# SPDX-License-Identifier: Apache-2.0
# A slower candidate is slower, with --baseline that is code 1; without, the kernel whose place it takes is beside it and decides nothing.
. "$ASSAY_SOURCE/tests/cli/referee/_project.sh"
candidate slow.c 'for (int k = 0; k < 8; ++k) for (int i = 0; i < n; ++i) ((volatile float *)y)[i] = 2 * x[i];'
assay referee twice candidates/slow.c --problem n=20000 --json >answer.json 2>err
[ $? = 0 ] || complain "without --baseline: $(cat err) $(member answer.json sentence)"
python3 - <<'P' || complain "$(cat answer.json)"
import json
answer = json.load(open("answer.json"))
ratio, problem = answer["against"][0], answer["problems"][0]
assert ratio["name"] == "mine" and ratio["speed"] == "slower" and ratio["speedup_low"] < ratio["speedup"] < ratio["speedup_high"] < 0.5, ratio
assert problem["against"][0]["median_ns"] < problem["median_ns"] and ratio["round_count"] == 3, problem
P
assay referee twice candidates/slow.c --problem n=20000 --baseline mine --rounds 2 >out 2>err
[ $? = 1 ] && grep -q 'slower' out || complain "with --baseline: $(cat out err)"
[ $exit_code = 0 ] && echo "slower"
exit $exit_code
