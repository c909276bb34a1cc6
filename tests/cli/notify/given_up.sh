# A server that never takes a message is left alone after twenty commands, which is said; a damaged memory is said, too, and nobody is told.
. "$ASSAY_SOURCE/tests/cli/notify/_notify.sh"
export ASSAY_STORE=$PWD/../store/history.db # the memory lies beside the store, which outlives a checkout
notify_by '{webhook: json}'
slower
export ASSAY_WEBHOOK_URL=''
sim_gate >../report.txt 2>../err.txt
warned | sed 's|kept in [^ ]*/store/notify-[0-9a-f]*\.json|kept beside the store|'
for i in $(seq 18); do assay notify last 2>/dev/null && echo "told?"; done
assay notify last 2>&1
assay notify last
ls -A .assay 2>/dev/null
export ASSAY_WEBHOOK_URL=http://127.0.0.1:$hook_port/
echo '{"schema_version": 1, "told": []}' >"$(echo ../store/notify-*.json)"
assay notify last 2>&1 | sed "s|[^ ]*/notify-[0-9a-f]*|NOTIFY|"
got "damaged"
rm ../store/notify-*.json
assay notify last
got "removed"
