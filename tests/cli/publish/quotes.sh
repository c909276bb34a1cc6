# A comment of quotes, which are escaped in JSON, is posted whole: curl takes no line of its configuration beyond 100 KiB. The file that
# holds it does not stay.
. "$ASSAY_SOURCE/tests/cli/publish/_publish.sh"
sim_project
fake_host
github_job
sim_gate >/dev/null 2>&1
python3 - <<'P'
import glob, json
[path] = glob.glob("runs/*/result.json")
document = json.load(open(path))
document["decision"]["notes"] = [f"{i} " + '"' * 600 for i in range(90)]
json.dump(document, open("../quotes.json", "w"))
P
mkdir ../tmp
TMPDIR=$PWD/../tmp assay publish ../quotes.json --github
echo "exit $?"
ls ../tmp | wc -l
python3 -c 'import json; print(json.load(open("../state.json"))["comments"][-1]["body"].count(chr(34)) > 50000)'
TMPDIR=$PWD/nowhere assay publish ../quotes.json --github 2>&1 | sed "s|'/[^ ]*assay-body-......'|FILE|"
