# long: sixty whole gates
# Gates on sim:promise of a candidate that takes 10 % more time: never an improvement, always detected.
python3 "$ASSAY_SOURCE/tests/cli/promises/_promises.py" sign_slower
