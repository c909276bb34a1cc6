# SPDX-License-Identifier: Apache-2.0
# Answers of the referee on the server: the list, one, its document, and the leaderboard that they make.
. "$ASSAY_SOURCE/tests/cli/serve/_server.sh"
need_server
. "$ASSAY_SOURCE/tests/cli/referee/_project.sh"
candidate slow.c 'for (int k = 0; k < 8; ++k) for (int i = 0; i < n; ++i) ((volatile float *)y)[i] = 2 * x[i];'
candidate wrong.c '(void)x; for (int i = 0; i < n; ++i) y[i] = 3;'
export ASSAY_STORE=$PWD/answers.db
for name in right slow wrong; do
    assay referee twice candidates/$name.c --problem n=20000 --no-shrink --json >$name.json 2>err
    [ $? -lt 2 ] || { echo "$name: $(cat err $name.json)"; exit 1; }
done
start_server --store answers.db
python3 - "$url" <<'P' || complain "the leaderboard is another"
import json, sys, urllib.request
get = lambda path: json.load(urllib.request.urlopen(f"{sys.argv[1]}/api/v1/{path}"))
answers = get("answers")
assert answers["total"] == 3 and [row["candidate"] for row in answers["answers"]] == ["wrong.c", "slow.c", "right.c"], answers
assert get("answers?side=slow.c")["total"] == 1 and get("answers?operator=none")["total"] == 0
assert get(f"answers/{answers['answers'][1]['id']}/document") == json.load(open("slow.json"))
(board,) = get("leaderboard")["boards"]
assert board["operator"] == "twice" and board["baseline"] == "mine", board
assert [(row["candidate"], row["rank"]) for row in board["candidates"]] == [("right.c", 1), ("slow.c", 2)], board
P
expect 200 "$url/leaderboard"
grep -q '<main' answer || complain "/leaderboard is no page"
for path in answers/999 answers/999/document answers/x; do expect 404 "$url/api/v1/$path"; done
expect 405 -X DELETE "$url/api/v1/answers/1"
stop_server
exit $exit_code
