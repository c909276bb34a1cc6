# whatever is raised in a function that C calls is a failure, not a success
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
python3 -B "$ASSAY_SOURCE/tests/cli/python/_callbacks.py" "$ASSAY_SOURCE/peers" 2>/dev/null
