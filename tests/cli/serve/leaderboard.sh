# SPDX-License-Identifier: Apache-2.0
# Answers of the referee on the server: the list, one, its document, and the leaderboard that they make. On a simulated device.
. "$ASSAY_SOURCE/tests/cli/serve/_server.sh"
need_server
cat >assay.yaml <<'Y'
version: 1
kernels:
  mine: {operator: scale, backend: sim, sim: {base_us: 100}}
  fast: {operator: scale, backend: sim, sim: {base_us: 80}}
  slow: {operator: scale, backend: sim, sim: {base_us: 140}}
  wrong: {operator: scale, backend: sim, sim: {base_us: 100, skips_work_at_launch: 1}}
suites: {pr: {problems: {a: scale/fp32/n64, b: scale/fp32/n65}}}
Y
export ASSAY_STORE=$PWD/answers.db
for name in slow fast wrong; do
    assay referee scale $name --baseline mine --device sim:steady --suite pr --json >$name.json 2>err
    code=$?
    [ $code = $([ $name = fast ] && echo 0 || echo 1) ] || complain "$name: code $code: $(cat err $name.json)"
done
start_server --store answers.db
python3 - "$url" <<'P' || complain "the leaderboard is another"
import json, sys, urllib.request
get = lambda path: json.load(urllib.request.urlopen(f"{sys.argv[1]}/api/v1/{path}"))
answers = get("answers")
assert answers["total"] == 3 and {row["candidate"]: row["verdict"] for row in answers["answers"]} == {"slow": "right", "fast": "right", "wrong": "wrong"}, answers
assert get("answers?side=slow")["total"] == 1 and get("answers?operator=none")["total"] == 0
(slow,) = get("answers?side=slow")["answers"]
assert get(f"answers/{slow['id']}") == slow and get(f"answers/{slow['id']}/document") == json.load(open("slow.json"))
(board,) = get("leaderboard")["boards"]
assert board["operator"] == "scale" and board["baseline"] == "mine", board
assert [(row["candidate"], row["rank"]) for row in board["candidates"]] == [("fast", 1), ("slow", 2)], board
P
expect 200 "$url/leaderboard"
grep -q '<main' answer || complain "/leaderboard is no page"
for path in answers/999 answers/999/document answers/x; do expect 404 "$url/api/v1/$path"; done
expect 405 -X DELETE "$url/api/v1/answers/1"
stop_server
exit $failed
