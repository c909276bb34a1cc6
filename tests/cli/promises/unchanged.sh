# long: sixty whole gates
# Gates of 27 unchanged problems on sim:promise: how many are false alarms, how many proved unchanged?
python3 "$ASSAY_SOURCE/tests/cli/promises/_promises.py" unchanged
