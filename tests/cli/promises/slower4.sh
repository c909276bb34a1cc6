# slow
# 200 gates of a candidate 4 % slower, processes 1 % apart: how many are caught?
python3 "$ASSAY_SOURCE/tests/cli/promises/_promises.py" slower4
