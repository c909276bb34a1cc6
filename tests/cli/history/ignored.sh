# The folder of a new store is ignored by git, so no run makes the next one "-dirty"; one that is there is left as it is.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
unset ASSAY_STORE
sim_project
bench() { assay bench --device sim:steady --kernel mine --suite pr --quiet >/dev/null 2>../said || { cat ../said; exit 1; }; }
if assay history 2>&1 | grep -q "built without a store"; then echo "SKIPPED: this assay was built without a store"; exit 0; fi
bench && ls -A .assay && git status --porcelain && git add -A && git diff --cached --quiet && echo "nothing to commit"
bench && assay history export | cut -d, -f1-9 | grep -c dirty
rm -r .assay && mkdir .assay && echo kept >.assay/note && git add -A && git commit -qm "a store in the repository"
bench && ls -A .assay && git status --porcelain
