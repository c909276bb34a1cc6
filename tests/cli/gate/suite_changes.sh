# slow with sanitizers
# A problem that the baseline's suite had and ours has not is measured all the same; allowed to go, or by our own policy, it is
# listed as removed, which is 3 unless allowed. A new one is named.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project
sed -i 's|b: attention/fp32/b1/h2/s160/d32|c: attention/fp32/b1/h2/s96/d32|' assay.yaml
slow_down; sed -i 's/#define EXTRA_ROWS 16/#define EXTRA_ROWS 4000/' csrc/mine.c
assay gate --baseline git:HEAD --dry-run | grep measure
assay gate --baseline git:HEAD --policy candidate >out; code=$?
grep -o 'attention/fp32/b1/h2/s160/d32.*removed' out | head -1
grep -o 'new in the suite.*s96/d32' out
assay gate --baseline git:HEAD --allow-removed >allowed; allowed=$?
echo "allowed: $allowed"
[ $allowed = 0 ] || cat allowed >&2
exit $code
