# slow with sanitizers
# Half of the time more needs five rounds; bisect_cpu/real_repository finds 6 % on the same clock.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; sed -i 's/#define EXTRA_ROWS 0/#define EXTRA_ROWS 2/' csrc/mine.c
assay gate --baseline git:HEAD --only a; code=$?
no_workers; git worktree list | wc -l
exit $code
