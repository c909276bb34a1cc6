# slow
# Against a stored file the classic rule decides, with its guards; an edit that adds half of the time is detected in any noise.
# The defaults, ten rounds of 100 samples, are those of sim/baseline_rounds.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project
assay baseline set --kernel mine --suite pr --only a --rounds 6 --iters 30 --output base.json >set.out || { cat set.out >&2; exit 9; }
sed -i 's/#define EXTRA_ROWS 0/#define EXTRA_ROWS 2/' csrc/mine.c
assay gate --baseline base.json --only a; code=$?
[ $code = 1 ] || [ $code = 3 ] || exit 9 # 3: a guard refused what noise made of the samples
assay baseline check base.json --json >check.json; code=$?
[ $code = 1 ] || [ $code = 3 ] || exit 8
echo "matches: $(grep -c '"is_match": true' check.json) of $(grep -c '"is_match"' check.json)"
