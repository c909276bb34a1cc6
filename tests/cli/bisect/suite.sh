# Without --problem, the problem of the suite that changed most is looked at, and the others are measured once.
. "$ASSAY_SOURCE/tests/cli/bisect/_history.sh"
extra_5="slower_on: scale\/fp32\/n65, slower_pct: 9" extra_6=$extra_5 extra_7=$extra_5 extra_8=$extra_5
history 8 99
assay bisect good..HEAD --device sim:steady --quiet --json | grep -E '"(problem|sentence)"' | plain
