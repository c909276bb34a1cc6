# `gate --gitlab`: a note of the merge request, created and updated in place; a host that takes two seconds for an answer is waited for.
. "$ASSAY_SOURCE/tests/cli/publish/_publish.sh"
sim_project
FAKE_HOST_WAITS_S=2 FAKE_HOST_SAYS_USER=1 fake_host
unset GITHUB_RUN_ID # of a job that runs this test
export CI_API_V4_URL=http://127.0.0.1:$port CI_PROJECT_ID=42 CI_MERGE_REQUEST_IID=3 ASSAY_GITLAB_TOKEN=secret CI_RUNNER_DESCRIPTION=gpu-2 \
    CI_PROJECT_URL=https://gitlab.example/team/kernels CI_JOB_ID=11
for us in 108 100; do
    sed -i "s/base_us: 1../base_us: $us/" assay.yaml
    sim_gate --gitlab --measure-same >/dev/null 2>&1
    echo "base_us $us: $?"
done
said
python3 -c 'import json; print(json.load(open("../state.json"))["comments"][-1]["body"].strip().split("\n")[-1])'
