# Names of kernels, suites and runners are text in the comment's mark, in annotations and outputs: none begins a command of its own.
. "$ASSAY_SOURCE/tests/cli/publish/_publish.sh"
sim_project
fake_host
github_job
export RUNNER_NAME=$'gpu --><script>\n::set-output name=a::b'
sed -i 's/base_us: 100/base_us: 108/' assay.yaml
sim_gate --github >../report.txt 2>../err.txt
python3 - <<'P'
import glob, json, os
path = max(glob.glob("runs/*/result.json"), key=os.path.getmtime)
document = json.load(open(path))
evil = "@somebody fixes #12\n::error::evil --> `x` <img src=x onerror=alert(1)> | \\ %0A::warning::"
document["suite"] = evil
for case in document["decision"]["problems" if "problems" in document["decision"] else "cases"]:
    case["short_name"] = evil
    case["sentence"] = evil
json.dump(document, open("../evil.json", "w"))
P
: >../output
assay publish ../evil.json --github 2>../err.txt
echo "publish: $?"
grep -c '^::' ../err.txt
grep -vc '^::error title=' ../err.txt
grep -c '^[a-z-]*=' ../output; wc -l <../output
said | grep '^comment' | cut -c1-150
python3 - <<'P'
import json, re

def unfenced(body):  # nothing is linked in code, nor in a comment of HTML
    return re.sub(r"(?s)```.*?```|`[^`\n]*`|<!-- assay.*?-->", "", body)

for comment in json.load(open("../state.json"))["comments"]:
    if comment["body"].startswith("<!-- assay"):
        print("told or linked:", "@somebody" in unfenced(comment["body"]) or "#12" in unfenced(comment["body"]), "markup:", "<img" in comment["body"].replace("\\<img", ""), "lines of a command:", sum(line.startswith("::") for line in comment["body"].split("\n")))
P
