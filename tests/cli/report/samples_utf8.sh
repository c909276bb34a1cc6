# In a UTF-8 locale blocks and braille, as wide as COLUMNS says; into a file too; one side alone.
python3 "$ASSAY_SOURCE/tests/cli/report/_made.py"
export LC_ALL=C.UTF-8 COLUMNS=100
assay report made.json --samples --only small --side simd --output out.txt && cat out.txt
