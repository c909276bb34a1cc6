# long: real gates; repeats the paths of others
# The commands of README.md that try assay, in an empty folder, print what the page shows.
python3 "$ASSAY_SOURCE/tests/cli/docs/_page.py" "$ASSAY_SOURCE/README.md"
