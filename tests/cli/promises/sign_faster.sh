# long: sixty whole gates
# Gates on sim:promise of a candidate that takes 10 % less time: never a regression.
python3 "$ASSAY_SOURCE/tests/cli/promises/_promises.py" sign_faster
