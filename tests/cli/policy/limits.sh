# Limits: the smaller of case_s and memory_gb, the baseline's gate_s; the plan and the result have them.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project; sed -i 's/base_us: 100/base_us: 101/; s/case_s: 60, gate_s: 600/case_s: 5000, gate_s: 1, memory_gb: 8, priority: normal/' assay.yaml
sim_gate >out; grep -E '^(nothing|limits)' out
/usr/bin/python3 - "$ASSAY_SOURCE/docs/result.schema.json" runs/*/plan.json runs/*/result.json <<'P'
import json, sys
schema, plan, result = (json.load(open(path)) for path in sys.argv[1:])
print("plan:", plan["limits"]["case_s"], plan["limits"]["gate_s"], plan["limits"]["memory_gb"], '"has_normal_priority": true' in json.dumps(plan))
assert result["policy"] == plan["policy"]
print(result["policy"]["from"], result["policy"]["revision"])
for change in result["policy"]["changes"]:
    print(*(f"{key}={value}" for key, value in change.items()))
try:
    import jsonschema
    jsonschema.validate(result, schema)
except ImportError:
    pass
P
assay report runs/*/result.json | grep -E '^limits'
