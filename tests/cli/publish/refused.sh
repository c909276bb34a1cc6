# What the host does not take is a warning of the gate, whose exit code stays; `publish` says it with 69. No token is needed to measure.
. "$ASSAY_SOURCE/tests/cli/publish/_publish.sh"
exec > >(sed 's/127.0.0.1:[0-9]*/HOST/g') # ports differ
sim_project
fake_host 403
github_job
sim_gate --measure-same --github 2>&1 >../report.txt | grep warning
echo "no permission: ${PIPESTATUS[0]}"
assay publish last --github 2>&1
echo "publish: $?"
unset GITHUB_TOKEN
sim_gate --measure-same --github 2>&1 >../report.txt | grep warning
echo "no token: ${PIPESTATUS[0]}"
# curl's words are cut at 64 characters: at how many of the reason depends on the digits of the time.
GITHUB_API_URL=http://127.0.0.1:1 GITHUB_TOKEN=x assay publish last --github 2>&1 | sed 's/after [0-9]* ms: C[a-z]*\.\.\.$/after N ms: C.../'
echo "nobody there: ${PIPESTATUS[0]}"
printf '{"ref": "refs/heads/main"}' >../event.json
sim_gate --measure-same --github 2>&1 >../report.txt | grep -c warning
printf '{"pull_request": ' >../event.json
sim_gate --measure-same --github 2>&1 >../report.txt | sed "s|$PWD|.|"
echo "an event that is cut off: ${PIPESTATUS[0]}"
assay publish last 2>&1
echo "nowhere: $?"
for number in ../../x 7a '' -1 9999999999999999999; do
    assay publish last --github --pull-request "$number" 2>&1
    echo "'$number': $?"
done
assay bench --device sim:steady --quiet >/dev/null 2>&1
assay publish last --github 2>&1 | sed 's|runs/[^/]*|runs/RUN|'
echo "no decision: ${PIPESTATUS[0]}"
