# `assay init --github` and `--gitlab`: valid YAML with the manifest's names; nothing is overwritten, all or nothing is written.
. "$ASSAY_SOURCE/tests/cli/publish/_publish.sh"
python3 -c 'import yaml' 2>/dev/null || { echo "SKIPPED: python3-yaml is not installed"; exit 0; }
project
assay init --github
assay init --gitlab
python3 - <<'P'
import yaml
workflow = yaml.safe_load(open(".github/workflows/assay.yml"))
inputs = workflow[True]["workflow_dispatch"]["inputs"]  # YAML 1.1 reads the key `on` as true
print(inputs["suite"]["options"], inputs["candidate"]["options"], sorted(inputs))
print(workflow["permissions"], [(name, job["runs-on"]) for name, job in workflow["jobs"].items()])
print(workflow["jobs"]["decide"]["steps"][1]["env"]["WATCHED"].split())
gitlab = yaml.safe_load(open(".gitlab/assay.yml"))
print(gitlab["assay:gate"]["rules"][-1], sorted(gitlab["assay:gate"]["artifacts"]["reports"]))
for path in (".github/workflows/assay.yml", ".github/workflows/assay-comment.yml"):
    for job in yaml.safe_load(open(path))["jobs"].values():
        print([step.get("name", step.get("uses")) for step in job["steps"] if "${{" in step.get("run", "")], end=" ")
P
echo
rm -r .github/workflows
assay init --github 2>&1
echo "exit $?"; ls .github | paste -sd' '
mkdir sub && cd sub && assay init --github 2>&1
echo "exit $?"
mkdir ../../empty && cd ../../empty && assay init --github 2>&1
echo "exit $?"
git init -q . && assay init --github | tail -5 && ls -A . kernels && git add -A && git -c user.name=t -c user.email=t@t commit -qm first &&
    report_of gate --baseline git:HEAD | sed -n 2p
mkdir ../taken && cd ../taken && git init -q . && echo mine >kernels && assay init --github >/dev/null 2>&1
echo "kernels is a file: exit $?"; find . -type f -not -path './.git/*' | paste -sd' '
mkdir ../own && cd ../own && git init -q . && cp "$ASSAY_SOURCE/assay.yaml" . && assay init --github >/dev/null
diff -r .github "$ASSAY_SOURCE/.github" && echo "this repository uses it as written"
