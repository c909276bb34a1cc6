# --output that cannot be written is refused before anything is measured; what fails later comes after the verdict, which is kept,
# printed and the exit code, unless that is 0.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project; sed -i 's/base_us: 100/base_us: 120/' assay.yaml
sim_gate --output /no/such/folder/x.json; echo "no folder: $?, $(ls -d runs 2>/dev/null | wc -l) runs"
id='s/2[0-9-]*-gate-..../ID/g'
try() { echo "- $*" | sed "$id"; "$@" 2>err | grep -E '^(the candidate|nothing|same|report:)' | sed 's/report: .*/the reports are named/'; echo "exit ${PIPESTATUS[0]}"; sed "$id" err; }
try sim_gate --output /dev/full
first=$(echo runs/*-gate-*); [ -e "$first/report.md" ] && echo "the report is there"
unset ASSAY_STORE
if assay history 2>&1 | grep -q "without a store"; then echo "  1 kept"; else
    sim_gate --output /dev/full >/dev/null 2>&1; printf '  %s kept\n' "$(assay history --json | grep -c '"run_id"')"; fi
export ASSAY_STORE=none
echo "- a report that cannot be written"
rm runs/*-gate-*/report.html; mkdir "$first/report.html"
try assay gate --resume "$first"
git stash -q
try sim_gate --measure-same --output /dev/full
echo "- of all kernels"
try sim_gate --all --measure-same --output /dev/full
