# What cannot be shown is said: unknown names, options that do not go together, files without samples.
python3 "$ASSAY_SOURCE/tests/cli/report/_made.py"
assay report made.json --samples --only s51; echo $?
assay report made.json --samples --side smid; echo $?
assay report made.json --samples --only ""; echo $?
assay report made.json --only s512; echo $?
assay report made.json --samples --format markdown; echo $?
assay report missing.json --samples; echo $?
echo '{"kind": "assay.result", "schema_version": 1, "sides": [{"role": "candidate", "label": "x"}], "cases": []}' >empty.json
assay report empty.json --samples; echo $?
