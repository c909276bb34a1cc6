# long: sixty whole gates
# Gates of a candidate 5 % slower on sim:promise: how many are detected?
python3 "$ASSAY_SOURCE/tests/cli/promises/_promises.py" slower5
