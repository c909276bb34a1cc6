# slow with sanitizers: what is linted is written by publish/init_files too
# What `assay init --github` writes passes actionlint, of a processor's kernel and of a GPU's, and so does the job that docs/notify.md shows;
# what is wrong does not.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
lint() { "$ASSAY_SOURCE/scripts/actionlint.sh" "$@" >../lint.txt 2>&1; }
sim_project
printf 'on: push\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: "echo ${{ nothing.x }}"}]}}\n' >../bad.yml
lint ../bad.yml
code=$?
[ $code = 77 ] && { cat ../lint.txt; exit 0; }
echo "an unknown context: $code"
for backend in cpu cuda; do
    sed -i "s/backend: [a-z]*, .*/backend: $backend, source: mine.c}/" assay.yaml
    rm -rf .github
    assay init --github >/dev/null || exit
    lint .github/workflows/*.yml; echo "$backend: $?"; cat ../lint.txt
done
sed -n '/^name: nightly/,/^```/p' "$ASSAY_SOURCE/docs/notify.md" | sed '$d' >../nightly.yml
lint ../nightly.yml; echo "nightly: $?"; cat ../lint.txt
