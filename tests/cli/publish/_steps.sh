# A bare repository, its clone with what `assay init --github` writes, and the jobs of that, run as written.
. "$ASSAY_SOURCE/tests/cli/publish/_publish.sh"
python3 -c 'import yaml' 2>/dev/null || { echo "SKIPPED: python3-yaml is not installed"; exit 0; }
ci_repository() {
    mkdir work && cd work || exit 70
    sim_project
    assay init --github >../init.txt || exit
    git add -A && git commit -qm "assay init --github"
    git clone -q --bare . ../origin.git && git remote add origin ../origin.git && git push -q -u origin main
    fake_host
    github_job
    export HOME=$PWD/../home
    mkdir -p "$HOME" ../bin
    printf '#!/bin/sh\necho "$*${GITHUB_TOKEN:+ (with a token)}" >>"%s"\nexec "%s" "$@"\n' "$PWD/../calls.txt" "$ASSAY" >../bin/assay
    chmod +x ../bin/assay
    PATH=$PWD/../bin:$PATH # which notes every call
}
# pull_request BRANCH: a commit on it goes to origin, and its merge with main is checked out, as actions/checkout does it
pull_request() {
    git add -A && git commit -qm "$1" && git push -qf origin "HEAD:$1"
    head=$(git rev-parse HEAD)
    git checkout -q --detach origin/main && git merge -q --no-ff -m "merge of $1" "$head"
    git clean -qffdx
}
# begin BRANCH: a clean branch from origin's main
begin() {
    git fetch -q origin && git checkout -qf -B "$1" origin/main
}
speed() { sed -i "s/base_us: [0-9]*/base_us: $1/" assay.yaml; }
# job NAME EVENT [LABELS] [MEMBERS of the contexts]: its steps; what it says is in ../log.txt
job() {
    local code=0
    : >../output
    : >../calls.txt
    context=$(python3 - "$2" "${3:-[]}" "${4:-{\}}" <<'P'
import json, sys
event, labels, more = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
github = {"event_name": event, "repository": "owner/kernels", "token": "secret-of-the-job", "ref_name": more.pop("ref_name", "main"),
          "event": {"repository": {"default_branch": "main"}, "before": more.pop("before", "")}}
if event == "pull_request":
    github["event"]["pull_request"] = {"labels": [{"name": name} for name in labels],
                                       "head": {"repo": {"fork": more.pop("is_fork", False)}}}
if event == "workflow_run":
    github["event"]["workflow_run"] = more.pop("workflow_run")
contexts = {"github": github, "matrix": {"suite": "pr", "device": "sim:steady"}, "needs": {"decide": {"outputs": {"run": "true"}}},
            "strategy": {"job-index": 0}, "inputs": {}, "vars": {}}
contexts.update(more)
print(json.dumps(contexts))
P
    )
    local file=assay
    [ "$1" = comment ] && file=assay-comment
    env -u GITHUB_TOKEN python3 "$ASSAY_SOURCE/tests/cli/publish/_workflow.py" ".github/workflows/$file.yml" "$1" "$context" >../log.txt 2>&1 ||
        code=$?
    echo "$1 on $2 ${3:-}: exit $code$(grep -qx skipped ../log.txt && echo ', skipped')"
}
body() { # of our comments
    python3 -c 'import json; [print(c["body"]) for c in json.load(open("../state.json"))["comments"] if c["body"].startswith("<!-- assay")]'
}
comment() { said | grep '^comment' | cut -d'|' -f3; }
