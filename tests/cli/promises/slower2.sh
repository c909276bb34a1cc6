# long: sixty whole gates
# Gates on sim:promise of a candidate 2 % slower, inside the band: how many are called a regression?
python3 "$ASSAY_SOURCE/tests/cli/promises/_promises.py" slower2
