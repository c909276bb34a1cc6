# slow with sanitizers: others take its branches, most of them notify/once, notify/checkouts and metric/gpu_counts
# The job of docs/notify.md, run as written: a commit of today that is slower is told once, and not by the next night's run of the same
# commit, although each begins with a clean checkout: the memory lies beside the store.
. "$ASSAY_SOURCE/tests/cli/notify/_notify.sh"
python3 -c 'import yaml' 2>/dev/null || { echo "SKIPPED: python3-yaml is not installed"; exit 0; }
python3 - "$ASSAY_SOURCE/docs/notify.md" >../nightly.sh <<'P'
import re, sys, yaml
workflow = yaml.safe_load(re.findall(r"(?s)```yaml\n(.*?)```", open(sys.argv[1]).read())[1])
print(workflow["jobs"]["gate"]["steps"][1]["run"])
P
export HOME=$PWD/../home GIT_COMMITTER_DATE
mkdir -p ../home ../bin
printf '#!/bin/sh\nexec "%s" "$@" --device sim:steady\n' "$ASSAY" >../bin/assay
chmod +x ../bin/assay
notify_by '{webhook: json}'
GIT_COMMITTER_DATE="@$(($(date +%s) - 172800)) +0000" git commit -q --amend --no-edit
slower
git commit -qam "of today"
night() {
    git clean -qffdx
    PATH=$PWD/../bin:$PATH bash --noprofile --norc -eo pipefail ../nightly.sh >../report.txt 2>../err.txt
    got "exit $?"
}
night
night
ls ../home/.assay | sed 's/-[0-9a-f]*\.json/-ID.json/' | grep notify
