# A report of Nsight Compute becomes a bottleneck with hypotheses; what is no report is refused with a remedy.
golden=$ASSAY_SOURCE/tests/golden/nsight
assay profile --import "$golden/sm90_s512.raw.csv"; echo "code $?"
assay profile --import "$golden/sm80_mission.details.csv" --json | grep -E '"(bottleneck|waves|text|gain)"'
for file in "$golden/fail_no_kernel.log" "$golden/fail_import.log" none.csv /dev/null; do
    assay profile --import "$file" 2>&1 | sed 's#/.*/##'; echo "code ${PIPESTATUS[0]}"
done
head -c 16777300 /dev/zero | tr '\0' ' ' >large.csv
assay profile --import large.csv 2>&1 | cut -c 1-60; echo "code ${PIPESTATUS[0]}"
