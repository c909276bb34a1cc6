# slow with sanitizers: report/html and sim/busy take its branches
# The documents of a simulated run match the schema and read back.
report_of gate --device sim:flaky --candidate sim_slower5 --baseline sim --only p0,p1 >gate.out; echo "gate: $?"
assay report runs/*/result.json >/dev/null; echo "report: $?"
/usr/bin/python3 - "$ASSAY_SOURCE/docs/result.schema.json" runs/*/result.json <<'P'
import json, sys
document = json.load(open(sys.argv[2]))
print("script:", document["sides"][1]["sim"]["slower_pct"])
try:
    import jsonschema
except ImportError:
    print("SKIPPED: python3-jsonschema is not installed"); sys.exit()
jsonschema.validate(document, json.load(open(sys.argv[1])))
print("schema holds")
P
