# long: sixty whole gates
# Gates on sim:promise with --expect improvement, every one of ten problems 9 % faster: how many are accepted for 10 %?
python3 "$ASSAY_SOURCE/tests/cli/promises/_promises.py" faster9
