# Against the merge base: what other branches did since does not count, and a dirty file stays as it is.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
base_us() { sed -i "s/base_us: [0-9]*/base_us: $1/" assay.yaml; }
sim_project
git checkout -qb feature; base_us 106; git commit -qam "slower"
git checkout -q main; base_us 120; git commit -qam "main moves on"; git checkout -q feature
echo "# dirty" >>assay.yaml; cp assay.yaml ../before
sim_gate --baseline git:merge-base; code=$?
cmp ../before assay.yaml && echo "status: $(git status --porcelain | tr '\n' ';')"
exit $code
