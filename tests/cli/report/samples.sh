# `report --samples`: figures, distribution, course and medians of the rounds; plain ASCII under LC_ALL=C, as here.
python3 "$ASSAY_SOURCE/tests/cli/report/_made.py"
assay report made.json --samples --only s512
