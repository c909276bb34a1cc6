# The first manifest of a project whose kernel was there before: the baseline is built from the revision's source.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; git rm -q --cached assay.yaml; git commit -qm "before assay"; slow_down
assay gate --baseline git:HEAD --dry-run --json >plan.json
/usr/bin/python3 - <<'P'
import json
plan = json.load(open("plan.json"))
print(plan["policy"]["reason"], "same" if plan["is_same_code"] else "different code")
P
git rm -q --cached csrc/mine.c; git commit -qm "no kernel"
assay gate --baseline git:HEAD --dry-run; echo "no source: $?"
