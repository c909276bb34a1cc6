# First parents end at the merge that brought the change; --all-commits finds the commit in the branch.
. "$ASSAY_SOURCE/tests/cli/bisect/_history.sh"
history 6 99
git checkout -q -b side c2
for i in 1 2 3 4 5; do
    script "$((100 + (i >= 4 ? 6 : 0))).10$i"; git commit -qam "side $i"
done
git checkout -q main
git merge -q -s ours --no-commit side 2>/dev/null; script 106.300; git commit -qam "merge side"
for i in 8 9; do script "106.00$i"; git commit -qam "commit $i"; done
bisect_report good..HEAD | sed -n 4p | plain
bisect_report good..HEAD --all-commits | sed -n '1p;4p' | plain
