# Options and settings of before 1.0 (docs/stability.md) work, unlisted; one by both names is refused.
problem=attention/fp32/b1/h1/s4/d4
assay fuzz --kernel naive --problem $problem --family sink --placement=padded --list
assay fuzz --kernel naive --problem $problem --family sink --distribution sink --list 2>&1; echo "both: $?"
assay bench --kernel naive --problem $problem --regime sustained --dry-run | grep -c measure
assay bench --kernel naive --problem $problem --power-mode cool --regime cool 2>&1; echo "both: $?"
assay gate --help | grep -cE -- '--(family|regime)'
former=$ASSAY_SOURCE/.ci/baseline_s512.json
sed 's/"regime"/"power_mode"/; s/"family"/"distribution"/; s/"placement"/"memory_layout"/' "$former" >now.json
sed 's/"cool"/"sustained"/' now.json >sustained.json
assay compare "$former" now.json --quiet; echo "compare: $?"
assay compare "$former" sustained.json --quiet; echo "of another power mode: $?"
assay compare "$former" sustained.json --allow-different regime --quiet; echo "allowed: $?"
