# A hosted runner forgets: what its host counts as attempts of the job makes a gate a rerun, with fresh data. Known runs and attempts
# are not added up. What no host would say is ignored.
export XDG_CACHE_HOME=$PWD/cache GITHUB_ACTIONS=true
gate() {
    rm -rf cache runs
    assay gate --device sim:promise --baseline sim --candidate "${candidate:-sim_slower5}" --suite sim27 --only p1 --no-check >out
    echo "exit $?"
    grep -o '^rerun [0-9]*: [a-zA-Z]* [a-z]* [^;]*' out
    grep -o 'rerun [0-9]*: [A-Z].*does not know what the earlier ones decided' out
    grep '^seed' out >seed
}
echo "- the first attempt"
GITHUB_RUN_ATTEMPT=1 gate
cat seed
echo "- the third, on a machine that knows of none"
GITHUB_RUN_ATTEMPT=3 gate
grep -qx "seed      42" seed || echo "another seed than 42"
mv seed third
GITHUB_RUN_ATTEMPT=3 gate >/dev/null
cmp third seed && echo "which follows from the number"
sed -n 's/.*"\(earlier_attempt_count\|attempt_host\)": \(.*\)/\1: \2/p' runs/*/plan.json
echo "- a candidate that is not slower"
candidate=sim_faster15 GITHUB_RUN_ATTEMPT=2 gate
echo "- resumed by the first attempt's machine"
GITHUB_RUN_ATTEMPT=1 assay gate --resume last | grep -o '^rerun [0-9]*: [a-zA-Z]* [a-z]* [^;]*'
echo "- GitLab"
unset GITHUB_ACTIONS
GITLAB_CI=true CI_JOB_RETRY_COUNT=0 gate
GITLAB_CI=true CI_JOB_RETRY_COUNT=1 gate
plan() { # what a gate would say of the attempt
    assay gate --device sim:promise --baseline sim --candidate sim --measure-same --only p1 --no-check --dry-run | grep attempt
}
GITLAB_CI=true CI_JOB_RETRY_COUNT=1 plan
echo "- no job, or what no host says"
GITHUB_RUN_ATTEMPT=3 CI_JOB_RETRY_COUNT=3 gate
export GITHUB_ACTIONS=true
GITHUB_RUN_ATTEMPT=1001 gate
for value in "" 0 -1 2x " 2" 0x2 2.5 99999999999999999999 $'2\n3' $'\033[31m2'; do GITHUB_RUN_ATTEMPT=$value plan; done
GITHUB_ACTIONS=yes GITHUB_RUN_ATTEMPT=2 plan
echo "- both know: the larger number"
both() {
    GITHUB_RUN_ATTEMPT=$1 assay gate --device sim:promise --baseline sim --candidate sim_slower5 --suite sim27 --only p1 --no-check >out
    grep -o '^rerun [0-9]*: [a-zA-Z]* [a-z]* [^;]*\|[0-9] of [0-9] earlier runs* of this code decided against it\|; GitHub says[^;]*' out |
        sed -E 's/run [0-9a-z-]{20,}/run ID/'
}
rm -rf cache runs
both 1
both 2
both 2
both 5
