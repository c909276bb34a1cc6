# The same figures as one document, of all problems and sides.
python3 "$ASSAY_SOURCE/tests/cli/report/_made.py"
assay report made.json --samples --json >out.json || exit 9
python3 - <<'P'
import json
document = json.load(open("out.json", encoding="utf-8"))
print(document["kind"], document["schema_version"])
for case in document["cases"]:
    for side in case["sides"]:
        print(case["short_name"], side["label"], side["sample_count"], side["median_ns"], side["discarded"],
              side["invalid_count"], len(side["rounds"]), sum(side["distribution"]["counts"]))
P
