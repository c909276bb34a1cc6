# long: sixty whole gates
# Gates of ten unchanged problems beside other programs that come and go: how many are false alarms, how many proved unchanged?
python3 "$ASSAY_SOURCE/tests/cli/promises/_promises.py" toggled
