# slow with sanitizers: publish/gitlab takes the path
# The script that `assay init --gitlab` writes, run as written: a slower kernel fails and leaves JUnit and metrics, a claim without proof
# fails, an accepted regression passes; the note is updated in place.
. "$ASSAY_SOURCE/tests/cli/publish/_publish.sh"
python3 -c 'import yaml' 2>/dev/null || { echo "SKIPPED: python3-yaml is not installed"; exit 0; }
mkdir work && cd work && sim_project
assay init --gitlab >../init.txt
git add -A && git commit -qm "assay init --gitlab"
fake_host
export CI_API_V4_URL=http://127.0.0.1:$port CI_PROJECT_ID=42 CI_MERGE_REQUEST_IID=3 ASSAY_GITLAB_TOKEN=secret CI_RUNNER_DESCRIPTION=gpu-2
export SUITE=pr DEVICE=sim:steady CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git rev-parse HEAD) CI_MERGE_REQUEST_LABELS
python3 -c 'import yaml; print(yaml.safe_load(open(".gitlab/assay.yml"))["assay:gate"]["script"][0])' >../gate.sh
gate() { # BASE_US LABELS
    sed -i "s/base_us: [0-9]*/base_us: $1/" assay.yaml
    CI_MERGE_REQUEST_LABELS=$2
    sh -e ../gate.sh >../log.txt 2>&1
    echo "base_us $1, labels '$2': exit $?"
}
gate 106 ""
ls assay-junit.xml assay-metrics.txt
gate 100 documentation,perf-claim
gate 80 perf-claim
gate 107 benchmark,perf-accepted
said | grep -c '^comment'
said | grep -c PUT
