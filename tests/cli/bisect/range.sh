# Commits that cannot be measured lie around the culprit: a range, and why.
. "$ASSAY_SOURCE/tests/cli/bisect/_history.sh"
extra_6="no_such_key: 1" extra_7="crash_at_launch: 3" extra_8="no_such_key: 1"
history 16 7
bisect_report good..HEAD | plain
exit "${PIPESTATUS[0]}"
