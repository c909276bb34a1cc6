# A repository with a kernel in C, a job's environment, and a code host of our own.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
if ! command -v curl >/dev/null; then
    echo "SKIPPED: no curl, which posts comments"
    exit 0
fi
# fake_host [STATUS]: starts it; $port, and its state in ../state.json
fake_host() {
    python3 "$ASSAY_SOURCE/tests/cli/publish/_fake_host.py" ../state.json "$@" >../port &
    host=$!
    trap 'kill $host' EXIT
    until read -r port <../port; do sleep 0.05; done # a whole line
}
# github_job: as GitHub sets it for a pull request
github_job() {
    printf '{"action": "synchronize", "pull_request": {"number": 7}}' >../event.json
    : >../summary.md
    : >../output
    export GITHUB_API_URL=http://127.0.0.1:$port GITHUB_REPOSITORY=owner/kernels GITHUB_TOKEN=secret-of-the-job RUNNER_NAME=gpu-1 \
        GITHUB_EVENT_PATH=$PWD/../event.json GITHUB_STEP_SUMMARY=$PWD/../summary.md GITHUB_OUTPUT=$PWD/../output \
        GITHUB_SERVER_URL=https://github.com GITHUB_RUN_ID=99
}
# said: what the host saw, and the comments that are ours
said() {
    python3 - <<'P'
import json
state = json.load(open("../state.json"))
for method, path, token in state["log"]:
    print(method, path, "with the token" if "secret" in token else "without a token")
for comment in state["comments"]:
    if comment["body"].startswith("<!-- assay"):
        lines = comment["body"].split("\n")
        print("comment", comment["id"], "|", lines[0], "|", lines[3], "|", len(comment["body"]) <= 65536)
print("others untouched:", sum(c["body"] == f"comment {c['id']} of somebody" for c in state["comments"]))
P
}
