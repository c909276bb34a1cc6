# long: sixty whole gates
# Gates of a candidate exactly 3 % slower on sim:promise: how many are called maintained?
python3 "$ASSAY_SOURCE/tests/cli/promises/_promises.py" slower3
