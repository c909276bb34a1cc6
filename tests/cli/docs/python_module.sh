# slow: its checks are those of operators/python_file_check
# docs/python-module.md: its files, what its script prints, and its tests.
. "$ASSAY_SOURCE/tests/cli/module/_python.sh" numpy
mkdir ops
python3 "$ASSAY_SOURCE/tests/cli/docs/_page.py" "$ASSAY_SOURCE/docs/python-module.md"
