# slow with sanitizers
# End to end: the steps that `assay init --github` writes, run as written: a commit that is 6 % slower fails with the right comment, its
# revert is green, in the same comment; claims, acceptance, what is undecided, what moved.
. "$ASSAY_SOURCE/tests/cli/publish/_steps.sh"
ci_repository
begin slow && speed 106 && pull_request slow
job decide pull_request && cat ../output
job gate pull_request
comment
grep -c '^::error' ../log.txt
body | grep -cE '^\| [ab] \|.* [56]\.[0-9] % slower .*\| regression \|$'
ls runs/*/ | grep -E '^report\.(sarif|xml)$'
git checkout -qf -B slow "$head" && git revert -n HEAD && pull_request slow
job gate pull_request
comment
body | grep -c regression
said | grep -oE '^(POST|PATCH).*' | sed 's/comments.*with/comments with/'
said | tail -1
echo "- a claim"
begin same && speed 100 && echo >note.txt && pull_request same
job gate pull_request '["perf-claim"]'
comment
begin fast && speed 80 && pull_request fast
job gate pull_request '["perf-claim"]'
comment
echo "- accepted"
begin slow && speed 108 && pull_request slow
job gate pull_request '["perf-accepted"]'
grep -c 'perf-accepted' runs/*/report.md
echo "- explained when asked; beyond the limits gate does it by itself (explain/gate)"
grep -c -e --explain ../calls.txt
begin some && speed 101 && pull_request some
job gate workflow_dispatch '[]' '{"inputs": {"suite": "pr", "candidate": "mine", "baseline": "git:HEAD^1", "profile": true}}'
cat ../calls.txt
echo "- undecided"
begin unclear && speed 103 && pull_request unclear
unclear='"matrix": {"suite": "pr", "device": "sim:promise"}'
job gate pull_request '[]' "{$unclear}"
comment | tail -1
rm -rf "$XDG_CACHE_HOME/assay/gates" runs # no rerun, which would have fresh data
job gate pull_request '[]' "{$unclear, \"vars\": {\"ASSAY_UNDECIDED\": \"warn\"}}"
grep -o '^::warning::the gate could.*' ../log.txt
echo "- not valid is not undecided"
job gate pull_request '[]' '{"matrix": {"suite": "pr", "device": "sim:throttled"}, "vars": {"ASSAY_UNDECIDED": "warn"}}'
comment | tail -1
echo "- a regression is not undecided"
git checkout -qf --detach origin/slow && git reset -q --soft origin/main && git commit -qm slower
job gate pull_request '[]' "{\"vars\": {\"ASSAY_UNDECIDED\": \"warn\"}}"
grep -h secret -r ../log.txt runs ../summary.md ../output | wc -l
