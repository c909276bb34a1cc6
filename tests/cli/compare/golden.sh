# The 41 golden pairs as result files through the real program: verdicts and exit codes, guards and --no-guards.
python3 "$ASSAY_SOURCE/tests/cli/_golden_compare.py" "$ASSAY_SOURCE/tests/golden/golden_stats.json"
