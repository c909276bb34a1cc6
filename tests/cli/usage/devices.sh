assay devices --json | python3 -c '
import json, sys
devices = json.load(sys.stdin)["devices"]
cpu = [d for d in devices if d["backend"] == "cpu"][0]
assert cpu["is_available"] and cpu["isa"] and cpu["uuid"] and cpu["thread_count"] > 0
missing = [d for d in devices if not d["is_available"]]
assert all(d["detail"] for d in missing)
print("cpu", "present;", len(missing) > 0)
'
