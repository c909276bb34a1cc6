# long: a matrix in two types, of which the branches are those of removed_checks
# A matrix follows the dtypes of the candidate; against a revision also those that only the revision's kernel has: a pull request gives them up.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project
sed -i 's/\.dtypes = ASSAY_BIT(ASSAY_FP32)/& | ASSAY_BIT(ASSAY_BF16)/' csrc/mine.c
git commit -qam "two types"
sed -i 's/ | ASSAY_BIT(ASSAY_BF16)//' csrc/mine.c
slow_down
gate() {
    report_of gate --only a --rounds 5 --iters 10 --sample-time 0.1ms --check boundary --color never "$@" >report
    for type in bf16 fp32; do
        count=$(grep -c "$type.*removed: not supported" report)
        echo "$type: $([ "$count" -gt 30 ] && echo many || echo "$count")"
    done
}
echo "== a revision"
gate --baseline git:HEAD
git -c advice.detachedHead=false show HEAD:csrc/mine.c | sed 's/\.name = "mine"/.name = "two"/' >csrc/two.c
sed -i 's|^  mine: .*|&\n  two: {operator: attention, backend: cpu, source: csrc/two.c}|' assay.yaml
echo "== another kernel: its types are its own"
gate --baseline two
