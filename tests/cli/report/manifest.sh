# --manifest names the folder beside which the runs lie, for `report` and `publish` as for the gate that made them.
unset GITHUB_API_URL GITHUB_TOKEN GITHUB_REPOSITORY GITHUB_EVENT_PATH
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
mkdir elsewhere && mv assay.yaml elsewhere/own.yaml && git add -A && git commit -qm "moved"
sim_gate --manifest elsewhere/own.yaml | sed -n 2p
assay report last --manifest elsewhere/own.yaml --format summary | sed -n 1,2p
assay publish last --manifest elsewhere/own.yaml --github 2>&1; echo "published: $?"
assay report last 2>&1; echo $?
