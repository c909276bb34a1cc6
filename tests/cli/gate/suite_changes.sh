# A problem that the baseline's suite had and ours has not is measured all the same; allowed to go, or by our own policy, it is
# listed as removed, which is 3 unless allowed. A new one is named.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
sed -i 's|b: scale/fp32/n65|c: scale/fp32/n66|; s/base_us: 100/base_us: 99/' assay.yaml
sim_gate --dry-run | grep measure
sim_gate --policy candidate >out; code=$?
grep -o 'scale/fp32/n65.*removed' out | head -1
grep -o 'new in the suite.*n66' out
sim_gate --allow-removed >allowed; allowed=$?
echo "allowed: $allowed"
[ $allowed = 0 ] || cat allowed >&2
exit $code
