# Which comment a gate's result updates does not depend on who publishes it: one for each suite, device and runner of the gate, whose own
# job it links. What others wrote stays, however it begins, and a comment that the host refuses to change is left for a new one.
. "$ASSAY_SOURCE/tests/cli/publish/_publish.sh"
sim_project
# comments_of ID,ID KEY VALUE [KEY VALUE]: a file of comments that begin with the gate's mark
comments_of() {
    python3 - "$@" >../more.json <<'P'
import json, sys
more = dict(zip(sys.argv[2::2], map(json.loads, sys.argv[3::2])))
body = "<!-- assay: suite pr on sim:steady of gpu_1 -->\n\n\nof before\n"
print(json.dumps([{"id": int(number), "body": body, **more} for number in sys.argv[1].split(",")]))
P
}
comments() { said | grep '^comment' | sed 's/ *| True$//'; }
last_lines() { python3 -c 'import json; [print(c["body"].strip().split("\n")[-1]) for c in json.load(open("../state.json"))["comments"][-2:]]'; }
comments_of 501 user '{"id": 5, "type": "User"}'
FAKE_HOST_COMMENTS=$PWD/../more.json fake_host
github_job
for device in steady noisy; do
    GITHUB_TOKEN='' assay gate --device sim:$device --baseline git:HEAD --measure-same --quiet --github >/dev/null 2>../err.txt
done
first=$(ls -td runs/*/ | tail -1) second=$(ls -td runs/*/ | head -1)
grep -ho '"job_[a-z]*": .*' "$first/result.json"
echo "== published twice, by another workflow's jobs on other runners"
for runner in hosted-1 hosted-2; do
    for run in $first $second; do
        RUNNER_NAME=$runner GITHUB_RUN_ID=7 assay publish "$run/result.json" --github 2>../err.txt || cat ../err.txt
    done
done
comments | cut -d'|' -f1-2
last_lines
echo "== a document links no page but a job of this repository"
for change in 's|"job_id": "99"|"job_id": "../../evil"|' 's|"job_host": "github"|"job_host": "gitlab"|'; do
    sed "$change" "$first/result.json" >../other.json
    assay publish ../other.json --github 2>../err.txt || cat ../err.txt
    comments | wc -l
    last_lines | grep -c 'The job and'
done
echo "== the host refuses to change ours"
kill $host
wait $host 2>/dev/null
rm ../port ../state.json
comments_of 601,602 user '{"id": 7, "type": "User"}' is_fixed true
FAKE_HOST_COMMENTS=$PWD/../more.json FAKE_HOST_SAYS_USER=1 fake_host
export GITHUB_API_URL=http://127.0.0.1:$port
assay publish "$first/result.json" --github 2>../err.txt || cat ../err.txt
said | sed 's/ *| True$//'
