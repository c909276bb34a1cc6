# At 80 columns tables stay tables: no row of them falls apart into a list, and what is left out of them is said. A pipe has all.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
export ASSAY_STORE=$PWD/history.db
assay gate --device sim:promise --candidate sim_slower5 --baseline sim --quiet >/dev/null
assay gate --device sim:promise --candidate sim --baseline sim --quiet >/dev/null
shape() { awk 'length($0) > 80 { wide++ } END { print NR " lines, " wide + 0 " too wide" }'; }
COLUMNS=80 assay history >out; shape <out; head -1 out; tail -1 out
COLUMNS=200 assay history | head -1
assay history | head -1 | wc -w
COLUMNS=80 assay history problems | head -1
COLUMNS=80 assay list problems --suite boundary --dtype fp32 >out
[ "$(grep -c GFLOP out)" = "$(assay list problems --suite boundary --dtype fp32 | wc -l)" ] && echo "each problem has its size beside it"
COLUMNS=80 assay list problems --suite cpu | head -2
COLUMNS=60 assay list problems --suite cpu | head -2
