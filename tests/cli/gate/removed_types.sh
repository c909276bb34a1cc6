# long: a matrix in two types, of which the branches are those of removed_checks
# A matrix follows the dtypes of the candidate; against a revision also those that only the revision's kernel has: a pull request gives them up.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project
sed -i 's/\.dtypes = ASSAY_BIT(ASSAY_FP32)/& | ASSAY_BIT(ASSAY_BF16)/' csrc/mine.c
git commit -qam "two types"
sed -i 's/ | ASSAY_BIT(ASSAY_BF16)//' csrc/mine.c
slow_down
gate() { report_of gate --only a --rounds 5 --iters 10 --sample-time 0.1ms --check boundary --color never "$@" >report; code=$?; grep -c 'bf16.*removed: not supported' report; grep -c 'fp32.*removed: not supported' report; }
echo "== a revision: rows in bf16, in fp32"
gate --baseline git:HEAD
git -c advice.detachedHead=false show HEAD:csrc/mine.c | sed 's/\.name = "mine"/.name = "two"/' >csrc/two.c
sed -i 's|^  mine: .*|&\n  two: {operator: attention, backend: cpu, source: csrc/two.c}|' assay.yaml
echo "== another kernel: its types are its own"
gate --baseline two
