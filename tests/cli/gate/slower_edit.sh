# slow with sanitizers
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; slow_down
assay gate --baseline git:HEAD --only a; code=$?
no_workers; git worktree list | wc -l
exit $code
