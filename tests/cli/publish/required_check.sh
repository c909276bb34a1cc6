# The check that a branch requires exists whatever ran, and says what the gate said: the workflow's last job, for every event and every end of
# the jobs before it. A skipped, missing or failed gate must not pass where one was needed.
. "$ASSAY_SOURCE/tests/cli/publish/_publish.sh"
python3 -c 'import yaml' 2>/dev/null || { echo "SKIPPED: python3-yaml is not installed"; exit 0; }
project
assay init --github >/dev/null
python3 - <<'P'
import itertools, subprocess, yaml
jobs = yaml.safe_load(open(".github/workflows/assay.yml"))["jobs"]
(last,) = [job for job in jobs.values() if job.get("name") == "assay"]
print("matrix:", "strategy" in last, "if:", last["if"], "needs:", last["needs"], "runs on:", last["runs-on"])
(step,) = last["steps"]
print(step["env"])
ends = ("success", "failure", "cancelled", "skipped")
passed = []
for event, decide, run, gate in itertools.product(("pull_request", "merge_group", "push"), ends, ("true", "false", ""), ends):
    env = {"PATH": "/usr/bin:/bin", "EVENT": event, "DECIDE": decide, "RUN": run, "GATE": gate}
    if subprocess.run(["bash", "-e", "-c", step["run"]], env=env, stdout=subprocess.DEVNULL).returncode == 0:
        passed.append((event, decide, run or "not known", gate))
for row in passed:
    print("passes:", *row)
group = jobs["gate"]["concurrency"]
print(" ".join(group["cancel-in-progress"].split()))
P
grep -rhoE 'uses: [a-z].*' .github | sed -E 's/@[0-9a-f]{40} #/ pinned,/' | sort -u
assay init --github --update
echo "exit $?"
sed -i 's/timeout-minutes: 90/timeout-minutes: 30/' .github/workflows/assay.yml
rm .github/pull_request_template.md
assay init --github --update | grep -E '^[-+:.a-z ]*(timeout|\.github)'
git status --short | head -3
assay init --update
echo "exit $?"
