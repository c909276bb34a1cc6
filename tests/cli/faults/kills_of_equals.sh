# A sample of tests/kills.py --same (make campaign has 100): a kernel against itself is never wrong or slower because somebody has killed its
# process or the judge.
"$ASSAY_SOURCE/tests/kills.py" --same --count 4 --seed 7 >said || { cat said; exit 1; }
tail -1 said
