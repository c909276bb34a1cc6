# long: five real runs and what is left of them
# A sample of tests/kills.py (make campaign has 500): control, judges and kernels' processes killed at drawn times.
"$ASSAY_SOURCE/tests/kills.py" --count 5 --seed 7 >said || { cat said; exit 1; }
tail -1 said
