# slow with sanitizers: bisect/range, metric/stored and bisect/broken_record take its branches
# Commits that do not build, crash or give wrong results are passed over, and the commit is found all the same.
. "$ASSAY_SOURCE/tests/cli/bisect/_history.sh"
extra_8="crash_at_launch: 3" extra_11="skips_work_at_launch: 1" extra_13="no_such_key: 1"
history 16 15
bisect_report good..HEAD >out; code=$?
sed -n 2p out | plain
for i in 8 11 13; do grep -E "commit $i\$" out | sed -E "s/.*(not built|wrong result) .*/\\1/" | sort -u; done
exit $code
