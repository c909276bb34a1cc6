# slow with sanitizers: others take its branches, most of them faults/hostile_words, faults/misbehaving and serve/profiles
assay bench --kernel tiled --suite quick --iters 10 --manifest "$ASSAY_SOURCE/assay.yaml" --output-dir runs --output out.json >text; code=$?
cat text
[ $code = 0 ] || exit 9
ls runs/summary.json runs/result_*.json | wc -l
for file in out.json runs/summary.json runs/result_*.json; do assay report "$file" >/dev/null || exit 8; done
/usr/bin/python3 - "$ASSAY_SOURCE/docs/result.schema.json" out.json runs/summary.json <<'P'
import json, sys
try:
    import jsonschema
except ImportError:
    print("SKIPPED: python3-jsonschema is not installed"); sys.exit()
schema = json.load(open(sys.argv[1]))
for path in sys.argv[2:]:
    jsonschema.validate(json.load(open(path)), schema)
print("schema holds")
P
