. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; slow_down
git stash -q; assay baseline set --kernel mine --suite pr --output base.json || exit 9; git stash pop -q
assay gate --baseline base.json; code=$?
[ $code = 1 ] || [ $code = 2 ] || exit 9
assay baseline check base.json --json >/dev/null
[ $? = 1 ] || exit 8
git checkout -q csrc/mine.c
