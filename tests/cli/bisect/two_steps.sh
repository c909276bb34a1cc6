# slow
# Two commits made the change, half each: undecided or one of the two, with a note that says so.
. "$ASSAY_SOURCE/tests/cli/bisect/_history.sh"
sim_project; git tag good
for i in $(seq 16); do script "$((100 + (i >= 5 ? 4 : 0) + (i >= 12 ? 4 : 0))).0$i"; git commit -qam "commit $i"; done
bisect_report good..HEAD | grep -oE '^note: .*' | plain | sed -E 's/\(\+4\.[0-9] %\)/(+4 %)/'
