# slow with sanitizers: publish/github takes the path
# Which events measure: watched paths, the label `benchmark`, dispatch; a fork gets no token, and a second workflow comments for it; the
# baseline moves on a push to the default branch only.
. "$ASSAY_SOURCE/tests/cli/publish/_steps.sh"
ci_repository
begin text && echo hello >README.md && pull_request text
job decide pull_request && cat ../output
job decide pull_request '["documentation"]' && cat ../output
job decide pull_request '["documentation", "benchmark"]' && cat ../output
job decide workflow_dispatch && cat ../output
job gate pull_request '[]' '{"needs": {"decide": {"outputs": {"run": "false"}}}}'
job decide push '[]' "{\"before\": \"$(git rev-parse HEAD^1)\"}" && cat ../output
job decide push '[]' '{"before": "0000000000000000000000000000000000000000"}' 2>&1 && cat ../output
echo "- a fork"
begin stranger && speed 108 && pull_request stranger
job gate pull_request '[]' '{"is_fork": true}'
grep -c 'no comment is posted: no token' ../log.txt
cat ../calls.txt
[ -e ../state.json ] || echo "the host was not asked"
grep -rho 'secrets\.' .github | wc -l
comment
mkdir -p artifacts && cp -r runs artifacts/assay-1-0 # as upload-artifact keeps a folder: what is in it
fork='{"workflow_run": {"id": 5, "event": "pull_request", "head_branch": "a/b&c $(touch pwned)", "head_sha": "'$head'",
       "head_repository": {"full_name": "stranger/kernels", "owner": {"login": "stranger"}}}}'
printf '{"stranger:a/b&c $(touch pwned)": [{"number": 6, "head": {"sha": "0"}}, {"number": 9, "head": {"sha": "%s"}}]}' "$head" >../pulls.json
printf '{"workflow_run": {"pull_requests": []}}' >../event.json
job comment workflow_run '[]' "$fork"
comment
said | grep -c 'POST /repos/owner/kernels/issues/9/comments with the token'
ls pwned 2>&1 | wc -l
printf '{}' >../pulls.json
job comment workflow_run '[]' "$fork" && grep 'nothing to comment' ../log.txt
job comment workflow_run '[]' "${fork//stranger\/kernels/owner\/kernels}"
echo "- the baseline"
job baseline pull_request
job baseline workflow_dispatch
job baseline push '[]' '{"ref_name": "master"}'
job baseline push '[]' '{"needs": {"decide": {"outputs": {"run": "false"}}}}'
[ -e "$HOME/.assay" ] || echo "no history before a merge"
git checkout -qf main && speed 99 && git commit -qam "merged"
job baseline push '[]' '{"needs": {"decide": {"outputs": {"run": "true"}}}}'
ls baseline_pr.json
listed() { assay baseline list --store "$HOME/.assay/history.db" | tail -n +2; }
listed | awk '{print $1}'
first=$(listed)
speed 98 && git commit -qam "merged, too"
job baseline push
listed | awk '{print $1}'
[ "$first" != "$(listed)" ] && echo "it moved"
job gate push
