# Options and settings of before 1.0 (docs/stability.md) work, unlisted; one by both names is refused.
problem=attention/fp32/b1/h1/s4/d4
assay fuzz --kernel naive --problem $problem --family sink --placement=padded --list
assay fuzz --kernel naive --problem $problem --family sink --distribution sink --list 2>&1; echo "both: $?"
assay bench --kernel naive --problem $problem --regime sustained --dry-run | grep -c measure
assay bench --kernel naive --problem $problem --power-mode cool --regime cool 2>&1; echo "both: $?"
assay gate --help | grep -cE -- '--(family|regime)'
golden=$ASSAY_SOURCE/tests/golden/former_names_result.json
sed 's/"regime"/"power_mode"/; s/"family"/"distribution"/' "$golden" >now.json
sed 's/"cool"/"sustained"/' "$golden" >sustained.json
assay compare "$golden" now.json --quiet; echo "compare: $?"
assay compare "$golden" sustained.json --quiet; echo "of another power mode: $?"
assay compare "$golden" sustained.json --allow-different regime --quiet; echo "allowed: $?"
