# long: sixty whole gates
# Gates of a candidate 5 % slower beside other programs that come and go: how many are detected?
python3 "$ASSAY_SOURCE/tests/cli/promises/_promises.py" toggled_slower5
