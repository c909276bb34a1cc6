# A list of cases does not go with a run that goes on; the page of 'run integrated' is read at its end, also after a resume.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
assay fuzz --device sim:steady --kernel mine --suite tiny --quiet >/dev/null; echo "begun: $?"
assay fuzz --resume last --list 2>&1; echo "list: $?"
assay run integrated --kernel naive --batch 1 --heads 1 --seq 16 --dim 16 --iters 6 --quiet >/dev/null; echo "integrated: $?"
cat >page.csv <<'P'
"ID","Kernel Name","Block Size","Grid Size","sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active","dram__throughput.avg.pct_of_peak_sustained_elapsed"
"","","","","%","%"
"0","fa","(128, 1, 1)","(256, 1, 1)","57","10"
P
report_of run integrated --resume last --profile page.csv | grep -oE '^Recommended: .*tensor pipe 57 %'; echo "profile: ${PIPESTATUS[0]}"
