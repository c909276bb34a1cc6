# One hypothesis: kept, dropped, wrong; and what is no hypothesis.
. "$ASSAY_SOURCE/tests/cli/tune/_space.sh"
say() { tune_report "$@" 2>&1 | sed -E 's/[0-9]+\.[0-9]+x/<x>/g; s/\(.* to .*\)  /(range)  /; s/-{20,}/---/; s/[0-9]{8}-[0-9]{6}-tune-[0-9a-f]{4}/<run>/; s/ +$//; s/  +/  /g'; echo "exit ${PIPESTATUS[0]}"; }
say --try BLOCK_M=64,STAGES=2 --predict "1.4x, fewer waits"
grep -c "Predicted: 1.4x, fewer waits" runs/*/log.md
say --try BLOCK_M=16,STAGES=1,WARPS=2
say --try WARPS=8
say --try WARPS=3
say --try BLOCK_M=128,STAGES=3
say --predict 1.2x
assay report last --format log | head -1
assay report last --format log --failures-only 2>&1 | sed 's|runs/[^/]*/|runs/RUN/|'; echo "exit ${PIPESTATUS[0]}"
assay report last --format log --output log.md; cmp log.md "$(ls -td runs/2* | head -1)"/log.md && echo "the same log"
