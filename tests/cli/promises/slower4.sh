# long: sixty whole gates
# Gates on sim:spread1 (processes 1 % apart) of a candidate 4 % slower: how many are detected?
python3 "$ASSAY_SOURCE/tests/cli/promises/_promises.py" slower4
