# The comment of a gate against the merge base: a sign, both commits as links, what changed, the rest folded; and a command that does
# the same in another checkout. In report.md, which is no comment of a host, commits are code.
. "$ASSAY_SOURCE/tests/cli/publish/_publish.sh"
export XDG_CACHE_HOME=$PWD/../cache # no calibration of another test
sim_project
sed -i 's/pr: {problems: {/&c: scale\/fp32\/n66, /' assay.yaml; git commit -qam "three problems"
base=$(git rev-parse HEAD)
git checkout -qb change && echo "# notes" >notes && git add notes && git commit -qm "notes"
sed -i 's/sim: {base_us: 100}/sim: {base_us: 100, slower_pct: 8, slower_on: scale\/fp32\/n65}/' assay.yaml && git commit -qam "slower on one"
head=$(git rev-parse HEAD)
fake_host
github_job
shown() { sed "s/$base/BASE/g; s/${base:0:12}/BASE12/g; s/${base:0:7}/BASE7/g; s/$head/HEAD/g; s/${head:0:7}/HEAD7/g; s/[0-9]\{8\}-[0-9]\{6\}-gate-[0-9a-f]\{4\}/RUN/g"; }
comment() { python3 -c 'import json; print([c["body"] for c in json.load(open("../state.json"))["comments"] if c["body"].startswith("<!-- assay")][-1])' | shown; }
outline() { # what is to be seen before anything is opened
    python3 -c '
import re, sys
print(re.sub(r"(?s)(<details><summary>.*?</summary>).*?</details>", r"\1", sys.stdin.read()))' | cat -s
}
assay gate --device sim:steady --baseline git:merge-base --quiet --github --color never >line 2>../err.txt; echo "exit $?"; cat line
comment | outline
echo "== what is folded"
comment | sed -n '/<summary>Unchanged/,/<.details>/p; /<summary>How far/,/^- geometric/p'
echo "== the repeated command, in another checkout with another default"
command=$(assay report last --format markdown | grep '^assay gate' | head -1)
git checkout -q main && git merge -q change && git commit -q --allow-empty -m "main moves on"
$command --quiet 2>/dev/null; echo "exit $?"
git checkout -q change
echo "== without a host: commits are code"
shown <"$(ls -d runs/*-gate-*/ | head -1)report.md" | sed -n 1p
echo "== nothing changed"
git checkout -q "$base"; sed -i 's/sim: {base_us: 100}/sim: {base_us: 100.001}/' assay.yaml
assay gate --device sim:steady --baseline git:HEAD --quiet --github 2>/dev/null
comment | outline | head -12
