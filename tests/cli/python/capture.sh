# tensors returned during a capture: kept for each set; poison is copied in, results are copied out
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
python3 -B "$ASSAY_SOURCE/tests/cli/python/_capture.py" "$ASSAY_SOURCE/peers" "$ASSAY_SOURCE/tests/cli/python/_fake" ||
    exit 1
