# slow with sanitizers: unit tests of the report take the path
# What a gate holds against a kernel in a file stands at its first changed line, in the annotations and in report.sarif. That has what
# OASIS's schema requires, two problems of a line are two alerts, which stay the same when the line moves; what has no file is left out.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
python3 -c 'import jsonschema' 2>/dev/null || { echo "SKIPPED: python3-jsonschema is not installed"; exit 0; }
project
git mv csrc "a folder" && sed -i 's|csrc/mine|a folder/mine|; s|source: \(.*\)}|source: "\1"}|' assay.yaml && git commit -qam "a path that needs escapes"
sed -i 's/sum += a\[d\] \* b\[d\]/sum += a[d] * b[d] * 1.01f/' "a folder/mine.c"
grep -n '1.01f' "a folder/mine.c" | cut -d: -f1
gate() {
    report_of gate --baseline git:HEAD --no-check --github "$@" >out.txt 2>err.txt
    echo "gate: $?"
    run=$(ls -td runs/*/ | head -1)
    grep -o '^::error [^:]*' err.txt
}
gate
cp "$run/report.sarif" first.sarif
ls "$run" | grep -c '^report\.\(xml\|sarif\)$'
assay report last --format sarif | cmp - first.sarif && echo "report --format sarif is the same"
sed -i '1i // moved' "a folder/mine.c"
gate
python3 - first.sarif "$run/report.sarif" <<'P'
import json, sys, jsonschema

def object_of(*required, **properties):
    return {"type": "object", "required": list(required), "properties": properties}

def list_of(item):
    return {"type": "array", "items": item}

text, message = {"type": "string"}, object_of("text", text={"type": "string"})
place = object_of("artifactLocation", artifactLocation=object_of(uri={"type": "string", "format": "uri-reference", "pattern": "^[^ ]+$"}),
                  region=object_of("startLine", startLine={"type": "integer", "minimum": 1}))
result = object_of("message", message=message, ruleId=text, level={"enum": ["none", "note", "warning", "error"]},
                   locations=list_of(object_of(physicalLocation=place)), partialFingerprints={"additionalProperties": text},
                   suppressions=list_of(object_of("kind", kind={"enum": ["inSource", "external"]}, justification=text)))
tool = object_of("driver", driver=object_of("name", name=text, rules=list_of(object_of("id", id=text, shortDescription=message))))
log = object_of("version", "runs", version={"enum": ["2.1.0"]}, runs=list_of(object_of("tool", tool=tool, results=list_of(result))))
seen = []
for path in sys.argv[1:]:
    document = json.load(open(path))
    jsonschema.validate(document, log)
    [run] = document["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    for one in run["results"]:
        at = one["locations"][0]["physicalLocation"]
        print(one["ruleId"], one["ruleId"] in rules, one["level"], at["artifactLocation"]["uri"], at["region"]["startLine"], one["message"]["text"][:17])
    seen.append([one["partialFingerprints"]["primaryLocationLineHash"] for one in run["results"]])
print("two alerts:", len(set(seen[0])) == 2, "the same after the move:", seen[0] == seen[1], run["automationDetails"]["id"])
P
rm -rf .git && gate --baseline mine --candidate naive --accept none
grep -c '"results": \[\]' "$run/report.sarif"
