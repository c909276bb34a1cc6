# slow with sanitizers: others take its branches, most of them fuzz/failures_only, gate/suite_changes and sim/same_code
# A kernel's name is the kernel, whatever file or folder of that name lies here.
mkdir sim
echo '{}' >sim_slower5
assay gate --device sim:promise --baseline sim --candidate sim_slower5 --suite sim27 --only p1 --no-check --quiet >/dev/null; echo "exit $?"
assay gate --device sim:promise --baseline sim_slower5 --candidate sim --suite sim27 --only p1 --no-check --quiet >/dev/null; echo "exit $?"
echo "- time that is virtual takes none, and costs nothing"
gate() { assay gate --device sim:steady --baseline sim --suite sim27 --only p1 "$@"; }
gate --candidate sim_slower3 --dry-run | grep -c "^time"
gate --candidate sim_slower3 --rounds 5 | grep "^used" | sed 's/[0-9.]\+/N/'
gate --candidate sim | grep -c "^used"
exit 0
